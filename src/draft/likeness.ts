import { type Passage, passageOf } from "./change.ts";
import { type Features, type Measure, measureOf } from "./features.ts";
import type { Field } from "./fields.ts";

/** A field of each version that may be the same, and how sure that is. */
export interface Candidate {
  readonly older: Field;
  readonly newer: Field;
  readonly passage: Exclude<Passage, undefined>;
  readonly reason: string;
  readonly isCertain: boolean;
}

/** A pair with its features, each from 0 to 1. */
interface Scored {
  readonly older: Field;
  readonly newer: Field;
  readonly passage: Exclude<Passage, undefined>;
  readonly score: number;
  readonly features: Features;
}

/** More pairs than these are not compared: a release that renames so much needs a human being. */
const mostPairs = 200_000;

/** Pairs of fields that are likely the same, the likeliest first; a field may be in several. */
export function candidatesOf(
  older: readonly Field[],
  newer: readonly Field[],
  all: readonly Field[],
): readonly Candidate[] {
  if (older.length * newer.length > mostPairs) return [];
  const measure = measureOf(all);
  const scored = older
    .flatMap((from) => newer.flatMap((to) => scoredOf(from, to, measure)))
    .filter(({ score }) => score >= least)
    .toSorted((a, b) => b.score - a.score);
  const best = bestOf(scored);
  const sure = new Set(scored.filter((pair) => isCertain(pair, scored, best)));
  const moves = new Set([...sure].flatMap(moveOf));
  const together = new Set(scored.filter((pair) => moveOf(pair).some((each) => moves.has(each))));
  return scored
    .map((pair) => {
      const isCertain = sure.has(pair) || (together.has(pair) && isAlone(pair, together));
      const { older: from, newer: to, passage } = pair;
      const reason = [...reasonsOf(pair), ...(isCertain ? [] : rivalsOf(pair, scored))].join(", ");
      return { older: from, newer: to, passage, reason, isCertain };
    })
    .toSorted((a, b) => Number(b.isCertain) - Number(a.isCertain));
}

/** The objects that a field with the same name moved between, if it has the same name. */
function moveOf({ older, newer, features }: Scored): readonly string[] {
  return features.tail === 0 ? [] : [JSON.stringify([older.path.slice(0, -1), newer.path.slice(0, -1)])];
}

/** Whether no other pair of these has one of its fields. */
function isAlone(pair: Scored, pairs: Iterable<Scored>): boolean {
  return [...pairs].every(
    (each) => each === pair || (each.older !== pair.older && each.newer !== pair.newer),
  );
}

// Found by comparing drafts for published CRDs with lenses that were written by hand (docs/guides/import.md has the figures).
const least = 0.45;
const certain = 0.62;
const margin = 0.06;

/**
 * A pair is certain if it is likely, and no other pair with one of its fields is nearly as likely. Others do not count if their
 * own fields fit better elsewhere, or if their paths differ more.
 */
function isCertain(pair: Scored, all: readonly Scored[], best: ReadonlyMap<Field, number>): boolean {
  const { score, features, older, newer } = pair;
  if (score < certain) return false;
  if (!isEvident(features)) return false;
  return all.every((other) => {
    if (other === pair || other.score < score - margin) return true;
    if (other.older !== older && other.newer !== newer) return true;
    if (hasSameWords(pair) && !hasSameWords(other)) return true;
    const rival = other.older === older ? other.newer : other.older;
    if ((best.get(rival) ?? 0) > other.score + margin / 2) return true;
    return features.tail > 0 && other.score <= score && other.features.edits > features.edits;
  });
}

/** Whether one feature alone says much: many middling ones are found in any large object. */
function isEvident({ name, path, description = 0, content = 0 }: Features): boolean {
  return name >= 0.65 || path >= 0.8 || description >= 0.8 || content >= 0.7;
}

/** Whether the paths have the same words, as those of `class` and `classRef.name` below one object. */
function hasSameWords({ features: { path, context } }: Scored): boolean {
  return path > 0.999 && context !== undefined && context > 0.999;
}

/** The score of the best pair of each field. */
function bestOf(scored: readonly Scored[]): ReadonlyMap<Field, number> {
  const best = new Map<Field, number>();
  for (const { older, newer, score } of scored)
    for (const field of [older, newer]) best.set(field, Math.max(score, best.get(field) ?? 0));
  return best;
}

function scoredOf(older: Field, newer: Field, measure: Measure): readonly Scored[] {
  const passage = passageOf(older, newer);
  if (passage === undefined) return [];
  const features = measure(older, newer);
  return [{ older, newer, passage, features, score: scoreOf(features) }];
}

function scoreOf({ name, path, context, description, content }: Features): number {
  const parts: readonly (readonly [weight: number, value: number | undefined])[] = [
    [0.4, Math.max(name, path)],
    [0.25, context],
    [0.3, description],
    [0.3, content],
  ];
  const known = parts.flatMap(([weight, value]) => (value === undefined ? [] : [[weight, value] as const]));
  const total = known.reduce((sum, [weight]) => sum + weight, 0);
  return known.reduce((sum, [weight, value]) => sum + weight * value, 0) / total;
}

function reasonsOf({ features: { tail, name, description, content } }: Scored): readonly string[] {
  return [
    tail > 0 ? "the same name in another place" : name >= 0.65 ? "a similar name" : "a similar path",
    ...(description !== undefined && description >= 0.5 ? ["a similar description"] : []),
    ...(content !== undefined && content >= 0.5 ? ["similar content"] : []),
  ];
}

/** The next best field, if it is nearly as likely. */
function rivalsOf(pair: Scored, all: readonly Scored[]): readonly string[] {
  const rival = all.find(
    (each) => each !== pair && each.older === pair.older && each.score >= pair.score - margin,
  );
  return rival === undefined ? [] : [`but ${rival.newer.path.join(".")} is as likely`];
}
