import { define, fieldAt, hasNoFields, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { FieldPath } from "./field-types.ts";
import type { Inner, Parts } from "./lens.ts";
import { isMappable, type MappedMetadata, markOf } from "./marks.ts";

/** One way of a lens that was made of rows: what is taken out of the source, then what rows write, in this order. */
interface LensWay {
  readonly taken: Branch;
  readonly mappings: readonly Mapping[];
}

/** What one row reads and writes. */
export interface Mapping {
  readonly sources: readonly Part[];
  readonly targets: readonly Part[];
  readonly map: MapParts;
  /** Whether it writes into objects that may be parts of the source: what another row moved, or labels that stay. */
  readonly copies: boolean;
}

/** A part of a row and its path. */
export interface Part {
  readonly name: string;
  readonly path: readonly string[];
  /** What it is of metadata, if it is that. */
  readonly mark: keyof MappedMetadata | undefined;
  /** What of its object other rows read; undefined for nothing. */
  readonly hidden: Branch | undefined;
}

export type Convert = (object: JsonObject) => JsonObject;
type MapParts = (parts: Parts) => Parts;

/** What a row of one field in each version does with a value that is there. */
export interface ValueMap {
  /** Undefined for a value that passes as it is. */
  readonly map: ((value: Json) => Json | undefined) | undefined;
  /** The lens of the objects below the field, and whether these are items, if `map` is nothing but that. */
  readonly inner?: { readonly convert: Convert; readonly of: Inner["of"] };
}

// Which way a function of a lens goes, and what a function of a row does, for those that were made here. Only the function
// itself tells: a lens or a row that its author copied with another function has the same rows and does something else.
const ways = new WeakMap<Convert, LensWay>();
const valueMaps = new WeakMap<MapParts, ValueMap>();

/** The function of one way of a lens. */
export function convertBy(way: LensWay): Convert {
  const mapRows = way.mappings.map(mapRowOf);
  const convert: Convert = (source) => {
    const result = without(source, way.taken);
    for (const mapRow of mapRows) mapRow(source, result);
    return result;
  };
  ways.set(convert, way);
  return convert;
}

/** The way of a function that `convertBy` made; undefined for any other. */
export function wayOf(convert: Convert): LensWay | undefined {
  return ways.get(convert);
}

/** The function of one way of a row of one field in each version, named `value`. */
export function mapValueBy(valueMap: ValueMap): MapParts {
  const { map } = valueMap;
  const mapParts: MapParts = ({ value }) => ({
    value: value === undefined || map === undefined ? value : map(value),
  });
  valueMaps.set(mapParts, valueMap);
  return mapParts;
}

/** What a function that `mapValueBy` made does; undefined for any other. */
function valueMapOf(map: MapParts): ValueMap | undefined {
  return valueMaps.get(map);
}

/** The fields named below one object: whole ones are taken out, branches lead further down. */
export type Branch = ReadonlyMap<string, Branch | "whole">;

/** Writes what a row maps from the source into the result. */
type MapRow = (source: JsonObject, result: Draft) => void;

/** An object that may still be changed, as may every object that a row's path leads through: `without` copied them. */
type Draft = Record<string, Json>;

/** One way of a row. */
interface RowWay {
  readonly from: Readonly<Record<string, FieldPath>>;
  readonly to: Readonly<Record<string, FieldPath>>;
  readonly map: MapParts;
}

/** The mappings of rows. Those that write below a field of another one, or of their own, come last. */
export function mappingsOf(ways: readonly RowWay[]): readonly Mapping[] {
  const sources = ways.flatMap(({ from }) => namesOf(from));
  const isNested = (way: RowWay) =>
    ways.some(({ to }) => namesOf(to).some((path) => fieldsBelow(path, namesOf(way.to)).length > 0));
  const nested = new Set(ways.filter(isNested));
  return [...ways.filter((way) => !nested.has(way)), ...nested].map((way) =>
    mappingOf(way, sources, nested.has(way) || namesOf(way.to).length < pathsOf(way.to).length),
  );
}

/**
 * A row reads its fields without what other rows read below them, given the fields that all of them read.
 */
function mappingOf({ from, to, map }: RowWay, others: readonly string[], copies: boolean): Mapping {
  return { sources: partsOf(from, others), targets: partsOf(to, []), map, copies };
}

function mapRowOf(mapping: Mapping): MapRow {
  const { sources, targets, map, copies } = mapping;
  const one = oneToOne(mapping);
  if (one !== undefined) return mapValueOf(one, copies);
  return (source, result) => {
    const parts: Record<string, Json | undefined> = {};
    for (const { name, path, hidden } of sources) parts[name] = partAt(source, path, hidden);
    const mapped = map(parts);
    for (const { name, path, mark } of targets) {
      const value = mapped[name];
      if (value === undefined || (mark !== undefined && !isMappable(value, mark))) continue;
      put(result, path, value, copies);
    }
  };
}

/** The same for the most frequent rows. */
function mapValueOf({ from, to, valueMap: { map } }: OneToOne, copies: boolean): MapRow {
  return (source, result) => {
    const found = partAt(source, from.path, from.hidden);
    const value = found === undefined || map === undefined ? found : map(found);
    if (value === undefined || (to.mark !== undefined && !isMappable(value, to.mark))) return;
    put(result, to.path, value, copies);
  };
}

/** A mapping of one value to one. */
export interface OneToOne {
  readonly from: Part;
  readonly to: Part;
  readonly valueMap: ValueMap;
}

/** A mapping as one of one value to one, if it is made by `mapValueBy`; undefined for any other. */
export function oneToOne({ sources, targets, map }: Mapping): OneToOne | undefined {
  const valueMap = valueMapOf(map);
  const [from, to] = [onlyValueOf(sources), onlyValueOf(targets)];
  return valueMap === undefined || from === undefined || to === undefined
    ? undefined
    : { from, to, valueMap };
}

function onlyValueOf([part, ...others]: readonly Part[]): Part | undefined {
  return part?.name === "value" && others.length === 0 ? part : undefined;
}

function partsOf(paths: Readonly<Record<string, FieldPath>>, others: readonly string[]): readonly Part[] {
  return Object.entries(paths).map(([name, path]) => {
    const below = typeof path === "string" ? fieldsBelow(path, others) : [];
    const hidden = below.length === 0 ? undefined : branchOf(below.map(toKeys));
    return { name, path: toKeys(path), mark: markOf(path), hidden };
  });
}

/** Of some fields those below a field, from there. */
function fieldsBelow(field: string, fields: readonly string[]): readonly string[] {
  return fields.flatMap((each) => (each.startsWith(`${field}.`) ? each.slice(field.length + 1) : []));
}

/** The value at a path without the fields of it that rows name; undefined where there is none, or null. */
export function partAt(
  source: JsonObject,
  path: readonly string[],
  hidden: Branch | undefined,
): Json | undefined {
  const value = valueAt(source, path);
  return hidden === undefined || value === undefined ? value : remaining(value, hidden);
}

/** What is left of a value without the fields that rows name; undefined for an object of which that leaves none. */
export function remaining(value: Json, taken: Branch): Json | undefined {
  if (!isObject(value)) return value;
  const rest = without(value, taken);
  return hasNoFields(rest) && !hasNoFields(value) ? undefined : rest;
}

/** The value at a path; undefined for null. */
function valueAt(source: JsonObject, path: readonly string[]): Json | undefined {
  let here: Json | undefined = source;
  for (const key of path) {
    here = own(here, key);
    if (here === undefined) return undefined;
  }
  return here ?? undefined;
}

/** The object without the fields that rows name; a container that only this emptied goes too. */
function without(object: JsonObject, taken: Branch): Draft {
  const kept: Draft = {};
  for (const key in object) {
    const value = fieldAt(object, key);
    const branch = taken.get(key);
    if (branch === "whole") continue;
    if (branch === undefined || !isObject(value)) {
      define(kept, key, value);
      continue;
    }
    const rest = without(value, branch);
    if (!hasNoFields(rest) || hasNoFields(value)) define(kept, key, rest);
  }
  return kept;
}

/**
 * Sets the value at a path of a row. Parents that are missing are made, and what stands in their way is replaced. With
 * `copies` a parent may be a part of the source, and is copied first.
 */
export function put(result: Draft, path: readonly string[], value: Json, copies: boolean): void {
  let here = result;
  const last = path.length - 1;
  for (let at = 0; at < last; at++) {
    const key = path[at] as string;
    const inner = own(here, key);
    if (isObject(inner) && !copies) here = inner as Draft;
    else {
      const made: Draft = isObject(inner) ? { ...inner } : {};
      define(here, key, made);
      here = made;
    }
  }
  define(here, path[last] as string, value);
}

export function branchOf(paths: readonly (readonly string[])[]): Branch {
  const below = Map.groupBy(
    paths.filter((path) => path.length > 0),
    ([key = ""]) => key,
  );
  return new Map(
    [...below].map(([key, these]) => [
      key,
      these.some((path) => path.length === 1)
        ? ("whole" as const)
        : branchOf(these.map((path) => path.slice(1))),
    ]),
  );
}

export function toKeys(path: FieldPath): readonly string[] {
  return typeof path === "string" ? path.split(".") : path;
}

export function pathsOf(paths: Readonly<Record<string, FieldPath>>): readonly FieldPath[] {
  return Object.values(paths);
}

/** The names of the fields at paths, but of labels and annotations, which are not parts of an object's content by name. */
export function namesOf(paths: Readonly<Record<string, FieldPath>>): readonly string[] {
  return Object.values(paths).filter((path) => typeof path === "string");
}
