import { findBinaries, leftOut } from "./cluster/binaries.ts";

/** Says once, before the first test, what this run leaves out. In CI the files concerned fail instead. */
export default function tell(): void {
  if (findBinaries() === undefined) process.stderr.write(`${leftOut}\n`);
}
