import { expect, it } from "vitest";
import { move } from "../../src/index.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { checkLaws } from "../../src/laws/check.ts";
import { lens } from "../support/lens.ts";
import { smallKind } from "./small-kind.ts";

const text = { type: "string" };
const seed = Number(process.env.SEED);

/** Dapr's Subscription, with a default in the older version alone, and with a field beside spec and status. */
function subscription(route: JsonObject) {
  const rules = { type: "array", items: text };
  const root = { scopes: { type: "array", items: text } };
  return smallKind(
    { name: "v1", root, spec: { topic: text, route }, lens: lens(move("spec.route", "spec.routes.default")) },
    {
      name: "v2",
      root,
      spec: { topic: text, routes: { type: "object", properties: { default: text, rules } } },
    },
  );
}

it.each([
  ["Releases", "a default that a write at the older version stores is not one that it lost"],
  ["FieldWise", "an applier also stops applying what stands beside spec and status"],
])("%s: %s", (law) => {
  for (const route of [text, { ...text, default: "" }]) {
    const [verdict] = checkLaws(subscription(route), { runs: 300, seed, laws: [law] });
    expect(verdict?.counterexample).toBeUndefined();
  }
});
