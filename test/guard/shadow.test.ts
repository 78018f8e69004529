import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/checks/index.ts";
import { AnswerCache } from "../../src/guard/answer-cache.ts";
import { Guard } from "../../src/guard/guard.ts";
import { guardedKindOf } from "../../src/guard/guarded-kind.ts";
import { Shadow } from "../../src/guard/shadow.ts";
import { Upstream } from "../../src/guard/upstream.ts";
import { writeJson } from "../../src/json/exact.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { kindsOf } from "../../src/kind/load-kinds.ts";
import { writeAnswer } from "../../src/review/answer.ts";
import { planted } from "../checks/webhook/planted.ts";
import { answerTo, type Conversion, faultless, webhookOf } from "../checks/webhook/webhooks.ts";
import { widget, widgets } from "./guarded.ts";

const [v1, v2] = ["example.com/v1", "example.com/v2"];

/** A shadow of a webhook, in this process: what is sent back for objects, and what it says. */
function shadowOf(webhook: (review: string) => Promise<Reply>) {
  const clock = () => performance.now();
  const lines: JsonObject[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const client = { post: webhook, close: () => {} };
  const upstream = new Upstream({ url: "https://upstream/convert", client, reviews: "v1", clock });
  const options = { upstream, refused: "schema", carried: [], sameFields: false } as const;
  const kinds = kindsOf([guardedKindOf(widgets, "widget.yaml", options)]);
  const guard = new Guard({ cache: new AnswerCache(0, clock), log: pino({ level: "silent" }), clock });
  const shadow = new Shadow({ guard, log, clock, random: () => 0, pause: async () => {} });
  const unwanted = () => {
    throw new Error("a shadow judges no write");
  };
  const handlers = shadow.handlers(kinds, { mutate: unwanted, validate: unwanted });
  const convert = async (objects: readonly JsonObject[], desiredAPIVersion: string) => {
    const request = { uid: "u", desiredAPIVersion, objects };
    const review = { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
    const answer = await handlers.convert(review, { caller: "a", milliseconds: 1_000 });
    await shadow.whenIdle();
    return { status: answer.sent?.status ?? 200, text: writeAnswer(answer).join(""), review };
  };
  const found = () =>
    shadow.findings.map(({ from, outcome, field, guarded }) => `${outcome} ${field} of ${from}, ${guarded}`);
  const admit = async (endpoint: "mutate" | "validate", object: JsonObject) => {
    const request = { uid: "u", operation: "CREATE", kind: { group: "example.com", kind: "Widget" }, object };
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request };
    return (await handlers[endpoint](review, { caller: "a", milliseconds: 1_000 })).review;
  };
  return { shadow, convert, admit, found, lines };
}

const rich = {
  size: 3,
  secret: "s",
  words: ["b", "a"],
  ports: [{ name: "a", port: 1 }],
  mode: "Slow",
  open: true,
  timeout: "10m",
  image: "b:1",
};

const through = (convert: Conversion) => shadowOf(webhookOf(convert));

describe("a shadow", () => {
  it("sends the bytes of the upstream, whatever they are", async () => {
    const odd = (review: string) => `  ${answerTo(review, faultless).replace(":", " :\t")}\n`;
    const { convert } = shadowOf(async (review) => ({ state: "answered", status: 200, text: odd(review) }));
    const { text, review } = await convert([widget("v2", { size: 3, serial: 3 })], v1);
    expect(text).toBe(odd(writeJson(review)));
    const failing = shadowOf(async () => ({ state: "answered", status: 500, text: "<html>oops" }));
    expect(await failing.convert([widget("v2", {})], v1)).toMatchObject({ status: 500, text: "<html>oops" });
  });

  it("says so in a review where there is nothing to send", async () => {
    const { convert } = shadowOf(async () => ({ state: "unreachable", sentence: "connect ECONNREFUSED" }));
    expect((await convert([widget("v2", {})], v1)).text).toContain(
      "the upstream https://upstream/convert gives no answer: connect ECONNREFUSED",
    );
  });

  it("lets writes pass as they are, without the upstream too", async () => {
    const { admit } = shadowOf(async () => ({ state: "unreachable", sentence: "connect ECONNREFUSED" }));
    for (const endpoint of ["mutate", "validate"] as const)
      expect((await admit(endpoint, widget("v1", { size: 3 }))).response).toEqual({
        uid: "u",
        allowed: true,
      });
  });

  it("finds what is lost, changed and refused, by field, and whether the guard keeps it", async () => {
    const of = async (fault: string, ...objects: readonly JsonObject[]) => {
      const convert = planted.find((each) => each.fault === fault)?.convert ?? faultless;
      const { convert: send, found } = through(convert);
      for (const object of objects) await send([object], object.apiVersion === v1 ? v2 : v1);
      return found();
    };
    const object = widget("v2", rich);
    expect(await of("none", object)).toEqual([]);
    expect(await of("zero values are printed, as Go does without omitempty", object)).toEqual([]);
    expect(await of("a field is forgotten", object)).toEqual(["lost spec.size of v2, kept"]);
    expect(await of("a list of objects is forgotten", object)).toEqual(["lost spec.ports of v2, kept"]);
    expect(await of("every object is refused", object)).toEqual(["refused  of v2, kept"]);
    expect(await of("a number is off by one", object)).toEqual(["changed spec.size of v2, kept"]);
  });

  it("finds that an edit at the old version is undone", async () => {
    const stale = planted.find(({ fault }) => fault === "a stale annotation beats the edit");
    const { convert, found } = through(stale?.convert ?? faultless);
    const { text } = await convert([widget("v2", rich)], v1);
    const [view] = JSON.parse(text).response.convertedObjects;
    await convert([{ ...view, spec: { ...view.spec, size: 4 } }], v2);
    expect(found()).toEqual(["changed spec.size of v1, kept"]);
  });

  it("names three objects a field in the log, and looks at the same state of an object once", async () => {
    const { convert, shadow, lines } = through((object, desired) => {
      const { spec: _, ...rest } = faultless(object, desired);
      return rest;
    });
    const named = (name: string) => widget("v2", { size: 3 }, { name });
    for (const name of ["a", "b", "c", "d", "a"]) await convert([named(name)], v1);
    expect(shadow.looked).toBe(4);
    const lost = shadow.findings.find(({ field }) => field === "spec");
    expect(lost).toMatchObject({ conversions: 4, objects: ["default/a", "default/b", "default/c"] });
    expect(lines.filter(({ field }) => field === "spec").map(({ object }) => object)).toEqual(lost?.objects);
  });

  it("looks at a few objects of a long list, and holds no answer back for that", async () => {
    const { convert, shadow } = through(faultless);
    await convert(
      Array.from({ length: 500 }, (_, size) => widget("v2", { size }, { name: `w${size}` })),
      v1,
    );
    expect(shadow.looked).toBe(4);
  });
});
