import { singular } from "../values/words.ts";
import { sumOf } from "./fields.ts";

/** The words of a sentence that say something, in lower case and singular. */
export function wordsOfText(text: string): readonly string[] {
  const words =
    text
      .slice(0, mostText)
      .toLowerCase()
      .match(/[a-z0-9]{2,}/g) ?? [];
  return words.map(singular).filter((word) => !empty.has(word));
}

/** How often each word occurs in a text, by its stem, and the length of that as a vector. */
export interface WordCounts {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** Counts words once for all texts that they are compared with. */
export function countsOf(words: readonly string[]): WordCounts {
  const counts = new Map<string, number>();
  for (const word of words.map(stemOf)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { counts, length: Math.sqrt(sumOf([...counts.values()].map((count) => count ** 2))) };
}

/** How alike two texts are, from 0 to 1: the cosine of the angle between the counts of their words. */
export function likeness(a: WordCounts, b: WordCounts): number {
  let product = 0;
  for (const [word, count] of a.counts) product += count * (b.counts.get(word) ?? 0);
  return product === 0 ? 0 : product / (a.length * b.length);
}

/** What `enable`, `enabled` and `enabling` have in common. */
function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/(?:ed|ing|e)$/, "") : word;
}

/** Descriptions say what matters at their beginning. */
const mostText = 400;

const empty = new Set(
  "the of to is be in for if it this that and or an as are on by with from at not will can which when its has have may must should default field".split(
    " ",
  ),
);
