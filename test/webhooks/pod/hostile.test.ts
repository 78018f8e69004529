import { describe, expect, it } from "vitest";
import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { inject } from "../../../webhooks/core/pod/inject.ts";
import { mergeTexts } from "../../../webhooks/core/pod/merge.ts";
import { SetIndex } from "../../../webhooks/core/pod/set-index.ts";
import { prepare } from "../../../webhooks/core/pod/sets.ts";
import { evaluate, parseExpression } from "../../../webhooks/kruise/shared/evaluate.ts";
import { creation } from "./listers.ts";

describe("a hostile expression", () => {
  const tooDeep = "an expression may be nested at most 200 levels deep";

  it.each([
    ["opens without an end", "(".repeat(4000), { fault: tooDeep }],
    ["calls without an end", "max(".repeat(1000), { fault: tooDeep }],
    [
      "is negated without an end",
      "-".repeat(4000),
      { fault: "parse error: syntax error at line 1, col 4001" },
    ],
    ["adds without an end", `1${"+1".repeat(2000)}`, { value: { number: 2001 } }],
    ["is a megabyte", "1+".repeat(500_000), { fault: "an expression may have at most 4096 bytes" }],
    [
      "multiplies into infinity",
      `1e308${"*1e308".repeat(600)}`,
      { value: { number: Number.POSITIVE_INFINITY } },
    ],
    [
      "counts beyond every number",
      `9P${"+9P".repeat(1300)}`,
      { value: { quantity: expect.objectContaining({ mantissa: 11_709n, exponent: 15 }) } },
    ],
    [
      "is not well-formed text",
      "\u0000\uffff\ud800é²½",
      { fault: "parse error: syntax error at line 1, col 2" },
    ],
  ])("ends: it %s", (_what, text, result) => {
    expect(evaluate(parseExpression(text), new Map())).toEqual(result);
  });
});

describe("hostile JSON", () => {
  it.each([
    ["nested", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["nested lists", `${"[".repeat(200_000)}${"]".repeat(200_000)}`],
  ])("is refused: %s", (_what, text) => {
    expect(mergeTexts(text, text)).toEqual({ fault: "Invalid JSON Document" });
  });

  it.each([
    ["one long string", { a: '\\"'.repeat(500_000) }],
    ["many keys", Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))],
  ])("is merged with itself, and stays as it is: %s", (_what, value) => {
    const text = JSON.stringify(value);
    const merged = mergeTexts(text, text);
    expect("text" in merged && JSON.parse(merged.text ?? "")).toEqual(value);
  });

  it("keeps keys that programs often mishandle", () => {
    expect(mergeTexts('{"__proto__":{"a":1},"constructor":1}', '{"__proto__":{"b":2},"toString":3}')).toEqual(
      {
        text: '{"__proto__":{"a":1,"b":2},"constructor":1,"toString":3}',
      },
    );
  });
});

describe("a hostile pattern", () => {
  const policyOf = (targetContainersNameRegex: string): JsonObject => ({
    apiVersion: "apps.kruise.io/v1beta1",
    kind: "SidecarSet",
    metadata: { name: "log" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      containers: [
        {
          name: "agent",
          resourcesPolicy: {
            targetContainersMode: "sum",
            targetContainersNameRegex,
            resourcesExpr: { requests: { cpu: "cpu" } },
          },
        },
      ],
    },
  });
  const pod: JsonObject = {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: `${"a".repeat(62)}!` }] },
  };

  it.each([
    ["(a+)+$", "no containers match the regex pattern"],
    ["(a|aa)+$", "no containers match the regex pattern"],
    ["(?!a)", "invalid regex pattern"],
    ["a".repeat(100_000), "a regex pattern may have at most 4096 characters"],
    ["(".repeat(4000), "invalid regex pattern"],
  ])("is judged without going back in the name: %.40s", (pattern, reason) => {
    const answer = inject(pod, creation({ sidecarSets: [policyOf(pattern)] }));
    expect(answer.outcome === "deny" && answer.causes[0]?.message).toContain(reason);
  });

  it("may repeat what is repeated", () => {
    const answer = inject(pod, creation({ sidecarSets: [policyOf("((a{0,100}){0,10})+$")] }));
    expect(answer.outcome).toBe("change");
  });
});

