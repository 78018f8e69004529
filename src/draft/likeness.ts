import { wordsOfName } from "../values/words.ts";
import { type Passage, passageOf, units } from "./change.ts";
import { elementOf, type Field, fieldsOf, hasFields } from "./fields.ts";
import { countsOf, likeness, type WordCounts, wordsOfText } from "./words.ts";

/** A row that a lens may have: a field of each version, why, and whether the evidence is strong enough to use it. */
export interface Proposal {
  readonly older: Field;
  readonly newer: Field;
  readonly passage: Exclude<Passage, undefined>;
  /** Continues the row, as a comment. */
  readonly reason: string;
  readonly isCertain: boolean;
}

/** A pair with what its fields have in common, each from 0 to 1; undefined where a field has no such words. */
interface Scored {
  readonly older: Field;
  readonly newer: Field;
  readonly passage: Exclude<Passage, undefined>;
  readonly name: number;
  readonly path: number;
  readonly description: number | undefined;
  /** Whether each of the fields is in an object of which the other one's path says nothing. */
  readonly isElsewhere: boolean;
  /** Whether the paths of the objects have no word in common either. */
  readonly isApart: boolean;
  readonly score: number;
}

/** More pairs than these are not compared: a release that renames so much needs a human being. */
const mostPairs = 200_000;

// How alike fields must be, from 0 to 1. Found by comparing drafts for published CRDs with lenses that were written by hand
// (docs/guides/import.md has the figures).

/** The score of a guess, and of a row that is certain. */
const least = 0.45;
const certain = 0.62;
/** Another pair is as likely if its score is at most so much lower. */
const margin = 0.06;
/** A row needs a path or a description so much alike, or a name: many middling ones are found in any large object. */
const strong = 0.8;
const strongName = 0.75;
/** Objects have the same content if this part of all their fields is in both; or so many fields, if those are all of one. */
const mostFields = 0.7;
const manyFields = 8;
/** Said to be similar. Such a description also makes up for names without a common word. */
const similarName = 0.65;
const similarDescription = 0.5;
/** Descriptions below it speak of different things. */
const different = 0.4;
/** A likeness of 1, as it may be rounded. */
const same = 0.999;

/** Proposals for fields that are likely the same, those that are certain first and then the likeliest; each field is used once. */
export function likelyRows(older: readonly Field[], newer: readonly Field[]): readonly Proposal[] {
  if (older.length * newer.length > mostPairs) return [];
  const words = new Map([...older, ...newer].map((field) => [field, wordsOf(field)]));
  const scored = older
    .flatMap((from) => newer.flatMap((to) => scoredOf(from, to, words)))
    .filter(isGuess)
    .toSorted((a, b) => b.score - a.score);
  const byField = {
    older: Map.groupBy(scored, (pair) => pair.older),
    newer: Map.groupBy(scored, (pair) => pair.newer),
  };
  const used = new Set<Field>();
  return scored
    .map((pair) => {
      const { older: from, newer: to, passage } = pair;
      const rivals = rivalsOf(pair, byField);
      const isCertain = isLikely(pair) && rivals.length === 0;
      return { older: from, newer: to, passage, reason: reasonOf(pair, rivals), isCertain };
    })
    .toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain))
    .filter((proposal) => {
      if (used.has(proposal.older) || used.has(proposal.newer)) return false;
      used.add(proposal.older).add(proposal.newer);
      return true;
    });
}

/** Worth a guess: where descriptions speak of different things, paths that are much alike say nothing of the fields. */
function isGuess({ score, name, description }: Scored): boolean {
  return score >= least && (name > 0 || description === undefined || description >= similarDescription);
}

/** Likely as a whole, and by one thing alone. */
function isLikely({ older, newer, score, name, path, description, isElsewhere, isApart }: Scored): boolean {
  // Many objects have a `name`, and the same description of it.
  if (isApart || mayHoldSeveral(older, newer)) return false;
  if (isElsewhere && description !== undefined && description < different) return false;
  // Fields of one object have their path in common, and often much of a description.
  return (
    score >= certain &&
    (name > 0 || description === 1) &&
    (name >= strongName || path >= strong || (description ?? 0) >= strong || haveSameContent(older, newer))
  );
}

/** Whether a text of one version may be several items of the other one's list, such as names with commas between them. */
function mayHoldSeveral(older: Field, newer: Field): boolean {
  const [text, list] = older.sort === "string" ? [older, newer] : [newer, older];
  if (text.sort !== "string" || list.sort !== "list") return false;
  const { pattern, description } = text.schema;
  return elementOf(list)?.pattern !== pattern || /comma|separated/i.test(String(description));
}

/** Whether most fields of the objects in two lists or maps are in both, or one has all of the other's and these are many. */
function haveSameContent(older: Field, newer: Field): boolean {
  const [a = new Set(), b = new Set()] = [older, newer].map((field) => {
    const element = elementOf(field);
    return new Set(hasFields(element) ? fieldsOf(element).map(({ path }) => path.join(".")) : []);
  });
  const common = a.intersection(b).size;
  return (
    common > mostFields * a.union(b).size || (common >= manyFields && common === Math.min(a.size, b.size))
  );
}

