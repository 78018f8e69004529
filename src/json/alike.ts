/** The words that are most alike a misspelt one, the best first: at most `most`, none if nothing comes near. */
export function mostAlike(word: string, known: Iterable<string>, most = 1): readonly string[] {
  const limit = Math.max(1, Math.floor(word.length / 3));
  const scored = [...known]
    .filter((each) => Math.abs(each.length - word.length) <= limit)
    .map((each) => ({ each, distance: distance(word.toLowerCase(), each.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= limit);
  return scored
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ each }) => each);
}

/** `; did you mean "x"?`, or nothing if no known word comes near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const [best] = mostAlike(word, known);
  return best === undefined ? "" : `; did you mean ${best}?`;
}

/** The number of characters to insert, remove, replace or swap with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last?.[j - 1] ?? 0) + same);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) best = Math.min(best, (before?.[j - 2] ?? 0) + 1);
      row.push(best);
    }
    [before, last] = [last, row];
  }
  return last?.[b.length] ?? 0;
}
