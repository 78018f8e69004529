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
import { isMark, type Placement, usualPlacement } from "./aligned-list.ts";
import { isEmpty } from "./complement.ts";
import { keyedItems } from "./keyed-list.ts";
import { type Doubts, restore } from "./restore.ts";
import { addsItem, type LeafPath, leafPathsOf, leavesOfReturned } from "./returned-items.ts";
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
  /** Whether an image is known to be what the writer wrote, for a caller that needs to know it anyway. */
  readonly isSaid?: ((image: JsonObject) => boolean) | undefined;
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
  const doubts: Doubts = { placement: usualPlacement, hasLostItem: false };
  const whole = restore(plain, tree, shape, writer.guards, doubts);
  const image = writer.imageOf(whole);
  const all = { object: whole, image };
  if (whole === plain || tree === undefined) return all;
  const { said } = writer;
  const isDoubtful = doubts.hasLostItem && addsItem(image, said, undefined, writer.shape);
  // Nearly always nothing is contradicted, and what the lens alone says need not be known.
  if (!isDoubtful && (writer.isSaid?.(image) || agrees(image, said, said, writer.shape))) return all;
  if (!writer.isWhole()) return all;
  const search = new Search(plain, tree, shape, writer);
  return isDoubtful ? search.withDoubtful(all, leavesOfReturned(tree, plain, shape)) : search.withAll(all);
}

/** The search for the leaves of one tree that the writer does not contradict. */
class Search {
  readonly #plain: JsonObject;
  readonly #tree: Tree;
  readonly #shape: Shape;
  readonly #writer: Writer;
  readonly #alone: Restored;
  readonly #limit: number;
  #images = 0;
  #chosen: readonly LeafPath[] = [];
  #best: Restored;

  constructor(plain: JsonObject, tree: Tree, shape: Shape, writer: Writer) {
    this.#plain = plain;
    this.#tree = tree;
    this.#shape = shape;
    this.#writer = writer;
    this.#alone = { object: plain, image: writer.imageOf(plain) };
    this.#best = this.#alone;
    this.#limit = Math.min(mostImages, Math.ceil(mostValues / valuesIn(plain)));
  }

  /** All leaves, or those that say nothing else than the writer. */
  withAll(all: Restored): Restored {
    const agree = this.#agrees;
    if (agree(all.image)) return all;
    for (const { isStrict, aheads } of otherPlacements) {
      let last = isStrict ? undefined : all.object;
      for (const ahead of aheads) {
        const placed = this.#placed({ isStrict, ahead });
        // If these two are the same, the others are too.
        if (equal(placed, last)) break;
        last = placed;
        const image = this.#writer.imageOf(placed);
        if (agree(image)) return { object: placed, image };
      }
    }
    this.#addHalves(leafPathsOf(this.#tree, []), agree);
    return this.#best;
  }

  /** The same where items may be some that the writer removed: these come back unless the writer would see an item more. */
  withDoubtful(all: Restored, doubtful: readonly LeafPath[]): Restored {
    const names = new Set(doubtful.map((path) => writeJson(path)));
    const certain = leafPathsOf(this.#tree, []).filter((path) => !names.has(writeJson(path)));
    const base = this.#with(certain);
    const { said, shape } = this.#writer;
    const agree = (shown: JsonObject) => this.#agrees(shown) && !addsItem(shown, said, base.image, shape);
    if (agree(all.image)) return all;
    if (agree(base.image)) [this.#best, this.#chosen] = [base, certain];
    else this.#addHalves(certain, agree);
    this.#addHalves(doubtful, agree);
    return this.#best;
  }

  /** All leaves, with new items of lists in other places. */
  #placed(placement: Placement): JsonObject {
    const doubts: Doubts = { placement, hasLostItem: false };
    return restore(this.#plain, this.#tree, this.#shape, this.#writer.guards, doubts);
  }

  readonly #agrees = (shown: JsonObject): boolean =>
    agrees(shown, this.#writer.said, this.#alone.image, this.#writer.shape);

  #addHalves(paths: readonly LeafPath[], agree: (shown: JsonObject) => boolean): void {
    const half = Math.ceil(paths.length / 2);
    this.#add(paths.slice(0, half), agree);
    this.#add(paths.slice(half), agree);
  }

  #add(paths: readonly LeafPath[], agree: (shown: JsonObject) => boolean): void {
    if (paths.length === 0 || this.#images >= this.#limit) return;
    this.#images++;
    const restored = this.#with([...this.#chosen, ...paths]);
    if (agree(restored.image)) [this.#best, this.#chosen] = [restored, [...this.#chosen, ...paths]];
    else if (paths.length > 1) this.#addHalves(paths, agree);
  }

  #with(paths: readonly LeafPath[]): Restored {
    const { guards, imageOf } = this.#writer;
    const object = restore(this.#plain, partOf(this.#tree, paths), this.#shape, guards);
    return { object, image: object === this.#best.object ? this.#best.image : imageOf(object) };
  }
}

const mostImages = 64;

/** Where new items are tried to stand, if they do not agree in their usual places: all in front of those that follow at first. */
const otherPlacements = [
  { isStrict: false, aheads: [Number.POSITIVE_INFINITY, 1, 2, 3] },
  { isStrict: true, aheads: [0, Number.POSITIVE_INFINITY, 1, 2, 3] },
];

/** The limit of values in all images: of a large object, which takes long to convert, fewer leaves are tried. */
const mostValues = 500_000;

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
  if (said === alone && agreesInPlace())
    return (
      shape?.keys !== undefined ||
      image.every((item, at) => hasFieldsOf(item, said[at])) ||
      !isReordered(image, said)
    );
  const keys = shape?.keys;
  if (keys === undefined && [said, alone].every((list) => isReordered(image, list))) return false;
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

/** Whether a list has items of another one in another order. */
function isReordered(list: JsonArray, other: JsonArray): boolean {
  const [texts, others] = [list, other].map((items) => items.map((item) => writeJson(sorted(item))));
  const [here, there] = [new Set(texts), new Set(others)];
  const [common, commonOthers] = [
    texts?.filter((text) => there.has(text)),
    others?.filter((text) => here.has(text)),
  ];
  return !equal(common, commonOthers) && equal(common?.sort(), commonOthers?.sort());
}

/** Whether an item has all fields of another one. Items without common fields contradict each other in nothing. */
function hasFieldsOf(item: Json, other: Json | undefined): boolean {
  if (!isObject(item) || !isObject(other)) return true;
  for (const name in other) if (ownField(item, name) === undefined) return false;
  return true;
}

/** The limit of comparisons of the items of two lists that have no keys. */
const mostComparisons = 10_000;
