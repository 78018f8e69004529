import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import {
  allTargets,
  haveTargets,
  isTargetBuilt,
  pluralOf,
  type RunningTarget,
  startTarget,
  targetFolder,
  targetsLeftOut,
  webhookTargets,
} from "./webhook-targets.ts";

/** What is found in a kind of a target: a line for each finding. */
type Find = (target: RunningTarget, plural: string) => Promise<readonly string[]>;

/** TARGETS=kueue,tekton or TARGETS=kueue/cohorts checks these, and TARGETS=all all that `npm run cluster:build -- --part targets` builds. */
const chosen = process.env.TARGETS;
const names = chosen?.split(",") ?? webhookTargets.map(({ name }) => name);
const isChosen = (...ways: readonly string[]) =>
  chosen === "all" || ways.some((each) => names.includes(each));

/** A test for each kind of each target, whose findings a file has; RECORD=1 writes them into it. */
export function compareFindings(file: string, find: Find): void {
  if (!haveTargets()) {
    it(targetsLeftOut, () => {});
    return;
  }
  const recorded = parse(readFileSync(file, "utf8")) ?? {};
  const made: Record<string, Record<string, readonly string[]>> = {};
  const targets = allTargets
    .map((target) => {
      const plurals = target.crds.map(pluralOf);
      return {
        target,
        name: target.name,
        plurals: plurals.filter((plural) => isChosen(target.name, `${target.name}/${plural}`)),
      };
    })
    .filter(({ plurals }) => plurals.length > 0);
  describe.each(targets)("$name", ({ target: wanted, name, plurals }) => {
    let target: RunningTarget;
    beforeAll(async () => {
      if (!isTargetBuilt(targetFolder(process.env, name), wanted))
        throw new Error(`${name} is not built: run npm run cluster:build -- --part targets`);
      target = await startTarget(name);
    });
    afterAll(() => target?.stop());

    it.each(plurals)(
      "%s",
      async (plural) => {
        const lines = await find(target, plural);
        made[name] = { ...made[name], [plural]: lines };
        if (!process.env.RECORD) expect(lines).toEqual(recorded[name]?.[plural]);
      },
      chosen === undefined ? 300_000 : 3_600_000,
    );
  });
  afterAll(() => {
    if (process.env.RECORD === undefined) return;
    // What another run of the same command has written by now stays.
    const merged = parse(readFileSync(file, "utf8")) ?? {};
    for (const [name, kinds] of Object.entries(made)) merged[name] = { ...merged[name], ...kinds };
    writeFileSync(file, stringify(merged, { lineWidth: 0, sortMapEntries: true }));
  });
}
