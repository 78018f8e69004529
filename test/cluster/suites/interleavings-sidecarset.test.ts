import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { equal } from "../../../src/json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { hashOf } from "../../../webhooks/kruise/shared/hash.ts";
import { hashAnnotation } from "../../../webhooks/kruise/shared/names.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf, differences, withoutCarriers } from "../content.ts";
import { type Home, startHome } from "../home.ts";
import { type ClientAt, metadataOf, type Subject, subject } from "../subject.ts";
import { type Draw, drawing, pick } from "./draw.ts";
import { untilServed } from "./served.ts";
import { container, sidecarSet } from "./sides.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("clients of both versions of a SidecarSet, taking turns at random,", claims);

const operations = Number(process.env.CLUSTER_OPS ?? 200);
const sets = 4;

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
    await untilServed(home, sidecarSet, ["v1alpha1", "v1beta1"]);
  }, 100_000);
  afterAll(() => home?.stop());

  it(
    `lose nothing, and store nothing if they change nothing, in ${operations} operations`,
    async () => {
      const seed = Number(process.env.SEED ?? 1);
      const each = Math.ceil(operations / sets);
      await Promise.all(
        Array.from({ length: sets }, (_, index) => takeTurns(home, `set-${index}`, seed + index, each)),
      );
    },
    60_000 + operations * 500,
  );
}

/** What v1alpha1 says of namespaces, and what v1beta1 said of them then. As long as that is so, so is this. */
interface Words {
  readonly namespace: Json | undefined;
  readonly selector: Json | undefined;
  readonly meant: Json | undefined;
}

/** The expected SidecarSet, without conversion. */
interface Model {
  /** Spec and status at v1beta1. */
  readonly hub: JsonObject;
  /** All that was ever said or read at v1alpha1 of namespaces; the last is what is said now. */
  readonly said: readonly Words[];
}

/** The life of one SidecarSet: after each operation it is read at both versions and held to the model. */
async function takeTurns(home: Home, name: string, seed: number, turns: number): Promise<void> {
  const it = subject(home, sidecarSet, "", name);
  const draw = drawing(seed);
  let model = await bringToLife(it);
  const history: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const { name: operation, isNoop, run } = pick(draw, operationsOf(draw));
    history.push(operation);
    const before = versionOf(await it.at("v1beta1").get());
    model = await run(it, model);
    const context = () => `${name} after ${history.join(", ")}\n${JSON.stringify(it.steps.at(-1))}`;
    expect(it.steps.at(-1)?.status, context()).toBe(200);
    const [hub, view] = [await it.at("v1beta1").get(), await it.at("v1alpha1").get()];
    expect(differences(model.hub, saidOf(hub)), context()).toEqual([]);
    model = held(model, view, context);
    for (const each of [hub, view])
      expect(get(each, "metadata", "annotations", hashAnnotation), context()).toBe(hashOf(hub));
    if (isNoop) expect(versionOf(hub), context()).toBe(before);
  }
}

async function bringToLife(it: Subject): Promise<Model> {
  const client = it.at("v1beta1");
  const spec = {
    selector: { matchLabels: { app: "shop" } },
    containers: [container],
    updateStrategy: { type: "RollingUpdate", maxUnavailable: 1, partition: 0 },
    customVersion: "first try, traced",
  };
  const created = await client.create(client.file({ spec }));
  expect(created.status, created.text).toBe(201);
  await client.putStatus({ ...objectOr(created.body), status: counts(1) });
  return { hub: saidOf(await client.get()), said: [] };
}

/** The model with what v1alpha1 reads, which must be what v1beta1 says, or what v1alpha1 said when v1beta1 said the same. */
function held(model: Model, view: JsonObject, context: () => string): Model {
  const hubSpec = objectOr(model.hub.spec);
  const { customVersion, namespaceSelector: meant, ...common } = hubSpec;
  const { spec, status } = saidOf(view);
  const { namespace, namespaceSelector: selector, ...rest } = objectOr(spec);
  expect(differences(common, rest), context()).toEqual([]);
  expect(differences(model.hub.status, status), context()).toEqual([]);
  expect(get(view, "metadata", "labels", label), context()).toEqual(
    isLabel(customVersion) ? customVersion : undefined,
  );
  const words = { namespace, selector, meant };
  const now = model.said.at(-1);
  const past = model.said.filter((each) => equal(each.meant, meant));
  const allowed =
    now !== undefined && equal(now.meant, meant)
      ? [now]
      : [{ namespace: undefined, selector: meant, meant }, ...past];
  expect(allowed, context()).toContainEqual(words);
  return { ...model, said: [...model.said, words].slice(-50) };
}

