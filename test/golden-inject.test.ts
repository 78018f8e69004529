import { describe, expect, it } from "vitest";
import { equal } from "../src/json/equal.ts";
import { isArray, isObject, type Json, type JsonObject } from "../src/json/json.ts";
import { type Injection, inject } from "../webhooks/core/pod/inject.ts";
import { differenceOf, ownPart } from "./golden-differences-inject.ts";
import { type GoldenCase, goldenCases, normal } from "./support/golden.ts";
import { creation } from "./webhooks/pod/listers.ts";

const cases = goldenCases("inject").map((each) => [each.name, each] as const);

// Where OpenKruise goes on in the words of Go's JSON decoder, we say what would do.
const ownWords = /unmarshal failed:.*/s;

describe("the injector answers as OpenKruise does", () => {
  it.each(cases)("%s", (_name, golden) => {
    const difference = differenceOf(golden);
    for (const draw of golden.unstable ? [0, 0.25, 0.5, 0.999] : [0.5]) {
      const answer = answerTo(golden, draw);
      if (agrees(answer, golden)) continue;
      if (difference === undefined) expect(told(answer)).toEqual(golden.output);
      expect(answer.outcome).toBe(difference?.outcome);
    }
  });
});

function answerTo({ input }: GoldenCase, draw: number): Injection {
  const { pod, operation, subResource, namespace, now, featureGates } = input;
  const circumstances = {
    operation: String(operation),
    subresource: typeof subResource === "string" ? subResource : "",
    namespace: typeof namespace === "string" ? namespace : "",
    now: new Date(String(now)),
    random: () => draw,
    gates: gatesOf(featureGates),
  };
  const { sidecarSets, namespaces, controllerRevisions } = input;
  const object: JsonObject = isObject(pod) ? pod : {};
  return inject(object, creation({ sidecarSets, namespaces, controllerRevisions, circumstances }));
}

function gatesOf(gates: Json | undefined): Readonly<Record<string, boolean>> {
  const names = isArray(gates)
    ? gates
    : Object.entries(gates ?? {}).flatMap(([key, on]) => (on ? [key] : []));
  return Object.fromEntries(names.map((name) => [String(name), true]));
}

function agrees(answer: Injection, { input, output }: GoldenCase): boolean {
  const wanted = isArray(output.anyOf) ? output.anyOf : [output];
  return wanted.filter(isObject).some((each) => {
    if (each.allowed !== true) {
      const sentence = String(each.message).replace(ownWords, "");
      return answer.outcome === "deny" && answer.causes.some(({ message }) => message.includes(sentence));
    }
    if (each.changed !== true) return answer.outcome === "allow";
    const pod = answer.outcome === "change" ? answer.object : (input.pod ?? null);
    return allowed.has(answer.outcome) && equal(comparable(pod), comparable(each.pod ?? null));
  });
}

const allowed: ReadonlySet<string> = new Set(["allow", "change"]);

function comparable(pod: Json): Json {
  return ownPart(normal(pod));
}

function told({ explain: _, ...verdict }: Injection): unknown {
  return verdict;
}
