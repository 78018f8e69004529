import { expect, it } from "vitest";
import { sorted } from "../../src/conversion/tree.ts";
import type { Codec } from "../../src/index.ts";
import { isObject, move } from "../../src/index.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const config = { type: "object", properties: { receivers: open, exporters: open } };

/** A configuration as its text: JSON with its keys in order, so that each object has one text. */
const asText: Codec = {
  up: (text) => {
    if (typeof text !== "string") return undefined;
    try {
      const value = parseJson(text);
      return isObject(value) ? value : undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  },
  down: (value) => writeJson(sorted(value)),
};

const kind = smallKind(
  {
    name: "v1",
    spec: { config: { type: "string" } },
    lens: lens(move("spec.config", "spec.config", asText)),
  },
  { name: "v2", spec: { config } },
);

// An API server does not remove a part of the object where its text has a manager: docs/reference/limits.md.
it("all laws hold for a text of one version that is an object in the other", () => {
  const broken = checkLaws(kind, { runs: 40, seed: Number(process.env.SEED) }).filter(({ holds }) => !holds);
  expect(broken.map(({ law, counterexample }) => [law, counterexample])).toEqual([]);
});
