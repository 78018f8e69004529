import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { keep } from "../../src/conversion/keeper.ts";
import { get, type JsonObject, set } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

// What the keeper does about carriers, each as the least write that shows it; test/cluster/suites/carriers.test.ts has the
// same on a real API server.

const kinds = await loadKinds(["test/kinds"]);
const pump = kinds.find("garden.example.org", "Pump");
if (pump === undefined) throw new Error("there is no Pump");
const { chain } = pump;
const [v1alpha1, v1beta1, v1] = [0, 1, 2] as const;
const prefix = "antechamber.dev/conversion-data";
const metadata = { name: "well", uid: "1", generation: 3 };

/** An object of a version, as the API server shows the one that a client made at another version. */
function shown(made: number, version: number, content: JsonObject): JsonObject {
  const apiVersion = chain.versions[made]?.apiVersion ?? "";
  const hub = convert({ apiVersion, kind: "Pump", metadata, ...content }, chain, made, v1);
  return convert(hub, chain, v1, version);
}

/** The hub object that is stored after a write. */
function written(object: JsonObject, oldObject: JsonObject, subresource: "" | "status" = ""): JsonObject {
  const version = chain.versions.findIndex(({ apiVersion }) => apiVersion === object.apiVersion);
  const write = { operation: "UPDATE", subresource, atHub: version === v1 } as const;
  const kept = keep(object, oldObject, write, chain);
  const taken =
    subresource === "" ? set(kept, "status", oldObject.status) : set(oldObject, "status", kept.status);
  return convert(taken, chain, version, v1);
}

function annotated(object: JsonObject, annotations: JsonObject): JsonObject {
  const own = object.metadata as JsonObject;
  return set(object, "metadata", {
    ...own,
    annotations: { ...(own.annotations as JsonObject), ...annotations },
  });
}

function annotationsOf(object: JsonObject): readonly string[] {
  return Object.keys((get(object, "metadata", "annotations") ?? {}) as JsonObject);
}

const withSpec = (object: JsonObject, spec: JsonObject) =>
  set(object, "spec", { ...(object.spec as JsonObject), ...spec });
const contentAt = (hub: JsonObject, version: number) => {
  const { spec, status } = convert(hub, chain, v1, version);
  const { conversionData: _, ...reported } = (status ?? {}) as JsonObject;
  return { spec, status: reported };
};

it("of an earlier status that is written at a spoke only what the spoke itself says counts", () => {
  const before = shown(v1, v1beta1, { status: { running: true, flow: 1, conditions: [{ type: "Primed" }] } });
  const now = shown(v1, v1beta1, { status: { running: true, flow: 2 } });
  const after = written(
    { ...now, status: { ...(before.status as JsonObject), running: false } },
    now,
    "status",
  );
  expect(contentAt(after, v1).status).toEqual({ running: false, flow: 2 });
});

it("an earlier status brings nothing back that the hub has removed altogether", () => {
  const before = shown(v1, v1beta1, { status: { running: true, flow: 1 } });
  const now = shown(v1, v1beta1, { status: { running: true } });
  expect(contentAt(written({ ...now, status: before.status ?? {} }, now, "status"), v1).status).toEqual({
    running: true,
  });
});

it.each([v1beta1, v1])(
  "the status of an export brings back what a third version said, written at %i",
  (version) => {
    const exported = shown(v1alpha1, version, { status: { running: true, phase: "Running" } });
    const created = shown(version, version, { metadata: { ...metadata, uid: "2" } });
    const both = shown(v1beta1, v1beta1, {
      metadata: { ...metadata, uid: "2" },
      status: { summary: "fine" },
    });
    const now = version === v1 ? convert(both, chain, v1beta1, v1) : created;
    const after = written({ ...now, status: exported.status ?? {} }, now, "status");
    expect(contentAt(after, v1alpha1).status).toEqual({ running: true, phase: "Running" });
  },
);

it.each([
  ["the only one that said something", { phase: "Running" }, {}],
  ["beside another one", { phase: "Running" }, { summary: "fine" }],
])(
  "an earlier status that is written at the hub brings nothing back that a spoke has removed since: %s",
  (_, said, other) => {
    const oldest = shown(v1alpha1, v1alpha1, { status: { running: true, ...said } });
    const before = convert(oldest, chain, v1alpha1, v1);
    const removed = written(set(oldest, "status", { running: true }), oldest, "status");
    const middle = convert(removed, chain, v1, v1beta1);
    const now = written(set(middle, "status", { running: true, ...other }), middle, "status");
    const after = written(
      { ...now, status: { ...(before.status as JsonObject), running: false } },
      now,
      "status",
    );
    expect(contentAt(after, v1alpha1).status).toEqual({ running: false });
    expect(contentAt(after, v1beta1).status).toEqual({ running: false, ...other });
  },
);

