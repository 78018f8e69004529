import { keyedItems } from "../conversion/keyed-list.ts";
import { below, type Shape } from "../conversion/shape.ts";
import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { fieldOf, type Path } from "../json/path.ts";
import { breachesOf, type Difference, type Passage, withValueAt } from "./compare.ts";

/** The names of fields by which people recognise an item of a list that declares no keys. */
export const obviousKeys = ["name", "id", "key", "type"] as const;

/** What the lens alone shows of a value in the place of what the object held there. */
type Lone = (value: Json | undefined) => Json | undefined;

/**
 * The first item of a list without keys that a write did not touch and that nevertheless changed, or that got what it never
 * held. An item is followed wherever it stands by what the lens alone shows of it: if no other item of the list looks the
 * same, it must still hold everything. A new item holds what its writer wrote, and one that was deleted is gone. One that
 * changed keeps the leaves whose guards hold if it is recognisably the same: by an obvious key, or by its place between
 * unchanged items and most of its fields. What is doubtful is not judged.
 */
export function breachOfLists(
  passage: Passage,
  shape: Shape | undefined,
  lone: Lone,
  path: Path = [],
): Difference | undefined {
  const { held, showed, shows, holds } = passage;
  if (equal(showed, shows)) return undefined;
  if (shape?.keys !== undefined) return breachBelowKeys(passage, shape, shape.keys, lone, path);
  const lists = [held, showed, shows, holds].map(itemsOf);
  if (shape?.items !== undefined && lists.every((list) => list !== undefined)) {
    const [mine, then, now, mineNow] = lists as readonly (readonly JsonObject[])[];
    if (mine && then && now && mineNow)
      return new Alignment(mine, then, now, mineNow, shape.items, lone, path).breach();
  }
  const sides = [held, showed, shows, holds];
  if (shape?.atomic || !sides.every((each) => isObject(each))) return undefined;
  for (const name of Object.keys(held as JsonObject)) {
    const inner = inside(passage, (side) => get(side, name));
    const loneInner: Lone = (value) => get(lone(set(held as JsonObject, name, value)), name);
    const found = breachOfLists(inner, below(shape, name), loneInner, [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function breachBelowKeys(
  passage: Passage,
  shape: Shape,
  keys: readonly string[],
  lone: Lone,
  path: Path,
): Difference | undefined {
  const sides = [passage.held, passage.showed, passage.shows, passage.holds].map((side) =>
    keyedItems(side ?? [], keys),
  );
  if (sides.some((side) => side === undefined)) return undefined;
  for (const name of sides[0]?.keys() ?? []) {
    if (!sides.every((side) => side?.has(name))) continue;
    const [held, showed, shows, holds] = sides.map((side) => side?.get(name));
    const loneItem: Lone = (value) =>
      value === undefined ? undefined : keyedItems(lone([value]) ?? [], keys)?.get(name);
    const found = breachOfLists({ ...passage, held, showed, shows, holds }, shape.items, loneItem, [
      ...path,
      name,
    ]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An item that was held, with what the lens alone shows of it: undefined if it hides it, or if that is unclear. */
interface Held {
  readonly item: JsonObject;
  readonly print: JsonObject | undefined;
  readonly isHidden: boolean;
}

/** The items of one list before and after a write. */
class Alignment {
  readonly #held: readonly Held[];
  readonly #showed: readonly JsonObject[];
  readonly #shows: readonly JsonObject[];
  readonly #holds: readonly JsonObject[];
  readonly #shape: Shape;
  readonly #lone: Lone;
  readonly #path: Path;
  readonly #key: string | undefined;

  constructor(
    held: readonly JsonObject[],
    showed: readonly JsonObject[],
    shows: readonly JsonObject[],
    holds: readonly JsonObject[],
    shape: Shape,
    lone: Lone,
    path: Path,
  ) {
    this.#held = held.map((item) => ({ item, ...printOf(lone([item])) }));
    [this.#showed, this.#shows, this.#holds] = [showed, shows, holds];
    [this.#shape, this.#lone, this.#path] = [shape, lone, path];
    this.#key = obviousKeys.find((key) => [showed, shows].every((items) => areKeyed(items, key)));
  }

  breach(): Difference | undefined {
    return (
      this.#unchangedLost() ??
      this.#reordered() ??
      this.#hiddenLost() ??
      this.#returned() ??
      this.#endowed() ??
      this.#changedLost()
    );
  }

  /** Held items of which exactly one was shown, by that look, and is still shown. */
  #unchanged(): readonly (Held & { readonly print: JsonObject })[] {
    const prints = this.#held.map(({ print }) => print).filter((print) => print !== undefined);
    return this.#held.filter(
      (each): each is Held & { readonly print: JsonObject } =>
        each.print !== undefined &&
        Object.keys(each.print).length > 0 &&
        [prints, this.#showed, this.#shows].every((items) => countOf(items, each.print as JsonObject) === 1),
    );
  }

  #unchangedLost(): Difference | undefined {
    for (const { item, print } of this.#unchanged()) {
      if (countOf(this.#holds, item) > 0) continue;
      return this.#found("an unchanged item", item, this.#closest(print));
    }
    return undefined;
  }

  /** Unchanged items stand in the order in which they stood, or in the client's if the client changed that. */
  #reordered(): Difference | undefined {
    const unchanged = this.#unchanged().filter(
      ({ item }) =>
        countOf(this.#holds, item) === 1 &&
        countOf(
          this.#held.map((each) => each.item),
          item,
        ) === 1,
    );
    const by = (items: readonly JsonObject[], pick: (each: (typeof unchanged)[number]) => JsonObject) =>
      unchanged.toSorted((a, b) => indexOf(items, pick(a)) - indexOf(items, pick(b))).map(({ item }) => item);
    const [then, now] = [this.#showed, this.#shows].map((items) => by(items, ({ print }) => print));
    const actual = by(this.#holds, ({ item }) => item);
    const held = unchanged.map(({ item }) => item);
    // The order of the client holds for all items, even if it moved one that is not followed here, such as an empty one.
    if (equal(then, now) && this.#isAnyMoved()) return undefined;
    const expected = equal(then, now) ? held : equal(then, held) ? now : actual;
    return equal(expected, actual) ? undefined : this.#found("the order of items", expected ?? null, actual);
  }

  /** Whether the client moved any item past another one, as far as their looks tell. */
  #isAnyMoved(): boolean {
    const [then, now] = [this.#showed, this.#shows].map((items) =>
      items.filter((item) => countOf(this.#showed, item) === countOf(this.#shows, item)),
    );
    return !equal(then, now);
  }

  /** A hidden item stays as long as anything else of the list does. */
  #hiddenLost(): Difference | undefined {
    if (this.#unchanged().length === 0) return undefined;
    for (const { item, isHidden } of this.#held) {
      if (!isHidden || countOf(this.#holds, item) > 0 || this.#isNamedLikeShown(item)) continue;
      return this.#found("a hidden item", item, undefined);
    }
    return undefined;
  }

  /** An item that was shown and is not any more, nor anything like it, is gone. */
  #returned(): Difference | undefined {
    for (const { item, print } of this.#held) {
      if (print === undefined || countOf(this.#showed, print) !== 1) continue;
      const twins = this.#held.filter(
        (each) => equal(each.item, item) || (this.#key !== undefined && this.#isSameKey(each.item, item)),
      );
      if (twins.length > 1 || this.#shows.some((each) => !this.#isOther(each, print))) continue;
      const back = this.#holds.find(
        (each) => equal(each, item) || (this.#key !== undefined && this.#isSameKey(each, item)),
      );
      if (back !== undefined) return this.#found("an item that was deleted", null, back);
    }
    return undefined;
  }

  /** An item that is unlike any other is new, and holds what was written. */
  #endowed(): Difference | undefined {
    const known = [...this.#showed, ...this.#held.map(({ item }) => item)];
    for (const item of this.#shows) {
      if (Object.keys(item).length === 0 || known.some((each) => !this.#isOther(item, each))) continue;
      if (countOf(this.#holds, item) === 0) return this.#found("a new item", item, this.#closest(item));
    }
    return undefined;
  }

  /** A changed item that is recognisably the same one keeps what was not touched in it. */
  #changedLost(): Difference | undefined {
    for (const { held, showed, shows, holds } of this.#changed()) {
      const key = this.#key === undefined ? "changed item" : (get(shows, this.#key) ?? null);
      // The key may be a number that a double cannot hold.
      const path = [...this.#path, typeof key === "string" ? key : writeJson(key)];
      const passage = { held: held.item, showed, shows, holds };
      const loneItem: Lone = (value) =>
        value === undefined ? undefined : printOf(this.#lone([value])).print;
      const found =
        this.#lostIn(passage, loneItem, path) ?? breachOfLists(passage, this.#shape, loneItem, path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * A field that a changed item lost although it could have kept it: alone, or with all others that it lost. If the lens would then
   * show another item than the client wrote, the client's word decides.
   */
  #lostIn(passage: Passage, lone: Lone, path: Path): Difference | undefined {
    const lost = breachesOf(passage, this.#shape);
    const holding = (these: readonly Difference[]) =>
      these.reduce<Json | undefined>(
        (item, each) => withValueAt(item, each.path ?? [], each.expected, this.#shape),
        passage.holds,
      );
    const isFree = (these: readonly Difference[]) => equal(lone(holding(these)), passage.shows);
    const found = isFree(lost) ? lost[0] : lost.find((each) => isFree([each]));
    return found && { ...found, field: fieldOf([...path, ...(found.path ?? [])]) };
  }

  #changed(): readonly {
    readonly held: Held;
    readonly showed: JsonObject;
    readonly shows: JsonObject;
    readonly holds: JsonObject;
  }[] {
    const key = this.#key;
    const seen = this.#held.filter(({ print }) => print !== undefined);
    return this.#held.flatMap((held) => {
      const { print, item } = held;
      if (print === undefined || countOf(this.#shows, print) > 0 || countOf(this.#showed, print) !== 1)
        return [];
      if (key !== undefined) {
        const isSame = (each: JsonObject) => this.#isSameKey(each, print);
        const [shows] = this.#shows.filter(isSame);
        const [holds, ...more] = this.#holds.filter(isSame);
        const isOnly = this.#held.filter((each) => isSame(each.item)).length === 1;
        return shows === undefined || holds === undefined || more.length > 0 || !isOnly
          ? []
          : [{ held, showed: print, shows, holds }];
      }
      // Items that had keys and lost them are not recognised by their places.
      if (obviousKeys.some((each) => areKeyed(this.#showed, each))) return [];
      const at = seen.indexOf(held);
      const isInPlace =
        equal(
          seen.map((each) => each.print as Json),
          this.#showed,
        ) && equal(this.#showed.toSpliced(at, 1), this.#shows.toSpliced(at, 1));
      const [shows, holds] = [this.#shows[at], this.#holds[this.#held.indexOf(held)]];
      const isOne = shows !== undefined && countOf(this.#showed, shows) === 0 && isMostly(shows, print);
      return isInPlace && isOne && holds !== undefined && this.#holds.length === this.#held.length
        ? [{ held: { ...held, item }, showed: print, shows, holds }]
        : [];
    });
  }

  /** Whether two items are surely different: by their keys, or because less than half of the fields are the same. */
  #isOther(a: JsonObject, b: JsonObject): boolean {
    if (this.#key !== undefined) return !this.#isSameKey(a, b);
    return 2 * commonIn(a, b) < Math.min(Object.keys(a).length, Object.keys(b).length);
  }

  #isSameKey(a: JsonObject, b: JsonObject): boolean {
    return this.#key !== undefined && equal(get(a, this.#key), get(b, this.#key));
  }

  #isNamedLikeShown(item: JsonObject): boolean {
    return [...this.#showed, ...this.#shows].some((each) => !this.#isOther(each, item));
  }

  /** The held item that is most like another one, to show it. */
  #closest(item: JsonObject): Json | undefined {
    return this.#holds.toSorted((a, b) => commonIn(b, item) - commonIn(a, item))[0];
  }

  #found(what: string, expected: Json, actual: Json | undefined): Difference {
    return { field: `${this.#path.join(".")}[]: ${what}`, expected, actual };
  }
}

/** What the lens shows of a list of one item: nothing if it hides it; unclear if it makes several of it. */
function printOf(list: Json | undefined): {
  readonly print: JsonObject | undefined;
  readonly isHidden: boolean;
} {
  const items = list === undefined ? [] : itemsOf(list);
  const [print, ...more] = items ?? [];
  return { print: more.length > 0 ? undefined : print, isHidden: items?.length === 0 };
}

/** The items of a list of objects; an absent list has none. */
function itemsOf(list: Json | undefined): readonly JsonObject[] | undefined {
  if (list === undefined || list === null) return [];
  return isArray(list) && list.every((item) => isObject(item)) ? (list as readonly JsonObject[]) : undefined;
}

function areKeyed(items: readonly JsonObject[], key: string): boolean {
  const keys = items.map((item) => get(item, key));
  const isKey = (value: Json | undefined) =>
    value !== undefined && value !== null && !isObject(value) && !isArray(value);
  return keys.every(isKey) && new Set(keys.map((value) => writeJson(value ?? null))).size === keys.length;
}

function countOf(items: readonly JsonObject[], item: JsonObject): number {
  return items.filter((each) => equal(each, item)).length;
}

function indexOf(items: readonly JsonObject[], item: JsonObject): number {
  return items.findIndex((each) => equal(each, item));
}

/** The number of fields that two items have in common. */
function commonIn(a: JsonObject, b: JsonObject): number {
  return Object.keys(a).filter((name) => equal(get(a, name), get(b, name))).length;
}

/** Whether at least half of all fields of two items are the same. */
function isMostly(a: JsonObject, b: JsonObject): boolean {
  const all = new Set([...Object.keys(a), ...Object.keys(b)]);
  return 2 * commonIn(a, b) >= all.size;
}

function inside(passage: Passage, pick: (side: Json | undefined) => Json | undefined): Passage {
  const { held, showed, shows, holds } = passage;
  return { ...passage, held: pick(held), showed: pick(showed), shows: pick(shows), holds: pick(holds) };
}
