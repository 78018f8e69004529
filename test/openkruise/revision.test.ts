import { describe, expect, it } from "vitest";
import { equal } from "../../src/json/equal.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { hashOf } from "../../webhooks/kruise/shared/hash.ts";
import { restoredFrom, revisionOf } from "../../webhooks/kruise/shared/revision.ts";
import { brokenRecords } from "./broken.ts";
import { goldenCases, normal } from "./cases.ts";

const cases = goldenCases("revision").map((each) => [each.name, each] as const);

describe("revisions", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    expect(recordOf(input)).toEqual(comparable(output));
  });

  it.each(cases)("%s: no other record would pass", (_name, { input, output }) => {
    const own = recordOf(input);
    const passing = [...brokenRecords(output)].filter((broken) => equal(comparable(broken.output), own));
    expect(passing.map(({ change }) => change)).toEqual([]);
  });

  it.each(cases)("%s brings back what it recorded, its hash with it", (_name, { input, output }) => {
    const sidecarSet = input.sidecarSet as JsonObject;
    const restored = restoredFrom(output.controllerRevision as JsonObject, sidecarSet);
    expect(hashOf(restored)).toBe(hashOf(sidecarSet));
    expect(get(restored, "status", "latestRevision")).toBe(output.name);
  });
});

/** The revision of a case, in the members of a record. */
function recordOf({ sidecarSet, revision, collisionCount }: JsonObject): Json {
  const controllerRevision = revisionOf(
    sidecarSet as JsonObject,
    revision as number,
    collisionCount as number,
  );
  return comparable({ name: get(controllerRevision, "metadata", "name") ?? null, controllerRevision });
}

function comparable({ name = null, controllerRevision = null }: JsonObject): Json {
  return { name, controllerRevision: normal(controllerRevision) };
}
