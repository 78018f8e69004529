import { equal } from "../json/equal.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { hasFirstItem, toKeys, toList } from "./field-path.ts";
import type { AnyRow, Lens } from "./lens.ts";
import { below, fittedValue, isScalarShape, type Shape } from "./shape.ts";

// Fields that rows of a chain map together are one group: they come back together or not at all. Most groups belong to the object
// as a whole, others to each item of a list whose items rows of their own map, so that item i there is item i here.

/** The keys of a field below an object. */
export type FieldSteps = readonly string[];

/** Fields that are mapped together, at the version of the leaves (`here`) and at the writer's (`there`). */
interface RowGroup {
  readonly here: readonly FieldSteps[];
  /** Whether all fields here are scalars: of others nothing is known that is finer than the whole field. */
  readonly isScalar: boolean;
  readonly there: readonly { readonly path: FieldSteps; readonly shape: Shape | undefined }[];
}

/** The groups of an object: of the whole, or of an item of a list. */
export interface GroupedObject {
  readonly groups: readonly RowGroup[];
  /** What the lenses alone show of the object at the writer's version. */
  readonly imageOf: (object: JsonObject) => JsonObject;
  readonly lists: readonly GroupedList[];
  /** Whether leaves of its groups stand beside leaves that guard them: those of an older version (row-guards.ts). */
  readonly isGuarded: boolean;
}

/** A list, or a map, whose items have groups of their own. */
interface GroupedList {
  readonly here: FieldSteps;
  readonly there: FieldSteps;
  readonly items: GroupedObject;
}

/** A place in an object: groups of an object that stands there, and the way to further ones below it. */
export interface GroupedField {
  readonly object: GroupedObject | undefined;
  readonly below: ReadonlyMap<string, GroupedField>;
  /** For each item of a list, or each value of a map. */
  readonly items: GroupedField | undefined;
}

/** The way from the root of an object to its groups, and to those of items of its lists. */
export function fieldOf(object: GroupedObject): GroupedField {
  return { object, below: fieldsTo(object.lists), items: undefined };
}

function fieldsTo(lists: readonly GroupedList[]): GroupedField["below"] {
  const groups = Map.groupBy(lists, ({ here: [name = ""] }) => name);
  return new Map(
    [...groups].map(([name, these]) => {
      const list = these.find(({ here }) => here.length === 1);
      const deeper = these.flatMap((each) =>
        each.here.length > 1 ? [{ ...each, here: each.here.slice(1) }] : [],
      );
      return [name, { object: undefined, below: fieldsTo(deeper), items: list && fieldOf(list.items) }];
    }),
  );
}

/** One step along a chain, from the version of the leaves toward the writer's. */
interface Step {
  readonly rows: readonly AnyRow[];
  readonly isUp: boolean;
}

/** A version as far as it matters here. */
interface GroupedVersion {
  readonly lens?: Lens;
  readonly shape: Shape;
}

/**
 * The groups of the fields of one version, as another one shows them, given the chain of versions and two indexes. Nothing is
 * known of a lens written by hand.
 */
export function groupsBetween(
  versions: readonly GroupedVersion[],
  from: number,
  to: number,
  imageOf: GroupedObject["imageOf"],
): GroupedObject {
  const isUp = from < to;
  const ats = isUp
    ? versions.slice(from, to).map((_, step) => from + step)
    : versions.slice(to, from).map((_, step) => from - 1 - step);
  const lenses = ats.map((at) => versions[at]?.lens);
  const shapes = [from, ...ats.map((at) => (isUp ? at + 1 : at))].map((at) => versions[at]?.shape);
  if (lenses.some((lens) => lens?.rows === undefined))
    return { groups: [], lists: [], imageOf, isGuarded: isUp };
  const steps = lenses.map((lens) => ({ rows: lens?.rows ?? [], isUp }));
  return groupsAlong(steps, shapes, imageOf);
}

