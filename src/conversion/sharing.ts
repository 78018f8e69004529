import { hasFirstItem, fieldsAt as pathsOf, toKeys, toList } from "./field-path.ts";
import type { AnyRow, Lens } from "./lens.ts";
import { sharedInRow } from "./rows.ts";
import { below, isList, isScalarShape, type Shape } from "./shape.ts";

// Server-side apply removes the fields that an applier gave up from the object of either version by itself. A field that
// depends on another one of its row goes or stays with that one, unless a carrier holds it. So such fields are always stored:
// what only the hub says in every view, which is stored nowhere, what only a spoke says in objects that are applied there.

/** A version as far as it matters here. */
interface SharingVersion {
  readonly lens?: Lens;
  readonly shape: Shape;
}

/**
 * Fields that are always stored, as dotted names that lead through lists and maps. One that is absent beside other fields of its row is
 * stored too, as absent: an applier may have given up that one alone, and the other version still says it.
 */
export interface StoredFields {
  readonly stored: readonly string[];
  /** All fields of their row, the stored ones included. */
  readonly row: readonly string[];
}

/**
 * The hub's fields that share a field of the first of these versions with others, or are lists of which it has one item.
 * All versions are given, from the spoke to the hub.
 */
export function sharedFields(versions: readonly SharingVersion[]): readonly StoredFields[] {
  let shared: readonly StoredFields[] = [];
  for (const [at, { lens, shape }] of versions.slice(0, -1).entries()) {
    const newer = versions[at + 1]?.shape;
    shared = [
      ...shared.map((fields) => moved(fields, (field) => lens?.follow?.(field) ?? [field])),
      ...sharedIn(lens),
      ...alone(manyIn(lens, shape, newer)),
    ];
  }
  return shared;
}

/** The fields of the first of these versions that its lens, or one above it, spreads over several of the next version. */
export function spreadFields(versions: readonly SharingVersion[]): readonly StoredFields[] {
  return fieldsBelow(versions, ({ lens }) => alone(lens?.spread ?? []));
}

/**
 * The fields of the first of these versions that share a field of a newer version with others, as far as the rows show it: of a
 * row with fewer newer fields all older ones, and a list of which the newer version has one item.
 */
export function joinedFields(versions: readonly SharingVersion[]): readonly StoredFields[] {
  return fieldsBelow(versions, ({ lens, shape }, newer) => joinedIn(lens, shape, newer.shape));
}

/**
 * For each of two versions without rows the fields that it has alone in their places, or with another type. Where both have some,
 * several of one version may be mapped to a field of the other; where one has none, it has no field for that.
 */
export function fieldsApart(
  one: Shape,
  other: Shape,
): readonly [ofOne: readonly StoredFields[], ofOther: readonly StoredFields[]] {
  const [ofOne, ofOther] = [fieldsAlone(one, other), fieldsAlone(other, one)];
  return ofOne.length === 0 || ofOther.length === 0 ? [[], []] : [alone(ofOne), alone(ofOther)];
}

function fieldsAlone(here: Shape, there: Shape): readonly string[] {
  if (here.items !== undefined && there.items !== undefined) return fieldsAlone(here.items, there.items);
  return [...here.properties].flatMap(([name, field]) => {
    const other = there.properties.get(name);
    if (other === undefined || other.takes !== field.takes) return [name];
    return fieldsAlone(field, other).map((rest) => `${name}.${rest}`);
  });
}

/** Fields that are not known to be of one row. */
export function alone(fields: readonly string[]): readonly StoredFields[] {
  return fields.map((field) => ({ stored: [field], row: [field] }));
}

/** The lists whose first item rows map between the first of these versions and the last one, as each of the two names them. */
export function firstItemLists(versions: readonly SharingVersion[]): {
  readonly ofSpoke: readonly string[];
  readonly ofHub: readonly string[];
} {
  const below = fieldsBelow(versions, ({ lens }) => alone(firstsIn(lens, "older")));
  const ofHub = versions
    .slice(0, -1)
    .reduce<readonly string[]>(
      (lists, { lens }) => [
        ...lists.flatMap((list) => lens?.follow?.(list) ?? [list]),
        ...firstsIn(lens, "newer"),
      ],
      [],
    );
  return { ofSpoke: below.flatMap(({ stored }) => stored), ofHub };
}

function firstsIn(lens: Lens | undefined, side: "older" | "newer"): readonly string[] {
  return rowsOf(lens).flatMap((row) => [
    ...Object.values(row[side]).flatMap((path) =>
      hasFirstItem(path) ? [toList(toKeys(path)).join(".")] : [],
    ),
    ...prefixed(row[side], row.inner && firstsIn(row.inner.lens, side)),
  ]);
}

/** The same fields, by what each is called elsewhere. */
function moved({ stored, row }: StoredFields, namesOf: (field: string) => readonly string[]): StoredFields {
  return { stored: stored.flatMap(namesOf), row: row.flatMap(namesOf) };
}

