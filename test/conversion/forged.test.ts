import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PatchOperation } from "../../src/admission/patch.ts";
import { carrierField, carrierPrefix } from "../../src/conversion/carriers.ts";
import { convert } from "../../src/conversion/convert.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { openGates } from "../../src/kind/gate.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { anyJson } from "../../src/laws/any.ts";
import { offlineListers } from "../../src/offline/listers.ts";
import { answerMutation, answerValidation } from "../../src/review/admission.ts";
import { wholeReview } from "../../src/review/answer.ts";
import { answerConversion } from "../../src/review/conversion.ts";
import { apply } from "../admission/applier.ts";

const seed = Number(process.env.SEED);
const kinds = await loadKinds(["webhooks"]);
const group = "home.antechamber.dev";
const versions = ["v1beta1", "v1"];

describe("a carrier annotation that inflates to more than an object may hold", () => {
  const bomb = packed({ spec: { note: { "=": "x".repeat(10 * 1024 * 1024) } } });

  it("is not inflated: a read at the old version shows the object without it", () => {
    expect(bomb.length).toBeLessThan(20_000);
    expect(shown(room("v1", { [`${carrierPrefix}-0`]: bomb }))).toEqual(shown(room("v1")));
  });

  it.each(versions)("is removed from what a client creates or updates at %s", (version) => {
    const object = room(version, { a: "b", [`${carrierPrefix}-0`]: bomb });
    for (const oldObject of [undefined, room(version, { a: "b" })]) {
      expect(admitted(object, oldObject).metadata).toEqual(room(version, { a: "b" }).metadata);
    }
  });

  it("is removed by the next update at the newest version, where it is stored already", () => {
    const stored = room("v1", { [`${carrierPrefix}-0`]: bomb });
    expect(get(admitted(stored, stored), "metadata", "annotations")).toBeUndefined();
  });
});

describe("several carrier annotations", () => {
  const large = (note: string) => packed({ spec: { [note]: { "=": note.repeat(1_000_000) } } });

  it("share one bound", () => {
    const names = [..."abcdefg"];
    const annotations = Object.fromEntries(names.map((name) => [`${carrierPrefix}-${name}`, large(name)]));
    const kept = get(admitted(room("v1beta1", annotations)), "metadata", "annotations") as JsonObject;
    expect(Object.keys(kept)).toHaveLength(3);
  });

  it("are read from the highest generation on, so that an old one takes no room from the one that decides", () => {
    const annotations = Object.fromEntries(
      [..."abcd"].map((name, at) => [`${carrierPrefix}-${name}`, view(name, at + 1)]),
    );
    const object = room("v1beta1", annotations);
    const hub = convert(object, chain("Room"), 0, 1);
    expect(Object.keys(hub.spec as JsonObject)).toEqual(["d"]);
  });

  it("are not read in any number", () => {
    const annotations = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [`${carrierPrefix}-${at}`, packed({ spec: {} })]),
    );
    expect(get(admitted(room("v1beta1", annotations)), "metadata", "annotations")).toSatisfy(
      (kept: JsonObject) => Object.keys(kept).length <= 8,
    );
  });

  function view(name: string, generation: number): string {
    const content = writeJson({ hub: { spec: { [name]: { "=": name.repeat(1_000_000) } } } });
    return writeJson({ format: 1, generation, deflated: deflateRawSync(content).toString("base64") });
  }
});

it("a carrier annotation that is nested too deeply to be walked fails no conversion", () => {
  const deep = `{"format":1,"spokes":{"v1beta1":${'{"a":'.repeat(40_000)}1${"}".repeat(40_000)}}}`;
  expect(shown(room("v1", { [`${carrierPrefix}-0`]: deep }))).toEqual(shown(room("v1")));
});

it("what the engine deflates comes back whole, up to the bound", () => {
  const note = Array.from({ length: 60_000 }, (_, at) => ({ step: at, note: "as before" }));
  const hub = { ...room("v1"), spec: { lights: [{ name: "a", x: note }] } } as JsonObject;
  const old = convert(hub, chain("Room"), 1, 0);
  const bare = { ...old, status: null } as JsonObject;
  expect(Object.values(get(old, "metadata", "annotations") as JsonObject).join()).toContain("deflated");
  expect(convert(bare, chain("Room"), 0, 1).spec).toEqual(hub.spec);
});

