import { describe, expect, it } from "vitest";
import { get, type JsonObject } from "../../../src/json/json.ts";
import { hashOf } from "../../../webhooks/kruise/shared/hash.ts";
import { restoredFrom } from "../../../webhooks/kruise/shared/revision.ts";
import { goldenCases } from "./cases.ts";

const cases = goldenCases("revision").map((each) => [each.name, each] as const);

describe("revisions", () => {
  it.each(cases)("%s brings back what it recorded, its hash with it", (_name, { input, output }) => {
    const sidecarSet = input.sidecarSet as JsonObject;
    const restored = restoredFrom(output.controllerRevision as JsonObject, sidecarSet);
    expect(hashOf(restored)).toBe(hashOf(sidecarSet));
    expect(get(restored, "status", "latestRevision")).toBe(output.name);
  });
});
