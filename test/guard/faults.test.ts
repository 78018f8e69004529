import { describe, expect, it, onTestFinished } from "vitest";
import { webhookClient } from "../../src/cluster/api/webhook-client.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { answerTo, faultless } from "../checks/webhook/webhooks.ts";
import { bare, guarded, widget, widgets, withStored } from "./guarded.ts";
import { type Act, serverOf } from "./upstream-server.ts";

// An API server, as far as conversion knows it, whose webhook is guarded, and a model of what its clients wrote.

interface Fault {
  readonly name: string;
  /** What becomes of a review while it lasts. */
  readonly act?: Act;
  /** Whether the upstream's process is gone while it lasts. */
  readonly isGone?: boolean;
  /** Whether reads fail: otherwise the guard has to answer for the upstream. */
  readonly mayFail: boolean;
}

const faults: readonly Fault[] = [
  { name: "is killed", isGone: true, mayFail: true },
  { name: "hangs", act: () => "hang", mayFail: true },
  {
    name: "answers too late",
    act: (review) => ({ text: answerTo(review, faultless), after: 500 }),
    mayFail: true,
  },
  { name: "answers garbage", act: () => "<html>oops</html>", mayFail: false },
  {
    name: "answers half of each review",
    act: (review) => answerTo(review, faultless).slice(0, 200),
    mayFail: false,
  },
  { name: "refuses everything", act: (review) => refusing(review), mayFail: false },
  {
    name: "panics on one object of many",
    act: (review) => (isBad(review) ? "close" : answerTo(review, faultless)),
    mayFail: false,
  },
];

const refusing = (review: string) =>
  answerTo(review, () => {
    throw new Error("not today");
  });

/** The object that a faulty upstream cannot bear. */
const isBad = (review: string) => review.includes('"name":"w13"');

const [v1, v2] = ["example.com/v1", "example.com/v2"];
/** Only while it is slow, the caller is impatient. */
const [patient, impatient] = [10_000, 250];

describe("while the upstream", () => {
  it.each(faults)(
    "$name, requests fail with a reason or are right, and nothing is wrong afterwards",
    async (fault) => {
      let isFaulty = false;
      let milliseconds = patient;
      const { act = (review: string) => answerTo(review, faultless) } = fault;
      const server = await serverOf((review) => (isFaulty ? act(review) : answerTo(review, faultless)));
      const client = webhookClient({ ...server, timeout: 10_000, connections: 8 });
      onTestFinished(() => client.close());
      const { convert } = guarded(client, { cache: 256 * 1024, crd: withStored(widgets, ["v2"]) });
      const random = randomOf(Number(process.env.SEED));
      const size = () => Math.floor(random() * 1_000_000);
      const names = Array.from({ length: 60 }, (_, at) => `w${at}`);
      const model = new Map<string, JsonObject>();
      const stored = new Map<string, JsonObject>();
      for (const name of names) {
        const object = widget("v2", { size: size(), secret: `s${size()}` }, { name });
        model.set(name, object);
        stored.set(name, object);
      }
      const failedReads: string[] = [];
      const failedWrites: string[] = [];

      const view = async (name: string) => one(await convert([stored.get(name) ?? {}], v1, { milliseconds }));
      /** Reads, or changes a field at one of the versions, as a client that knows no other does. */
      const request = async (name: string) => {
        const now = model.get(name) ?? {};
        const chance = random();
        if (chance < 0.2) {
          const edited = set(now, "spec", "secret", `s${size()}`);
          stored.set(name, set(stored.get(name) ?? {}, "spec", "secret", get(edited, "spec", "secret")));
          model.set(name, edited);
          return;
        }
        const shown = await view(name);
        if (typeof shown === "string") return void failedReads.push(shown);
        expect(get(shown, "spec", "size")).toEqual(get(now, "spec", "size"));
        expect(get(shown, "spec", "secret")).toBe(undefined);
        if (chance < 0.6) return;
        const edited = size();
        const written = one(await convert([set(shown, "spec", "size", edited)], v2, { milliseconds }));
        if (typeof written === "string") return void failedWrites.push(written);
        stored.set(name, written);
        model.set(name, set(now, "spec", "size", edited));
      };
      const some = async (rounds: number) => {
        for (let round = 0; round < rounds; round++)
          await Promise.all(names.filter(() => random() < 0.2).map(request));
      };

      await some(5);
      expect([failedReads, failedWrites]).toEqual([[], []]);
      isFaulty = true;
      if (fault.mayFail) milliseconds = impatient;
      if (fault.isGone === true) await server.close();
      await some(fault.mayFail ? 3 : 8);
      const isNamed = (each: string) =>
        /: the upstream (?:\S+ cannot be used|does not convert it): /.test(each);
      expect([...failedReads, ...failedWrites].filter((each) => !isNamed(each))).toEqual([]);
      expect(failedReads.length > 0).toBe(fault.mayFail);
      isFaulty = false;
      milliseconds = patient;
      if (fault.isGone === true) await server.open();
      failedReads.length = 0;
      failedWrites.length = 0;
      await some(5);
      expect([failedReads, failedWrites]).toEqual([[], []]);
      for (const name of names) {
        const shown = await view(name);
        if (typeof shown === "string") throw new Error(shown);
        expect(get(shown, "spec", "size")).toEqual(get(model.get(name), "spec", "size"));
        const back = one(await convert([shown], v2));
        expect(typeof back === "string" ? back : bare(back)).toEqual(model.get(name));
      }
    },
  );

  it("panics on one object of 500, the others are the same to the byte", async () => {
    let isFaulty = false;
    const server = await serverOf((review) =>
      isFaulty && isBad(review) ? "close" : answerTo(review, faultless),
    );
    const client = webhookClient({ ...server, timeout: 10_000, connections: 8 });
    onTestFinished(() => client.close());
    const { convert } = guarded(client);
    const all = Array.from({ length: 500 }, (_, size) =>
      widget("v2", { size, secret: "s" }, { name: `w${size}` }),
    );
    const without = await convert(all, v1);
    isFaulty = true;
    const shown = await convert(all, v1);
    const others = (list: readonly Json[] | string) =>
      (typeof list === "string" ? [] : list).filter((each) => get(each, "metadata", "name") !== "w13");
    expect(others(shown)).toHaveLength(499);
    expect(JSON.stringify(others(shown))).toBe(JSON.stringify(others(without)));
  });
});

function one(answer: readonly Json[] | string): JsonObject | string {
  if (typeof answer === "string") return answer;
  const [object] = answer;
  if (!isObject(object)) throw new Error("no object");
  return object;
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
