import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { detach } from "./carriers.ts";
import { isHiddenLeaf, type Leaf, orderKey, readLeaf } from "./leaf.ts";
import { fromChild, type Tree } from "./tree.ts";

/** One value that a converted object carries, in terms of the version that can say it. */
export interface Carried {
  /** Names from the root; items of a keyed list by their key: `["spec","lights","lamp-1","color"]`. */
  readonly place: readonly string[];
  /** The value that comes back; undefined where the field will be absent again. */
  readonly value: Json | undefined;
  readonly why: "no word" | "other word" | "shared word" | "order" | "default";
  /** What came back in its place from the version of this object. */
  readonly shown: Json | undefined;
}

/** What an object carries for other versions, by their names; a spoke's view carries the hub's as `hub`. */
export function carriedBy(object: JsonObject): ReadonlyMap<string, readonly Carried[]> {
  const { annotations, status } = detach(object);
  const payload = annotations[0]?.payload ?? status?.payload ?? {};
  const trees: readonly (readonly [string, Tree])[] = [
    ...(payload.hub === undefined ? [] : [["hub", payload.hub] as const]),
    ...Object.entries(payload.spokes ?? {}),
  ];
  return new Map(trees.map(([name, tree]) => [name, leavesOf(tree, [])]));
}

function leavesOf(tree: Json, place: readonly string[]): readonly Carried[] {
  const leaf = readLeaf(tree);
  if (leaf === undefined) return [];
  if (leaf !== "node" && isHiddenLeaf(tree) && leaf.value === undefined) return [];
  if (leaf !== "node") return [{ place, value: leaf.value, why: whyOf(leaf, place), shown: leaf.shown }];
  return Object.entries(tree as Tree).flatMap(([name, child]) =>
    leavesOf(child, [...place, nameOfChild(name)]),
  );
}

/** A field, the key of an item, or its index: `#3` stands for the item 3. */
function nameOfChild(name: string): string {
  if (name === orderKey) return orderKey;
  return /^#\d+$/.test(name) ? name.slice(1) : fromChild(name);
}

function whyOf({ value, shown, defaulted }: Leaf, place: readonly string[]): Carried["why"] {
  if (place.at(-1) === orderKey) return "order";
  if (shown === undefined) return defaulted === undefined ? "no word" : "default";
  return equal(value, shown) ? "shared word" : "other word";
}

/** Why a version cannot express a value that its view carries, in a few words. */
export function reasonOf({ why, shown }: Pick<Carried, "why" | "shown">, target: string): string {
  const converted = shown === undefined ? "nothing" : short(writeJson(shown));
  switch (why) {
    case "no word":
      return `${target} has no field for it`;
    case "other word":
      return `from ${target} alone it would be converted back to ${converted}`;
    case "shared word":
      return `${target} has one field for it and others: kept in case that field is removed`;
    case "order":
      return `from ${target} alone the items would be converted back in another order`;
    case "default":
      return `without it a default of the hub would appear in ${target}`;
  }
}

/** The start of a text that would fill the line. */
export function short(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
