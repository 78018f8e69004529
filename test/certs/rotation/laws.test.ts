import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dueWorld, play, schedules, settle, some, turns, whole } from "./schedule.ts";
import type { Replica } from "./world.ts";

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

describe("a replica that is stuck for a while, at any of its requests", () => {
  const each = Array.from({ length: 9 }, (_, request) => request);

  it.each(each)("takes no late step that harms, after %s requests", async (requests) => {
    for (const rounds of each) {
      const world = await dueWorld();
      const [stuck, other] = world.replicas as [Replica, Replica];
      await some(stuck, "rotating", requests);
      await turns(world, other, stuck, rounds);
      await whole(stuck, "rotating");
      await whole(stuck, "checking");
      expect(world.failures()).toEqual([]);
      expect(await settle(world), `${requests} requests, ${rounds} rounds`).toEqual([]);
      expect(world.isStable()).toBe(true);
    }
  });

  it.each(each)(
    "takes none if it is stuck again, the first time for %s rounds of another",
    async (rounds) => {
      for (const requests of each) {
        for (const more of each) {
          const world = await dueWorld();
          const [stuck, other] = world.replicas as [Replica, Replica];
          await some(stuck, "rotating", 1);
          await turns(world, other, stuck, rounds);
          await some(stuck, "rotating", requests);
          await turns(world, other, undefined, more);
          await whole(stuck, "rotating");
          expect(world.failures(), `${rounds} rounds, ${requests} requests, ${more} rounds`).toEqual([]);
        }
      }
    },
  );

  it.each(each)("takes none in the middle of a round of another, after %s requests", async (requests) => {
    // Long enough for the other replica to come to each of its steps.
    for (let rounds = 0; rounds < 14; rounds++) {
      for (const more of each) {
        const world = await dueWorld();
        const [stuck, other] = world.replicas as [Replica, Replica];
        await some(stuck, "rotating", requests);
        await turns(world, other, stuck, rounds);
        await some(other, "rotating", more);
        await whole(stuck, "rotating");
        await whole(other, "rotating");
        // Informers may be late.
        for (const replica of world.replicas) await whole(replica, "checking");
        expect(world.failures(), `${requests} requests, ${rounds} rounds, ${more} requests`).toEqual([]);
      }
    }
  });

  it.each(each)("does not begin with a CA that is gone, after %s requests", async (requests) => {
    for (const rounds of [...each, 12, 16]) {
      const world = await dueWorld();
      const stuck = world.start("new");
      stuck.cache = world.bundles();
      await some(stuck, "checking", requests);
      await turns(world, world.replicas[0] as Replica, stuck, rounds);
      await whole(stuck, "checking");
      expect(world.failures(), `${requests} requests, ${rounds} rounds`).toEqual([]);
      expect(await settle(world)).toEqual([]);
      expect(world.isStable()).toBe(true);
    }
  });
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
