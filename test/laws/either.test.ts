import { expect, it } from "vitest";
import { group } from "../../src/index.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const text = { type: "string" };

// The older version shows the id where there is one, and the name is for the newer one alone then.
const kind = smallKind(
  {
    name: "v1",
    spec: { imageName: text, imageUUID: text },
    lens: lens(
      group({
        older: { name: "spec.imageName", id: "spec.imageUUID" },
        newer: { name: "spec.image.name", id: "spec.image.id" },
        up: ({ name, id }) => (id === undefined ? { name } : { id }),
        down: ({ name, id }) => (id === undefined ? { name } : { id }),
        lossy: { name: "an image that has an id has no name", id: "one of the two is enough" },
      }),
    ),
  },
  { name: "v2", spec: { image: { type: "object", properties: { name: text, id: text } } } },
);

// An applier that gives up one of the two loses the other: docs/reference/limits.md.
it("all laws but FieldWise hold for a row that shows the first of several fields that is there", () => {
  const results = checkLaws(kind, { runs: 200, seed: Number(process.env.SEED) });
  const broken = results.filter(({ holds, law }) => !holds && law !== "FieldWise");
  expect(broken.map(({ law, counterexample }) => [law, counterexample])).toEqual([]);
});