// What an API server never sends, it may send one day: no shape of a carrier is an error of ours.
it.each(versions)("no shape of a carrier at %s is an error of the webhook", (version) => {
  const carrier = fc.oneof(
    anyJson,
    fc.dictionary(fc.constantFrom("format", "hub", "spokes", "stored", "was", "uid", "deflated"), anyJson),
    anyJson.map((content) => writeJson({ format: 1, spokes: content, hub: content, stored: content })),
    anyJson.map((content) => packed(content as JsonObject)),
  ) as fc.Arbitrary<Json>;
  const objects = fc
    .tuple(fc.dictionary(fc.constantFrom("", "-0", "-1"), carrier), carrier)
    .map(([annotations, field]) => ({
      ...room(
        version,
        Object.fromEntries(Object.entries(annotations).map(([key, value]) => [carrierPrefix + key, value])),
      ),
      status: { [carrierField]: field },
    }));
  const old = fc.option(objects, { nil: undefined });
  fc.assert(
    fc.property(objects, old, fc.constantFrom("", "status"), (object, oldObject, subResource) => {
      const review = reviewOf(object, oldObject, subResource);
      for (const answer of [answerMutation, answerValidation]) {
        expect(answer(review, surroundings).report).not.toMatchObject({ outcome: "error" });
      }
    }),
    { seed, numRuns: 100 },
  );
});

const surroundings = {
  kinds,
  now: () => new Date("2026-07-02T09:20:58Z"),
  random: () => 0.5,
  listersOf: (needs = {}) => {
    const listerOf = offlineListers([], kinds, { now: surroundings.now, gates: new Map() });
    return Object.fromEntries(Object.entries(needs).map(([name, need]) => [name, listerOf(need as never)]));
  },
  gatesOf: (known: Parameters<typeof openGates>[0]) => openGates(known, new Map()),
  mayWait: () => false,
};

function room(version: string, annotations?: JsonObject): JsonObject {
  const metadata = { name: "kitchen", namespace: "home", uid: "u-1", generation: 9 };
  const marked = annotations === undefined ? metadata : { ...metadata, annotations };
  return { apiVersion: `${group}/${version}`, kind: "Room", metadata: marked, spec: {} };
}

function packed(tree: JsonObject): string {
  const content = writeJson({ spokes: { v1beta1: tree } });
  return writeJson({ format: 1, deflated: deflateRawSync(content).toString("base64") });
}

function chain(name: string) {
  const kind = kinds.find(group, name);
  if (kind === undefined) throw new Error(`there is no ${name}`);
  return kind.chain;
}

/** A room of v1 as a reader at v1beta1 gets it. */
function shown(object: JsonObject): Json | undefined {
  const answer = answerConversion(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      request: { uid: "r", desiredAPIVersion: `${group}/v1beta1`, objects: [object] },
    },
    kinds,
  );
  expect(answer.report).toMatchObject({ outcome: "success" });
  return get(wholeReview(answer), "response", "convertedObjects");
}

/** A room as it is after the mutating webhook. */
function admitted(object: JsonObject, oldObject?: JsonObject): JsonObject {
  const answer = answerMutation(reviewOf(object, oldObject, ""), surroundings);
  expect(answer.report.outcome).toMatch(/allow|change/);
  const patch = get(wholeReview(answer), "response", "patch");
  const operations = typeof patch === "string" ? parseJson(Buffer.from(patch, "base64").toString()) : [];
  return apply(object, operations as readonly PatchOperation[]) as JsonObject;
}

function reviewOf(object: JsonObject, oldObject: JsonObject | undefined, subResource: string): JsonObject {
  const version = String(object.apiVersion).split("/")[1] as string;
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid: "r",
      kind: { group, version, kind: "Room" },
      operation: oldObject === undefined ? "CREATE" : "UPDATE",
      subResource,
      object,
      ...(oldObject === undefined ? {} : { oldObject }),
    },
  };
}
