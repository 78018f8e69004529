// The server's cost counts what an operation should cost, not what it does: comparing two nested lists costs one unit,
// adding a long list to another as well. What is done beyond that is counted here, so that no rule runs without end.
const mostWork = 50_000_000;
/** No text that a rule makes is longer: an object of 3 MB, some times over. */
const longestText = 50_000_000;

let left = mostWork;

/** A rule did more than any rule may. It counts as one that ran out of its cost. */
export class Exhausted extends Error {}

/** Begins to count anew. All evaluation is synchronous: one counter is enough. */
export function startWork(): void {
  left = mostWork;
}

/** Counts some steps of work. */
export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new Exhausted("more work than any rule may do");
}

/** Counts the making of a text before it is made. */
export function spendText(length: number): void {
  if (length > longestText) throw new Exhausted("a text longer than any rule may make");
  spend(length / 8);
}