function groupsAlong(
  steps: readonly Step[],
  shapes: readonly (Shape | undefined)[],
  imageOf: GroupedObject["imageOf"],
): GroupedObject {
  const walk = steps.reduce(stepOver, { groups: [], lists: [], moves: [] });
  const [first, last] = [shapes[0], shapes.at(-1)];
  const groups = walk.groups.map(({ here, there }) => ({
    here,
    isScalar: here.every((path) => isScalarShape(shapeAt(first, path))),
    there: there.map((path) => ({ path, shape: shapeAt(last, path) })),
  }));
  const lists = walk.lists.map(({ lenses, places }) => {
    const items = shapes.map((shape, at) => itemShape(shapeAt(shape, places[at] ?? [])));
    const inner = lenses.map((lens, at) => ({ rows: lens?.rows ?? [], isUp: steps[at]?.isUp === true }));
    const convert = (item: JsonObject) => throughLenses(item, lenses, items, steps[0]?.isUp === true);
    return { here: places[0] ?? [], there: places.at(-1) ?? [], items: groupsAlong(inner, items, convert) };
  });
  return { groups, lists, imageOf, isGuarded: steps[0]?.isUp === true };
}

/** What is known of the fields after some steps. */
interface Walk {
  readonly groups: readonly Piece[];
  readonly lists: readonly WalkedList[];
  /** The rows of each step that pass values on as they are, to another place. */
  readonly moves: readonly (readonly FlatRow[])[];
}

interface WalkedList {
  /** Where it stands at each version so far. */
  readonly places: readonly FieldSteps[];
  /** What maps its items at each step; undefined where they pass. */
  readonly lenses: readonly (Lens | undefined)[];
}

/** A row's fields, by absolute paths. */
interface FlatRow {
  readonly from: readonly FieldSteps[];
  readonly to: readonly FieldSteps[];
  /** `maps`: to other values; `moves`: as they are; or the lens of its items. */
  readonly does: "maps" | "moves" | Lens;
}

function flatRows(
  rows: readonly AnyRow[],
  isUp: boolean,
  from: FieldSteps = [],
  to: FieldSteps = [],
): readonly FlatRow[] {
  return rows.flatMap((row): readonly FlatRow[] => {
    const sides = isUp ? [row.older, row.newer] : [row.newer, row.older];
    const [sources, targets] = sides.map((side) => Object.values(side).map(toKeys));
    const flat = {
      from: (sources ?? []).map((path) => [...from, ...path]),
      to: (targets ?? []).map((path) => [...to, ...path]),
    };
    const { inner } = row;
    // Of an item of a list nothing is known that is finer than the list.
    if (inner !== undefined && [...Object.values(row.older), ...Object.values(row.newer)].some(hasFirstItem))
      return [{ ...flat, does: "maps" }];
    if (inner?.of === "items") return [{ ...flat, does: inner.lens }];
    if (inner !== undefined)
      return [{ ...flat, does: "moves" }, ...flatRows(inner.lens.rows ?? [], isUp, flat.from[0], flat.to[0])];
    const isMove =
      row.isSame === true &&
      flat.from.length === 1 &&
      flat.to.length === 1 &&
      ![row.older.value, row.newer.value].some(hasFirstItem);
    return [{ ...flat, does: isMove ? "moves" : "maps" }];
  });
}

function stepOver({ groups, lists, moves: earlier }: Walk, { rows, isUp }: Step): Walk {
  const flat = flatRows(rows, isUp);
  const maps = flat.filter(({ does }) => does === "maps");
  const moves = flat.filter(({ does }) => does !== "maps");
  const isMapped = (path: FieldSteps) => maps.some(({ from }) => from.some((each) => overlaps(each, path)));
  const isMade = (path: FieldSteps) =>
    groups.some(({ there }) => there.some((made) => startsWith(path, made)));
  const pieces = [
    ...groups.map(({ here, there }) => ({
      here,
      reads: there,
      there: there.filter((path) => !isMapped(path)).map((path) => moved(path, moves)),
    })),
    ...maps.map(({ from, to }) => ({
      here: from.filter((path) => !isMade(path)).map((path) => toList(placesOf(path, earlier)[0] ?? path)),
      reads: from,
      there: to,
    })),
  ];
  const lensAt = (place: FieldSteps) =>
    moves.flatMap(({ from: [at = []], does }) =>
      typeof does === "object" && overlaps(at, place) && at.length === place.length ? [does] : [],
    )[0];
  const after = (places: readonly FieldSteps[], lenses: WalkedList["lenses"]): WalkedList => {
    const place = places.at(-1) ?? [];
    return { places: [...places, moved(place, moves)], lenses: [...lenses, lensAt(place)] };
  };
  const known = lists.filter(({ places }) => !isMapped(places.at(-1) ?? []));
  const isKnown = (place: FieldSteps) => known.some(({ places }) => equal(places.at(-1), place));
  const added = moves.flatMap(({ from: [place = []], does }) =>
    typeof does !== "object" || isKnown(place) || isMade(place) ? [] : [placesOf(place, earlier)],
  );
  return {
    groups: joined(pieces),
    lists: [
      ...known.map(({ places, lenses }) => after(places, lenses)),
      ...added.map((places) =>
        after(
          places,
          places.slice(1).map(() => undefined),
        ),
      ),
    ],
    moves: [...earlier, moves],
  };
}

