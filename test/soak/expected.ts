import { expect } from "vitest";
import type { ApiServer } from "../cluster/server.ts";
import { documentOf, shrunk } from "./finding.ts";
import { lineOf, type Tally } from "./soak.ts";

const gravest = [
  "lost",
  "unreadable",
  "returned",
  "contradicted",
  "unwritten",
  "refused",
  "endless",
  "restless",
];
/** Milliseconds in which all lives are made smaller, and one of them at most. */
const [together, alone] = [150_000, 30_000];

/** Says what a soak did, and expects that it found nothing; else it shows a small life for each finding, the gravest first. */
export async function expectNothingFound(server: ApiServer, tally: Tally, seed: number): Promise<void> {
  console.log(`seed ${seed}: ${[lineOf(tally), ...tally.findings.keys()].join("\n")}`);
  expect(tally.writes).toBeGreaterThan(0);
  const findings = [...tally.findings.values()].toSorted(
    (a, b) => gravest.indexOf(a.fault.check) - gravest.indexOf(b.fault.check),
  );
  const least: string[] = [];
  for (const each of findings)
    least.push(documentOf(await shrunk(server, each, Math.min(alone, together / findings.length))));
  expect(least.join("---\n")).toBe("");
}
