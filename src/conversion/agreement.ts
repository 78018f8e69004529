import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { isArray, type Json, type JsonObject, valuesIn } from "../json/json.ts";
import { agrees, contradictedWords, type Word, wordAt } from "./agrees.ts";
import { isMark, type Placement, usualPlacement } from "./aligned-list.ts";
import { type Leaf, readLeaf } from "./leaf.ts";
import { type Doubts, restore } from "./restore.ts";
import { addsItem, type LeafPath, leafPathsOf, leavesOfReturned } from "./returned-items.ts";
import type { GroupedField } from "./row-groups.ts";
import { type RowRule, ruleFor } from "./row-rule.ts";
import type { Shape } from "./shape.ts";
import type { Tree } from "./tree.ts";

// Leaves are guarded one by one, which is not enough where several fields of one version are one field of the other: of a
// first and a last name whose last name a client changed, the first name must not come back if the other version would then
// show a full name that its client never wrote. So groups of fields that rows map together come back together or not at all
// (row-rule.ts). What rows do not tell, in a lens written by hand or in a row over a whole list, the lens is asked.

/** What a restored object says to the version that its writer wrote. */
export interface Writer {
  /** The groups of fields on the side of the leaves. */
  readonly grouped: GroupedField;
  /** The shape of the writer's version, as far as the CRD in force has it. */
  readonly shape: Shape;
  /** What the writer wrote, fitted into the shape of its version. */
  readonly said: JsonObject;
  /** What the lens shows the writer of an object. */
  readonly imageOf: (object: JsonObject) => JsonObject;
  /** Whether the tree has all leaves that the writer got. From a part of them nothing follows. */
  readonly isWhole: () => boolean;
  /** Whether an image is known to be what the writer wrote, for a caller that needs to know it anyway. */
  readonly isSaid?: ((image: JsonObject) => boolean) | undefined;
  /** Whether the writer's version will show what the writer wrote, if this is stored. Not asked of a reader. */
  readonly isReadBack?: ((restored: Restored) => boolean) | undefined;
}

/** An object with its leaves, and what its writer's version shows of it. */
export interface Restored {
  readonly object: JsonObject;
  readonly image: JsonObject;
}

/**
 * Puts the leaves of a tree back into an image of what a writer wrote, as far as the lens then still shows the writer what
 * it wrote: where the lens alone would show other words than the writer's, one of the two. Leaves of a contradicted group of
 * fields are left out. Where a contradiction remains, the leaves that it depends on are left out, as far as they do not agree.
 */
export function restoreAgreeing(
  plain: JsonObject,
  tree: Tree | undefined,
  shape: Shape,
  writer: Writer,
): Restored {
  const doubts: Doubts = { placement: usualPlacement, hasLostItem: false, hasEntry: false };
  const whole = restore(plain, tree, shape, writer.grouped, doubts);
  const image = writer.imageOf(whole);
  const all = { object: whole, image };
  if (whole === plain || tree === undefined) return all;
  const { said } = writer;
  const { hasLostItem } = doubts;
  const isDoubtful =
    (hasLostItem || doubts.hasEntry) && addsItem(image, said, undefined, writer.shape, hasLostItem);
  // Nearly always nothing is contradicted, and what the lens alone says need not be known.
  const isAgreed = !isDoubtful && (writer.isSaid?.(image) || agrees(image, said, said, writer.shape));
  if (isAgreed && writer.isReadBack?.(all) !== false) return all;
  if (!writer.isWhole()) return all;
  const search = new Search(plain, tree, shape, writer);
  const doubtful = isDoubtful ? leavesOfReturned(tree, plain, shape) : undefined;
  return doubtful === undefined ? search.withAll(all) : search.withDoubtful(all, doubtful, hasLostItem);
}

type Agree = (restored: Restored) => boolean;

const always: Agree = () => true;

/** The search for the leaves of one tree that the writer does not contradict. */
class Search {
  readonly #plain: JsonObject;
  readonly #tree: Tree;
  readonly #shape: Shape;
  readonly #writer: Writer;
  readonly #rule: RowRule;
  readonly #alone: Restored;
  /** What the writer reads back counts only if it would read its words back without any leaves. */
  readonly #isReadBack: Agree;
  readonly #limit: number;
  #images = 0;

  constructor(plain: JsonObject, tree: Tree, shape: Shape, writer: Writer) {
    this.#plain = plain;
    this.#tree = tree;
    this.#shape = shape;
    this.#writer = writer;
    this.#rule = ruleFor(plain, writer.said, writer.grouped);
    this.#alone = { object: plain, image: writer.imageOf(plain) };
    const { isReadBack = always } = writer;
    this.#isReadBack = isReadBack(this.#alone) ? isReadBack : always;
    this.#limit = Math.min(mostImages, Math.ceil(mostValues / valuesIn(plain)));
  }

  /** All leaves, or those that say nothing else than the writer. */
  withAll(all: Restored): Restored {
    const agree = this.#agrees;
    if (agree(all)) return all;
    const ruled = this.#placed(usualPlacement);
    if (agree(ruled)) return ruled;
    for (const { isStrict, aheads } of otherPlacements) {
      let last = isStrict ? undefined : ruled.object;
      for (const ahead of aheads) {
        const placed = this.#placed({ isStrict, ahead });
        // If these two are the same, the others are too.
        if (equal(placed.object, last)) break;
        last = placed.object;
        if (agree(placed)) return placed;
      }
    }
    return this.#agreeing(leafPathsOf(this.#tree, []), agree).restored;
  }