it("what the hub replaced and then removed stays removed at a spoke", () => {
  const stored = shown(v1alpha1, v1, { spec: { timeout: "1.5s", owner: "ida" } });
  const replaced = written(withSpec(stored, { timeoutSeconds: 60 }), stored);
  expect(contentAt(replaced, v1alpha1).spec).toEqual({ timeout: "60s", owner: "ida" });
  const removed = written(set(replaced, "spec", {}), replaced);
  expect(contentAt(removed, v1alpha1).spec).toEqual({ owner: "ida" });
});

it("an item that the hub removed and made again is a new one at a spoke", () => {
  const stored = shown(v1alpha1, v1, {
    spec: {
      zones: [
        { name: "a", note: "early" },
        { name: "b", note: "late" },
      ],
    },
  });
  const removed = written(set(stored, "spec", { zones: [{ name: "b" }] }), stored);
  const again = written(set(removed, "spec", { zones: [{ name: "a" }, { name: "b" }] }), removed);
  expect(contentAt(again, v1alpha1).spec).toEqual({ zones: [{ name: "a" }, { name: "b", note: "late" }] });
});

// The annotation is gone, as after a write while the webhook was not registered. The copy in status may be older than the last
// write at the hub, whose leaves the keeper could change in the annotation alone.
const withoutAnnotations = (object: JsonObject) =>
  set(object, "metadata", set(object.metadata as JsonObject, "annotations", undefined));

it("what the hub replaced and then removed stays removed at a spoke, although the annotation was lost in between", () => {
  const filter = officeKind("Filter");
  const stored = madeAt(filter, { regex: false });
  expect(stored.spec).toEqual({ matchType: "=" });
  const replaced = keptAtHub(filter, set(stored, "spec", { matchType: "!=" }), stored);
  const alone = withoutAnnotations(replaced);
  const removed = keptAtHub(filter, set(alone, "spec", { named: [] }), alone);
  expect(convert(removed, filter.chain, 1, 0).spec).toEqual({ named: [] });
});

it("an item that the hub changed and then moved keeps what a spoke said, although the annotation was lost in between", () => {
  const plan = officeKind("Plan");
  const [built, tested] = [
    { image: "node", user: "ida" },
    { run: "test", image: "deno", user: "ida" },
  ];
  const stored = madeAt(plan, {
    steps: [
      { command: "build", ...built, comment: "slow" },
      { command: "test", image: "deno", user: "ida", comment: "flaky" },
    ],
  });
  const changed = keptAtHub(
    plan,
    set(stored, "spec", { steps: [{ run: "pack", ...built }, tested] }),
    stored,
  );
  const alone = withoutAnnotations(changed);
  const moved = keptAtHub(plan, set(alone, "spec", { steps: [tested, { run: "pack", ...built }] }), alone);
  expect(convert(moved, plan.chain, 1, 0).spec).toEqual({
    steps: [
      { command: "test", image: "deno", user: "ida", comment: "flaky" },
      { command: "pack", ...built, comment: "slow" },
    ],
  });
});

it("what one spoke replaced and then removed stays removed at another", () => {
  const view = shown(v1alpha1, v1beta1, { spec: { timeout: "1.5s", owner: "ida" } });
  const replaced = convert(written(withSpec(view, { timeout: "60s" }), view), chain, v1, v1beta1);
  const removed = written(set(replaced, "spec", {}), replaced);
  expect(contentAt(removed, v1alpha1).spec).toEqual({ owner: "ida" });
});

it.each([
  ["the last leaf", { timeout: "1.5s" }],
  ["one of two leaves", { timeout: "1.5s", owner: "ida" }],
])("where the hub took back %s, a write at a spoke that changes nothing stores nothing", (_, spec) => {
  const stored = shown(v1alpha1, v1, { spec });
  const replaced = written(withSpec(stored, { timeoutSeconds: 60 }), stored);
  expect(replaced).not.toEqual(withSpec(stored, { timeoutSeconds: 60 }));
  for (const version of [v1alpha1, v1beta1]) {
    const view = convert(replaced, chain, v1, version);
    expect(written(view, view)).toEqual(replaced);
    expect(written(view, view, "status")).toEqual(replaced);
  }
});

