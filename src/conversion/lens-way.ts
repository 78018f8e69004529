import {
  define,
  fieldAt,
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
} from "../json/json.ts";
import { firstItem, toKeys } from "./field-path.ts";
import type { FieldPath } from "./field-types.ts";
import type { AnyRow, Lens } from "./lens.ts";
import { isMappable, type MappedMetadata, markOf } from "./marks.ts";

/** One way of a lens that was made of rows: what is taken out of the source, then what rows write, in this order. */
interface LensWay {
  readonly taken: Branch;
  readonly mappings: readonly Mapping[];
}

/** What one row reads and writes. */
interface Mapping {
  readonly sources: readonly Part[];
  readonly targets: readonly Part[];
  readonly map: AnyRow["up"];
  /** Whether it writes into objects that may be parts of the source: what another row moved, or labels that stay. */
  readonly copies: boolean;
}

/** A part of a row and its path. */
interface Part {
  readonly name: string;
  readonly path: readonly string[];
  /** What it is of metadata, if it is that. */
  readonly mark: keyof MappedMetadata | undefined;
  /** What of its object other rows read; undefined for nothing. */
  readonly hidden: Branch | undefined;
}

/** The function of one way of a lens. */
export function convertBy({ taken, mappings }: LensWay): Lens["up"] {
  return (source) => {
    const result = without(source, taken);
    for (const mapping of mappings) mapRow(mapping, source, result);
    return result;
  };
}

/** What a row of one field in each version does; `map` is undefined for a value that passes as it is. */
export function mapValueBy(map: ((value: Json) => Json | undefined) | undefined): AnyRow["up"] {
  return ({ value }) => ({ value: value === undefined || map === undefined ? value : map(value) });
}

/** The fields named below one object: whole ones are taken out, branches lead further down. */
export type Branch = ReadonlyMap<string, Branch | "whole">;

/** An object that may still be changed, as may every object that a row's path leads through: `without` copied them. */
type Draft = Record<string, Json>;

/** One way of a row. */
interface RowWay {
  readonly from: Readonly<Record<string, FieldPath>>;
  readonly to: Readonly<Record<string, FieldPath>>;
  readonly map: AnyRow["up"];
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

/** Writes what a row maps from the source into the result. */
function mapRow({ sources, targets, map, copies }: Mapping, source: JsonObject, result: Draft): void {
  const parts: Record<string, Json | undefined> = {};
  for (const { name, path, hidden } of sources) parts[name] = partAt(source, path, hidden);
  const mapped = map(parts);
  for (const { name, path, mark } of targets) {
    const value = mapped[name];
    if (value === undefined || (mark !== undefined && !isMappable(value, mark))) continue;
    put(result, path, value, copies);
  }
}

function partsOf(paths: Readonly<Record<string, FieldPath>>, others: readonly string[]): readonly Part[] {
  return Object.entries(paths).map(([name, path]) => {
    const below = typeof path === "string" ? fieldsBelow(toKeys(path).join("."), others) : [];
    const hidden = below.length === 0 ? undefined : branchOf(below.map((each) => each.split(".")));
    return { name, path: toKeys(path), mark: markOf(path), hidden };
  });
}

/** Of some fields those below a field, from there. */
function fieldsBelow(field: string, fields: readonly string[]): readonly string[] {
  return fields.flatMap((each) => (each.startsWith(`${field}.`) ? each.slice(field.length + 1) : []));
}

/** The value at a path without the fields of it that rows name; undefined where there is none, or null. */
function partAt(source: JsonObject, path: readonly string[], hidden: Branch | undefined): Json | undefined {
  const value = valueAt(source, path);
  return hidden === undefined || value === undefined ? value : remaining(value, hidden);
}

/** What is left of a value without the fields that rows name; undefined for an object of which that leaves none. */
function remaining(value: Json, taken: Branch): Json | undefined {
  if (isArray(value)) return withoutFirst(value, taken);
  if (!isObject(value)) return value;
  const rest = without(value, taken);
  return hasNoFields(rest) && !hasNoFields(value) ? undefined : rest;
}

/** The value at a path; undefined for null. */
function valueAt(source: JsonObject, path: readonly string[]): Json | undefined {
  let here: Json | undefined = source;
  for (const key of path) {
    here = key === firstItem ? firstOf(here) : own(here, key);
    if (here === undefined) return undefined;
  }
  return here ?? undefined;
}

function firstOf(list: Json | undefined): Json | undefined {
  return isArray(list) ? list[0] : undefined;
}

/** The object without the fields that rows name; a container that only this emptied goes too. */
function without(object: JsonObject, taken: Branch): Draft {
  const kept: Draft = {};
  for (const key in object) {
    const value = fieldAt(object, key);
    const branch = taken.get(key);
    if (branch === "whole") continue;
    const rest = branch === undefined ? value : remaining(value, branch);
    if (rest !== undefined) define(kept, key, rest);
  }
  return kept;
}

/** The list without the fields that rows name of its first item, which stays in front of others even if it is empty. */
function withoutFirst(list: JsonArray, taken: Branch): JsonArray | undefined {
  const [branch, [item, ...others]] = [taken.get(firstItem), list];
  if (branch === undefined || branch === "whole" || item === undefined) return list;
  const rest = remaining(item, branch);
  return rest === undefined && others.length === 0 ? undefined : [rest ?? {}, ...others];
}

/**
 * Sets the value at a path of a row. Parents that are missing are made, and what stands in their way is replaced. With
 * `copies` a parent may be a part of the source, and is copied first.
 */
function put(result: Draft, path: readonly string[], value: Json, copies: boolean): void {
  let here = result;
  const last = path.length - 1;
  for (let at = 0; at < last; at++) {
    const key = path[at] as string;
    if (path[at + 1] === firstItem) {
      define(here, key, withFirst(own(here, key), path.slice(at + 2), value));
      return;
    }
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

/** A list with a value as its only item; or, given a path below the first item, as a field of that one. */
function withFirst(list: Json | undefined, path: readonly string[], value: Json): JsonArray {
  if (path.length === 0) return [value];
  const [item, ...others] = isArray(list) ? list : [];
  if (path[0] === firstItem) return [withFirst(item, path.slice(1), value), ...others];
  const made: Draft = isObject(item) ? { ...item } : {};
  put(made, path, value, true);
  return [made, ...others];
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

export function pathsOf(paths: Readonly<Record<string, FieldPath>>): readonly FieldPath[] {
  return Object.values(paths);
}

/** The paths of fields, step by step, but of labels and annotations, which are not parts of an object's content by name. */
function namesOf(paths: Readonly<Record<string, FieldPath>>): readonly string[] {
  return Object.values(paths).flatMap((path) => (typeof path === "string" ? [toKeys(path).join(".")] : []));
}
