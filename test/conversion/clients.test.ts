import { expect, it } from "vitest";
import { keep } from "../../src/conversion/keeper.ts";
import { get, type JsonObject, set } from "../../src/json/json.ts";
import { fromHub, toHub } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

// What clients of a real API server once found in the engine, each as the least writes that showed it.

const kind = (await loadKinds(["webhooks"])).find("home.antechamber.dev", "Room");
if (kind === undefined) throw new Error("there is no Room");
const v1beta1 = 0; // of the versions, oldest first
const metadata = { name: "room", namespace: "home", uid: "1", generation: 1 };
const carriers = (object: JsonObject | undefined) => get(object, "status", "conversionData");

function old(spec: JsonObject, more: JsonObject = {}): JsonObject {
  return { apiVersion: "home.antechamber.dev/v1beta1", kind: "Room", metadata, spec, ...more };
}

function withSpec(object: JsonObject, spec: JsonObject): JsonObject {
  return set(object, "spec", { ...(object.spec as JsonObject), ...spec });
}

const up = (object: JsonObject) => toHub(kind, object, v1beta1);
const down = (object: JsonObject) => fromHub(kind, object, v1beta1);

it("a spelling that went stale does not come back under one that a client has just written", () => {
  const changed = set(up(old({ temperature: "20.0C" })), "spec", { climate: { targetCelsius: 21.5 } });
  const view = down(changed);
  expect(view.spec).toEqual({ temperature: "21.5C" });
  expect(down(up(withSpec(view, { temperature: "20C" }))).spec).toEqual({ temperature: "20C" });
});

it("a brightness for all lights is still said of lights that lost theirs, as server-side apply asks", () => {
  const hub = up(old({ lights: ["a"], brightness: 50 }));
  expect(hub.spec).toEqual({ lights: [{ name: "a", brightness: 0.5 }] });
  // What others hold is left; of a carrier's leaf the value, not the guard that is no longer true.
  const leaf = { format: 1, spokes: { v1beta1: { spec: { brightness: { "=": 50 } } } } };
  const rest = { ...hub, metadata, spec: { lights: [{ name: "a" }] }, status: { conversionData: leaf } };
  expect(get(down(rest), "spec", "brightness")).toBe(50);
  expect(get(carriers(hub), "spokes", "v1beta1", "spec", "brightness")).toEqual({ "=": 50, "~": 50 });
});

it("a writer of /status who empties it reads back an empty one", () => {
  const stored = down(up(old({}, { status: { phase: "Ready" } })));
  const write = { operation: "UPDATE", subresource: "status", atHub: false } as const;
  const kept = keep(set(stored, "status", {}), stored, write, kind.chain);
  expect(down(up(kept)).status).toEqual({ conversionData: expect.objectContaining({ was: {} }) });
});

it("an export's status comes back through /status at the hub, and nothing of spec with it", () => {
  const exported = up(old({ owner: "ida" }, { status: { phase: "Ready" } }));
  const created = { ...exported, metadata: { ...metadata, uid: "2" }, status: {} };
  const write = { operation: "UPDATE", subresource: "status", atHub: true } as const;
  const kept = carriers(keep(exported, created, write, kind.chain));
  expect(get(kept, "spokes", "v1beta1")).toEqual({ status: { phase: { "=": "Ready" } } });
});

it("a second carrier is made again once the leaves change, and not by a write that changes nothing", () => {
  const { annotations: _, ...bare } = up(old({ temperature: "20.0C" })).metadata as JsonObject;
  const stored = set(up(old({ temperature: "20.0C" })), "metadata", bare);
  const view = down(stored);
  expect(up(view)).toEqual(stored);
  const written = up(withSpec(view, { temperature: "20.00C" }));
  expect(Object.keys(get(written, "metadata", "annotations") ?? {})).toHaveLength(1);
});