describe("many SidecarSets", () => {
  const many = Array.from(
    { length: 10_000 },
    (_, index): JsonObject => ({
      metadata: { name: `set-${index}` },
      spec: { selector: { matchLabels: { team: "shop", app: `app-${index}` } } },
    }),
  );

  it("are not all evaluated for a pod, although each requires a label that it has", () => {
    const index = new SetIndex(prepare);
    for (const set of many) index.put(set);
    const found = index.candidates({ team: "shop", app: "app-77" }, "default");
    expect(found.length).toBeLessThan(3);
    for (const set of many) index.remove(String(get(set, "metadata", "name")));
    expect(index.all()).toEqual([]);
    expect(index.candidates({ team: "shop", app: "app-77" }, "default")).toEqual([]);
  });
});

describe("a pod that multiplies what sidecars share", () => {
  const sets = [
    {
      metadata: { name: "log" },
      spec: {
        selector: { matchLabels: { app: "web" } },
        containers: Array.from({ length: 200 }, (_, index) => ({
          name: `agent-${index}`,
          shareVolumePolicy: { type: "enabled" },
          upgradeStrategy: { upgradeType: "HotUpgrade", hotUpgradeEmptyImage: "e:1" },
        })),
      },
    },
  ];
  const podOf = (container: JsonObject, annotations: JsonObject = {}): JsonObject => ({
    metadata: { labels: { app: "web" }, annotations },
    spec: { containers: [{ name: "app", ...container }] },
  });

  it("is rejected before it grows without bound", () => {
    const volumeMounts = Array.from({ length: 20_000 }, (_, index) => ({
      name: "v",
      mountPath: `/${index}`,
    }));
    const answer = inject(podOf({ volumeMounts }), creation({ sidecarSets: sets }));
    expect(answer.outcome === "deny" && answer.causes[0]?.message).toContain("more than 20000 containers");
  });

  it("ends with a path of very many names", () => {
    const env = Array.from({ length: 10_000 }, (_, index) => ({ name: `E${index}`, value: "x" }));
    const mount = { name: "v", mountPath: "/v", subPathExpr: "$(E9999)".repeat(100_000) };
    const answer = inject(podOf({ env, volumeMounts: [mount] }), creation({ sidecarSets: sets }));
    expect(answer.outcome).toBe("change");
  });

  it("ends with a long list of working containers, and of secrets", () => {
    const working = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`c${index}`, "x"]));
    const key = "kruise.io/sidecarset-working-hotupgrade-container";
    const pod = podOf({}, { [key]: JSON.stringify(working) });
    const imagePullSecrets = Array.from({ length: 50_000 }, () => ({ name: "s" }));
    const whole = { ...pod, spec: { ...(pod.spec as JsonObject), imagePullSecrets } };
    expect(inject(whole, creation({ sidecarSets: sets })).outcome).toBe("change");
  });
});

describe("a pod with keys that programs often mishandle", () => {
  it("keeps them, and gets them", () => {
    const pod = JSON.parse(
      '{"metadata":{"labels":{"__proto__":"x"},"annotations":{"__proto__":"{}","constructor":"c"}},"spec":{"containers":[]}}',
    ) as JsonObject;
    const set = JSON.parse(
      `{"metadata":{"name":"log"},"spec":{"selector":{"matchLabels":{"__proto__":"x"}},
        "patchPodMetadata":[{"patchPolicy":"MergePatchJson","annotations":{"__proto__":"{\\"a\\":1}"}}]}}`,
    ) as Json;
    const answer = inject(pod, creation({ sidecarSets: [set] }));
    if (answer.outcome !== "change") throw new Error(answer.outcome);
    const annotations = get(answer.object, "metadata", "annotations") ?? null;
    expect(JSON.stringify(annotations)).toBe('{"__proto__":"{\\"a\\":1}","constructor":"c"}');
  });

  it.each<Json>([
    {},
    { spec: null },
    { spec: { containers: "x" } },
    { metadata: null, spec: { containers: [null] } },
  ])("survives input that no API server sends: %j", (pod) => {
    const sets = [
      {
        metadata: { name: "log" },
        spec: {
          selector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] },
          containers: [{ name: "agent", shareVolumePolicy: { type: "enabled" } }],
        },
      },
    ];
    expect(inject(pod as JsonObject, creation({ sidecarSets: sets })).outcome).toBe("change");
  });
});
