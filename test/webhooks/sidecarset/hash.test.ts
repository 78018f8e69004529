import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { fromHub } from "../../../src/kind/kind.ts";
import { hashOf, hashWithoutImageOf } from "../../../webhooks/kruise/shared/hash.ts";
import { goldenCases } from "../openkruise/cases.ts";
import { kind, sidecarSet } from "./kind.ts";

const sidecarSets = fc.constantFrom(
  ...goldenCases("hash").map(({ input }) => input.sidecarSet as JsonObject),
);
const others = fc.constantFrom(
  ...["selector", "namespaceSelector", "volumes", "updateStrategy", "injectionStrategy", "imagePullSecrets"],
  ...["patchPodMetadata", "revisionHistoryLimit", "customVersion", "unknown"],
);
const json = fc.jsonValue() as fc.Arbitrary<Json>;

describe("the hash", () => {
  it("depends only on containers, and on init containers if one is a native sidecar", () => {
    fc.assert(
      fc.property(sidecarSets, others, json, (object, field, value) => {
        const spec = isObject(object.spec) ? object.spec : {};
        const changed = set(set(object, "spec", set(spec, field, value)), "status", value);
        expect([hashOf(changed), hashWithoutImageOf(changed)]).toEqual([
          hashOf(set(object, "spec", spec)),
          hashWithoutImageOf(set(object, "spec", spec)),
        ]);
      }),
    );
  });

  it("does not depend on the order of keys, nor on unknown fields", () => {
    fc.assert(
      fc.property(sidecarSets, (object) => {
        expect(hashOf(reversed(object) as JsonObject)).toBe(hashOf(object));
      }),
    );
    const container = { name: "agent", image: "agent:1", restartPolicyRules: [{}], newer: 1 };
    expect(hashOf(sidecarSet({ containers: [container] }))).toBe(hashOf(sidecarSet()));
  });

  it("is the same for both versions", () => {
    fc.assert(fc.property(sidecarSets, (object) => hashOf(fromHub(kind, object, 0)) === hashOf(object)));
  });

  it("without images depends on everything in a container but its image", () => {
    const one = (container: object) => sidecarSet({ containers: [{ name: "agent", ...container }] });
    expect(hashWithoutImageOf(one({ image: "agent:1" }))).toBe(hashWithoutImageOf(one({ image: "agent:2" })));
    expect(hashOf(one({ image: "agent:1" }))).not.toBe(hashOf(one({ image: "agent:2" })));
    expect(hashWithoutImageOf(one({ tty: true }))).not.toBe(hashWithoutImageOf(one({})));
  });

  it("of any JSON is a hash", () => {
    fc.assert(
      fc.property(json, json, (containers, initContainers) => {
        expect(hashOf({ spec: { containers, initContainers } })).toMatch(/^[b-z2-9]{64}$/);
      }),
    );
    expect(get({ a: hashOf({}) }, "a")).toBe(hashOf({ spec: {} }));
  });
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, below]) => [key, reversed(below)]),
  );
}