/** The fields that a lens says are shared, by row. */
function sharedIn(lens: Lens | undefined): readonly StoredFields[] {
  const inRows = rowsOf(lens).flatMap((row) => [
    { stored: sharedInRow(row), row: pathsOf(row.newer) },
    ...alone(row.derived?.newer ?? []),
    ...prefixedFields(row.newer, row.inner && sharedIn(row.inner.lens)),
  ]);
  const known = new Set(inRows.flatMap(({ stored }) => stored));
  return [...inRows, ...alone((lens?.shared ?? []).filter((field) => !known.has(field)))];
}

/** The newer fields that are lists of which the older version has one item. */
function manyIn(
  lens: Lens | undefined,
  older: Shape | undefined,
  newer: Shape | undefined,
): readonly string[] {
  return rowsOf(lens).flatMap((row) => {
    const { shared, inner } = row;
    const own = shared === undefined && isOneOfMany(row.older, older, row.newer, newer);
    return [
      ...(own ? pathsOf(row.newer) : []),
      ...prefixed(row.newer, inner && manyIn(inner.lens, ...innerShapes(row, older, newer))),
    ];
  });
}

function joinedIn(
  lens: Lens | undefined,
  older: Shape | undefined,
  newer: Shape | undefined,
): readonly StoredFields[] {
  return rowsOf(lens).flatMap((row) => {
    const { spread, inner } = row;
    const counts = [row.older, row.newer].map((paths) => Object.keys(paths).length);
    const [olderCount = 0, newerCount = 0] = counts;
    const isMerged = newerCount > 0 && (row.union !== undefined || olderCount > newerCount);
    const own = spread === undefined && (isMerged || isOneOfMany(row.newer, newer, row.older, older));
    return [
      ...(own ? [{ stored: pathsOf(row.older), row: pathsOf(row.older) }] : []),
      ...alone(row.derived?.older ?? []),
      ...prefixedFields(row.older, inner && joinedIn(inner.lens, ...innerShapes(row, older, newer))),
    ];
  });
}

/** The shapes of the objects below a row's field, in both versions. */
function innerShapes(
  { older, newer, inner }: AnyRow,
  olderShape: Shape | undefined,
  newerShape: Shape | undefined,
): readonly [older: Shape | undefined, newer: Shape | undefined] {
  const shapeOf = (paths: AnyRow["older"], shape: Shape | undefined) => {
    const [path] = pathsOf(paths);
    const found = path === undefined ? undefined : shapeAt(shape, path);
    return inner?.of === "items" || Object.values(paths).some(hasFirstItem) ? found?.items : found;
  };
  return [shapeOf(older, olderShape), shapeOf(newer, newerShape)];
}

function prefixed(paths: AnyRow["older"], fields: readonly string[] = []): readonly string[] {
  return pathsOf(paths).flatMap((path) => fields.map((field) => `${path}.${field}`));
}

function prefixedFields(
  paths: AnyRow["older"],
  inner: readonly StoredFields[] = [],
): readonly StoredFields[] {
  return pathsOf(paths).flatMap((path) =>
    inner.map((fields) => moved(fields, (field) => [`${path}.${field}`])),
  );
}

/** Fields that each version names, as the first version names them. */
function fieldsBelow(
  versions: readonly SharingVersion[],
  fieldsOf: (version: SharingVersion, newer: SharingVersion) => readonly StoredFields[],
): readonly StoredFields[] {
  const [version, newer, ...others] = versions;
  if (version === undefined || newer === undefined) return [];
  const above = fieldsBelow([newer, ...others], fieldsOf);
  return [
    ...fieldsOf(version, newer),
    ...above.map((fields) => moved(fields, (field) => olderFieldsOf(field, version.lens))),
  ];
}

/** Where a field of the newer version stands in the older one: below its old place, or all over its row. */
function olderFieldsOf(field: string, lens: Lens | undefined): readonly string[] {
  const moved = rowsOf(lens).filter(({ newer }) => pathsOf(newer).some((path) => isBelow(field, path)));
  if (moved.length === 0) return [field];
  return moved.flatMap(({ older, newer, inner }) => {
    const [from, to] = [pathsOf(newer), pathsOf(older)];
    const rest = field.slice((from[0] ?? "").length + 1);
    if (from.length !== 1 || to.length !== 1 || rest === "") return to;
    return prefixed(older, inner === undefined ? [rest] : olderFieldsOf(rest, inner.lens));
  });
}

/** Whether a row maps one value of the one version to a list of the other, such as `phone` to `phones`. */
function isOneOfMany(
  one: AnyRow["older"],
  oneShape: Shape | undefined,
  many: AnyRow["older"],
  manyShape: Shape | undefined,
): boolean {
  const [[from, ...others], [to, ...more]] = [pathsOf(one), pathsOf(many)];
  if (from === undefined || to === undefined || others.length + more.length > 0) return false;
  const isMany = Object.values(many).some(hasFirstItem) || isList(shapeAt(manyShape, to));
  return isScalarShape(shapeAt(oneShape, from)) && isMany;
}

function shapeAt(shape: Shape | undefined, path: string): Shape | undefined {
  return path.split(".").reduce((here, name) => below(here?.items ?? here, name), shape);
}

function isBelow(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}

function rowsOf(lens: Lens | undefined): readonly AnyRow[] {
  return lens?.rows ?? [];
}