interface Piece {
  readonly here: readonly FieldSteps[];
  readonly reads: readonly FieldSteps[];
  readonly there: readonly FieldSteps[];
}

/** Pieces that read or write the same fields, as one each. */
function joined(pieces: readonly Piece[]): readonly Piece[] {
  return pieces.reduce<readonly Piece[]>((groups, piece) => {
    const isJoined = ({ reads, there }: Piece) =>
      reads.some((path) => piece.reads.some((other) => overlaps(path, other))) ||
      there.some((path) => piece.there.some((other) => overlaps(path, other)));
    const these = [...groups.filter(isJoined), piece];
    return [
      ...groups.filter((group) => !isJoined(group)),
      {
        here: these.flatMap(({ here }) => here),
        reads: these.flatMap(({ reads }) => reads),
        there: these.flatMap(({ there }) => there),
      },
    ];
  }, []);
}

/** Where a field stands at each version so far, the first one first, if it only moved. */
function placesOf(path: FieldSteps, moves: Walk["moves"]): readonly FieldSteps[] {
  const places = [path];
  for (const step of moves.toReversed())
    places.unshift(renamed(places[0] ?? path, step, ({ from, to }) => [to, from]));
  return places;
}

function moved(path: FieldSteps, moves: readonly FlatRow[]): FieldSteps {
  return renamed(path, moves, ({ from, to }) => [from, to]);
}

type Sides = readonly [from: readonly FieldSteps[], to: readonly FieldSteps[]];

function renamed(path: FieldSteps, moves: readonly FlatRow[], sides: (row: FlatRow) => Sides): FieldSteps {
  const found = moves
    .map((row) => sides(row).map(([place = []]) => place))
    .filter(([from = []]) => startsWith(path, from))
    .sort(([one = []], [other = []]) => other.length - one.length)[0];
  const [from = [], to = []] = found ?? [];
  return found === undefined ? path : [...to, ...path.slice(from.length)];
}

function startsWith(path: FieldSteps, start: FieldSteps): boolean {
  return start.every((key, at) => path[at] === key);
}

/** Whether one field is the other, or is below it. */
function overlaps(one: FieldSteps, other: FieldSteps): boolean {
  return startsWith(one, other) || startsWith(other, one);
}

function shapeAt(shape: Shape | undefined, path: FieldSteps): Shape | undefined {
  return path.reduce(below, shape);
}

/** The shape of the items of a list, or of the values of a map. */
function itemShape(shape: Shape | undefined): Shape | undefined {
  return shape?.items ?? shape?.additional;
}

/** An item at the last of some versions, as lenses show it. */
function throughLenses(
  item: JsonObject,
  lenses: WalkedList["lenses"],
  shapes: readonly (Shape | undefined)[],
  isUp: boolean,
): JsonObject {
  const fitted = (value: JsonObject, at: number) => {
    const shape = shapes[at];
    const part = shape === undefined ? value : fittedValue(value, shape);
    return isObject(part) ? part : {};
  };
  return lenses.reduce(
    (here, lens, at) => {
      const shown = lens === undefined ? here : isUp ? lens.up(here) : lens.down(here);
      return fitted(shown, at + 1);
    },
    fitted(item, 0),
  );
}
