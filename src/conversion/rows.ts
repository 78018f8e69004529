import type { Codec, DerivedField } from "./codecs/codec.ts";
import { requireCodec } from "./codecs/functions.ts";
import { fieldsAt, firstItem, hasFirstItem, nameOfPath, toKeys, toList } from "./field-path.ts";
import type { At, ContentOf, FieldPath, PathIn, Result, Source } from "./field-types.ts";
import { type AnyRow, asDefined, type DefinedLens, type Lens, type Row, type RowOptions } from "./lens.ts";
import { type Branch, branchOf, convertBy, mappingsOf, mapValueBy, pathsOf } from "./lens-way.ts";
import { namesOfMarks } from "./marks.ts";
import { requireGroup, requirePaths, requireRows } from "./row-arguments.ts";

type Paths = Readonly<Record<string, FieldPath>>;
type PathsIn<T, Names> = { readonly [Name in keyof Names]: PathIn<T, Names[Name]> };
type SourcesIn<T, Names> = { readonly [Name in keyof Names]?: Source<At<T, Names[Name]>> | undefined };
type ResultsIn<T, Names> = { readonly [Name in keyof Names]?: Result<At<T, Names[Name]>> | undefined };

/** Fields that are mapped together: where they stand in each version, and each way as a function of the values found. */
interface Group<Older, Newer, OlderNames, NewerNames> extends RowOptions {
  readonly older: PathsIn<Older, OlderNames>;
  readonly newer: PathsIn<Newer, NewerNames>;
  readonly up: (older: SourcesIn<Older, OlderNames>) => ResultsIn<Newer, NoInfer<NewerNames>>;
  readonly down: (newer: SourcesIn<Newer, NewerNames>) => ResultsIn<Older, NoInfer<OlderNames>>;
}

/**
 * Maps several fields of one version to several of the other: `{ level: "spec.level" }` names each by its path.
 * @throws {Error} if a side names no paths, or a function is missing
 */
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
interface FieldCodec<Older, Newer> {
  up(older: Source<Older>): Result<Newer> | undefined;
  down(newer: Source<Newer>): Result<Older> | undefined;
  /** Why a value may come back as another one, for the row unless its options say so. */
  readonly lossy?: string | undefined;
  readonly derived?: DerivedField | undefined;
}

/**
 * Maps one field to one, the value as it is or through a codec: `move("spec.floor", "spec.location.floor")`.
 * @throws {Error} if a path is missing, or what is given as the codec is none
 */
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
    ...(codec?.derived === undefined ? {} : { derived: derivedBy(codec.derived, older, newer) }),
    ...options,
    older: { value: older },
    newer: { value: newer },
    up: mapValueBy(codec && ((value) => codec.up(value))),
    down: mapValueBy(codec && ((value) => codec.down(value))),
  };
}

function derivedBy(field: DerivedField, older: FieldPath, newer: FieldPath): NonNullable<AnyRow["derived"]> {
  const fieldsOf = (path: FieldPath, name: string | undefined) =>
    name === undefined ? [] : [`${nameOfPath(path)}.${name}`];
  return { older: fieldsOf(older, field.older), newer: fieldsOf(newer, field.newer) };
}

/**
 * A lens from rows. What no row names passes through untouched; a name that both versions use for different
 * things is never copied, since it belongs to the row. Null is not mapped: it counts as absent. With the generated types of
 * both versions, `lens<RoomV1beta1, RoomV1>(…)`, paths are checked and codecs get the types of their fields.
 * @throws {Error} if an argument is not a row
 */
export function lens<Older = unknown, Newer = unknown>(
  ...rows: readonly Row<ContentOf<NoInfer<Older>>, ContentOf<NoInfer<Newer>>>[]
): DefinedLens {
  requireRows("lens", rows);
  return asDefined(lensOf(rows));
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
    up: convertBy({ taken: takenUp, mappings: up }),
    down: convertBy({ taken: takenDown, mappings: down }),
    rows,
    madeAt: new Error("a lens was made here").stack ?? "",
    labels: namesOfMarks("labels", [...older, ...newer]),
    annotations: namesOfMarks("annotations", [...older, ...newer]),
    shared: rows.flatMap(sharedOf),
    spread: rows.flatMap(spreadOf),
    lossy: Object.fromEntries(rows.flatMap(lossyOf)),
    follow: (field) => {
      const moved = rows.filter((row) => fieldsAt(row.older).some((path) => isBelow(field, path)));
      return moved.length === 0 ? [field] : moved.flatMap((row) => newerFieldsOf(field, row));
    },
  };
}

/**
 * What is taken out of a source: all that rows name, but labels of the result, which stay where no row writes them. Of a list
 * whose first item is a field of a row nothing is left.
 */
function takenFrom(source: readonly FieldPath[], result: readonly FieldPath[]): Branch {
  const paths = [...source, ...result.filter((path) => typeof path === "string")].map(toKeys);
  return branchOf(paths.map((keys) => keys.slice(0, keys.findLastIndex((key) => key !== firstItem) + 1)));
}

/** The newer fields of a row that share an older one, and those of the rows below it. */
function sharedOf(row: AnyRow): readonly string[] {
  return [...sharedInRow(row), ...below(placeOf(row.newer), row.inner?.lens.shared)];
}

/** Of several newer fields that become fewer older ones each shares an older one with others, as far as can be seen here. */
export function sharedInRow({ older, newer, shared }: AnyRow): readonly string[] {
  const fields = fieldsAt(newer);
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
  derived,
}: AnyRow): readonly (readonly [field: string, reason: string])[] {
  const own = [...Object.entries(older), ...Object.entries(newer)].flatMap(([name, path]) => {
    const reason = typeof lossy === "object" ? lossy[name] : lossy;
    const lists = hasFirstItem(path) ? [[toList(toKeys(path)).join("."), firstOfList] as const] : [];
    return reason === undefined ? lists : [...lists, [nameOfPath(path), reason] as const];
  });
  const places = [...new Set([...placeOf(older), ...placeOf(newer)])];
  const inside = Object.entries(inner?.lens.lossy ?? {});
  return [
    ...own,
    ...[...(derived?.older ?? []), ...(derived?.newer ?? [])].map((field) => [field, keyOfMap] as const),
    ...places.flatMap((place) => inside.map(([field, why]) => [`${place}.${field}`, why] as const)),
  ];
}

/** Why a field that repeats a key is lossy. */
const keyOfMap = "it repeats the key of its entry";

/** Why a list is lossy of whose first item the other version has a field. */
export const firstOfList = "the first item stands for the list";

/** The field whose objects have rows of their own. */
function placeOf({ value }: Readonly<Record<string, FieldPath>>): readonly string[] {
  return typeof value === "string" ? [nameOfPath(value)] : [];
}

function below(places: readonly string[], fields: readonly string[] = []): readonly string[] {
  return places.flatMap((place) => fields.map((field) => `${place}.${field}`));
}

/** Where a field that a row moves stands in the newer version: below its new place, or all over the group. */
function newerFieldsOf(field: string, { older, newer, inner }: AnyRow): readonly string[] {
  const [from, to] = [fieldsAt(older), fieldsAt(newer)];
  const [source] = from;
  if (from.length !== 1 || to.length !== 1 || source === undefined) return to;
  const rest = field.slice(source.length + 1);
  if (rest === "") return to;
  return below(to, inner?.lens.follow?.(rest) ?? [rest]);
}

function isBelow(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}
