import { describe, expect, it } from "vitest";
import { get, type JsonObject } from "../src/json/json.ts";
import { hashOf } from "../webhooks/kruise/shared/hash.ts";
import { restoredFrom, revisionOf } from "../webhooks/kruise/shared/revision.ts";
import { goldenCases, normal } from "./support/golden.ts";

const cases = goldenCases("revision").map((each) => [each.name, each] as const);

describe("revisions", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    const { sidecarSet, revision, collisionCount } = input;
    const recorded = revisionOf(sidecarSet as JsonObject, revision as number, collisionCount as number);
    expect(get(recorded, "metadata", "name")).toBe(output.name);
    expect(normal(recorded)).toEqual(normal(output.controllerRevision as JsonObject));
  });

  it.each(cases)("%s brings back what it recorded, its hash with it", (_name, { input, output }) => {
    const sidecarSet = input.sidecarSet as JsonObject;
    const restored = restoredFrom(output.controllerRevision as JsonObject, sidecarSet);
    expect(hashOf(restored)).toBe(hashOf(sidecarSet));
    expect(get(restored, "status", "latestRevision")).toBe(output.name);
  });
});
