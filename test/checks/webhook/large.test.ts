import { performance } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { type Ask, type Checks, checkKind, type Finding } from "../../../src/checks/index.ts";
import { placesOf } from "../../../src/checks/webhook/build.ts";
import { folded } from "../../../src/checks/webhook/fold.ts";
import { largeSubject } from "./large.ts";
import { webhookOf } from "./webhooks.ts";

// A CRD as large as those that generators make of pod templates in pod templates: what the checks do with it, and when they stop.

/** Two versions of 4,092 places each. */
const subject = largeSubject(4);
const sound = webhookOf((object, desired) => ({ ...object, apiVersion: desired }));
const checks: Checks = {
  batch: 100,
  clock: () => performance.now(),
  until: Number.POSITIVE_INFINITY,
  seed: 1,
  runs: 1,
  ignored: [],
  examples: [],
};

/** A webhook, and a call after its n-th review. */
function onReview(count: number, act: () => void, ask: Ask = sound): Ask {
  let asked = 0;
  return async (review) => {
    asked += 1;
    if (asked === count) act();
    return ask(review);
  };
}

describe("a CRD of thousands of places", () => {
  it("shares the time between its ways, and says how many places are left of each", async () => {
    // Each look at the clock is a millisecond: the time is over in the midst of the places.
    let now = 0;
    const { ways, ended } = await checkKind(subject, sound, { ...checks, clock: () => now++, until: 12_000 });
    expect(ended).toBe("the time is over");
    expect(ways.map(({ from, to }) => [from, to])).toEqual([
      ["v1", "v2"],
      ["v2", "v1"],
    ]);
    for (const { left, why, objects } of ways) {
      const [places = ""] = left.filter((each) => /^\d+ of 4092 places$/.test(each));
      expect(Number.parseInt(places, 10)).toBeGreaterThan(0);
      expect(left).toEqual(expect.arrayContaining(["edits", "empty values", "full and random objects"]));
      expect(why).toBe("the time is over");
      expect(objects).toBeGreaterThan(0);
    }
  });

  it("lets the process take a signal while it builds objects", async () => {
    const controller = new AbortController();
    let reviews = 0;
    // The signal comes between two turns of the event loop, as those of a process do.
    const ask = onReview(20, () => setImmediate(() => controller.abort("SIGINT")));
    const { ways, ended } = await checkKind(
      subject,
      async (review) => {
        reviews += 1;
        return ask(review);
      },
      { ...checks, interrupt: controller.signal },
    );
    expect(ended).toBe("interrupted");
    expect(ways.every(({ left }) => left.length > 0)).toBe(true);
    expect(reviews).toBeLessThan(2_000);
  });

  it("does not wait for an answer that never comes when it is interrupted", async () => {
    const controller = new AbortController();
    const ask = onReview(
      5,
      () => setImmediate(() => controller.abort("SIGTERM")),
      (review) => (controller.signal.aborted ? new Promise(() => {}) : sound(review)),
    );
    const { ended } = await checkKind(subject, ask, { ...checks, interrupt: controller.signal });
    expect(ended).toBe("interrupted");
  });

  it("folds thousands of findings into one", () => {
    const places = placesOf(subject.versions[0]?.schema).map(({ text }) => text);
    const finding = (place: string): Finding => ({
      kind: "lost",
      check: "round trip",
      versions: ["v1", "v2", "v1"],
      place,
      places: [place],
      field: place,
      views: [],
    });
    expect(places).toHaveLength(4092);
    const found = folded(places.map(finding), new Map([["v1", new Set(places)]]));
    expect(found.map((each) => each.places.length)).toEqual([4092]);
  });
});

describe("a webhook that hangs", () => {
  it("is noticed when what it answered before is not answered either, and the object is shown", async () => {
    let asked = 0;
    const hanging: Ask = async (review) => {
      asked += 1;
      return asked > 30 ? { state: "silent", sentence: "no answer within 10 s" } : sound(review);
    };
    const { ended, findings, ways } = await checkKind(subject, hanging, checks);
    expect(asked).toBe(32);
    expect(ended).toBe("the webhook no longer answers: no answer within 10 s");
    expect(findings.map(({ kind }) => kind)).toEqual(["crashed"]);
    expect(ways.every(({ left }) => left.length > 0)).toBe(true);
  });

  it("goes on where one object alone has no answer", async () => {
    // The time is over after so many reviews.
    let asked = 0;
    const slow: Ask = async (review) => {
      asked += 1;
      return review.includes('"part1":{"field0"')
        ? { state: "silent", sentence: "no answer within 10 s" }
        : sound(review);
    };
    const { findings, ended } = await checkKind(subject, slow, {
      ...checks,
      clock: () => asked,
      until: 4_000,
    });
    expect(ended).toBe("the time is over");
    const crashed = findings.filter(({ kind }) => kind === "crashed").flatMap(({ places }) => places);
    expect(crashed).toContain("spec.part0.part0.part0.part1.field0");
  });
});
