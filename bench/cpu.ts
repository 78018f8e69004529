import { readdirSync, readFileSync } from "node:fs";

/** The CPU time of a process so far, in µs. */
export function cpuOf(pid: number | undefined): number {
  let nanoseconds = 0;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [running] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
    nanoseconds += Number(running);
  }
  return nanoseconds / 1000;
}
