import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Ask, type Checks, checkKind, type Finding, notes } from "../../../src/checks/index.ts";
import { Webhook } from "../../../src/checks/webhook/webhook.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { planted } from "./planted.ts";
import { type Conversion, faultless, subject, webhookOf } from "./webhooks.ts";

/** A clock that stands still: no check depends on how long an answer takes. */
const checks: Checks = {
  batch: 100,
  clock: () => 0,
  until: 1,
  seed: 1,
  runs: 4,
  ignored: [],
  examples: [],
};

const lineOf = ({ kind, place, check }: Finding) => `${kind} ${place || "the whole object"} ${check}`;

describe("a webhook with a fault", () => {
  it.each(planted)("$fault", async ({ convert, finds }) => {
    const { findings } = await checkKind(subject, webhookOf(convert), checks);
    const lines = findings.filter(({ kind }) => !notes.has(kind)).map(lineOf);
    expect([...new Set(lines)].toSorted()).toEqual(finds.toSorted());
  });
});

/** A webhook whose answers are changed on their way. */
function altered(change: (text: string, review: string) => string): Ask {
  const ask = webhookOf(faultless);
  return async (review) => {
    const reply = await ask(review);
    return reply.state === "answered" ? { ...reply, text: change(reply.text, review) } : reply;
  };
}

/** The sound answer with other labels or annotations on every object. */
const marked =
  (name: string, change: (marks: JsonObject) => Json): Conversion =>
  (object, desired) => {
    const made = faultless(object, desired);
    const metadata = isObject(made.metadata) ? made.metadata : {};
    const marks = isObject(metadata[name]) ? metadata[name] : {};
    return { ...made, metadata: { ...metadata, [name]: change(marks) } };
  };

describe("labels or annotations that an API server refuses", () => {
  it.each<[string, Conversion, string]>([
    [
      "a label value with a blank",
      marked("labels", (all) => ({ ...all, bad: "x y" })),
      "metadata.labels.bad",
    ],
    ["a number as a label", marked("labels", (all) => ({ ...all, n: 3 })), "not a text"],
    ["a list as labels", marked("labels", () => []), "not a map"],
    [
      "a key with two slashes",
      marked("annotations", (all) => ({ ...all, "a/b/c": "" })),
      "metadata.annotations[a/b/c]",
    ],
    [
      "annotations of more than 256 KiB",
      marked("annotations", (all) => ({ ...all, "example.com/saved": "x".repeat(262_144) })),
      "262144",
    ],
  ])("%s", async (_what, convert, words) => {
    const { findings } = await checkKind(subject, webhookOf(convert), checks);
    expect(findings.map(lineOf)).toEqual(["refused the whole object conversion"]);
    expect(findings[0]?.message).toContain(words);
  });

  it("are those alone that it would look at", async () => {
    const fine = marked("annotations", (all) => ({ ...all, "Example.com/Saved": "x y\n" }));
    const { findings } = await checkKind(subject, webhookOf(fine), checks);
    expect(findings.filter(({ kind }) => !notes.has(kind))).toEqual([]);
  });
});

describe("an answer that an API server rejects", () => {
  it.each([
    ["is not JSON", () => "<html>", "not JSON"],
    ["has another uid", (text: string) => text.replace(/"uid":"antechamber-/, '"uid":"other-'), "uid"],
    [
      "has no response",
      () => '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}',
      "response",
    ],
    [
      "has too few objects",
      (text: string) => text.replace(/"convertedObjects":.*$/, '"convertedObjects":null}}'),
      "no objects",
    ],
    [
      "has another kind",
      (text: string) => text.replaceAll('"kind":"Widget"', '"kind":"Other"'),
      "kind became",
    ],
  ])("%s", async (_what, change, words) => {
    const { findings } = await checkKind(subject, altered(change), checks);
    expect(findings.map(lineOf)).toEqual(["refused the whole object conversion"]);
    expect(findings[0]?.message).toContain(words);
  });

  it("is of the wrong version of ConversionReview", async () => {
    const v1 = (text: string) => text.replace("apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1");
    const { findings } = await checkKind(subject, altered(v1), checks);
    const faults = findings.filter(({ kind }) => !notes.has(kind)).map(lineOf);
    expect(new Set(faults)).toEqual(new Set(["refused the whole object review v1beta1"]));
  });
});

describe("checks", () => {
  it("are the same with the same seed", async () => {
    const sent = async () => {
      const reviews: string[] = [];
      await checkKind(
        subject,
        altered((text, review) => {
          reviews.push(review);
          return text;
        }),
        checks,
      );
      return reviews;
    };
    expect(await sent()).toEqual(await sent());
  });

  it("stop when their time is over, and say so", async () => {
    let now = 0;
    const { ended, findings } = await checkKind(subject, webhookOf(faultless), {
      ...checks,
      clock: () => now++,
      until: 100,
    });
    expect(ended).toBe("the time is over");
    expect(findings.filter(({ kind }) => !notes.has(kind))).toEqual([]);
  });

  it("do not report ignored places, nor those below them", async () => {
    const forgetful = planted.find(({ fault }) => fault === "a list of objects is forgotten");
    const ask = webhookOf(forgetful?.convert ?? faultless);
    const { findings } = await checkKind(subject, ask, { ...checks, ignored: ["spec.ports"] });
    expect(findings.filter(({ kind }) => !notes.has(kind))).toEqual([]);
  });

  it("try unknown fields from examples", async () => {
    const example = {
      apiVersion: "example.com/v2",
      kind: "Widget",
      metadata: { name: "b", namespace: "default" },
      spec: { image: "a", size: 2, options: { depth: { more: 1, other: 2 } } },
    };
    const ask = webhookOf((object, desired) => {
      const made = faultless(object, desired);
      const spec = isObject(made.spec) ? made.spec : {};
      const { options } = spec;
      if (!isObject(options) || !isObject(options.depth)) return made;
      return { ...made, spec: { ...spec, options: { depth: set(options.depth, "other", undefined) } } };
    });
    const { findings } = await checkKind(subject, ask, { ...checks, examples: [example] });
    const [fault] = findings.filter(({ kind }) => !notes.has(kind));
    expect(fault && lineOf(fault)).toBe("lost spec.options.depth.other round trip");
    expect(fault?.views[0]?.object.spec).toEqual({ image: "a", options: { depth: { other: 2 } } });
  });
});

describe("a webhook that is asked about many objects", () => {
  const object = (index: number) => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: `o${index}` },
    spec: { image: "a", size: index },
  });

  it("is asked again about the halves of what it refuses, and the outcomes stay in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 12 }),
        async (bad, batch) => {
          const ask = webhookOf((each, desired) => {
            if (bad[Number(get(each, "spec", "size"))]) throw new Error("refused");
            return faultless(each, desired);
          });
          const webhook = new Webhook(ask, { batch, clock: () => 0, until: 1 });
          const outcomes = await webhook.convertAll(
            bad.map((_, index) => object(index)),
            "example.com/v2",
          );
          expect(outcomes.map(({ state }) => state)).toEqual(bad.map((is) => (is ? "refused" : "converted")));
          const names = outcomes.map((each) =>
            each.state === "converted" ? get(each.object, "metadata", "name") : null,
          );
          expect(names).toEqual(bad.map((is, index) => (is ? null : `o${index}`)));
        },
      ),
    );
  });
});