/** The pairs of each field, the likeliest first. */
type ByField = Readonly<Record<"older" | "newer", ReadonlyMap<Field, readonly Scored[]>>>;

/** Other pairs with one of the fields that are nearly as likely, unless their own field fits better elsewhere; the likeliest first. */
function rivalsOf(pair: Scored, { older, newer }: ByField): readonly Scored[] {
  const others = [
    ...(older.get(pair.older) ?? []).map((other) => [other, newer.get(other.newer)?.[0]] as const),
    ...(newer.get(pair.newer) ?? []).map((other) => [other, older.get(other.older)?.[0]] as const),
  ];
  return others
    .filter(
      ([other, best]) =>
        other !== pair &&
        other.score >= pair.score - margin &&
        (pair.path <= same || other.path > same) &&
        (best === undefined || best.score <= other.score + margin / 2),
    )
    .map(([other]) => other)
    .toSorted((a, b) => b.score - a.score);
}

/** The words of a path; those of its last name count twice in all of it, since they say most. */
interface PathWords {
  readonly name: WordCounts;
  readonly all: WordCounts;
  readonly context: WordCounts;
}

/** The words of a field. */
interface Words {
  readonly path: PathWords;
  /** The same if the name of a reference stands for it: `classRef.name` is then `class`. */
  readonly reference: PathWords;
  readonly description: WordCounts;
}

function wordsOf({ path, schema: { description } }: Field): Words {
  const isReference = path.at(-1) === "name" && /^ref$|Ref(erence)?$/.test(path.at(-2) ?? "");
  return {
    path: pathWords(path),
    reference: pathWords(isReference ? path.slice(0, -1) : path),
    description: countsOf(typeof description === "string" ? wordsOfText(description) : []),
  };
}

function pathWords(path: readonly string[]): PathWords {
  const words = path.map((name) =>
    wordsOfName(name.replace(/^uuid$|UUID$/, "ID")).filter((word) => word !== "ref" && word !== "reference"),
  );
  const last = words.at(-1) ?? [];
  const name = last.filter((word) => !units.has(word));
  return {
    name: countsOf(name.length > 0 ? name : wordsOfName(path.at(-1) ?? "")),
    all: countsOf([...words.flat(), ...last]),
    context: countsOf(words.slice(0, -1).flat()),
  };
}

function scoredOf(older: Field, newer: Field, words: ReadonlyMap<Field, Words>): readonly Scored[] {
  if (isInStatus(older) !== isInStatus(newer)) return [];
  const [passage, from, to] = [passageOf(older, newer), words.get(older), words.get(newer)];
  if (passage === undefined || from === undefined || to === undefined) return [];
  const known = (a: WordCounts, b: WordCounts) =>
    a.length === 0 || b.length === 0 ? undefined : likeness(a, b);
  const [a, b] = hasSameName(older, newer) ? [from.path, to.path] : [from.reference, to.reference];
  const [name, path] = [likeness(a.name, b.name), likeness(a.all, b.all)];
  const description = known(from.description, to.description);
  const parts = [
    { weight: 0.4, value: Math.max(name, path) },
    { weight: 0.25, value: known(a.context, b.context) },
    { weight: 0.3, value: description },
  ];
  let [sum, total] = [0, 0];
  for (const { weight, value } of parts) {
    if (value === undefined) continue;
    sum += weight * value;
    total += weight;
  }
  const isElsewhere = hasOthers(a.context, b.context) && hasOthers(b.context, a.context);
  const isApart = isElsewhere && !hasCommon(a.context, b.context);
  return [{ older, newer, passage, name, path, description, isElsewhere, isApart, score: sum / total }];
}

/** Whether a field is in the status of its object, which another endpoint writes. */
function isInStatus({ path }: Field): boolean {
  return path.length > 1 && path[0] === "status";
}

/** Whether words have any that others lack. */
function hasOthers(words: WordCounts, others: WordCounts): boolean {
  return [...words.counts.keys()].some((word) => !others.counts.has(word));
}

/** Whether words have one in common that says more than `spec` or `status`. */
function hasCommon(words: WordCounts, others: WordCounts): boolean {
  return [...words.counts.keys()].some((word) => !/^(spec|status)$/.test(word) && others.counts.has(word));
}

function hasSameName(older: Field, newer: Field): boolean {
  return older.path.at(-1)?.toLowerCase() === newer.path.at(-1)?.toLowerCase();
}

function reasonOf({ older, newer, name, description }: Scored, [rival]: readonly Scored[]): string {
  const what = hasSameName(older, newer)
    ? "the same name in another place"
    : name >= similarName
      ? "a similar name"
      : "a similar path";
  return [
    what,
    ...((description ?? 0) >= similarDescription ? ["a similar description"] : []),
    ...(mayHoldSeveral(older, newer) ? ["but one text may hold several items"] : []),
    ...(rival === undefined
      ? []
      : rival.older === older
        ? [`but ${rival.newer.path.join(".")} is as likely`]
        : [`but ${rival.older.path.join(".")} is as likely to become it`]),
  ].join(", ");
}
