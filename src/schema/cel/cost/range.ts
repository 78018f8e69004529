/** A range of sizes or costs; both saturate at 2^64 as the server's do (cel-go checker/cost.go). */
export interface Range {
  readonly min: number;
  readonly max: number;
}

export const most = 2 ** 64;

export const fixed = (value: number): Range => ({ min: value, max: value });
export const unknown: Range = { min: 0, max: most };
export const nothing: Range = fixed(0);

const cap = (value: number): number => (value >= most ? most : value);

export const plus = (a: Range, b: Range): Range => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) });
export const times = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });
export const scaled = (a: Range, factor: number): Range => ({
  min: cap(Math.ceil(a.min * factor)),
  max: cap(Math.ceil(a.max * factor)),
});
export const union = (a: Range, b: Range): Range => ({
  min: Math.min(a.min, b.min),
  max: Math.max(a.max, b.max),
});
export const sum = (ranges: readonly Range[]): Range => ranges.reduce(plus, nothing);

/** The sizes of an item of a list or an entry of a map. */
export interface EntrySize {
  readonly container: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

/** Both, where both are known. */
export function unionEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: union(a.key, b.key), value: union(a.value, b.value) };
}