const label = "apps.kruise.io/sidecarset-custom-version";

function isLabel(text: Json | undefined): boolean {
  return typeof text === "string" && /^[\w.-]+$/.test(text);
}

interface Operation {
  readonly name: string;
  readonly isNoop?: true;
  readonly run: (it: Subject, model: Model) => Promise<Model>;
}

function operationsOf(draw: Draw): readonly Operation[] {
  return [
    ...Array.from({ length: 4 }, () => specWrite("v1beta1", pick(draw, [...edits, ...newEdits]), draw)),
    ...Array.from({ length: 4 }, () => specWrite("v1alpha1", pick(draw, [...edits, ...oldEdits]), draw)),
    ...["v1beta1", "v1alpha1"].flatMap((version) => [
      ...(version === "v1alpha1" ? [labelWrite(draw)] : []),
      statusWrite(version, draw),
      ...careless(version),
    ]),
  ];
}

type Edit = readonly [name: string, edit: (spec: JsonObject, draw: Draw) => JsonObject];

const selectors: readonly (Json | undefined)[] = [
  { matchLabels: { stage: "live" } },
  { matchLabels: { stage: "test" } },
  { matchLabels: { "kubernetes.io/metadata.name": "shop" } },
  undefined,
];

const edits: readonly Edit[] = [
  [
    "partition",
    (spec, draw) =>
      set(spec, "updateStrategy", set(objectOr(spec.updateStrategy), "partition", Math.floor(draw() * 4))),
  ],
  [
    "image",
    (spec, draw) => ({
      ...spec,
      containers: [{ ...container, image: `registry.example/log:${Math.floor(draw() * 4)}` }],
    }),
  ],
  ["selector of namespaces", (spec, draw) => set(spec, "namespaceSelector", pick(draw, selectors))],
];

const newEdits: readonly Edit[] = [
  [
    "version",
    (spec, draw) => set(spec, "customVersion", pick(draw, ["1.0", "2.0", "second try, traced", undefined])),
  ],
];

const oldEdits: readonly Edit[] = [
  ["namespace", (spec, draw) => set(spec, "namespace", pick(draw, ["shop", "bakery", undefined]))],
];

function specWrite(version: string, [what, edit]: Edit, draw: Draw): Operation {
  const way = pick(draw, ["PUT", "bare PUT", "merge PATCH", "apply"]);
  return {
    name: `${way} of ${what} at ${version}`,
    run: async (it, model) => {
      const client = it.at(version);
      const before = objectOr(withoutCarriers(await client.get()).spec);
      const spec = edit(before, draw);
      await send(client, way, before, spec);
      if (version === "v1beta1") return { ...model, hub: { ...model.hub, spec } };
      return writtenAtV1alpha1(model, before, spec);
    },
  };
}

/** The model after a write at v1alpha1: a namespace comes before a selector; what is not said of them stays as it was. */
function writtenAtV1alpha1(model: Model, before: JsonObject, after: JsonObject): Model {
  const { namespace, namespaceSelector: selector, ...common } = after;
  const { customVersion, namespaceSelector: known } = objectOr(model.hub.spec);
  const isSame = equal(before.namespace, namespace) && equal(before.namespaceSelector, selector);
  const named = { matchLabels: { "kubernetes.io/metadata.name": namespace ?? "" } };
  const meant = isSame ? known : namespace === undefined ? selector : named;
  const spec = set(set(common, "customVersion", customVersion), "namespaceSelector", meant);
  const words = { namespace, selector, meant };
  return { hub: { ...model.hub, spec }, said: isSame ? model.said : [...model.said, words] };
}

