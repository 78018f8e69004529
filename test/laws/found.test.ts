import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { keep } from "../../src/conversion/keeper.ts";
import type { VersionChain } from "../../src/conversion/version-chain.ts";
import { get, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

// What the laws once found in the engine, each as the least object that showed it: kind, way, object.
const cases: readonly (readonly [claim: string, kind: string, way: readonly number[], parts: JsonObject])[] =
  [
    [
      "annotations that are null are null again, though a carrier took their place",
      "Room",
      [1, 0, 1],
      { metadata: { annotations: null }, spec: { accessories: [{ vendor: "kettle.example" }] } },
    ],
    ["null in the place of a keyed list is not an empty list", "Room", [1, 0, 1], { spec: { locks: null } }],
    [
      "items whose key is not a scalar do not make a keyed list",
      "Light",
      [1, 0, 1],
      { spec: { schedule: [{ name: { __: 0, "~": "" } }] } },
    ],
  ];

const kinds = await loadKinds(["webhooks"]);

function chainOf(name: string): VersionChain {
  const kind = kinds.find("home.antechamber.dev", name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind.chain;
}

it.each(cases)("%s", (_claim, name, way, parts) => {
  const kind = kinds.find("home.antechamber.dev", name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  const [from = 0, ...next] = way;
  const object = { apiVersion: kind.versions[from]?.apiVersion ?? "", kind: name, metadata: {}, ...parts };
  let [here, at]: [JsonObject, number] = [object, from];
  for (const to of next) [here, at] = [convert(here, kind.chain, at, to), to];
  expect(here).toEqual(object);
});

it("fields come back each on its own where a client took its null spec back", () => {
  const kind = kinds.find("home.antechamber.dev", "Room");
  if (kind === undefined) throw new Error("no kind Room");
  const up = (view: JsonObject) => convert(view, kind.chain, 0, 1);
  const down = (hub: JsonObject) => convert(hub, kind.chain, 1, 0);
  const room = {
    apiVersion: "home.antechamber.dev/v1",
    kind: "Room",
    metadata: {},
    spec: { accessories: [] },
  };
  const nothing = up({ ...down(room), spec: null });
  expect(nothing.spec).toEqual({ accessories: [] });
  expect(up({ ...down(nothing), spec: { floor: 2 } }).spec).toEqual({
    accessories: [],
    location: { floor: 2 },
  });
});

it("a forged annotation takes no status leaf away", () => {
  const kind = kinds.find("home.antechamber.dev", "Room");
  if (kind === undefined) throw new Error("no kind Room");
  const room = { apiVersion: "home.antechamber.dev/v1", kind: "Room", metadata: {}, status: { lights: [] } };
  const view = convert(room, kind.chain, 1, 0);
  const annotations = {
    "antechamber.dev/conversion-data-0": '{"format":1,"hub":{"=":"a leaf in the place of all"}}',
  };
  expect(convert({ ...view, metadata: { annotations } }, kind.chain, 0, 1).status).toEqual({ lights: [] });
});

it("of several annotations that a create brings along none sets status", () => {
  const key = "antechamber.dev/conversion-data";
  const leaf = '{"format":1,"spokes":{"v1beta1":{"status":{"phase":{"=":"forged"}}}}}';
  const annotations = { [`${key}/x`]: '{"format":1}', [key]: leaf };
  const room = { apiVersion: "home.antechamber.dev/v1", kind: "Room", metadata: { annotations } };
  const kept = keep(room, undefined, { operation: "CREATE", subresource: "", atHub: true }, chainOf("Room"));
  expect(JSON.stringify(kept)).not.toContain("forged");
});

it("a create from an export of status leaves alone leaves no empty annotation behind", () => {
  const annotations = {
    "antechamber.dev/conversion-data-0": '{"format":1,"spokes":{"v1beta1":{"status":{"phase":{"=":"On"}}}}}',
  };
  const room = { apiVersion: "home.antechamber.dev/v1", kind: "Room", metadata: { name: "a", annotations } };
  const kept = keep(room, undefined, { operation: "CREATE", subresource: "", atHub: true }, chainOf("Room"));
  expect(kept.metadata).toEqual({ name: "a" });
});

it("who forges a status that holds no carrier takes no spec leaf away with it", () => {
  const kind = kinds.find("home.antechamber.dev", "Light");
  if (kind === undefined) throw new Error("no kind Light");
  // Nothing but the copy in status holds the firmware.
  const conversionData = { format: 1, spokes: { v1beta1: { spec: { firmware: { "=": "2.3.1" } } } } };
  const stored = {
    apiVersion: "home.antechamber.dev/v1",
    kind: "Light",
    metadata: {},
    status: { conversionData },
  };
  const view = convert(stored, kind.chain, 1, 0);
  const forged = { format: 1, hub: { status: { "=": "" } }, spokes: { v1: {} }, stored: {} };
  const write = { operation: "UPDATE", subresource: "status", atHub: false } as const;
  const kept = keep({ ...view, status: { conversionData: forged } }, view, write, kind.chain);
  const after = convert({ ...view, status: kept.status ?? null }, kind.chain, 0, 1);
  expect(convert(after, kind.chain, 1, 0).spec).toEqual(view.spec);
});

it("a status that brings the carrier of another object does not change what it says itself", async () => {
  const bed = (await loadKinds(["test/kinds"])).find("garden.example.org", "Bed");
  if (bed === undefined) throw new Error("no kind Bed");
  const { chain } = bed;
  const [v1alpha1, v1alpha2, v1] = [0, 1, 3] as const;
  const named = (apiVersion: string, name: string): JsonObject => ({
    apiVersion: `garden.example.org/${apiVersion}`,
    kind: "Bed",
    metadata: { name, uid: name, generation: 1 },
  });
  const dry = convert({ ...named("v1", "dry"), status: { moisture: 0.01 } }, chain, v1, v1alpha1);
  const conversionData = get(dry, "status", "conversionData") ?? null;
  const wet = { ...named("v1alpha2", "wet"), status: { moisture: 100, conversionData } };
  const stored = convert(wet, chain, v1alpha2, v1);
  expect(stored.status).toMatchObject({ moisture: 1 });
  expect(convert(stored, chain, v1, v1alpha2).status).toMatchObject({ moisture: 100 });
});
