import { define, fieldAt, hasNoFields, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { Codec } from "./codecs/codec.ts";
import type { At, ContentOf, FieldPath, PathIn, Result, Source } from "./field-types.ts";
import type { AnyRow, Lens, Parts, Row, RowOptions } from "./lens.ts";
import { isMappable, type MappedMetadata, markOf, namesOfMarks } from "./marks.ts";
import { requireCodec, requireGroup, requirePaths, requireRows } from "./row-arguments.ts";

type Paths = Readonly<Record<string, FieldPath>>;
type PathsIn<T, Names> = { readonly [Name in keyof Names]: PathIn<T, Names[Name]> };
type SourcesIn<T, Names> = { readonly [Name in keyof Names]?: Source<At<T, Names[Name]>> | undefined };
type ResultsIn<T, Names> = { readonly [Name in keyof Names]?: Result<At<T, Names[Name]>> | undefined };

/** Fields that are mapped together: where they stand in each version, and each way as a function of the values found. */
export interface Group<Older, Newer, OlderNames, NewerNames> extends RowOptions {
  readonly older: PathsIn<Older, OlderNames>;
  readonly newer: PathsIn<Newer, NewerNames>;
  readonly up: (older: SourcesIn<Older, OlderNames>) => ResultsIn<Newer, NoInfer<NewerNames>>;
  readonly down: (newer: SourcesIn<Newer, NewerNames>) => ResultsIn<Older, NoInfer<OlderNames>>;
}

/** Maps several fields of one version to several of the other: `{ level: "spec.level" }` names each by its path. */
export function group<
  Older = unknown,
  Newer = unknown,
  const OlderNames extends Paths = Readonly<Record<string, string>>,
  const NewerNames extends Paths = Readonly<Record<string, string>>,
>(definition: Group<NoInfer<Older>, NoInfer<Newer>, OlderNames, NewerNames>): Row<Older, Newer>;
export function group(definition: AnyRow): AnyRow {
  requireGroup(definition);
  return definition;
}

/** A codec for the field at a path of each version. */
export interface FieldCodec<Older, Newer> {
  up(older: Source<Older>): Result<Newer> | undefined;
  down(newer: Source<Newer>): Result<Older> | undefined;
  /** Why a value may come back as another one, for the row unless its options say so. */
  readonly lossy?: string | undefined;
}

/** Maps one field to one, the value as it is or through a codec: `move("spec.floor", "spec.location.floor")`. */
export function move<
  Older = unknown,
  Newer = unknown,
  const OlderPath extends FieldPath = string,
  const NewerPath extends FieldPath = string,
>(
  older: PathIn<NoInfer<Older>, OlderPath>,
  newer: PathIn<NoInfer<Newer>, NewerPath>,
  codec?: FieldCodec<At<NoInfer<Older>, OlderPath>, At<NoInfer<Newer>, NewerPath>>,
  options?: RowOptions,
): Row<Older, Newer>;
export function move(older: FieldPath, newer: FieldPath, codec?: Codec, options?: RowOptions): AnyRow {
  requirePaths("move", older, newer);
  requireCodec(codec);
  return {
    ...(codec === undefined ? { isSame: true } : {}),
    ...(codec?.lossy === undefined ? {} : { lossy: codec.lossy }),
    ...options,
    older: { value: older },
    newer: { value: newer },
    up: ({ value }) => ({ value: value === undefined || codec === undefined ? value : codec.up(value) }),
    down: ({ value }) => ({ value: value === undefined || codec === undefined ? value : codec.down(value) }),
  };
}

/**
 * A lens from rows. What no row names passes through untouched; a name that both versions use for different
 * things is never copied, since it belongs to the row. Null is not mapped: it counts as absent. With the generated types of
 * both versions, `lens<RoomV1beta1, RoomV1>(…)`, paths are checked and codecs get the types of their fields.
 */
export function lens<Older = unknown, Newer = unknown>(
  ...rows: readonly Row<ContentOf<NoInfer<Older>>, ContentOf<NoInfer<Newer>>>[]
): Lens {
  requireRows("lens", rows);
  return lensOf(rows);
}

/** The same for the objects below a field, which have no identity of their own. */
export function lensOf(rows: readonly AnyRow[]): Lens {
  const [older, newer] = [
    rows.flatMap((row) => pathsOf(row.older)),
    rows.flatMap((row) => pathsOf(row.newer)),
  ];
  const [takenUp, takenDown] = [takenFrom(older, newer), takenFrom(newer, older)];
  const up = mappingsOf(rows.map(({ older, newer, up }) => ({ from: older, to: newer, map: up })));
  const down = mappingsOf(rows.map(({ older, newer, down }) => ({ from: newer, to: older, map: down })));
  return {
    up: (object) => mapObject(object, takenUp, up),
    down: (object) => mapObject(object, takenDown, down),
    rows,
    madeAt: new Error("a lens was made here").stack ?? "",
    labels: namesOfMarks("labels", [...older, ...newer]),
    annotations: namesOfMarks("annotations", [...older, ...newer]),
    shared: rows.flatMap(sharedOf),
    spread: rows.flatMap(spreadOf),
    lossy: Object.fromEntries(rows.flatMap(lossyOf)),
    follow: (field) => {
      const moved = rows.filter((row) => namesOf(row.older).some((path) => isBelow(field, path)));
      return moved.length === 0 ? [field] : moved.flatMap((row) => newerFieldsOf(field, row));
    },
  };
}

function pathsOf(paths: Readonly<Record<string, FieldPath>>): readonly FieldPath[] {
  return Object.values(paths);
}

/** What is taken out of a source: all that rows name, but labels of the result, which stay where no row writes them. */
function takenFrom(source: readonly FieldPath[], result: readonly FieldPath[]): Branch {
  return branchOf([...source, ...result.filter((path) => typeof path === "string")].map(toKeys));
}

/** The newer fields of a row that share an older one, and those of the rows below it. */
function sharedOf(row: AnyRow): readonly string[] {
  return [...sharedInRow(row), ...below(placeOf(row.newer), row.inner?.lens.shared)];
}

/** Of several newer fields that become fewer older ones each shares an older one with others, as far as can be seen here. */
export function sharedInRow({ older, newer, shared }: AnyRow): readonly string[] {
  const fields = namesOf(newer);
  return shared ?? (fields.length > Object.keys(older).length ? fields : []);
}

function spreadOf({ older, spread, inner }: AnyRow): readonly string[] {
  return [...(spread ?? []), ...below(placeOf(older), inner?.lens.spread)];
}

/** The fields of a row that says why they are lossy, and those of the rows below it, by their paths in either version. */
function lossyOf({
  older,
  newer,
  lossy,
  inner,
}: AnyRow): readonly (readonly [field: string, reason: string])[] {
  const own = [...Object.entries(older), ...Object.entries(newer)].flatMap(([name, path]) => {
    const reason = typeof lossy === "object" ? lossy[name] : lossy;
    return reason === undefined ? [] : [[toKeys(path).join("."), reason] as const];
  });
  const places = [...new Set([...placeOf(older), ...placeOf(newer)])];
  const inside = Object.entries(inner?.lens.lossy ?? {});
  return [
    ...own,
    ...places.flatMap((place) => inside.map(([field, why]) => [`${place}.${field}`, why] as const)),
  ];
}

/** The field whose objects have rows of their own. */
function placeOf({ value }: Readonly<Record<string, FieldPath>>): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

function below(places: readonly string[], fields: readonly string[] = []): readonly string[] {
  return places.flatMap((place) => fields.map((field) => `${place}.${field}`));
}

/** Where a field that a row moves stands in the newer version: below its new place, or all over the group. */
function newerFieldsOf(field: string, { older, newer, inner }: AnyRow): readonly string[] {
  const [from, to] = [namesOf(older), namesOf(newer)];
  const [source] = from;
  if (from.length !== 1 || to.length !== 1 || source === undefined) return to;
  const rest = field.slice(source.length + 1);
  if (rest === "") return to;
  return below(to, inner?.lens.follow?.(rest) ?? [rest]);
}

/** The names of the fields at paths, but of labels and annotations, which are not parts of an object's content by name. */
function namesOf(paths: Readonly<Record<string, FieldPath>>): readonly string[] {
  return Object.values(paths).filter((path) => typeof path === "string");
}

function isBelow(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}

/** The fields named below one object: whole ones are taken out, branches lead further down. */
type Branch = ReadonlyMap<string, Branch | "whole">;

/** Writes what a row maps from the source into the result. */
type MapRow = (source: JsonObject, result: Draft) => void;

/** An object that may still be changed, as may every object that a row's path leads through: `without` copied them. */
type Draft = Record<string, Json>;

function mapObject(source: JsonObject, taken: Branch, mappings: readonly MapRow[]): JsonObject {
  const result = without(source, taken);
  for (const mapRow of mappings) mapRow(source, result);
  return result;
}

/** One way of a row. */
interface Way {
  readonly from: Readonly<Record<string, FieldPath>>;
  readonly to: Readonly<Record<string, FieldPath>>;
  readonly map: (parts: Parts) => Parts;
}

/** Those that write below the field of another one come last. */
function mappingsOf(ways: readonly Way[]): readonly MapRow[] {
  const sources = ways.flatMap(({ from }) => namesOf(from));
  const isNested = (way: Way) =>
    ways.some(
      (other) =>
        other !== way && namesOf(other.to).some((path) => fieldsBelow(path, namesOf(way.to)).length > 0),
    );
  const nested = new Set(ways.filter(isNested));
  return [...ways.filter((way) => !nested.has(way)), ...nested].map((way) =>
    mappingOf(way, sources, nested.has(way) || namesOf(way.to).length < pathsOf(way.to).length),
  );
}

/**
 * A row reads its fields without what other rows read below them, given the fields that all of them read. With `copies` it
 * writes into objects that may be parts of the source: what another row moved, or labels that stay.
 */
function mappingOf({ from, to, map }: Way, others: readonly string[], copies: boolean): MapRow {
  const [sources, targets] = [partsOf(from, others), partsOf(to, [])];
  const [one, other] = [onlyValueOf(sources), onlyValueOf(targets)];
  if (one !== undefined && other !== undefined) return mappingOfOne(one, other, map, copies);
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

function onlyValueOf([part, ...others]: readonly Part[]): Part | undefined {
  return part?.name === "value" && others.length === 0 ? part : undefined;
}

/** The same for the most frequent rows: of one field in each version, named `value` as `move` does. */
function mappingOfOne(from: Part, to: Part, map: Way["map"], copies: boolean): MapRow {
  return (source, result) => {
    const { value } = map({ value: partAt(source, from.path, from.hidden) });
    if (value === undefined || (to.mark !== undefined && !isMappable(value, to.mark))) return;
    put(result, to.path, value, copies);
  };
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

function partAt(source: JsonObject, path: readonly string[], hidden: Branch | undefined): Json | undefined {
  const value = valueAt(source, path);
  if (hidden === undefined || !isObject(value)) return value;
  const rest = without(value, hidden);
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
function put(result: Draft, path: readonly string[], value: Json, copies: boolean): void {
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

function branchOf(paths: readonly (readonly string[])[]): Branch {
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

function toKeys(path: FieldPath): readonly string[] {
  return typeof path === "string" ? path.split(".") : path;
}
