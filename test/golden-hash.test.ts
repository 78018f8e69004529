import { describe, expect, it } from "vitest";
import type { JsonObject } from "../src/json/json.ts";
import { encodedOf, hashOf, hashWithoutImageOf } from "../webhooks/kruise/shared/hash.ts";
import { goldenCases } from "./support/golden.ts";

describe("hashes", () => {
  it.each(goldenCases("hash").map((each) => [each.name, each] as const))(
    "of %s",
    (_name, { input, output: sent, features }) => {
      const sidecarSet = input.sidecarSet as JsonObject;
      // We read a number by its value. An API server sends it so in any case: it writes 1e3 as 1000.
      const output = (features.includes("number-as-written") ? sent.stored : sent) as JsonObject;
      expect(encodedOf(sidecarSet)).toBe(output.encoded);
      expect(hashOf(sidecarSet)).toBe(output.hash);
      expect(hashWithoutImageOf(sidecarSet)).toBe(output.hashWithoutImage);
    },
  );
});
