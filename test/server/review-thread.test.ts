import { existsSync } from "node:fs";
import path from "node:path";
import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { reviewThreadModule, threadData } from "../../src/cli/serve/review-thread.ts";
import { reducedCrd, schemasOf } from "../../src/cluster/api/crd-shapes.ts";
import { KindsInForce } from "../../src/cluster/follow/kinds-in-force.ts";
import { ListerFeed, needsOf } from "../../src/cluster/follow/replica.ts";
import { writeJson } from "../../src/json/exact.ts";
import type { JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { type Lister, NotSynced } from "../../src/kind/lister.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { crdOf } from "../../src/manifests/crd.ts";
import { offlineListers } from "../../src/offline/listers.ts";
import {
  type LargeJob,
  ReviewThread,
  type ReviewThreadOptions,
} from "../../src/server/large/review-thread.ts";
import { timers } from "../../src/time.ts";
import { folderOf } from "../support/folder.ts";

interface StartOptions extends Pick<Partial<ReviewThreadOptions>, "heapMebibytes" | "patience" | "crds"> {
  readonly webhooks?: string;
  readonly objects?: readonly JsonObject[];
  readonly listerOf?: () => Lister;
}

/** A thread, and everything that it logs. */
async function start({ webhooks = "webhooks", objects = [], listerOf, ...options }: StartOptions = {}) {
  const kinds = await loadKinds([webhooks]);
  const log: string[] = [];
  const thread = new ReviewThread({
    module: reviewThreadModule,
    data: threadData([webhooks]),
    feed: new ListerFeed(
      needsOf(kinds),
      listerOf ?? offlineListers(objects, kinds, { now: () => new Date() }),
    ),
    log: pino({ level: "error" }, { write: (line: string) => log.push(line) }),
    ...options,
  });
  onTestFinished(() => thread.stop());
  const answer = async (
    path: LargeJob["path"],
    review: JsonObject,
    { signal = new AbortController().signal, caller = "a" }: Partial<LargeJob> = {},
  ) => {
    const body = Buffer.from(writeJson(review));
    const outcome = await thread.answer({ path, body, caller, signal });
    return outcome?.outcome === "answered" ? JSON.parse(Buffer.from(outcome.text).toString()) : outcome;
  };
  return { answer, log };
}

const conversion = (objects: readonly JsonObject[], version = "home.antechamber.dev/v1beta1") => ({
  kind: "ConversionReview",
  apiVersion: "apiextensions.k8s.io/v1",
  request: { uid: "u", desiredAPIVersion: version, objects },
});

const admission = (kind: JsonObject, object: JsonObject, more: JsonObject = {}): JsonObject => ({
  kind: "AdmissionReview",
  apiVersion: "admission.k8s.io/v1",
  request: { uid: "u", operation: "CREATE", kind, namespace: "home", name: "x", object, ...more },
});

const room = (name: string, lights: readonly string[], note = ""): JsonObject => ({
  apiVersion: "home.antechamber.dev/v1",
  kind: "Room",
  metadata: { name, namespace: "home", uid: `u-${name}`, ...(note === "" ? {} : { annotations: { note } }) },
  spec: { climate: { mode: "Heat" }, lights: lights.map((light) => ({ name: light })) },
});

const roomKind = { group: "home.antechamber.dev", version: "v1", kind: "Room" };

it("conversion on the thread shows what the CRDs have that the main thread has seen", async () => {
  const webhooks = "test/cases/releases/newer";
  const kinds = await loadKinds([webhooks]);
  const [older] = (await loadKinds(["test/cases/releases/older"])).all;
  const schemas = schemasOf(reducedCrd(crdOf(older as Kind, { url: "https://127.0.0.1:9443" })));
  const followed = new KindsInForce(kinds, timers);
  onTestFinished(() => followed.stop());
  let tell: Parameters<KindsInForce["onChange"]>[0] = () => {};
  const crds = {
    seen: () => followed.seen(),
    onChange: (listener: typeof tell) => {
      tell = listener;
    },
  };
  followed.take({ "Boiler.releases.example.org": [{ schemas }] });
  const { answer } = await start({ webhooks, crds });
  const metadata = { name: "b", uid: "u" };
  const spec = { mode: "Heat" };
  const boiler = { apiVersion: "releases.example.org/v1", kind: "Boiler", metadata, spec };
  const shown = async () => {
    const answered = await answer("/convert", conversion([boiler], "releases.example.org/v1beta1"));
    return answered.response.convertedObjects[0].spec;
  };
  expect(await shown()).toBeUndefined();
  tell({});
  expect(await shown()).toEqual({ policy: "Heat" });
});

it("admission on the thread sees the objects that the main thread lists", async () => {
  const { answer } = await start({ objects: [room("kitchen", ["lamp-1"])] });
  const verdict = await answer("/validate", admission(roomKind, room("hall", ["lamp-1"])));
  expect(verdict.response).toMatchObject({
    allowed: false,
    status: { message: expect.stringContaining('belongs to Room "kitchen"') },
  });
  const other = await answer("/validate", admission(roomKind, room("hall", ["lamp-2"])));
  expect(other.response).toMatchObject({ allowed: true });
});

it("the thread sees objects change and disappear while it runs", async () => {
  const listeners: Parameters<Lister["onChange"]>[0][] = [];
  const lister: Lister = {
    list: () => [],
    get: () => undefined,
    onChange: (listener) => listeners.push(listener),
  };
  const { answer } = await start({ listerOf: () => lister });
  const isFree = async (light: string) => {
    const verdict = await answer("/validate", admission(roomKind, room("hall", [light])));
    return verdict.response.allowed;
  };
  const report = (change: Parameters<(typeof listeners)[number]>[0]) => {
    for (const listener of listeners) listener(change);
  };
  const kitchen = (version: string, light: string) => {
    const { metadata, ...rest } = room("kitchen", [light]);
    return { ...rest, metadata: { ...(metadata as JsonObject), resourceVersion: version } };
  };
  expect(await isFree("a")).toBe(true);
  report({ after: kitchen("1", "a") });
  expect(await isFree("a")).toBe(false);
  report({ before: kitchen("1", "a"), after: kitchen("2", "b") });
  expect([await isFree("a"), await isFree("b")]).toEqual([true, false]);
  report({ before: kitchen("2", "b") });
  expect(await isFree("b")).toBe(true);
});

it("an admission that needs a lister is rejected until the lister has synced", async () => {
  let isSynced = false;
  const whenSynced = <Found>(found: Found): Found => {
    if (!isSynced) throw new NotSynced("the objects of Room are not known here yet");
    return found;
  };
  const lister: Lister = {
    list: () => whenSynced([]),
    get: () => whenSynced(undefined),
    onChange: () => {},
  };
  const { answer } = await start({ listerOf: () => lister });
  const review = admission(roomKind, room("hall", ["a"]));
  expect(await answer("/validate", review)).toMatchObject({
    outcome: "rejected",
    rejection: { code: 503, message: "the objects of Room are not known here yet" },
  });
  expect(await answer("/convert", conversion([room("hall", ["a"])]))).toMatchObject({
    response: { result: { status: "Success" } },
  });
  isSynced = true;
  expect(await answer("/validate", review)).toMatchObject({ response: { allowed: true } });
});

/** A kind whose rule blocks the thread, or exhausts its memory, if an object asks for it. */
const traps = {
  "home/trap/v1.yaml": `name: v1
served: true
storage: true
schema:
  openAPIV3Schema:
    type: object
    properties:
      spec: {type: object, properties: {hold: {type: string}, hog: {type: boolean}}}
`,
  "home/trap/examples/v1/trap.yaml": `apiVersion: traps.example.com/v1
kind: Trap
metadata: {name: trap}
spec: {}
`,
  "home/trap/kind.ts": `import { writeFileSync } from "node:fs";
import { defineKind, version } from "antechamber";
export default defineKind({
  group: "traps.example.com",
  kind: "Trap",
  plural: "traps",
  scope: "Namespaced",
  versions: [version("v1")],
  validate: (trap) => {
    const kept = [];
    while (trap.spec.hog) kept.push(new Array(100_000).fill(kept.length));
    if (trap.spec.hold !== undefined) writeFileSync(trap.spec.hold, "held");
    while (trap.spec.hold !== undefined) {}
    return {};
  },
});
`,
};

const trapKind = { group: "traps.example.com", version: "v1", kind: "Trap" };
const trap = (spec: JsonObject): JsonObject =>
  admission(trapKind, { apiVersion: "traps.example.com/v1", kind: "Trap", metadata: { name: "x" }, spec });

it("a review that exhausts the memory of the thread is rejected for good, and the next one is answered", async () => {
  const { answer, log } = await start({ webhooks: await folderOf(traps), heapMebibytes: 64 });
  expect(await answer("/validate", trap({ hog: true }))).toMatchObject({
    outcome: "rejected",
    rejection: { code: 413, message: expect.stringContaining("needs more memory") },
  });
  expect(log.join()).toContain("ERR_WORKER_OUT_OF_MEMORY");
  expect(await answer("/validate", trap({}))).toMatchObject({ response: { allowed: true } });
});

it("a function of a kind that does not return blocks its own review and no other", async () => {
  const folder = await folderOf(traps);
  const { answer, log } = await start({ webhooks: folder, patience: 50 });
  expect(await answer("/validate", trap({}))).toMatchObject({ response: { allowed: true } });
  const end = new AbortController();
  const marker = path.join(folder, "held");
  const held = answer("/validate", trap({ hold: marker }), { signal: end.signal });
  await vi.waitFor(() => expect(existsSync(marker)).toBe(true));
  const behind = answer("/validate", trap({}));
  end.abort();
  expect(await held).toBeUndefined();
  expect(await behind).toMatchObject({ response: { allowed: true } });
  expect(log.join()).toContain("is blocked");
});

it("callers take turns, however many reviews each of them sends, and a cancelled review is left out", async () => {
  const { answer } = await start();
  const order: string[] = [];
  const end = new AbortController();
  const ask = async (caller: string, name: string, signal = new AbortController().signal) => {
    const answered = await answer("/convert", conversion([room(name, ["l"])]), { caller, signal });
    if (answered !== undefined) order.push(name);
  };
  const all = [
    ...["a1", "a2", "a3", "a4"].map((name) => ask("a", name)),
    ask("b", "b1", end.signal),
    ...["b2", "b3"].map((name) => ask("b", name)),
    ask("c", "c1"),
  ];
  end.abort();
  await Promise.all(all);
  expect(order).toEqual(["a1", "a2", "b2", "c1", "a3", "b3", "a4"]);
});
