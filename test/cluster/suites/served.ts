import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "../client.ts";

/** Waits until every version of a kind answers: that is some milliseconds after its CRD exists. */
export async function untilServed(
  server: Pick<Client, "request">,
  { group, plural }: { readonly group: string; readonly plural: string },
  versions: readonly string[],
): Promise<void> {
  for (const version of versions) {
    const path = `/apis/${group}/${version}/${plural}`;
    await until(async () => (await server.request("GET", path)).status === 200, path);
  }
}

/** Waits until something holds, and says what did not. */
export async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`${what} is not ready`);
    await wait(20);
  }
}
