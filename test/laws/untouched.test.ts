import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { keep } from "../../src/conversion/keeper.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { settingOf } from "../../src/laws/setting.ts";
import { lostBetween } from "../../src/laws/untouched.ts";

// What the law says of a flag that only the old version has, in an item of a list that no server admits: another item has no
// name. The lens reads the items that have one.

const filter = (await loadKinds(["test/kinds"])).find("office.example.org", "Filter");
if (filter === undefined) throw new Error("there is no Filter");
const { chain } = filter;
const setting = settingOf(filter, servingEngine);
const [v1beta1, v1] = [0, 1] as const;
const stored = convert(
  {
    apiVersion: "office.example.org/v1beta1",
    kind: "Filter",
    metadata: { name: "one", uid: "8a1b7c1e-0001", generation: 1 },
    spec: { named: [{ name: "a", regex: false }] },
  },
  chain,
  v1beta1,
  v1,
);
const write = { operation: "UPDATE", subresource: "", atHub: true } as const;
const withNamed = (...named: JsonObject[]): JsonObject => ({ ...stored, spec: { named } });

it("a flag may go with a type that says something else", () => {
  const written = keep(withNamed({ name: "a", matchType: "=~" }, {}), stored, write, chain);
  expect(convert(written, chain, v1, v1beta1).spec).toEqual({ named: [{ name: "a", matchType: "=~" }] });
  expect(lostBetween(setting, stored, written, v1beta1)).toBeUndefined();
});

it("a flag that is lost although the type stays the same is a finding", () => {
  const { status: _, ...bare } = withNamed({ name: "a", matchType: "=" }, {});
  const written = { ...bare, metadata: { name: "one" } };
  expect(lostBetween(setting, stored, written, v1beta1)).toMatchObject({
    field: "spec.named.a.regex",
    expected: false,
  });
});
