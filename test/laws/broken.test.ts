import { expect, it } from "vitest";
import { carrierField, carrierPrefix } from "../../src/conversion/carriers.ts";
import { convert } from "../../src/conversion/convert.ts";
import { group, move } from "../../src/conversion/rows.ts";
import { versionChainOf } from "../../src/conversion/version-chain.ts";
import { get, isArray, isObject, type JsonObject, set } from "../../src/json/json.ts";
import { bareOf } from "../../src/laws/bare.ts";
import { checkLaws, laws } from "../../src/laws/check.ts";
import { type Engine, servingEngine } from "../../src/laws/engine.ts";
import { recordingOf } from "../../src/laws/recorded.ts";
import { settingOf } from "../../src/laws/setting.ts";
import { lens } from "../support/lens.ts";
import { isAbout, known } from "./known.ts";
import { type SmallVersion, smallKind } from "./small-kind.ts";

const text = { type: "string", maxLength: 3 };
const list = {
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  items: { type: "object", required: ["name"], properties: { name: text, hint: text } },
};
const older: SmallVersion = {
  name: "v1",
  spec: {
    word: text,
    lone: text,
    items: { ...list, items: { type: "object", required: ["name"], properties: { name: text } } },
  },
  status: { phase: text },
  lens: lens(move("spec.word", "spec.name")),
};
const newer: SmallVersion = {
  name: "v2",
  spec: {
    name: text,
    serial: { type: "integer", format: "int64" },
    items: list,
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
  status: { seen: text },
};
const good = smallKind(older, newer);
const middle: SmallVersion = { ...newer, name: "v1b", lens: lens() };
const long = smallKind({ ...older, lens: lens(move("spec.word", "spec.name")) }, middle, newer);
const seed = Number(process.env.SEED);

/** The engine that serves, but for what some conversions are made into. */
function spoiled(
  spoil: (answer: JsonObject, from: number, to: number, object: JsonObject) => JsonObject,
): Engine {
  return {
    ...servingEngine,
    convert: (object, chain, from, to) => spoil(convert(object, chain, from, to), from, to, object),
  };
}

function broken(law: string, kind = good, engine = servingEngine, runs = 300) {
  // First with few cases, since a claim that holds takes all of them before the next one is tried.
  for (const some of [runs / 20, runs / 4, runs]) {
    const [verdict] = checkLaws(kind, { runs: some, seed, laws: [law], engine });
    if (verdict?.counterexample !== undefined) return verdict.counterexample;
  }
  return undefined;
}

it.each(laws.map((law) => [law.name, law] as const))(
  "%s holds for the kinds that are then broken",
  (_name, law) => {
    for (const kind of [good, long]) {
      const claims = law.claims(settingOf(kind, servingEngine));
      for (const claim of claims.filter((each) => !known.some(isAbout(kind, law, each))))
        expect(claim.check(20, seed).counterexample).toBeUndefined();
    }
  },
);

let count = 0;
const inventing = {
  up: (each: JsonObject) => each,
  down: (each: JsonObject) => ({ ...each, spec: { word: "" } }),
};

const steps = (fields: JsonObject) => ({
  type: "array",
  maxItems: 4,
  items: { type: "object", properties: fields },
});
const listed = smallKind(
  { name: "v1", spec: { steps: steps({ run: text, image: text }) }, lens: lens() },
  { name: "v2", spec: { steps: steps({ run: text, image: text, timeout: text }) } },
);
const words = { type: "string", maxLength: 20 };
const nameAt = (full: string, first: string, last: string) =>
  group({
    older: { full },
    newer: { first, last },
    up: ({ full }) => {
      const [, first, last] = (typeof full === "string" && /^(\S+) (.+)$/su.exec(full)) || [];
      return { first, last };
    },
    down: ({ first, last }) => ({
      full: typeof first === "string" && typeof last === "string" ? `${first} ${last}` : undefined,
    }),
  });
const names = lens(nameAt("spec.full", "spec.first", "spec.last"));
const unnamed = smallKind(
  { name: "v1", spec: { full: words }, lens: names },
  { name: "v2", spec: { first: words, last: words } },
);
const example = { apiVersion: "small.example.org/v2", kind: "Small", spec: { first: "Ida May", last: "Bo" } };
const named = { ...unnamed, examples: [{ file: "", object: example, version: 1 }] };
const person = { type: "object", properties: { first: words, last: words } };
const pair = smallKind(
  {
    name: "v1",
    spec: { owner: words, tenant: words },
    lens: lens(
      nameAt("spec.owner", "spec.owner.first", "spec.owner.last"),
      nameAt("spec.tenant", "spec.tenant.first", "spec.tenant.last"),
    ),
  },
  { name: "v2", spec: { owner: person, tenant: person } },
);
const people = {
  owner: { first: "Ida May", last: "Bo" },
  tenant: { first: "Ann Lee", last: "Cho" },
};
const paired = { ...pair, examples: [{ file: "", object: { ...example, spec: people }, version: 1 }] };
const short = smallKind(
  {
    ...older,
    lens: lens(
      move("spec.word", "spec.name", {
        up: (word) => (word === "" || word === "a" ? word : undefined),
        down: (name) => name,
      }),
    ),
  },
  newer,
);

const cases: readonly (readonly [flaw: string, law: string, kind: typeof good, engine: Engine])[] = [
  ["an engine that carries nothing", "GetPut", good, spoiled((answer) => bareOf(answer))],
  [
    "an engine that keeps only the text that a spoke said, without the guard's second reading",
    "PutGet",
    smallKind(
      { ...older, lens: lens(move("spec.word", "spec.name")) },
      { ...newer, spec: { ...newer.spec, name: { ...text, default: "d" } } },
    ),
    spoiled((answer, _from, to) =>
      to === 1
        ? (JSON.parse(
            JSON.stringify(answer)
              .replaceAll(/"\^":("[^"]*"|\[\]),?/g, "")
              .replaceAll(/\\"\^\\":(\\"[^"\\]*\\"|\[\]),?/g, ""),
          ) as JsonObject)
        : answer,
    ),
  ],
  [
    "an engine that brings deleted items back",
    "Untouched",
    good,
    spoiled((answer, _from, to) => (to === 1 ? withItem(answer) : answer)),
  ],
  [
    "an engine that forgets the hub's fields once a word was changed",
    "Untouched",
    good,
    spoiled((answer, _from, to, object) =>
      to === 1 && get(object, "spec", "word") === "" ? withoutSerial(answer) : answer,
    ),
  ],
  [
    "a lens that throws at a type it does not expect",
    "Total",
    smallKind(
      {
        ...older,
        lens: {
          up: (each) => each,
          down: (each) => set(each, "spec", set(each.spec as JsonObject, "word", undefined)),
        },
      },
      newer,
    ),
    servingEngine,
  ],
  [
    "an engine that changes the object's name",
    "Total",
    good,
    spoiled((answer) => set(answer, "metadata", { ...(answer.metadata as JsonObject), name: "two" })),
  ],
  ["a lens that invents", "FieldWise", smallKind({ ...older, lens: inventing }, newer), servingEngine],
  [
    "an engine that counts",
    "Deterministic",
    good,
    spoiled((answer) => ({
      ...answer,
      status: { ...(isObject(answer.status) ? answer.status : {}), seen: String(count++) },
    })),
  ],
  [
    "an engine whose carriers follow the order of keys",
    "Deterministic",
    good,
    spoiled((answer, _from, _to, object) =>
      withMark(answer, Object.keys(isObject(object.spec) ? object.spec : {}).join()),
    ),
  ],
  [
    "an engine that adds at every trip",
    "Idempotent",
    good,
    spoiled((answer, _from, to) => (to === 1 ? withMark(answer, `${marks(answer)}`) : answer)),
  ],
  [
    "an engine that forgets other spokes' words on the way between spokes",
    "Detour",
    long,
    spoiled((answer, from, to) => (from + to === 1 ? bareOf(answer) : answer)),
  ],
  [
    "an engine that reads numbers as doubles",
    "Exact",
    good,
    spoiled((answer) => JSON.parse(JSON.stringify(answer)) as JsonObject),
  ],
  [
    "an engine that takes __proto__ for a prototype",
    "Exact",
    good,
    spoiled((answer) => withoutProto(answer) as JsonObject),
  ],
  [
    "an engine that falls over a forged carrier",
    "Hostile",
    good,
    spoiled((answer, _from, _to, object) =>
      withMark(answer, JSON.stringify(JSON.parse(carrierText(object)))),
    ),
  ],
  [
    "a keeper that lets /status say spec leaves",
    "Hostile",
    good,
    { ...servingEngine, keep: (object) => object },
  ],
  ["no keeper", "Interleaving", good, { ...servingEngine, keep: (object) => object }],
  [
    "an engine that forgets the annotation, so that a typed write of /status loses all",
    "Interleaving",
    good,
    {
      ...spoiled((answer, _from, to) => (to === 1 ? answer : withoutCarrierAnnotations(answer))),
      keep: (object) => object,
    },
  ],
  [
    "an engine for which a list is one leaf, so that an item loses what it had with any change of another",
    "Lists",
    listed,
    spoiled((answer, _from, to) => (to === 1 ? withOneLeaf(answer) : answer)),
  ],
  [
    "an engine that guards the leaves of a row one by one",
    "Agreement",
    named,
    spoiled((answer, _from, to, object) => (to === 1 ? withLeafOfItsOwn(answer, object) : answer)),
  ],
  [
    "an engine that drops what another row had, once the client changed one",
    "Untouched",
    paired,
    {
      ...servingEngine,
      convert: (object, chain, from, to) => {
        const answer = convert(object, chain, from, to);
        if (to !== 1 || !JSON.stringify(object).includes('"owner":{"first":{"=')) return answer;
        const plain = convert(bareOf(object), chain, from, to);
        const isContradicted =
          JSON.stringify(get(answer, "spec", "owner")) === JSON.stringify(get(plain, "spec", "owner"));
        return isContradicted ? set(answer, "spec", "tenant", get(plain, "spec", "tenant")) : answer;
      },
    },
  ],
  [
    "a keeper that keeps a leaf whatever its guard has become",
    "Replaced",
    short,
    {
      ...servingEngine,
      keep: (object, oldObject, write, chain) =>
        write.atHub && oldObject !== undefined
          ? withCarriersOf(object, oldObject)
          : servingEngine.keep(object, oldObject, write, chain),
    },
  ],
  [
    "a keeper that believes every writer of /status",
    "StatusWriters",
    good,
    { ...servingEngine, keep: (object) => object },
  ],
  [
    "a keeper that makes no room for annotations",
    "Crowded",
    good,
    { ...servingEngine, keep: (object) => object },
  ],
  [
    "an engine that does not look at the CRD in force",
    "Releases",
    good,
    {
      ...servingEngine,
      convert: (object, { versions }, from, to) =>
        convert(object, versionChainOf(versions.map((each) => ({ ...each, inForce: each.shape }))), from, to),
    },
  ],
  [
    "an engine that stores the annotation alone, which server-side apply drops",
    "FieldWise",
    short,
    spoiled((answer, _from, to) => (to === 1 ? set(answer, "status", bareOf(answer).status) : answer)),
  ],
];

it.each(cases)("%s is caught by %s", (_flaw, law, kind, engine) => {
  const found = broken(law, kind, engine, 4000);
  expect(found).toBeDefined();
  expect(found?.versions).toContain("v");
});

it("a release that no longer reads what an earlier one wrote is caught by Recorded", () => {
  const setting = settingOf(good, servingEngine);
  const object = {
    apiVersion: "small.example.org/v2",
    kind: "Small",
    metadata: { name: "a" },
    spec: { serial: 7 },
  };
  const view = convert(object, good.chain, 1, 0);
  const recording = recordingOf(setting, {
    description: "a serial number",
    release: "0.1.0",
    from: "v1",
    to: "v2",
    object: view,
  });
  const check = (engine: Engine) =>
    checkLaws(good, { runs: 1, seed, laws: ["Recorded"], engine, recordings: [recording] })[0];
  expect(check(servingEngine)?.holds).toBe(true);
  expect(check(spoiled((answer) => bareOf(withoutSerial(answer))))?.counterexample?.field).toBe(
    "spec.serial",
  );
});

it("a counterexample is shrunk to what matters", () => {
  const found = broken(
    "GetPut",
    good,
    spoiled((answer) => bareOf(answer)),
  );
  expect(JSON.stringify(found?.object).length).toBeLessThan(400);
  expect(found?.claim).toContain("comes back");
});

/** A hub object whose steps all lose what only it has, unless all of them have it. */
function withOneLeaf(object: JsonObject): JsonObject {
  const list = get(object, "spec", "steps");
  if (!isArray(list) || list.every((step) => get(step, "timeout") !== undefined)) return object;
  const plain = list.map((step) => (isObject(step) ? set(step, "timeout", undefined) : step));
  return set(object, "spec", set(object.spec as JsonObject, "steps", plain));
}

/** A hub object with its first name from the leaf of the first name alone, if the lens still shows what it showed then. */
function withLeafOfItsOwn(object: JsonObject, view: JsonObject): JsonObject {
  const leaf = get(view, "status", carrierField, "hub", "spec", "first");
  const [first, shown] = [get(leaf, "="), get(leaf, "~")];
  return first !== undefined && get(names.up(view), "spec", "first") === shown
    ? set(object, "spec", set(isObject(object.spec) ? object.spec : {}, "first", first))
    : object;
}

/** An object with the carriers of another one, as they are. */
function withCarriersOf(object: JsonObject, other: JsonObject): JsonObject {
  const [bare, field] = [bareOf(object), get(other, "status", carrierField)];
  const annotations = Object.entries((get(other, "metadata", "annotations") ?? {}) as JsonObject).filter(
    ([key]) => key.startsWith(carrierPrefix),
  );
  const own = get(bare, "metadata", "annotations");
  const marks = { ...(isObject(own) ? own : {}), ...Object.fromEntries(annotations) };
  const status = isObject(bare.status) ? bare.status : {};
  return {
    ...bare,
    metadata: { ...(isObject(bare.metadata) ? bare.metadata : {}), annotations: marks },
    ...(field === undefined ? {} : { status: { ...status, [carrierField]: field } }),
  };
}

function withItem(object: JsonObject): JsonObject {
  const items = get(object, "spec", "items");
  if (!isArray(items)) return object;
  const back = { name: "ghost", hint: "a" };
  return set(
    object,
    "spec",
    set(object.spec as JsonObject, "items", [...items.filter((each) => get(each, "name") !== "ghost"), back]),
  );
}

function withoutSerial(object: JsonObject): JsonObject {
  return isObject(object.spec) ? set(object, "spec", set(object.spec, "serial", undefined)) : object;
}

function withMark(object: JsonObject, mark: string): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {};
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [`${carrierPrefix}-x`]: mark } },
  };
}

function marks(object: JsonObject): string {
  return `${Object.keys(object).length}${count++}`;
}

function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProto);
  if (!isObject(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [key, below] of Object.entries(value)) result[key] = withoutProto(below);
  return result;
}

function carrierText(object: JsonObject): string {
  const annotations = get(object, "metadata", "annotations");
  const entries = Object.entries(isObject(annotations) ? annotations : {});
  return String(entries.find(([key]) => key.startsWith(carrierPrefix))?.[1] ?? "null");
}

function withoutCarrierAnnotations(object: JsonObject): JsonObject {
  const field = get(object, "status", carrierField);
  const bare = bareOf(object);
  return field === undefined
    ? bare
    : { ...bare, status: { ...(isObject(bare.status) ? bare.status : {}), [carrierField]: field } };
}
