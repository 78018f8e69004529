/** Words with how much each says. */
export type Vector = ReadonlyMap<string, number>;

/** How much a word says: the fewer texts have it, the more. */
export type Weights = (word: string) => number;

/** The words of a field's name, in lower case and singular: `emailSANs` is email, san. */
export function wordsOfName(name: string): readonly string[] {
  const parts = name.match(/[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [name];
  return parts.map((part) => singular((/^[A-Z]+s$/.test(part) ? part.slice(0, -1) : part).toLowerCase()));
}

/** The words of a sentence that say something, in lower case and singular. */
export function wordsOfText(text: string): readonly string[] {
  const words =
    text
      .slice(0, mostText)
      .toLowerCase()
      .match(/[a-z0-9]{2,}/g) ?? [];
  return words.map(singular).filter((word) => !empty.has(word));
}

/** Weighs words by how few of the texts have them (inverse document frequency). */
export function weightsOf(texts: readonly (readonly string[])[]): Weights {
  const counts = new Map<string, number>();
  for (const words of texts) for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + texts.length / (counts.get(word) ?? 1));
}

/** How alike two texts are, from 0 to 1: the cosine of the angle between their weighed words. */
export function likeness(a: Vector, b: Vector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let product = 0;
  for (const [word, weight] of small) product += weight * (large.get(word) ?? 0);
  return product === 0 ? 0 : product / (lengthOf(a) * lengthOf(b));
}

/** Words with their weights, by their stems; a word that occurs twice counts twice. */
export function vectorOf(words: readonly string[], weights: Weights): Vector {
  const vector = new Map<string, number>();
  for (const word of words) {
    const stem = stemOf(word);
    vector.set(stem, (vector.get(stem) ?? 0) + weights(word));
  }
  return vector;
}

/** What `enable`, `enabled` and `enabling` have in common. */
function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/(?:ed|ing|e)$/, "") : word;
}

/** A word without the ending of its plural: `policies` is policy, `class` stays. */
export function singular(word: string): string {
  if (word.length <= 3) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:[^s]s)$/.test(word) && !/(?:us|sis)$/.test(word) ? word.slice(0, -1) : word;
}

/** Descriptions say what matters at their beginning. */
const mostText = 400;

const empty = new Set(
  "the of to is be in for if it this that and or an as are on by with from at not will can which when its has have may must should default field".split(
    " ",
  ),
);

function lengthOf(vector: Vector): number {
  let sum = 0;
  for (const weight of vector.values()) sum += weight * weight;
  return Math.sqrt(sum);
}
