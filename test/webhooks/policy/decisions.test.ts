import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { inject } from "../../../webhooks/core/pod/inject.ts";
import { creation } from "../pod/listers.ts";
import { placedPod, policy } from "./drawn.ts";
import { oracle } from "./oracle.ts";

interface Case {
  readonly row: string;
  readonly match?: Json;
  readonly switch?: JsonObject;
  readonly paused?: boolean;
  readonly pod: { readonly namespace?: string; readonly hostNetwork?: boolean } & JsonObject;
  readonly injected: boolean;
  readonly warns?: boolean;
}

const text = readFileSync(new URL("decisions.yaml", import.meta.url), "utf8");
const cases = readYaml(text)[0]?.value as unknown as readonly Case[];

const namespaces: Json = [
  { metadata: { name: "labelled", labels: { team: "true" }, annotations: { quiet: "false" } } },
  { metadata: { name: "shop" } },
];

/** The names of the policies that were injected, and the warnings. */
function injectedBy(policies: Json, pod: JsonObject, where: Json) {
  const result = inject(pod, creation({ injectionPolicies: policies, namespaces: where }));
  expect(["allow", "change"]).toContain(result.outcome);
  const object = result.outcome === "change" ? result.object : pod;
  const annotation = get(object, "metadata", "annotations", "injection.antechamber.dev/injected");
  const names = typeof annotation === "string" ? annotation.split(",") : [];
  const containers = (get(object, "spec", "containers") as readonly JsonObject[]).map(({ name }) => name);
  expect(containers.filter((name) => name !== "app").sort()).toEqual(names);
  return { names, warnings: result.outcome === "wait" ? [] : result.warnings, result };
}

describe("the switch of an InjectionPolicy", () => {
  it.each(cases.map((each) => [each.row, each] as const))(
    "%s",
    (_row, { pod, injected, warns = false, ...more }) => {
      const { namespace = "shop", hostNetwork = false, ...metadata } = pod;
      const spec = {
        ...(more.match === undefined ? {} : { match: more.match }),
        ...(more.paused === undefined ? {} : { paused: more.paused }),
        ...(more.switch === undefined
          ? {}
          : { switch: { label: "inject", annotation: "inject", ...more.switch } }),
        containers: [{ name: "one", image: "i:1" }],
      };
      const object = { metadata: { name: "one" }, spec };
      const given = {
        metadata: { ...metadata, namespace },
        spec: { hostNetwork, containers: [{ name: "app" }] },
      };
      const { names, warnings, result } = injectedBy([object], given, namespaces);
      expect({ names, warns: warnings.length > 0 }).toEqual({ names: injected ? ["one"] : [], warns });
      const [explained] = result.explain().policies ?? [];
      expect(explained?.decision.decision).toBe(injected ? "yes" : "no");
    },
  );

  it("decides as the table says for 1,000 random policies and pods", () => {
    const found = { yes: 0, no: 0 };
    const property = fc.property(policy("one"), placedPod, (object, { pod, namespace }) => {
      const expected = oracle(object, pod, namespace);
      found[expected ? "yes" : "no"]++;
      expect(injectedBy([object], pod, [namespace]).names).toEqual(expected ? ["one"] : []);
    });
    fc.assert(property, { numRuns: 1000 });
    // A drawing that hardly ever injects would prove nothing.
    expect(Math.min(found.yes, found.no)).toBeGreaterThan(100);
  });

  it("decides the same where many policies are indexed", () => {
    const names = Array.from({ length: 50 }, (_, index) => `p${String(index).padStart(2, "0")}`);
    const property = fc.property(
      fc.tuple(...names.map(policy)),
      placedPod,
      (policies, { pod, namespace }) => {
        const expected = policies.filter((each) => oracle(each, pod, namespace));
        expect(injectedBy(policies, pod, [namespace]).names).toEqual(
          expected.map((each) => String(get(each, "metadata", "name"))),
        );
      },
    );
    fc.assert(property, { numRuns: 200 });
  });
});