it.each([v1beta1, v1])(
  "the annotations of a user have room, and ours has what they leave, at %i",
  (version) => {
    const text = Array.from({ length: 6000 }, (_, at) => `note ${at * 7919}`).join();
    const made = version === v1 ? v1alpha1 : v1;
    const spec = made === v1 ? { manual: text } : { owner: text, timeout: "1.5s" };
    const now = shown(made, version, { spec, status: { running: true } });
    for (const size of [100, 200, 256]) {
      const after = keep(
        annotated(now, { note: "x".repeat(size * 1024 - 4) }),
        now,
        { operation: "UPDATE", subresource: "", atHub: version === v1 },
        chain,
      );
      const annotations = Object.entries(get(after, "metadata", "annotations") as JsonObject);
      const bytes = annotations.reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
      expect(bytes).toBeLessThanOrEqual(256 * 1024);
      expect(annotationsOf(after).filter((key) => key.startsWith(prefix)).length).toBe(size === 256 ? 0 : 1);
      const stored = convert(set(after, "status", now.status), chain, version, v1);
      expect(contentAt(stored, made).spec).toEqual(spec);
    }
  },
);

it("an annotation of an earlier read gives way to the stored one", () => {
  const before = shown(v1, v1beta1, { metadata: { ...metadata, generation: 2 }, spec: { manual: "old" } });
  const now = shown(v1, v1beta1, { spec: { manual: "new" } });
  const file = annotated(
    set(now, "metadata", metadata),
    get(before, "metadata", "annotations") as JsonObject,
  );
  const write = { operation: "UPDATE", subresource: "", atHub: false } as const;
  expect(keep(file, now, write, chain)).toEqual(now);
  const both = annotated(now, get(before, "metadata", "annotations") as JsonObject);
  expect(keep(both, now, write, chain)).toEqual(now);
});

it("an annotation of an earlier read gives way even if only status has changed since", () => {
  const before = shown(v1, v1beta1, { spec: { manual: "a" }, status: { flow: 1 } });
  const now = shown(v1, v1beta1, { spec: { manual: "a" }, status: { flow: 2 } });
  const file = annotated(now, get(before, "metadata", "annotations") as JsonObject);
  expect(annotationsOf(file)).toHaveLength(2);
  expect(keep(file, now, { operation: "UPDATE", subresource: "", atHub: false }, chain)).toEqual(now);
});

it("a write of /status at the hub gives an object that was created from an export its second carrier", () => {
  const exported = shown(v1alpha1, v1, { spec: { owner: "ida" } });
  const created = set(exported, "status", undefined);
  const after = written({ ...created, status: { running: true } }, created, "status");
  expect(get(after, "status", "conversionData")).toEqual(get(exported, "status", "conversionData"));
});

it("an annotation that was made from the object as it is decides, as server-side apply needs it", () => {
  const now = shown(v1, v1beta1, { spec: { manual: "new", timeoutSeconds: 5 } });
  const pruned = shown(v1, v1beta1, { spec: { timeoutSeconds: 5 } });
  const other = shown(v1, v1beta1, { spec: { manual: "other", timeoutSeconds: 5 } });
  expect(contentAt(written({ ...other, status: now.status ?? {} }, now), v1).spec).toEqual({
    manual: "other",
    timeoutSeconds: 5,
  });
  expect(contentAt(written(pruned, now), v1).spec).toEqual({ manual: "new", timeoutSeconds: 5 });
});

it("managedFields name no carrier, and a write that only did so changes nothing", () => {
  const entry = (manager: string, time: string, fieldsV1: JsonObject) => ({ manager, time, fieldsV1 });
  const ida = (time: string, more: JsonObject = {}) =>
    entry("ida", time, { "f:spec": { "f:owner": {} }, ...more });
  const bo = entry("bo", "2", { "f:spec": { "f:timeout": {} } });
  const now = shown(v1, v1beta1, {
    metadata: { ...metadata, managedFields: [ida("1"), bo] },
    spec: { manual: "m" },
  });
  const ours = {
    "f:metadata": { "f:annotations": { ".": {}, [`f:${prefix}-0`]: {} } },
    "f:status": { "f:conversionData": { "f:hub": {} } },
  };
  const entries = [bo, ida("3", ours), entry("eve", "3", ours)];
  const file = set(now, "metadata", { ...(now.metadata as JsonObject), managedFields: entries });
  const write = { operation: "UPDATE", subresource: "", atHub: false } as const;
  expect(keep(file, now, write, chain)).toEqual(now);
  const later = set(now, "metadata", { ...(now.metadata as JsonObject), managedFields: [bo, ida("3")] });
  expect(keep(later, now, write, chain)).toEqual(now);
  const changed = keep(withSpec(file, { timeout: "9s" }), now, write, chain);
  expect(get(changed, "metadata", "managedFields")).toEqual([bo, ida("3")]);
});

