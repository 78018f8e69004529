import { describe, expect, it } from "vitest";
import { type Ask, type Checks, checkKind, type Finding, notes } from "../../../src/checks/index.ts";
import { folded } from "../../../src/checks/webhook/fold.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type JsonObject, set } from "../../../src/json/json.ts";
import { changing as changed, checked, crdOf, faultsIn, same } from "./kinds.ts";
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

  it("9 a value moves to one of two places: it moved, and is not lost", async () => {
    const ask = webhookOf(
      changing(({ left, ...spec }) => (left === undefined ? spec : { ...spec, right: left })),
    );
    expect(new Set((await foundIn(ask)).faults)).toEqual(new Set(["moved spec.left"]));
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

describe("no object is said to be refused that was not asked about", () => {
  it("when no further texts are tried for want of time", async () => {
    const names = Array.from(
      { length: 150 },
      (_, index) => `f${String.fromCodePoint(97 + (index % 26), 97 + Math.floor(index / 26))}`,
    );
    const spec = names.map((name) => `${name}: { type: string }`).join("\n");
    const picky: Conversion = (object, desired) => {
      const bad = names.find((name) => get(object, "spec", name) !== undefined);
      if (bad !== undefined && desired.endsWith("/v2")) throw new Error(`${bad}: only a secret word will do`);
      return same(object, desired);
    };
    const found = await checked(crdOf({ v1: { spec }, v2: { spec } }), picky, { runs: 0 });
    const refused = found.findings.filter(({ kind }) => kind === "refused");
    expect(refused.map(({ message }) => message ?? "").filter((each) => !/secret word/.test(each))).toEqual(
      [],
    );
    const left = found.untried.flatMap(({ places }) => places.map(({ place }) => place));
    expect(new Set([...left, ...refused.flatMap(({ places }) => places)]).size).toBe(names.length);
    expect(left.length).toBeGreaterThan(0);
  });
});

describe("a text that the webhook reads is used wherever the schema says no more than that it is a text", () => {
  const item = "required: [type, timeout], properties: { type: { type: string }, timeout: { type: string } }";
  const spec = `conditions: { type: array, items: { type: object, ${item} } }`;
  const crd = crdOf({ v1: { spec }, v2: { spec } });
  const conditions = (object: JsonObject) => {
    const list = get(object, "spec", "conditions");
    return isArray(list) ? list : [];
  };
  const picky: Conversion = (object, desired) => {
    for (const each of conditions(object))
      if (!/^\d+[smh]$/.test(String(get(each, "timeout")))) throw new Error('time: invalid duration "a"');
    return same(object, desired);
  };

  it("also beside the place that is tried, in all items of a list", async () => {
    const found = await checked(crd, picky);
    expect(faultsIn(found)).toEqual([]);
    expect(found.findings.map(({ kind, place }) => `${kind} ${place}`)).toContain(
      "looser spec.conditions[].timeout",
    );
  });

  it("so that a lost item is found behind it", async () => {
    const forgetful: Conversion = (object, desired) => {
      const made = picky(object, desired);
      return conditions(made).length === 0
        ? made
        : { ...made, spec: { conditions: conditions(made).slice(0, 1) } };
    };
    expect(faultsIn(await checked(crd, forgetful))).toEqual(["lost spec.conditions[]"]);
  });
});

describe("keys of keyed lists", () => {
  const spec = `
ports:
  type: array
  x-kubernetes-list-type: map
  x-kubernetes-list-map-keys: [port, protocol]
  items:
    type: object
    required: [port]
    properties: { port: { type: integer }, protocol: { type: string, default: TCP }, name: { type: string } }`;
  const crd = crdOf({ v1: { spec }, v2: { spec } });
  const ports = (change: (port: JsonObject) => JsonObject | undefined) =>
    changed((each) => ({
      ...each,
      ports: (isArray(each.ports) ? each.ports : []).flatMap((port) =>
        isObject(port) ? (change(port) ?? []) : [],
      ),
    }));

  it("may be zero, and vanish as with omitempty", async () => {
    const omitted = ports((port) =>
      Object.fromEntries(Object.entries(port).filter(([, value]) => value !== "")),
    );
    expect(faultsIn(await checked(crd, omitted))).toEqual([]);
  });

  it("are missed when their item is gone", async () => {
    const gone = ports((port) => (port.protocol === "a" ? undefined : port));
    expect(faultsIn(await checked(crd, gone)).join()).toContain("spec.ports");
  });
});
