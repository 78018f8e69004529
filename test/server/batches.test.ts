import { nextTick } from "node:process";
import { describe, expect, it } from "vitest";
import { BatchScheduler, type Step } from "../../src/server/batches.ts";

/** An event loop that the test turns. */
function loop() {
  const tasks: (() => void)[] = [];
  return {
    times: {
      afterPoll: (task: () => void) => {
        tasks.push(task);
      },
      afterTasks: nextTick,
    },
    turn: async () => {
      for (const task of tasks.splice(0)) {
        task();
        await settled();
      }
    },
    isIdle: () => tasks.length === 0,
  };
}

/** A clock that stands still. */
const still = () => 0;

/** Resolves after all microtasks. */
async function settled(): Promise<void> {
  await new Promise(setImmediate);
}

function serve(
  batches: BatchScheduler,
  name: string,
  steps: readonly Step[],
  seen: string[],
  caller?: string,
): Promise<void> {
  const leave = batches.enter();
  const go = async () => {
    for (const step of steps) {
      await batches.turn(step, caller);
      seen.push(`${name} ${step}`);
    }
    leave();
  };
  return go();
}

describe("a batch scheduler", () => {
  it("lets a request that is alone take a step at once", () => {
    const never = () => {
      throw new Error("nothing should run later");
    };
    const batches = new BatchScheduler(still, { afterPoll: never, afterTasks: never });
    const leave = batches.enter();
    expect(batches.turn("read")).toBeUndefined();
    leave();
  });

  it("lets all requests that arrived together take a step before any of them takes the next", async () => {
    const { times, turn, isIdle } = loop();
    const batches = new BatchScheduler(still, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const all = ["a", "b", "c"].map((name) =>
      serve(batches, name, ["route", "read", "answer", "write"], seen),
    );
    await turn();
    expect(seen).toEqual(["a route", "b route", "c route"]);
    await turn();
    await Promise.all(all);
    // A request that has read its body waits for no further turn of the loop.
    const rest = ["read", "answer", "write"].flatMap((step) =>
      ["a", "b", "c"].map((name) => `${name} ${step}`),
    );
    expect(seen.slice(3)).toEqual(rest);
    expect(isIdle()).toBe(true);
    leave();
    expect(batches.turn("read")).toBeUndefined();
  });

  it("holds a body back for requests that arrive meanwhile, until a turn brings none", async () => {
    const { times, turn, isIdle } = loop();
    const batches = new BatchScheduler(still, times);
    const seen: string[] = [];
    const arrive = (name: string) => serve(batches, name, ["route", "read"], seen);
    const all = [arrive("a"), arrive("b")];
    for (const name of ["c", "d"]) {
      await turn();
      all.push(arrive(name));
    }
    await turn();
    expect(seen).toEqual(["a route", "b route", "c route", "d route"]);
    await turn();
    await Promise.all(all);
    expect(seen.slice(4)).toEqual(["a read", "b read", "c read", "d read"]);
    expect(isIdle()).toBe(true);
  });

  it("holds a body back for a millisecond at most, however many requests arrive", async () => {
    const { times, turn } = loop();
    let now = 0;
    const batches = new BatchScheduler(() => now, times);
    const seen: string[] = [];
    const arrive = (name: string) => serve(batches, name, ["route", "read"], seen);
    const all = [arrive("a"), arrive("b")];
    await turn();
    all.push(arrive("c"));
    now = 1;
    await turn();
    expect(seen.slice(2, 4)).toEqual(["a read", "b read"]);
    await turn();
    await Promise.all(all);
  });

  it("serves at most sixteen requests in a turn of the loop, and all of them in the end", async () => {
    const { times, turn } = loop();
    const batches = new BatchScheduler(still, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const all = Array.from({ length: 40 }, (_, at) => serve(batches, String(at), ["read"], seen));
    const counts = [];
    for (let at = 0; at < 3; at++) {
      await turn();
      counts.push(seen.length);
    }
    await Promise.all(all);
    leave();
    expect(counts).toEqual([16, 32, 40]);
  });

  it("serves a batch for ten milliseconds in a turn of the loop, and a longer review alone", async () => {
    const { times, turn } = loop();
    let now = 0;
    const batches = new BatchScheduler(() => now, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const arrive = async (name: string, milliseconds: number) => {
      const out = batches.enter();
      await batches.turn("read", "a");
      now += milliseconds;
      seen.push(name);
      out();
    };
    const all = [4, 7, 30, 1, 1].map((milliseconds, at) => arrive(String(at), milliseconds));
    const counts = [];
    for (let at = 0; at < 4; at++) {
      await turn();
      counts.push(seen.length);
    }
    await Promise.all(all);
    leave();
    // The first turn brings the others.
    expect(counts).toEqual([0, 2, 3, 5]);
  });

  it("lets callers take turns while it is busy, however many requests each of them has", async () => {
    const { times, turn } = loop();
    let now = 0;
    const batches = new BatchScheduler(() => now, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const arrive = async (name: string, caller: string) => {
      const out = batches.enter();
      await batches.turn("read", caller);
      now += 20;
      seen.push(name);
      out();
    };
    const all = ["a1", "a2", "a3", "a4"].map((name) => arrive(name, "flood"));
    await turn();
    all.push(arrive("b", "good"), arrive("c", "other"));
    for (let at = 0; at < 7; at++) await turn();
    await Promise.all(all);
    leave();
    expect(seen).toEqual(["a1", "b", "c", "a2", "a3", "a4"]);
  });

  it("counts a request out once", () => {
    const batches = new BatchScheduler(still, { afterPoll: () => {}, afterTasks: () => {} });
    const [first, second, third] = [batches.enter(), batches.enter(), batches.enter()];
    first();
    first();
    first();
    expect(batches.turn("read")).toBeInstanceOf(Promise);
    second();
    expect(batches.turn("read")).toBeUndefined();
    third();
  });
});
