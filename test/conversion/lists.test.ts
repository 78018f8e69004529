import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { printOf } from "../../src/conversion/item-print.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/json/yaml.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";

const kinds = await loadKinds(["test/kinds"]);
const plan = kinds.find("office.example.org", "Plan");
const cases = readYaml(readFileSync("test/cases/lists.yaml", "utf8"))[0]?.value as readonly JsonObject[];

it.each(cases.map((each) => [String(each["the client"]), each] as const))("the client %s", (_name, given) => {
  if (plan === undefined) throw new Error("there is no kind Plan");
  const stored = {
    apiVersion: "office.example.org/v1",
    kind: "Plan",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: given.hub as JsonObject,
  };
  const view = convert(stored, plan.chain, 1, 0);
  const written = { ...view, spec: given.written as JsonObject };
  expect(convert(written, plan.chain, 0, 1).spec).toEqual(given.holds);
});

// Prints are stored in objects: another hash would not recognise the items that an earlier release stored.
it.each([
  [{ run: "build", image: "node" }, "i209lmxvC_"],
  [{ image: "node", run: "build" }, "i209lmxvC_"],
  [{ list: [1, 2.5, true, null, "ä"], inner: { b: {}, a: [] } }, "MFkNq3d-y5"],
  ["text", "_TwP3"],
])("the print of %j stays the same", (item, print) => {
  expect(printOf(item)).toBe(print);
});
