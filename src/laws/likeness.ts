import { wordsOfName } from "../values/words.ts";

/**
 * How alike two fields are by the words of their names, from 0 to 1: the share of words that both have, without the objects
 * in which both stand. `keySize` and `privateKey.size` are alike by 0.8.
 */
export function likeness(a: string, b: string): number {
  const [one, other] = withoutSharedParents(a.split("."), b.split("."));
  const [left, right] = [new Set(one.flatMap(wordsOfName)), new Set(other.flatMap(wordsOfName))];
  return (2 * left.intersection(right).size) / (left.size + right.size);
}

/** The last name of a field. */
export function nameOfField(field: string): string {
  return field.slice(field.lastIndexOf(".") + 1);
}

function withoutSharedParents(
  a: readonly string[],
  b: readonly string[],
): readonly [readonly string[], readonly string[]] {
  if (a.length < 2 || b.length < 2 || a[0] !== b[0]) return [a, b];
  return withoutSharedParents(a.slice(1), b.slice(1));
}
