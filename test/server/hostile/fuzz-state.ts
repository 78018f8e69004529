import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Holding } from "./fuzz-process.ts";

/** The progress of a long run: what it needs to resume. */
export interface Progress {
  readonly seed: number;
  /** The number of the next attack; all before it are done. */
  readonly next: number;
  /** Of all parts of the run. */
  readonly seconds: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** The numbers of attacks that ended with a fault. */
  readonly failed: readonly number[];
}

/** The progress in a file; a new one where there is none. A file of another seed is another run's. */
export function readProgress(file: string, seed: number | undefined): Progress {
  if (!existsSync(file)) {
    return { seed: seed ?? Date.now() % 2 ** 31, next: 0, seconds: 0, outcomes: {}, failed: [] };
  }
  const known = JSON.parse(readFileSync(file, "utf8")) as Progress;
  if (seed !== undefined && known.seed !== seed) {
    throw new Error(`${file} is of seed ${known.seed}; go on with that, or name another --state`);
  }
  return known;
}

/** Writes the file atomically, so that a run that is killed leaves the previous state. */
export function writeProgress(file: string, progress: Progress): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(progress, undefined, 1)}\n`);
  renameSync(`${file}.new`, file);
}

/** Says by how much the process grew: what it held at least in the second fifth of the run, and in the last. */
export function growthOf(samples: readonly Holding[]): Holding {
  const part = Math.max(1, Math.floor(samples.length / 5));
  const least = (some: readonly Holding[], what: keyof Holding) =>
    Math.min(...some.map((each) => each[what]));
  const grown = (what: keyof Holding) =>
    least(samples.slice(-part), what) - least(samples.slice(part, 2 * part), what);
  return {
    residentMiB: grown("residentMiB"),
    heapMiB: grown("heapMiB"),
    descriptors: grown("descriptors"),
  };
}