async function send(client: ClientAt, way: string, before: JsonObject, spec: JsonObject): Promise<void> {
  const object = await client.get();
  const names = [...new Set([...Object.keys(before), ...Object.keys(spec)])];
  const changed = names.filter((name) => !equal(before[name], spec[name]));
  const isTakenOut = changed.some((name) => spec[name] === undefined);
  if (way === "PUT") await client.put({ ...object, spec });
  else if (way === "bare PUT") await client.put(client.file({ metadata: typedMetadata(object), spec }));
  else if (way === "merge PATCH" || isTakenOut || changed.length === 0) {
    await client.patch({ spec: mergeOf(before, spec, changed) });
  } else {
    const applied = Object.fromEntries(changed.map((name) => [name, spec[name] ?? null]));
    await client.apply(
      `turner-${client.version}-${changed.join("-")}`,
      { spec: applied },
      { force: "force" },
    );
  }
}

/** A merge patch that replaces what changed as a whole: a selector's old labels would stay otherwise. */
function mergeOf(before: JsonObject, spec: JsonObject, changed: readonly string[]): JsonObject {
  const gone = (old: Json | undefined, now: Json | undefined): Json => {
    if (now === undefined) return null;
    if (!isObject(old) || !isObject(now)) return now;
    const names = [...new Set([...Object.keys(old), ...Object.keys(now)])];
    return Object.fromEntries(names.map((name) => [name, gone(old[name], now[name])]));
  };
  return Object.fromEntries(changed.map((name) => [name, gone(before[name], spec[name])]));
}

/** v1alpha1 says in a label what v1beta1 says in spec. */
function labelWrite(draw: Draw): Operation {
  const value = pick(draw, ["1.0", "3.0", null]);
  return {
    name: `merge PATCH of the version's label to ${value} at v1alpha1`,
    run: async (it, model) => {
      await it.at("v1alpha1").patch({ metadata: { labels: { [label]: value } } });
      const spec = objectOr(model.hub.spec);
      const { customVersion } = spec;
      // Removing a label that does not exist changes nothing.
      const meant = value ?? (isLabel(customVersion) ? undefined : customVersion);
      return { ...model, hub: { ...model.hub, spec: set(spec, "customVersion", meant) } };
    },
  };
}

function statusWrite(version: string, draw: Draw): Operation {
  const way = pick(draw, ["PUT", "PUT that rebuilds", "merge PATCH"]);
  const status = counts(Math.floor(draw() * 9));
  return {
    name: `${way} of /status at ${version}`,
    run: async (it, model) => {
      const client = it.at(version);
      const object = await client.get();
      if (way === "merge PATCH") await client.patchStatus({ status });
      else if (way === "PUT")
        await client.putStatus({ ...object, status: { ...objectOr(object.status), ...status } });
      else await client.putStatus(client.file({ metadata: typedMetadata(object), status }));
      return { ...model, hub: { ...model.hub, status } };
    },
  };
}

/** Writes that mean no change: those that send all they read must not write at all. */
function careless(version: string): readonly Operation[] {
  const same = (act: (client: ClientAt) => Promise<unknown>) => async (it: Subject, model: Model) => {
    await act(it.at(version));
    return model;
  };
  return [
    {
      name: `PUT unchanged at ${version}`,
      isNoop: true,
      run: same(async (client) => client.put(await client.get())),
    },
    {
      name: `bare PUT unchanged at ${version}`,
      run: same(async (client) => {
        const object = await client.get();
        await client.put(client.file({ metadata: typedMetadata(object), spec: object.spec ?? {} }));
      }),
    },
    {
      name: `annotations wiped at ${version}`,
      isNoop: true,
      run: same((client) => client.patch({ metadata: { annotations: null } })),
    },
    {
      name: `a label applied and dropped at ${version}`,
      run: same(async (client) => {
        await client.apply("labeller", { metadata: { labels: { seen: "yes" } } });
        await client.apply("labeller", {});
      }),
    },
  ];
}

/** What a client sends of metadata that knows no annotations: labels are words of v1alpha1. */
function typedMetadata(object: JsonObject): JsonObject {
  const { resourceVersion = "", labels } = metadataOf(object);
  return { resourceVersion, ...(labels === undefined ? {} : { labels }) };
}

function counts(observedGeneration: number): JsonObject {
  return { matchedPods: 3, updatedPods: 1, readyPods: 2, observedGeneration };
}

function saidOf(object: JsonObject): JsonObject {
  const { spec = {}, status = {} } = contentOf(object);
  return { spec, status };
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object).resourceVersion);
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
