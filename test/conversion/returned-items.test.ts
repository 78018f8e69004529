import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { smallKind } from "../laws/small-kind.ts";
import { lens } from "../support/lens.ts";

// A key `with:colon` of v1 is the text "with:colon" in v1beta1, which v1beta1 reads as the key `with` of the holder `colon`.
const kinds = await loadKinds(["webhooks/home"]);
const chain = kinds.find("home.antechamber.dev", "Lock")?.chain;
const keysOf = (...ids: readonly string[]) => ids.map((id) => ({ id }));

it.each<[string, JsonObject, JsonObject | undefined, JsonObject | undefined]>([
  ["removes the list of keys", { keys: keysOf("a:a") }, { autoLockSeconds: 0 }, undefined],
  ["empties the list of keys", { keys: keysOf("a:a", "b:b") }, { keys: [] }, { keys: [] }],
  ["removes the spec", { keys: keysOf("a:a", "c") }, undefined, undefined],
  ["removes one key", { keys: keysOf("a:a", "b:b") }, { keys: ["b:b"] }, { keys: keysOf("b:b") }],
  ["removes another key", { keys: keysOf("a:a", "c") }, { keys: ["a:a"] }, { keys: keysOf("a:a") }],
  [
    "adds a key behind them",
    { keys: keysOf("a", "c:a") },
    { keys: ["a", "c:a", "new"] },
    { keys: keysOf("a", "c:a", "new") },
  ],
  [
    "adds a key in front of them",
    { keys: keysOf("c:a", "a") },
    { keys: ["new", "c:a", "a"] },
    { keys: keysOf("new", "c:a", "a") },
  ],
  [
    "adds a key between them",
    { keys: keysOf("c:a", "d:a", "b") },
    { keys: ["c:a", "new", "d:a", "b"] },
    { keys: keysOf("c:a", "new", "d:a", "b") },
  ],
  [
    "leaves the keys as they are",
    { keys: keysOf("a:a", "b:b", "c") },
    { keys: ["a:a", "b:b", "c"], autoLockSeconds: 0 },
    { keys: keysOf("a:a", "b:b", "c") },
  ],
])("of keys with colons, a client of v1beta1 that %s", (_name, hub, written, holds) => {
  if (chain === undefined) throw new Error("there is no kind Lock");
  const stored = {
    apiVersion: "home.antechamber.dev/v1",
    kind: "Lock",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: hub,
  };
  const view = convert(stored, chain, 1, 0);
  const { spec: _shown, ...rest } = view;
  const after = convert(written === undefined ? rest : { ...rest, spec: written }, chain, 0, 1);
  const { autoLock: _lock, ...spec } = (after.spec ?? {}) as JsonObject;
  expect(spec).toEqual(holds ?? {});
});

it("of a list that an older release does not know, all items come back by the newer one", () => {
  const listOf = (keys: readonly string[], properties: JsonObject) => ({
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
    items: { type: "object", required: keys, properties },
  });
  const [text, whole] = [{ type: "string" }, { type: "integer" }];
  const plants = listOf(["kind", "slot"], { kind: text, slot: whole });
  const rows = listOf(["name"], { name: text, plants });
  const hub = { name: "v1", spec: { rows } };
  const older = smallKind({ name: "v1beta1", lens: lens(), spec: {} }, hub);
  const newer = smallKind({ name: "v1beta1", lens: lens(), spec: { rows } }, hub);
  const slots = [1, 0].map((slot) => ({ kind: "bean", slot }));
  const stored = {
    apiVersion: "small.example.org/v1",
    kind: "Small",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { rows: [{ name: "a", plants: slots }] },
  };
  const view = convert(stored, older.chain, 1, 0);
  expect(view.spec).toBeUndefined();
  expect(convert(view, newer.chain, 0, 1).spec).toEqual(stored.spec);
});

it("a lens that throws on an object without a required field does not meet one in the search for hidden items", () => {
  const items = (spec: Json | undefined) =>
    (get(spec, "lamps") as readonly Json[]).flatMap((lamp) =>
      get(lamp, "room") === "attic" ? [] : [{ watt: get(lamp, "watt") ?? null }],
    );
  const convertSpec = ({ spec, ...rest }: JsonObject) => {
    if (get(spec, "mode") === undefined) throw new Error("mode is required");
    return { ...rest, spec: { ...(spec as JsonObject), lamps: items(spec) } };
  };
  const lamp = { type: "object", properties: { watt: { type: "integer" }, room: { type: "string" } } };
  const spec = { mode: { type: "string" }, lamps: { type: "array", items: lamp } };
  const byHand = { up: (older: JsonObject) => older, down: convertSpec };
  const { chain: small } = smallKind({ name: "v1beta1", lens: byHand, spec }, { name: "v1", spec });
  const stored = {
    apiVersion: "small.example.org/v1",
    kind: "Small",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { mode: "x", lamps: ["hall", "attic", "bath"].map((room) => ({ watt: 5, room })) },
  };
  const view = convert(stored, small, 1, 0);
  expect(get(view, "spec", "lamps")).toEqual([{ watt: 5 }, { watt: 5 }]);
  expect(convert(view, small, 0, 1).spec).toEqual(stored.spec);
});
