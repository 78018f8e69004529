import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import { childOfItem, isAligned, isMark, keysOfNode } from "./aligned-list.ts";
import { keyedItems } from "./keyed-list.ts";
import { isHiddenLeaf, isScalar, leafOf, readLeaf } from "./leaf.ts";
import type { AnyRow, Lens, Parts } from "./lens.ts";
import type { Shape } from "./shape.ts";
import { fromChild, sorted, type Tree } from "./tree.ts";

// A leaf of a field that the other version never shows has no shown value to compare. If its row maps other fields along with
// it, they guard it: of `{ matchType: "=", regex: false }` the flag must not come back beside a matchType that says otherwise.

/** Fields of one object that a row maps together. */
interface GuardedRow {
  /** The short names of the fields, by their names in the object. */
  readonly fields: ReadonlyMap<string, string>;
  /** What the row makes of some of them. */
  readonly map: (parts: Parts) => Parts;
}

/** The rows of several fields of one object, and those of the objects below its fields. */
export interface RowGuards {
  readonly rows: readonly GuardedRow[];
  /** By the names of fields; those below a list hold for each of its items. */
  readonly below: ReadonlyMap<string, RowGuards>;
}

/** The rows of one side of a lens that map several fields of the same object; undefined if there are none. */
export function rowGuardsOf(lens: Lens | undefined, side: "older" | "newer"): RowGuards | undefined {
  const rows = rowsIn(lens, side, []).flatMap(({ paths, map }) => {
    const [[, first] = ["", []]] = paths;
    const parent = first.slice(0, -1);
    const isTogether = paths.every(
      ([, path]) => path.length === first.length && parent.every((name, at) => path[at] === name),
    );
    const fields = new Map(paths.map(([name, path]) => [path.at(-1) ?? "", name]));
    return isTogether ? [{ parent, fields, map }] : [];
  });
  return guardsOf(rows);
}

interface PlacedRow extends GuardedRow {
  readonly parent: readonly string[];
}

function guardsOf(rows: readonly PlacedRow[]): RowGuards | undefined {
  if (rows.length === 0) return undefined;
  const [here, deeper] = [true, false].map((isHere) =>
    rows.filter(({ parent }) => (parent.length === 0) === isHere),
  );
  const groups = Map.groupBy(deeper ?? [], ({ parent: [name = ""] }) => name);
  const below = [...groups].flatMap(([name, these]) => {
    const guards = guardsOf(these.map((row) => ({ ...row, parent: row.parent.slice(1) })));
    return guards === undefined ? [] : [[name, guards] as const];
  });
  return { rows: here ?? [], below: new Map(below) };
}

type Path = readonly string[];

interface RowSide {
  readonly paths: readonly (readonly [name: string, path: Path])[];
  readonly map: GuardedRow["map"];
}

/** One side of each row of several fields, of those inside other rows too. */
function rowsIn(lens: Lens | undefined, side: "older" | "newer", at: Path): readonly RowSide[] {
  return (lens?.rows ?? []).flatMap((row: AnyRow) => {
    const paths = Object.entries(row[side]).map(
      ([name, path]) => [name, [...at, ...(typeof path === "string" ? path.split(".") : path)]] as const,
    );
    const inner = paths.flatMap(([, path]) => rowsIn(row.inner?.lens, side, path));
    const map = side === "older" ? row.up : row.down;
    return paths.length > 1 ? [{ paths, map }, ...inner] : inner;
  });
}

/** A tree in which each leaf that is never shown stands beside leaves of the scalars that its row maps along with it. */
export function withRowGuards(
  tree: Tree | undefined,
  source: JsonObject,
  guards: RowGuards,
  shape: Shape,
): Tree | undefined {
  return tree === undefined ? undefined : (sorted(guarded(tree, source, guards, shape)) as Tree);
}

function guarded(tree: Tree, source: Json | undefined, guards: RowGuards, shape: Shape | undefined): Tree {
  if (readLeaf(tree) !== "node") return tree;
  if (isArray(source)) return guardedItems(tree, source, guards, shape);
  let result = tree;
  for (const { fields } of guards.rows) {
    if (![...fields.keys()].some((name) => isHiddenLeaf(own(tree, name)))) continue;
    for (const name of fields.keys()) {
      const value = own(source, name);
      if (own(tree, name) === undefined && value !== undefined && value !== null && isScalar(value))
        result = set(result, name, leafOf(value, value, undefined, false));
    }
  }
  for (const [name, inner] of guards.below) {
    const child = own(result, name);
    if (isObject(child))
      result = set(result, name, guarded(child, own(source, name), inner, shape?.properties.get(name)));
  }
  return result;
}

function guardedItems(
  tree: Tree,
  source: readonly Json[],
  guards: RowGuards,
  shape: Shape | undefined,
): Tree {
  const keys = keysOfNode(tree) ?? shape?.keys;
  const items: ReadonlyMap<string, Json> | undefined = isAligned(tree)
    ? new Map(source.map((item, index) => [childOfItem(index), item]))
    : keys && keyedItems(source, keys);
  const children = Object.entries(tree).map(([name, child]): [string, Json] => {
    const item = items?.get(name) ?? items?.get(fromChild(name));
    const isItem = !isMark(name) && item !== undefined && isObject(child);
    return [name, isItem ? guarded(child, item, guards, shape?.items) : child];
  });
  return Object.fromEntries(children);
}

/**
 * Whether a field must not come back: the other version never shows it, it shows something else by now for another field of the
 * row, and the row would make something else of this field than of that one.
 */
export function isOutdated(
  name: string,
  node: Tree,
  current: JsonObject,
  guards: RowGuards,
  holds: (current: Json | undefined, leaf: Json) => boolean,
): boolean {
  const leaf = readLeaf(node[name] ?? null);
  if (leaf === undefined || leaf === "node" || !isHiddenLeaf(node[name])) return false;
  return guards.rows.some(({ fields, map }) => {
    const short = fields.get(name);
    const others = [...fields.keys()].filter((other) => other !== name);
    if (short === undefined || others.every((other) => isKept(own(node, other), own(current, other), holds)))
      return false;
    const says = map(Object.fromEntries(others.map((other) => [fields.get(other), own(current, other)])));
    const alone = Object.entries(map({ [short]: leaf.value }));
    return alone.some(
      ([at, value]) => value !== undefined && says[at] !== undefined && !equal(says[at], value),
    );
  });
}

function isKept(
  leaf: Json | undefined,
  current: Json | undefined,
  holds: (current: Json | undefined, leaf: Json) => boolean,
): boolean {
  // A field that was shown has a leaf. One that was not shown is kept as long as nothing stands in its place.
  return leaf === undefined ? current === undefined : holds(current ?? undefined, leaf);
}
