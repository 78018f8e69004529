import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  ownField,
  valuesIn,
} from "../json/json.ts";
import { isMark } from "./aligned-list.ts";
import { isEmpty } from "./complement.ts";
import { keyedItems } from "./keyed-list.ts";
import { readLeaf } from "./leaf.ts";
import { restore } from "./restore.ts";
import type { RowGuards } from "./row-guards.ts";
import { below, type Shape } from "./shape.ts";
import { sorted, type Tree } from "./tree.ts";

// Leaves are guarded one by one, which is not enough where several fields of one version are one field of the other: of a
// first and a last name whose last name a client changed, the first name must not come back if the other version would then
// show a full name that its client never wrote.

/** What a restored object says to the version that its writer wrote. */
export interface Writer {
  /** The rows of several fields on the side of the leaves. */
  readonly guards: RowGuards | undefined;
  /** The shape of the writer's version. */
  readonly shape: Shape;
  /** What the writer wrote, fitted into that shape. */
  readonly said: JsonObject;
  /** What the lens shows the writer of an object. */
  readonly imageOf: (object: JsonObject) => JsonObject;
  /** Whether the tree has all leaves that the writer got. From a part of them nothing follows. */
  readonly isWhole: () => boolean;
}

/** An object with its leaves, and what its writer's version shows of it. */
export interface Restored {
  readonly object: JsonObject;
  readonly image: JsonObject;
}

/**
 * Puts the leaves of a tree back into an image of what a writer wrote, as far as the lens then still shows the writer what
 * it wrote: where the lens alone would show other words than the writer's, one of the two. Leaves that would make it say
 * something else are left out. Among many leaves these are searched for by halves, each of which costs an image; what is
 * left undecided after `mostImages` is left out too.
 */
export function restoreAgreeing(
  plain: JsonObject,
  tree: Tree | undefined,
  shape: Shape,
  writer: Writer,
): Restored {
  const whole = restore(plain, tree, shape, writer.guards);
  const image = writer.imageOf(whole);
  if (whole === plain || tree === undefined) return { object: whole, image };
  const { said } = writer;
  // Nearly always nothing is contradicted, and what the lens alone says need not be known.
  if (agrees(image, said, said, writer.shape) || !writer.isWhole()) return { object: whole, image };
  const alone = writer.imageOf(plain);
  const agree = (shown: JsonObject) => agrees(shown, said, alone, writer.shape);
  if (agree(image)) return { object: whole, image };
  let best: Restored = { object: plain, image: alone };
  let chosen: readonly LeafPath[] = [];
  let images = 0;
  const limit = Math.min(mostImages, Math.ceil(mostValues / valuesIn(plain)));
  const tryToAdd = (paths: readonly LeafPath[]): void => {
    if (paths.length === 0 || images >= limit) return;
    images++;
    const object = restore(plain, partOf(tree, [...chosen, ...paths]), shape, writer.guards);
    const shown = object === best.object ? best.image : writer.imageOf(object);
    if (agree(shown)) {
      chosen = [...chosen, ...paths];
      best = { object, image: shown };
    } else if (paths.length > 1) {
      const half = Math.ceil(paths.length / 2);
      tryToAdd(paths.slice(0, half));
      tryToAdd(paths.slice(half));
    }
  };
  const leaves = leafPathsOf(tree, []);
  tryToAdd(leaves.slice(0, Math.ceil(leaves.length / 2)));
  tryToAdd(leaves.slice(Math.ceil(leaves.length / 2)));
  return best;
}

const mostImages = 64;

/** The limit of values in all images: of a large object, which takes long to convert, fewer leaves are tried. */
const mostValues = 500_000;

/** The names of the children that lead to a leaf of a tree. */
type LeafPath = readonly string[];

function leafPathsOf(tree: Json, path: LeafPath): readonly LeafPath[] {
  if (readLeaf(tree) !== "node" || !isObject(tree)) return [path];
  return Object.keys(tree).flatMap((name) =>
    isMark(name) ? [] : leafPathsOf(tree[name] as Json, [...path, name]),
  );
}

/** The part of a tree with some of its leaves, and with all that describes the lists that they are in. */
function partOf(tree: Tree, paths: readonly LeafPath[]): Tree {
  if (paths.some((path) => path.length === 0)) return tree;
  const groups = Map.groupBy(paths, ([name = ""]) => name);
  const entries = Object.entries(tree).flatMap(([name, child]): (readonly [string, Json])[] => {
    if (isMark(name)) return [[name, child]];
    const group = groups.get(name);
    return group === undefined
      ? []
      : [
          [
            name,
            partOf(
              child as Tree,
              group.map((path) => path.slice(1)),
            ),
          ],
        ];
  });
  return Object.fromEntries(entries);
}

/**
 * Whether an image says nothing else than its writer: where all three say something, the image must equal what the writer or
 * the lens alone said. Null and empty containers say nothing. An image that says nothing of a word does not contradict it: the
 * word is stored for its writer's version.
 */
export function agrees(
  image: Json | undefined,
  said: Json | undefined,
  alone: Json | undefined,
  shape: Shape | undefined,
): boolean {
  if (image === said || image === alone || isSilent(image) || isSilent(said) || isSilent(alone)) return true;
  if (isObject(image) && isObject(said) && isObject(alone)) {
    for (const name in said) {
      const [shown, word] = [ownField(image, name), ownField(said, name)];
      const plain = alone === said ? word : ownField(alone, name);
      if (shown !== word && !agrees(shown, word, plain, below(shape, name))) return false;
    }
    return true;
  }
  if (isArray(image) && isArray(said) && isArray(alone)) return listAgrees(image, said, alone, shape);
  return equal(image, said) || equal(image, alone);
}

function isSilent(value: Json | undefined): boolean {
  return value === undefined || value === null || isEmpty(value);
}

function listAgrees(image: JsonArray, said: JsonArray, alone: JsonArray, shape: Shape | undefined): boolean {
  const isAligned = image.length === said.length && image.length === alone.length;
  const agreesAt = (item: Json, at: number) => agrees(item, said[at], alone[at], shape?.items);
  const agreesInPlace = () => isAligned && image.every(agreesAt);
  // Items that agree with those in their places have the same keys, if there is nothing else that they may agree with.
  if (said === alone && agreesInPlace()) return true;
  const keys = shape?.keys;
  const keyed = keys === undefined ? [] : [image, said, alone].map((list) => keyedItems(list, keys));
  const [shown, written, plain] = keyed;
  if (shown !== undefined && written !== undefined && plain !== undefined) {
    for (const [name, item] of written) {
      if (!agrees(shown.get(name), item, plain.get(name), shape?.items)) return false;
    }
    return true;
  }
  if (said !== alone && agreesInPlace()) return true;
  const words = [...said, ...alone];
  const known = new Set(words.map((item) => writeJson(sorted(item))));
  const others = image.filter((item) => !known.has(writeJson(sorted(item))));
  if (others.length * words.length > mostComparisons) return false;
  return others.every((item) => words.some((word) => agrees(item, word, word, shape?.items)));
}

/** The limit of comparisons of the items of two lists that have no keys. */
const mostComparisons = 10_000;
