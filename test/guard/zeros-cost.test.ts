import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/guard/answer.ts";
import { AnswerCache } from "../../src/guard/answer-cache.ts";
import { get, isObject, type JsonObject, set, textAt } from "../../src/json/json.ts";
import { annotated, type Conversion, webhookOf, withSpec } from "../checks/webhook/webhooks.ts";
import { type Guarded, guarded, widget } from "./guarded.ts";
import { inOtherWords } from "./in-other-words.ts";

const [v1, v2] = ["example.com/v1", "example.com/v2"];

/** As Go prints structs, in both versions; v1 has no place for the secret. */
const printing: Conversion = (object, desired) =>
  withSpec({ status: {}, ...object, apiVersion: desired }, ({ secret, ...spec }) => ({
    timeout: "",
    serial: 0,
    options: {},
    ...spec,
    ...(secret === undefined || desired === v1 ? {} : { secret }),
  }));

const printingOtherWords = inOtherWords(printing);

/** Four fields of v2 are one text of v1, which comes back as the first of them; with or without zeros. */
const joining =
  (areZerosPrinted: boolean): Conversion =>
  (object, desired) =>
    withSpec(areZerosPrinted ? printing(object, desired) : { ...object, apiVersion: desired }, (spec) => {
      const { left, right, mode, memory, note, secret, ...rest } = spec;
      if (desired === v2)
        return { ...rest, ...(note === undefined ? {} : { left: note }), ...(secret ? { secret } : {}) };
      const parts = [left, right, mode, memory].filter((each) => each !== undefined);
      return parts.length === 0 ? rest : { ...rest, note: parts.join(" ") };
    });

const megabyte = 1024 ** 2;

async function convert(guard: Guarded, object: JsonObject, to: string): Promise<JsonObject> {
  const [shown] = await guard.convert([object], to);
  if (!isObject(shown)) throw new Error(JSON.stringify(shown));
  return shown;
}

/** How many objects each request of a conversion had. */
async function requestsOf(guard: Guarded, object: JsonObject, to: string): Promise<readonly number[]> {
  const before = guard.asked.length;
  await convert(guard, object, to);
  return guard.asked.slice(before).map((objects) => objects.length);
}

const words = { open: false, left: "", size: 3 };

describe("an upstream that prints zeros and loses something", () => {
  it("is asked three times for a conversion, and not again for the same", async () => {
    const guard = guarded(webhookOf(printing), { cache: megabyte });
    const object = widget("v2", { mode: "Fast", secret: "s" });
    expect(await requestsOf(guard, object, v1)).toEqual([1, 2, 2]);
    const shown = await convert(guard, object, v1);
    expect(await requestsOf(guard, shown, v2)).toEqual([]);
    expect(await requestsOf(guard, set(shown, "spec", "mode", "Slow"), v2)).toEqual([1, 3, 1]);
  });

  it("is asked twice where nothing is lost", async () => {
    const object = widget("v2", { mode: "Fast" });
    expect(await requestsOf(guarded(webhookOf(printing)), object, v1)).toEqual([1, 2]);
  });

  it("is asked three times for all objects of a review", async () => {
    const guard = guarded(webhookOf(printing));
    await guard.convert(
      Array.from({ length: 50 }, (_, size) => widget("v2", { size, secret: "s" })),
      v1,
    );
    expect(guard.asked.map((each) => each.length)).toEqual([50, 100, 100]);
  });

  it("is asked three times also where zeros say something, once that was seen", async () => {
    const guard = guarded(webhookOf(printingOtherWords));
    const [first, second] = [
      await requestsOf(guard, widget("v1", words), v2),
      await requestsOf(guard, widget("v1", { ...words, mode: "Fast" }), v2),
    ];
    expect([first.length, second.length]).toEqual([6, 3]);
    const others = await requestsOf(guard, widget("v1", { open: true, mode: "Fast" }), v2);
    expect(others.length).toBe(3);
  });

  it("gets the same shown, whether zeros have said something before or not", async () => {
    const object = widget("v1", { open: false, size: 3 });
    const fresh = await convert(guarded(webhookOf(printingOtherWords)), object, v2);
    const guard = guarded(webhookOf(printingOtherWords));
    await convert(guard, widget("v1", { left: "" }), v2);
    expect(await convert(guard, object, v2)).toEqual(fresh);
    expect(get(fresh, "spec")).toEqual({ image: "a", size: 0 });
  });

  it("is asked no more often in a search for contradictions than one that prints none", async () => {
    const spec = { left: "a", right: "b", mode: "Fast", memory: "1Gi", secret: "s", words: ["a"] };
    const searches = [false, true].map(async (areZerosPrinted) => {
      const guard = guarded(webhookOf(joining(areZerosPrinted)));
      const shown = await convert(guard, widget("v2", spec), v1);
      const edited = set(shown, "spec", "note", "a c");
      const requests = await requestsOf(guard, edited, v2);
      return { requests: requests.length, spec: (await convert(guard, edited, v2)).spec };
    });
    const [without, withZeros] = await Promise.all(searches);
    expect(without?.spec).toEqual({ image: "a", left: "a c", words: ["a"], secret: "s" });
    expect(withZeros).toEqual(without);
  });

  it("holds up no other object of a review while one is searched", async () => {
    const guard = guarded(webhookOf(joining(true)));
    const spec = { left: "a", right: "b", mode: "Fast", memory: "1Gi", secret: "s", words: ["a"] };
    const edited = set(await convert(guard, widget("v2", spec), v1), "spec", "note", "a c");
    const before = guard.asked.length;
    await guard.convert([edited, ...Array.from({ length: 50 }, (_, size) => widget("v1", { size }))], v2);
    const large = guard.asked.slice(before).filter((objects) => objects.length > 50);
    expect(large.length).toBe(2);
  });
});

