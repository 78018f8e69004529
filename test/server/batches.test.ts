import { nextTick } from "node:process";
import { describe, expect, it } from "vitest";
import { BatchScheduler, type Step } from "../../src/server/batches.ts";

/** A loop that the test turns. */
function loop() {
  const tasks: (() => void)[] = [];
  return {
    times: {
      gathered: (task: () => void) => {
        tasks.push(task);
      },
      next: nextTick,
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

/** A clock that stands. */
const still = () => 0;

/** Lets all promises do what they can. */
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
  it("keeps a request that is alone from waiting", () => {
    const never = () => {
      throw new Error("nothing is to be done later");
    };
    const batches = new BatchScheduler(still, { gathered: never, next: never });
    const leave = batches.enter();
    expect(batches.turn("read")).toBeUndefined();
    leave();
  });

  it("takes each step with all that came in, before any of them takes the next", async () => {
    const { times, turn, isIdle } = loop();
    const batches = new BatchScheduler(still, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const all = ["a", "b", "c"].map((name) =>
      serve(batches, name, ["route", "read", "answer", "send"], seen),
    );
    await turn();
    expect(seen).toEqual(["a route", "b route", "c route"]);
    await turn();
    await Promise.all(all);
    // Whoever has read its body waits for no further turn of the loop.
    const rest = ["read", "answer", "send"].flatMap((step) =>
      ["a", "b", "c"].map((name) => `${name} ${step}`),
    );
    expect(seen.slice(3)).toEqual(rest);
    expect(isIdle()).toBe(true);
    leave();
    expect(batches.turn("read")).toBeUndefined();
  });

  it("waits with a body for those who came in meanwhile, until a turn brings nobody", async () => {
    const { times, turn, isIdle } = loop();
    const batches = new BatchScheduler(still, times);
    const seen: string[] = [];
    const come = (name: string) => serve(batches, name, ["route", "read"], seen);
    const all = [come("a"), come("b")];
    await turn();
    all.push(come("c"));
    await turn();
    all.push(come("d"));
    await turn();
    expect(seen).toEqual(["a route", "b route", "c route", "d route"]);
    await turn();
    await Promise.all(all);
    expect(seen.slice(4)).toEqual(["a read", "b read", "c read", "d read"]);
    expect(isIdle()).toBe(true);
  });

  it("waits for nobody once a millisecond has passed, whoever comes in", async () => {
    const { times, turn } = loop();
    let now = 0;
    const batches = new BatchScheduler(() => now, times);
    const seen: string[] = [];
    const come = (name: string) => serve(batches, name, ["route", "read"], seen);
    const all = [come("a"), come("b")];
    await turn();
    all.push(come("c"));
    now = 1;
    await turn();
    expect(seen.slice(2, 4)).toEqual(["a read", "b read"]);
    await Promise.all(all);
  });

  it("lets no more than sixteen go in one turn of the loop, and none wait for ever", async () => {
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

  it("lets reviews go on for ten milliseconds in one turn of the loop, and a longer one alone", async () => {
    const { times, turn } = loop();
    let now = 0;
    const batches = new BatchScheduler(() => now, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const come = async (name: string, milliseconds: number) => {
      const out = batches.enter();
      await batches.turn("read", "a");
      now += milliseconds;
      seen.push(name);
      out();
    };
    const all = [4, 7, 30, 1, 1].map((milliseconds, at) => come(String(at), milliseconds));
    const counts = [];
    for (let at = 0; at < 4; at++) {
      await turn();
      counts.push(seen.length);
    }
    await Promise.all(all);
    leave();
    expect(counts).toEqual([0, 2, 3, 5]);
  });

  it("lets callers go on in turn while it is busy, however many requests each of them has", async () => {
    const { times, turn } = loop();
    let now = 0;
    const batches = new BatchScheduler(() => now, times);
    const seen: string[] = [];
    const leave = batches.enter();
    const come = async (name: string, caller: string) => {
      const out = batches.enter();
      await batches.turn("read", caller);
      now += 20;
      seen.push(name);
      out();
    };
    const all = ["a1", "a2", "a3", "a4"].map((name) => come(name, "flood"));
    await turn();
    await turn();
    all.push(come("b", "good"), come("c", "other"));
    for (let at = 0; at < 7; at++) await turn();
    await Promise.all(all);
    leave();
    expect(seen).toEqual(["a1", "b", "c", "a2", "a3", "a4"]);
  });

  it("is left once, however often that is said", () => {
    const batches = new BatchScheduler(still, { gathered: () => {}, next: () => {} });
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