it("a status that held but a carrier which is not kept is not left as an empty one, which a schema may forbid", () => {
  const now = shown(v1, v1, { spec: { manual: "m" } });
  const file = { ...now, status: { conversionData: { format: 1, uid: "0" } } };
  const write = { operation: "UPDATE", subresource: "status", atHub: true } as const;
  expect(keep(file, now, write, chain)).not.toHaveProperty("status");
});

it("managedFields that named nothing but carriers are left out: an empty list would be a change at each apply", () => {
  const now = shown(v1, v1beta1, { spec: { manual: "m" } });
  const fieldsV1 = { "f:status": { "f:conversionData": { "f:hub": {} } } };
  const file = set(now, "metadata", {
    ...(now.metadata as JsonObject),
    managedFields: [{ manager: "ida", fieldsV1 }],
  });
  const kept = keep(file, now, { operation: "UPDATE", subresource: "", atHub: false }, chain);
  expect(kept.metadata).not.toHaveProperty("managedFields");
});

it("an object that is stored at a spoke, created from an export there, keeps what the hub said", () => {
  const said = { spec: { manual: "wiki", zones: [{ name: "a", flow: 3 }] }, status: { flow: 0.333 } };
  const exported = shown(v1, v1beta1, said);
  const made = keep(exported, undefined, { operation: "CREATE", subresource: "", atHub: false }, chain);
  // The API server drops status on create, and sets uid and generation.
  const created = withSystem(set(made, "status", undefined), { uid: "2", generation: 1 });
  const bare = withSpec(withSystem(created, { annotations: null }), { room: "cellar" });
  const update = { operation: "UPDATE", atHub: false } as const;
  const changed = keep(bare, created, { ...update, subresource: "" }, chain);
  const later = withSystem(changed, { generation: 2 });
  const { status = {} } = exported;
  const restored = keep({ ...later, status }, later, { ...update, subresource: "status" }, chain);
  expect(contentAt(convert(later, chain, v1beta1, v1), v1).spec).toEqual(said.spec);
  expect(contentAt(convert(restored, chain, v1beta1, v1), v1)).toEqual(said);
});

it("of an object that is created from an export, what a spoke said of a value that the client replaced is gone", () => {
  const filter = officeKind("Filter");
  const exported = madeAt(filter, { regex: false });
  const create = { operation: "CREATE", subresource: "", atHub: true } as const;
  const same = keep(exported, undefined, create, filter.chain);
  expect(convert(same, filter.chain, 1, 0).spec).toEqual({ regex: false });
  const changed = keep({ ...exported, spec: { matchType: "!=" } }, undefined, create, filter.chain);
  const cleared = keptAtHub(filter, { ...changed, spec: {} }, changed);
  expect(convert(cleared, filter.chain, 1, 0).spec).toEqual({});
});

it("an object that is created with a status gets nothing of what its carrier says of the status", () => {
  const exported = shown(v1beta1, v1, { spec: { timeout: "1m0s" }, status: { running: true, summary: "a" } });
  const field = get(exported, "status", "conversionData");
  const kept = keep(
    withSpec(exported, { timeoutSeconds: 5 }),
    undefined,
    { operation: "CREATE", subresource: "", atHub: true },
    chain,
  );
  expect(field).toBeDefined();
  expect(contentAt(set(kept, "status", undefined), v1beta1).status).toEqual({});
});

function withSystem(object: JsonObject, fields: JsonObject): JsonObject {
  return set(object, "metadata", { ...(object.metadata as JsonObject), ...fields });
}

function officeKind(name: string): Kind {
  const kind = kinds.find("office.example.org", name);
  if (kind === undefined) throw new Error(`there is no ${name}`);
  return kind;
}

/** The hub object of a kind of two versions that a client made at the old one. */
function madeAt({ chain, definition }: Kind, spec: JsonObject): JsonObject {
  const apiVersion = chain.versions[0]?.apiVersion ?? "";
  return convert({ apiVersion, kind: definition.kind, metadata, spec }, chain, 0, 1);
}

/** The hub object that is stored after a write of the main endpoint at the hub. */
function keptAtHub({ chain }: Kind, object: JsonObject, oldObject: JsonObject): JsonObject {
  const kept = keep(object, oldObject, { operation: "UPDATE", subresource: "", atHub: true }, chain);
  return set(kept, "status", oldObject.status);
}
