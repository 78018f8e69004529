import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ActionRejected, actionOf, appliedBy, manager } from "../../examples/home/actions.ts";
import type { Room } from "../../examples/home/cluster.ts";
import { get, isArray, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

const cases = readYaml(readFileSync("test/examples/actions.yaml", "utf8"))[0]?.value as readonly JsonObject[];

describe("an action", () => {
  it.each(cases.map((each) => [String(each.description), each] as const))("%s", (_, each) => {
    const outcome = outcomeOf(each);
    expect(outcome).toEqual(each.rejected === undefined ? { spec: each.spec } : { rejected: each.rejected });
  });

  it("that is not JSON is rejected", () => {
    expect(() => actionOf("{action: switch_on}")).toThrow(/^the body must be JSON: /);
  });
});

function outcomeOf({ request = null, owned = null }: JsonObject): object {
  try {
    const { spec } = appliedBy(actionOf(JSON.stringify(request)), roomWith(owned));
    return { spec };
  } catch (error) {
    if (!(error instanceof ActionRejected)) throw error;
    return { rejected: { code: error.code, message: error.message } };
  }
}

function roomWith(owned: Json): Room {
  const fields = (list: string, field: string) => {
    const names = get(owned, list);
    const keys = (isArray(names) ? names : []).map((name) => `k:${JSON.stringify({ name })}`);
    return Object.fromEntries(keys.map((key) => [key, { ".": {}, "f:name": {}, [field]: {} }]));
  };
  const lights = { "f:lights": fields("lights", "f:brightness") };
  const locks = { "f:locks": fields("locks", "f:state") };
  return {
    metadata: {
      name: "kitchen",
      namespace: "default",
      uid: "1",
      resourceVersion: "7",
      generation: 1,
      managedFields: [
        {
          manager: "kubectl",
          operation: "Apply",
          fieldsV1: { "f:spec": { "f:lights": fields("none", "") } },
        },
        { manager, operation: "Apply", fieldsV1: { "f:spec": { ...lights, ...locks } } },
      ],
    },
    spec: {
      lights: ["a", "b", "c"].map((name) => ({ name, brightness: 0.5, transition: "1s" })),
      locks: ["front", "back"].map((name) => ({ name, state: "Locked" as const })),
    },
  };
}
