import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { judgedKind, mutatedKinds, withTarget } from "../mutants/mutants.ts";
import { page, totalOf } from "../mutants/page.ts";
import { haveTargets, targetsLeftOut } from "../webhook-targets.ts";

// A part of `npm run mutants`: mistakes that are planted in the conversions of other projects are found.

const kinds = mutatedKinds();

/** Every so many mistakes of these kinds. */
const part: Readonly<Record<string, number>> = {
  bgppeers: 5,
  addresspools: 5,
  volumegroupsnapshotcontents: 4,
};

it("the page with all of them is up to date", () => {
  const total = kinds.reduce((sum, { mutants }) => sum + mutants.length, 0);
  expect(readFileSync(page, "utf8"), "npm run mutants -- --seeds 1,2,3,4,5 --record writes it").toContain(
    totalOf(total),
  );
});

if (!haveTargets()) it(targetsLeftOut, () => {});
else
  describe.each(kinds.filter(({ plural }) => part[plural] !== undefined))("$plural", (kind) => {
    it("shows the mistakes that are planted, and nothing where none is", async () => {
      const every = part[kind.plural] ?? 1;
      const verdicts = await withTarget(kind.target, (running) =>
        Array.fromAsync(judgedKind(kind, running, [1], (_text, index) => index % every === 0)),
      );
      expect(verdicts.length).toBeGreaterThan(2);
      expect(verdicts.filter(({ verdict }) => verdict === "missed" || verdict === "alarm")).toEqual([]);
    }, 120_000);
  });