  /** The same where items may be some that the writer removed: these come back unless the writer would see an item more. */
  withDoubtful(all: Restored, doubtful: readonly LeafPath[], hasLostItem: boolean): Restored {
    // A list has some of its scalars, or all of them.
    const names = new Set(
      doubtful.flatMap((path) => [path, path.slice(0, -1)]).map((path) => writeJson(path)),
    );
    const certain = leafPathsOf(this.#tree, []).filter((path) => !names.has(writeJson(path)));
    const base = this.#with(certain);
    const { said, shape } = this.#writer;
    const agree = (restored: Restored) =>
      this.#agrees(restored) && !addsItem(restored.image, said, base.image, shape, hasLostItem);
    if (agree(all)) return all;
    return this.#added(this.#agreeing(certain, agree), doubtful, agree).restored;
  }

  /** All leaves, with new items of lists in other places. */
  #placed(placement: Placement): Restored {
    return this.#restored(this.#tree, placement);
  }

  readonly #agrees: Agree = (restored) =>
    agrees(restored.image, this.#writer.said, this.#alone.image, this.#writer.shape) &&
    this.#isReadBack(restored);

  /** Of some leaves those that agree: all but those on which a contradiction depends, and of these as many as can be. */
  #agreeing(paths: readonly LeafPath[], agree: Agree): Chosen {
    let chosen: Chosen = { paths, restored: this.#with(paths) };
    const taken: LeafPath[] = [];
    while (!agree(chosen.restored)) {
      const words = this.#contradicted(chosen.restored.image);
      const these = words.length === 0 ? [] : this.#influencing(chosen, chosen.paths, words);
      const out = new Set(these.length === 0 ? chosen.paths : these);
      taken.push(...out);
      const left = chosen.paths.filter((path) => !out.has(path));
      chosen = { paths: left, restored: this.#with(left) };
      if (left.length === 0) break;
    }
    return this.#added(chosen, taken, agree);
  }

  #contradicted(shown: JsonObject): readonly Word[] {
    const { said, shape } = this.#writer;
    return contradictedWords(shown, said, this.#alone.image, shape);
  }

  /** Of some chosen leaves those without which contradicted words read otherwise; all of them where none does so by itself. */
  #influencing(
    { paths: chosen, restored }: Chosen,
    paths: readonly LeafPath[],
    words: readonly Word[],
  ): readonly LeafPath[] {
    if (this.#images >= this.#limit) return paths;
    this.#images++;
    const these = new Set(paths);
    const { image } = this.#with(chosen.filter((path) => !these.has(path)));
    if (words.every((word) => equal(wordAt(image, word), wordAt(restored.image, word)))) return [];
    const parts = halvesOf(paths);
    if (parts.length < 2) return paths;
    const found = parts.flatMap((part) => this.#influencing({ paths: chosen, restored }, part, words));
    return found.length === 0 ? paths : found;
  }

  /** Some leaves with as many others as agree, which are found by halves. */
  #added(chosen: Chosen, paths: readonly LeafPath[], agree: Agree): Chosen {
    return halvesOf(paths).reduce((here, part) => {
      if (this.#images >= 2 * this.#limit) return here;
      this.#images++;
      const restored = this.#with([...here.paths, ...part]);
      if (agree(restored)) return { paths: [...here.paths, ...part], restored };
      return part.length > 1 ? this.#added(here, part, agree) : here;
    }, chosen);
  }

  #with(paths: readonly LeafPath[]): Restored {
    return this.#restored(partOf(this.#tree, paths), usualPlacement);
  }

  #restored(tree: Tree, placement: Placement): Restored {
    const { grouped, imageOf } = this.#writer;
    const doubts: Doubts = { placement, rule: this.#rule, hasLostItem: false, hasEntry: false };
    const object = restore(this.#plain, tree, this.#shape, grouped, doubts);
    return object === this.#plain ? this.#alone : { object, image: imageOf(object) };
  }
}

/** Leaves that were chosen, and the object with them. */
interface Chosen {
  readonly paths: readonly LeafPath[];
  readonly restored: Restored;
}

/** Two halves of some leaves; none of no leaves, one of a single leaf. */
function halvesOf(paths: readonly LeafPath[]): readonly (readonly LeafPath[])[] {
  const half = Math.ceil(paths.length / 2);
  return [paths.slice(0, half), paths.slice(half)].filter((part) => part.length > 0);
}

/** The limit of images that the search for the leaves of a contradiction takes, and again to add some of them. */
const mostImages = 256;

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
  const leaf = readLeaf(tree);
  if (leaf === undefined) return tree;
  if (leaf !== "node") return withScalars(tree, leaf, new Set(paths.map(([name]) => name)));
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

/** A leaf of a list with those of its scalars that the other version shows, and those of some names. */
function withScalars(tree: Tree, { value, shown }: Leaf, names: ReadonlySet<string | undefined>): Tree {
  if (!isArray(value) || !isArray(shown)) return tree;
  const seen = new Set(shown);
  return { ...tree, "=": [value.filter((each) => seen.has(each) || names.has(writeJson(each)))] };
}
