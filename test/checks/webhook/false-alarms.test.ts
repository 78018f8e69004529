import { describe, expect, it } from "vitest";
import { type Ask, type Checks, checkKind, type Finding, notes } from "../../../src/checks/index.ts";
import { folded } from "../../../src/checks/webhook/fold.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type JsonObject, set } from "../../../src/json/json.ts";
import { type Conversion, Death, faultless, subject, webhookOf, withSpec } from "./webhooks.ts";

// What looks like a fault and is none: each thing that sound conversion webhooks of real projects do.

const checks: Checks = { batch: 100, clock: () => 0, until: 1, seed: 1, runs: 20, ignored: [], examples: [] };

/** The faults that are found in a webhook, and the notes. */
async function foundIn(ask: Ask, more: Partial<Checks> = {}) {
  const { findings } = await checkKind(subject, ask, { ...checks, ...more });
  const lineOf = ({ kind, place }: (typeof findings)[number]) => `${kind} ${place}`;
  return {
    faults: findings.filter(({ kind }) => !notes.has(kind)).map(lineOf),
    notes: findings.filter(({ kind }) => notes.has(kind)).map(lineOf),
  };
}

/** The sound conversion with a change of the spec, in both directions. */
function changing(change: (spec: JsonObject) => JsonObject): Conversion {
  return (object, desired) => withSpec(faultless(object, desired), change);
}

/** A text as Go prints it again. */
function reprinted(spec: JsonObject): JsonObject {
  const { timeout, memory } = spec;
  return {
    ...spec,
    ...(timeout === "10m" ? { timeout: "10m0s" } : {}),
    ...(typeof memory === "number" ? { memory: String(memory) } : {}),
    ...(memory === "1024Mi" ? { memory: "1Gi" } : {}),
  };
}

const alarms: readonly (readonly [what: string, conversion: Conversion])[] = [
  [
    "1 zero values are printed, and set ones vanish",
    changing(({ open, ...spec }) => ({
      size: 0,
      words: null,
      ports: [],
      timeout: "",
      ...spec,
      ...(open ? { open } : {}),
    })),
  ],
  ["2 quantities, durations and int-or-string are printed otherwise", changing(reprinted)],
  [
    "3 a text that the schema does not describe is refused",
    (object, desired) => {
      const timeout = get(object, "spec", "timeout");
      if (typeof timeout === "string" && !/^(\d+[hms])+$/.test(timeout))
        throw new Error("time: invalid duration");
      return faultless(object, desired);
    },
  ],
  ["4 what the schema leaves open is dropped", changing((spec) => set(spec, "options", undefined))],
  [
    "5 an object that a rule forbids ends the process",
    (object, desired) => {
      if (["left", "right"].every((name) => get(object, "spec", name) !== undefined)) throw new Death();
      return faultless(object, desired);
    },
  ],
  ["6 defaults are filled in", changing((spec) => ({ mode: "Fast", ...spec }))],
  [
    "7 annotations are added, and an empty map stays",
    (object, desired) => {
      const made = faultless(object, desired);
      const metadata = isObject(made.metadata) ? made.metadata : {};
      const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
      const added = desired.endsWith("/v2") ? { "example.com/seen-at": "v1" } : {};
      return { ...made, metadata: { ...metadata, annotations: { ...annotations, ...added } } };
    },
  ],
  [
    "11 keys of maps come in another order",
    (object, desired) => {
      const made = faultless(object, desired);
      return Object.fromEntries(Object.entries(made).toReversed());
    },
  ],
];

describe("no fault is found where", () => {
  it.each(alarms)("%s", async (_what, conversion) => {
    expect((await foundIn(webhookOf(conversion))).faults).toEqual([]);
  });

  it("8 a field that means nothing is dropped, and the user leaves it out", async () => {
    const ask = webhookOf(changing((spec) => set(spec, "serial", undefined)));
    expect((await foundIn(ask)).faults).toEqual(["lost spec.serial", "lost spec.serial"]);
    expect((await foundIn(ask, { ignored: ["spec.serial"] })).faults).toEqual([]);
  });

  it("8 fields of one name all over the object are one finding", () => {
    const finding = (place: string): Finding => ({
      kind: "lost",
      check: "round trip",
      versions: ["v1", "v2", "v1"],
      place,
      places: [place],
      field: place,
      views: [],
    });
    const names = ["mail", "chat", "page", "call"];
    const found = folded(
      [...names.map((name) => finding(`spec.${name}.secret.uid`)), finding("spec.size")],
      new Map(),
    );
    expect(found.map(({ place, places }) => [place, places.length])).toEqual([
      ["spec.mail.secret.uid", 4],
      ["spec.size", 1],
    ]);
  });

  it("13 an edit is not above the place that the annotation restores", async () => {
    // A client that replaces the whole object without the annotation of course takes the secret away.
    const { faults, notes: known } = await foundIn(webhookOf(faultless));
    expect(faults).toEqual([]);
    expect(known).toEqual(["kept by annotations spec.secret"]);
  });
});

describe("the finding says what happened where", () => {
  it("3 another text is read: the schema admits what the webhook does not read", async () => {
    const refusing = alarms.find(([what]) => what.startsWith("3"))?.[1] ?? faultless;
    const found = await foundIn(webhookOf(refusing));
    expect(new Set(found.notes)).toEqual(new Set(["looser spec.timeout", "kept by annotations spec.secret"]));
  });

  it("6 a set value is replaced by a default", async () => {
    const ask = webhookOf(changing((spec) => ({ ...spec, mode: "Fast" })));
    expect(new Set((await foundIn(ask)).faults)).toEqual(new Set(["became spec.mode"]));
  });

  it("9 a value moves to one of two places: it became, and is not lost", async () => {
    const ask = webhookOf(
      changing(({ left, ...spec }) => (left === undefined ? spec : { ...spec, right: left })),
    );
    expect(new Set((await foundIn(ask)).faults)).toEqual(new Set(["became spec.left"]));
  });

  it("10 no version is converted: once for the kind", async () => {
    const ask = webhookOf(() => {
      throw new Error("widgets.example.com is not convertible");
    });
    expect((await foundIn(ask)).faults).toEqual(["refused "]);
  });
});

it("12 no review is empty, or asks for the version that an object has", async () => {
  const wrong: string[] = [];
  const sound = webhookOf(faultless);
  await foundIn((review) => {
    const { request } = parseJson(review) as { readonly request: JsonObject };
    const objects = isArray(request.objects) ? request.objects : [];
    if (objects.length === 0) wrong.push("empty");
    if (objects.some((each) => get(each, "apiVersion") === request.desiredAPIVersion))
      wrong.push("same version");
    return sound(review);
  });
  expect(wrong).toEqual([]);
});
