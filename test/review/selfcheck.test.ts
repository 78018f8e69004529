import { describe, expect, it } from "vitest";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { answerConversion } from "../../src/review/conversion.ts";
import { faultOfChanged } from "../../src/review/selfcheck.ts";

const kinds = await loadKinds(["webhooks"]);
const metadata = {
  name: "kitchen",
  namespace: "home",
  uid: "u-1",
  annotations: { "no name": "old sins pass" },
};
const asked = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "ConversionReview",
  request: {
    uid: "r-1",
    desiredAPIVersion: "home.antechamber.dev/v1",
    objects: [{ apiVersion: "home.antechamber.dev/v1beta1", kind: "Room", metadata }],
  },
};

/** What is answered where conversion gives back this: its message, or undefined for a success. */
function messageOf(converted: JsonObject): Json | undefined {
  const { review } = answerConversion(asked, kinds, () => ({ object: converted, carrierText: undefined }));
  return get(review, "response", "result", "message");
}

const room = { apiVersion: "home.antechamber.dev/v1", kind: "Room" };
const withAnnotations = (annotations: Json) => ({ ...room, metadata: { ...metadata, annotations } });
const limit = 256 * 1024;

// The sentences are an API server's own (apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go).
describe("what a conversion must not give back", () => {
  it.each<[string, JsonObject, string]>([
    [
      "another version",
      { ...room, apiVersion: "home.antechamber.dev/v1beta1", metadata },
      "invalid groupVersion",
    ],
    ["another kind", { ...room, kind: "Light", metadata }, "invalid kind (expected Room, received Light)"],
    [
      "another name",
      { ...room, metadata: { ...metadata, name: "bath" } },
      "must have the same name: kitchen != bath",
    ],
    ["no uid", { ...room, metadata: { ...metadata, uid: null } }, "must have the same UID: u-1 != null"],
    ["annotations that are a list", withAnnotations([]), "invalid metadata.annotations in converted object"],
    ["an annotation that is no text", withAnnotations({ a: 1 }), "metadata.annotations[a] must be a string"],
    ["a key that is no name", withAnnotations({ "no name": "" }), "not a qualified name"],
    [
      "a label that is none",
      { ...room, metadata: { ...metadata, labels: { a: "no label" } } },
      'metadata.labels: Invalid value: "no label": not a label value',
    ],
    [
      "a byte too much of annotations",
      withAnnotations({ a: "x".repeat(limit) }),
      `metadata.annotations: Too long: may not be more than ${limit} bytes`,
    ],
    [
      "annotations whose bytes are too many, though not their characters",
      withAnnotations({ a: "é".repeat(limit / 2) }),
      `metadata.annotations: Too long: may not be more than ${limit} bytes`,
    ],
  ])("%s", (_, converted, sentence) => {
    expect(messageOf(converted)).toMatch(/^objects\[0\]: /);
    expect(messageOf(converted)).toContain(sentence);
  });
});

describe("what it may", () => {
  it.each<[string, JsonObject]>([
    ["what was there already, also where it is no name", { ...room, metadata }],
    ["as many annotations as an object can have", withAnnotations({ a: "x".repeat(limit - 1) })],
    ["as many of two bytes each", withAnnotations({ a: "é".repeat(limit / 2 - 1) })],
    ["none", { ...room, metadata: { ...metadata, annotations: null } }],
  ])("%s", (_, converted) => {
    expect(messageOf(converted)).toBeUndefined();
  });
});

describe("a change by admission", () => {
  const object = (annotations: JsonObject): JsonObject => ({
    apiVersion: "home.antechamber.dev/v1",
    kind: "Room",
    metadata: { name: "hall", annotations },
  });
  const long = "x".repeat(300 * 1024);

  it.each<[string, JsonObject]>([
    ["a key", { "#order": "1" }],
    ["a value", { "a/b": 1 }],
    ["a length", { long }],
  ])("may keep %s that the client wrote: the API server rejects it with its own words", (_what, written) => {
    expect(faultOfChanged(object(written), object({ ...written, ours: "" }))).toBeUndefined();
  });

  it.each<[string, JsonObject, string]>([
    ["a key", { "#order": "1" }, "not a qualified name"],
    ["a value", { "a/b": 1 }, "must be a string"],
    ["a length", { long }, "Too long"],
  ])("may not add %s that the API server rejects", (_what, added, fault) => {
    expect(faultOfChanged(object({ mine: "" }), object({ mine: "", ...added }))).toContain(fault);
  });
});
