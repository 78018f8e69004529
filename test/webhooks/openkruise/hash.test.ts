import { describe, expect, it } from "vitest";
import { equal } from "../../../src/json/equal.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { encodedOf, hashOf, hashWithoutImageOf } from "../../../webhooks/kruise/shared/hash.ts";
import { admit } from "../../support/admit.ts";
import { brokenRecords } from "./broken.ts";
import { type GoldenCase, goldenCases, normal } from "./cases.ts";

const kinds = await loadKinds(["webhooks"]);
const cases = goldenCases("hash").map((each) => [each.name, each] as const);

describe("hashes are OpenKruise's", () => {
  it.each(cases)("%s", (_name, golden) => {
    expect(disagreement(golden)).toBeUndefined();
  });

  it.each(cases)("%s: no other record would pass", (_name, golden) => {
    const passing = [...brokenRecords(golden.output)].filter(
      ({ output }) => disagreement({ ...golden, output }) === undefined,
    );
    expect(passing.map(({ change }) => change)).toEqual([]);
  });
});

/** How our hashes differ from the recorded ones; undefined if they do not. */
function disagreement({ input, output, features }: GoldenCase): unknown {
  const { stored, ...record } = output;
  const sidecarSet = input.sidecarSet as JsonObject;
  if (!features.includes("number-as-written")) {
    const ours = recordOf(sidecarSet);
    const after = hashesOf(withoutEmptyLists(sidecarSet));
    const isStored = equal(after, hashesOf(sidecarSet)) ? stored === undefined : equal(stored ?? null, after);
    return equal(ours, record) && isStored ? undefined : ours;
  }
  // We read a number by its value. An API server sends it so in any case: it writes 1e3 as 1000.
  const written = withAmountsOf(sidecarSet, record.encoded);
  const ours = { encoded: encodedOf(sidecarSet), ...hashesOf(sidecarSet) };
  const isSame = equal(normal(written), normal(sidecarSet)) && equal(recordOf(written), record);
  return isSame && equal(ours, stored ?? null) ? undefined : { ours, written: recordOf(written) };
}

function recordOf(sidecarSet: JsonObject): JsonObject {
  return { encoded: encodedOf(sidecarSet), ...hashesOf(sidecarSet), defaulted: annotated(sidecarSet) };
}

function hashesOf(sidecarSet: JsonObject): JsonObject {
  return { hash: hashOf(sidecarSet), hashWithoutImage: hashWithoutImageOf(sidecarSet) };
}

/** The hashes that the mutating webhook writes into annotations. */
function annotated(sidecarSet: JsonObject): JsonObject {
  const object = { apiVersion: "apps.kruise.io/v1beta1", kind: "SidecarSet", ...sidecarSet };
  const admitted = admit("mutate", kinds, { operation: "CREATE", version: "v1beta1", object });
  const [hash = null, hashWithoutImage = null] = ["hash", "hash-without-image"].map((name) =>
    get(admitted.object, "metadata", "annotations", `kruise.io/sidecarset-${name}`),
  );
  return { hash, hashWithoutImage };
}

/** What an API server stores of a SidecarSet whose lists OpenKruise's webhook removes when they are empty. */
function withoutEmptyLists(sidecarSet: JsonObject): JsonObject {
  const spec = Object.entries(isObject(sidecarSet.spec) ? sidecarSet.spec : {});
  return {
    ...sidecarSet,
    spec: Object.fromEntries(spec.filter(([, value]) => !isArray(value) || value.length > 0)),
  };
}

/** A SidecarSet with the amounts as a record encodes them: the texts of the numbers in the request. */
function withAmountsOf(sidecarSet: JsonObject, encoded: Json | undefined): JsonObject {
  const containers = get(parsed(String(encoded)), "containers");
  const resources = (isArray(containers) ? containers : []).map((each) => get(each, "resources") ?? null);
  const own = get(sidecarSet, "spec", "containers");
  const list = (isArray(own) ? own : []).map((each, index) =>
    isObject(each) ? { ...each, resources: resources[index] ?? null } : each,
  );
  return { ...sidecarSet, spec: { ...(isObject(sidecarSet.spec) ? sidecarSet.spec : {}), containers: list } };
}

function parsed(text: string): Json {
  try {
    return parseJson(text);
  } catch {
    // A broken record.
    return null;
  }
}
