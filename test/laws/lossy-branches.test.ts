import { expect, it } from "vitest";
import { mapToList, move, times, union } from "../../src/index.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const text = { type: "string", maxLength: 3 };
const entry = { type: "object", properties: { name: text, size: { type: "integer" } } };
const kind = smallKind(
  {
    name: "v1",
    spec: {
      by: { type: "string", enum: ["Parts", "Whole"] },
      parts: { type: "object", additionalProperties: entry },
      weight: { type: "integer", maximum: 1000 },
    },
    lens: lens(
      union(
        { older: "spec.by" },
        {
          Parts: [move("spec.parts", "spec.list", mapToList("name", { isKept: true }))],
          Whole: [move("spec.weight", "spec.grams", times(1000))],
        },
      ),
    ),
  },
  { name: "v2", spec: { list: { type: "array", items: entry }, grams: { type: "integer" } } },
);

it.each(["Faithful", "Mapped", "GetPut"])("a branch may map by a codec that loses an order: %s", (law) => {
  const [verdict] = checkLaws(kind, { runs: 300, seed: Number(process.env.SEED), laws: [law] });
  expect(verdict?.counterexample).toBeUndefined();
});
