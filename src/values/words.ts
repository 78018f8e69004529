/** The words of a field's name, in lower case and singular: `emailSANs` is email, san. */
export function wordsOfName(name: string): readonly string[] {
  const parts = name.match(/[A-Z]{2,}s?(?![a-z])|[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? [name];
  return parts.map((part) => singular((/^[A-Z]+s$/.test(part) ? part.slice(0, -1) : part).toLowerCase()));
}

/** A word without the ending of its plural: `policies` is policy, `class` stays. */
export function singular(word: string): string {
  if (word.length <= 3) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:[^s]s)$/.test(word) && !/(?:us|sis)$/.test(word) ? word.slice(0, -1) : word;
}
