import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import {
  haveTargets,
  type RunningTarget,
  startTarget,
  targetsLeftOut,
  webhookTargets,
} from "./webhook-targets.ts";

/** What is found in a kind of a target: a line for each finding. */
type Find = (target: RunningTarget, plural: string) => Promise<readonly string[]>;

/** A test for each kind of each target, whose findings a file has; RECORD=1 writes it. */
export function compareFindings(file: string, find: Find): void {
  if (!haveTargets()) {
    it(targetsLeftOut, () => {});
    return;
  }
  const recorded = parse(readFileSync(file, "utf8")) ?? {};
  const made: Record<string, Record<string, readonly string[]>> = {};
  describe.each(webhookTargets)("$name", ({ name, crds }) => {
    let target: RunningTarget;
    beforeAll(async () => {
      target = await startTarget(name);
    });
    afterAll(() => target.stop());

    it.each(crds.map((crd) => crd.replace(/^.*_(.*)\.yaml$/, "$1")))(
      "%s",
      async (plural) => {
        const lines = await find(target, plural);
        made[name] = { ...made[name], [plural]: lines };
        if (!process.env.RECORD) expect(lines).toEqual(recorded[name]?.[plural]);
      },
      300_000,
    );
  });
  afterAll(() => {
    if (process.env.RECORD) writeFileSync(file, stringify(made, { lineWidth: 0, sortMapEntries: true }));
  });
}
