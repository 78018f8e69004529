import type { KubernetesVersion } from "../../model/kubernetes-version.ts";

// The server's cost counts what an operation should cost, not what it does: comparing two nested lists costs one unit,
// adding a long list to another as well. What is done beyond that is counted here, so that no rule runs without end.
const mostWork = 50_000_000;
/** No text that a rule makes is longer: an object of 3 MB, some times over. */
const longestText = 50_000_000;

/** A rule did more work than any rule may. It counts as one that exceeded its cost limit. */
export class Exhausted extends Error {}

/** The work that the rules of one object have done so far. */
export class Work {
  /** The release of the API server whose rules run. */
  readonly kubernetes: KubernetesVersion;
  #left = mostWork;

  constructor(kubernetes: KubernetesVersion) {
    this.kubernetes = kubernetes;
  }

  /** Counts some steps of work. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new Exhausted("more work than any rule may do");
  }

  /** Counts the making of a text before it is made. */
  spendText(length: number): void {
    if (length > longestText) throw new Exhausted("a text longer than any rule may make");
    this.spend(length / 8);
  }
}
