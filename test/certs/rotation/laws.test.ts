import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { play, schedules, settle } from "./schedule.ts";

// ROTATION_RUNS=20000 is a long run.
const numRuns = Number(process.env.ROTATION_RUNS ?? 150);

describe("a rotation, in every order of requests of several replicas, all of which may take its steps", () => {
  it("never has a replica serve what an API server does not trust, and ends stable", async () => {
    await holds("ordinary");
  }, 600_000);

  it("nor while clocks jump, and others delete the Secret, or bundles that are mended", async () => {
    await holds("harmful");
  }, 600_000);

  it("ends stable also if others edit its state and delete the reports of the replicas", async () => {
    await fc.assert(
      fc.asyncProperty(schedules("hostile"), async (schedule) => {
        const { world } = await play(schedule);
        await settle(world);
        expect(world.isStable(), JSON.stringify(world.secret)).toBe(true);
      }),
      { numRuns },
    );
  }, 600_000);
});

async function holds(kind: "ordinary" | "harmful"): Promise<void> {
  await fc.assert(
    fc.asyncProperty(schedules(kind), async (schedule) => {
      const { world, failures } = await play(schedule);
      expect(failures).toEqual([]);
      expect(await settle(world)).toEqual([]);
      expect(world.isStable(), JSON.stringify(world.secret)).toBe(true);
    }),
    { numRuns },
  );
}
