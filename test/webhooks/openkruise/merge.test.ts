import { describe, expect, it } from "vitest";
import { mergeTexts } from "../../../webhooks/core/pod/merge.ts";
import { goldenCases } from "./cases.ts";

const cases = goldenCases("merge").map((each) => [each.name, each] as const);

describe("annotations are merged as OpenKruise merges them, to the byte", () => {
  it.each(cases)("%s", (_name, { input, output }) => {
    const merged = mergeTexts(String(input.original), String(input.patch));
    expect(merged).toEqual("error" in output ? { fault: output.error } : { text: output.result });
  });
});