/** Counts what is looked up. */
class Counting extends AnswerCache {
  lookups = 0;

  override get(key: string): Answer | undefined {
    this.lookups++;
    return super.get(key);
  }
}

describe("the zeros that an answer keeps", () => {
  it("are found once: then a conversion takes two answers", async () => {
    for (const conversion of [printing, printingOtherWords]) {
      const answers = new Counting(megabyte, () => 0);
      const guard = guarded(webhookOf(conversion), { answers });
      await convert(guard, widget("v1", words), v2);
      answers.lookups = 0;
      await convert(guard, widget("v1", words), v2);
      expect(answers.lookups).toBe(2);
    }
  });

  it("count: an answer with them takes three times the room", () => {
    const answer: Answer = { state: "converted", content: {}, labels: {}, annotations: {} };
    const printed = { content: { size: 0 }, zeros: ["size"] };
    const isKept = (each: Answer) => {
      const answers = new AnswerCache(1000, () => 0);
      answers.keep("key", each, 100);
      return answers.get("key") !== undefined;
    };
    expect([answer, { ...answer, printed }].map(isKept)).toEqual([true, false]);
  });

  it("are found anew when the upstream answers otherwise", async () => {
    let now = 0;
    let isPlain = true;
    const changing: Conversion = (object, desired) =>
      (isPlain ? printing : printingOtherWords)(object, desired);
    const guard = guarded(webhookOf(changing), { cache: megabyte, clock: () => now });
    const shown = async () => get(await convert(guard, widget("v1", { open: false }), v2), "spec", "size");
    expect(await shown()).toBe(undefined);
    isPlain = false;
    now = 400_000;
    expect(await shown()).toBe(0);
  });

  it("are found anew when the upstream converts what it refused", async () => {
    let now = 0;
    let isOut = true;
    const refusing: Conversion = (object, desired) => {
      if (isOut && textAt(object, "apiVersion") === v2 && get(object, "spec", "serial") === undefined)
        throw new Error("not now");
      return printing(object, desired);
    };
    const guard = guarded(webhookOf(refusing), { cache: megabyte, clock: () => now });
    const shown = async () => get(await convert(guard, widget("v1", { mode: "Fast" }), v2), "spec");
    expect(await shown()).toEqual({ image: "a", mode: "Fast", serial: 0 });
    isOut = false;
    now = 60_000;
    expect(await shown()).toEqual({ image: "a", mode: "Fast" });
  });

  it("are those of one object, where the upstream itself carries data with another one", async () => {
    const name = "example.com/data";
    const carrying: Conversion = (object, desired) => {
      const stored = get(object, "metadata", "annotations", name);
      const made = annotated(printingOtherWords(object, desired), undefined, name);
      if (desired === v2 || typeof stored !== "string") return made;
      return withSpec(made, (spec) => ({ ...spec, ...JSON.parse(stored), ...spec }));
    };
    const objects = [undefined, '{"open":false}'].map((data) =>
      annotated(widget("v2", { size: 0 }), data, name),
    );
    const shown = async (order: readonly JsonObject[]) => {
      const guard = guarded(webhookOf(carrying), { cache: megabyte, carried: [name] });
      const views = new Map<JsonObject, JsonObject>();
      for (const each of order) views.set(each, await convert(guard, each, v1));
      return objects.map((each) => views.get(each));
    };
    expect(await shown(objects.toReversed())).toEqual(await shown(objects));
  });
});
