import { describe, expect, it } from "vitest";
import { Cohort, type Step } from "../../src/server/cohort.ts";

/** A loop that the test turns. */
function loop() {
  const tasks: (() => void)[] = [];
  return {
    times: {
      gathered: (task: () => void) => {
        tasks.push(task);
      },
      next: queueMicrotask,
    },
    turn: async () => {
      for (const task of tasks.splice(0)) task();
      await settled();
    },
    isIdle: () => tasks.length === 0,
  };
}

/** A clock that stands. */
const still = () => 0;

/** Lets all promises do what they can. */
async function settled(): Promise<void> {
  for (let at = 0; at < 10; at++) await undefined;
}

function serve(cohort: Cohort, name: string, steps: readonly Step[], seen: string[]): Promise<void> {
  const leave = cohort.enter();
  const go = async () => {
    for (const step of steps) {
      await cohort.turn(step);
      seen.push(`${name} ${step}`);
    }
    leave();
  };
  return go();
}

describe("a cohort", () => {
  it("keeps a request that is alone from waiting", () => {
    const never = () => {
      throw new Error("nothing is to be done later");
    };
    const cohort = new Cohort(still, { gathered: never, next: never });
    const leave = cohort.enter();
    expect(cohort.turn("read")).toBeUndefined();
    leave();
  });

  it("takes each step with all that came in, before any of them takes the next", async () => {
    const { times, turn, isIdle } = loop();
    const cohort = new Cohort(still, times);
    const seen: string[] = [];
    const leave = cohort.enter();
    const all = ["a", "b", "c"].map((name) => serve(cohort, name, ["route", "read", "answer", "send"], seen));
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
    expect(cohort.turn("read")).toBeUndefined();
  });

  it("waits with a body for those who came in meanwhile, until a turn brings nobody", async () => {
    const { times, turn, isIdle } = loop();
    const cohort = new Cohort(still, times);
    const seen: string[] = [];
    const come = (name: string) => serve(cohort, name, ["route", "read"], seen);
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
    const cohort = new Cohort(() => now, times);
    const seen: string[] = [];
    const come = (name: string) => serve(cohort, name, ["route", "read"], seen);
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
    const cohort = new Cohort(still, times);
    const seen: string[] = [];
    const leave = cohort.enter();
    const all = Array.from({ length: 40 }, (_, at) => serve(cohort, String(at), ["read"], seen));
    const counts = [];
    for (let at = 0; at < 3; at++) {
      await turn();
      counts.push(seen.length);
    }
    await Promise.all(all);
    leave();
    expect(counts).toEqual([16, 32, 40]);
  });

  it("is left once, however often that is said", () => {
    const cohort = new Cohort(still, { gathered: () => {}, next: () => {} });
    const [first, second, third] = [cohort.enter(), cohort.enter(), cohort.enter()];
    first();
    first();
    first();
    expect(cohort.turn("read")).toBeInstanceOf(Promise);
    second();
    expect(cohort.turn("read")).toBeUndefined();
    third();
  });
});
