import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equal } from "../../../src/json/equal.ts";
import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { printExplanation } from "../../../webhooks/core/pod/explain.ts";
import { type Injection, inject } from "../../../webhooks/core/pod/inject.ts";
import { sidecarSets, pod as somePod } from "../pod/drawn.ts";
import { creation, unknown } from "../pod/listers.ts";

const injected = "injection.antechamber.dev/injected";

function policyOf(name: string, spec: JsonObject): JsonObject {
  return { metadata: { name }, spec };
}

const pod: JsonObject = {
  metadata: {
    name: "p",
    namespace: "shop",
    labels: { app: "web" },
    annotations: { role: "shop", size: "2Mi" },
  },
  spec: {
    containers: [
      { name: "app", env: [{ name: "A", value: "own" }], volumeMounts: [{ name: "d", mountPath: "/d" }] },
      { name: "proxy", env: [{ name: "IS_INJECTED", value: "true" }] },
    ],
    initContainers: [{ name: "setup" }],
    volumes: [{ name: "d", emptyDir: {} }],
  },
};

function answer(policies: Json, more: Parameters<typeof creation>[0] = {}, object = pod): Injection {
  return inject(object, creation({ injectionPolicies: policies, ...more }));
}

function changed(result: Injection): JsonObject {
  if (result.outcome !== "change") throw new Error(`not changed but ${JSON.stringify(result)}`);
  return result.object;
}

const app = {
  env: [
    { name: "A", value: "policy" },
    { name: "B", value: "policy" },
  ],
  volumeMounts: [
    { name: "s", mountPath: "/d" },
    { name: "s", mountPath: "/s" },
  ],
};
const volumes = [
  { name: "s", emptyDir: {} },
  { name: "unused", emptyDir: {} },
];

describe("an InjectionPolicy", () => {
  it("adds env and mounts to the pod's own containers, where name and path are free", () => {
    const object = changed(answer([policyOf("secrets", { app, volumes })]));
    expect(get(object, "spec")).toEqual({
      containers: [
        {
          name: "app",
          env: [
            { name: "A", value: "own" },
            { name: "B", value: "policy" },
          ],
          volumeMounts: [
            { name: "d", mountPath: "/d" },
            { name: "s", mountPath: "/s" },
          ],
        },
        { name: "proxy", env: [{ name: "IS_INJECTED", value: "true" }] },
      ],
      initContainers: [{ name: "setup" }],
      volumes: [
        { name: "d", emptyDir: {} },
        { name: "s", emptyDir: {} },
      ],
    });
    expect(get(object, "metadata", "annotations", injected)).toBe("secrets");
  });

  it("adds them to init containers if it says so", () => {
    const object = changed(answer([policyOf("secrets", { app: { ...app, initContainers: true }, volumes })]));
    expect(get(object, "spec", "initContainers")).toEqual([{ name: "setup", ...app }]);
  });

  it("puts annotations of the pod into its fields, else the default, else what stands there", () => {
    const spec = {
      containers: [
        { name: "agent", image: "agent:1", args: ["-v", "0"], env: [{ name: "ROLE", value: "none" }] },
      ],
      volumes: [{ name: "s", emptyDir: {} }],
      app: { volumeMounts: [{ name: "s", mountPath: "/s" }] },
      values: [
        {
          name: "role",
          annotation: "role",
          type: "string",
          pattern: "[a-z]+",
          fields: ["containers[agent].env[ROLE].value"],
        },
        { name: "size", annotation: "size", type: "quantity", fields: ["volumes[s].emptyDir.sizeLimit"] },
        {
          name: "level",
          annotation: "level",
          type: "integer",
          default: "3",
          fields: ["containers[agent].args[1]"],
        },
        { name: "image", annotation: "image", type: "string", fields: ["containers[agent].image"] },
        {
          name: "cpu",
          annotation: "cpu",
          type: "quantity",
          default: "1",
          fields: ["containers[agent].resources.limits.example.com/gpu"],
        },
      ],
    };
    const object = changed(answer([policyOf("agent", spec)]));
    expect((get(object, "spec", "containers") as readonly JsonObject[])[2]).toEqual({
      name: "agent",
      image: "agent:1",
      args: ["-v", "3"],
      env: [
        { name: "ROLE", value: "shop" },
        { name: "IS_INJECTED", value: "true" },
      ],
      resources: { limits: { "example.com/gpu": "1" } },
    });
    expect(get(object, "spec", "volumes")).toContainEqual({ name: "s", emptyDir: { sizeLimit: "2Mi" } });
  });

  it.each([
    ["integer", undefined, "3.5", "is not an integer"],
    ["boolean", undefined, "yes", "is not true or false"],
    ["quantity", undefined, "many", "is not a quantity, such as 500m or 2Gi"],
    ["string", "[a-z]+", "a b", "does not match the pattern [a-z]+"],
  ])("rejects a pod with a value that is no %s of pattern %s", (type, pattern, text, why) => {
    const value = {
      name: "v",
      annotation: "v",
      type,
      fields: ["containers[a].image"],
      ...(pattern ? { pattern } : {}),
    };
    const object = { ...pod, metadata: { ...(pod.metadata as JsonObject), annotations: { v: text } } };
    const result = answer(
      [policyOf("agent", { containers: [{ name: "a", image: "a:1" }], values: [value] })],
      {},
      object,
    );
    expect(result).toMatchObject({
      outcome: "deny",
      causes: [
        {
          message: `InjectionPolicy agent, spec.values[0]: annotation v of the pod is "${text}", which ${why}`,
        },
      ],
      audit: { "refused-for": "InjectionPolicy/agent" },
    });
  });

  it("keeps the order of its init containers, in which they run", () => {
    const initContainers = ["z", "a"].map((name) => ({
      name,
      image: "i",
      podInjectPolicy: "BeforeAppContainer",
    }));
    const object = changed(answer([policyOf("one", { initContainers })]));
    const names = (get(object, "spec", "initContainers") as readonly JsonObject[]).map(({ name }) => name);
    expect(names).toEqual(["z", "a", "setup"]);
  });

  it("does not touch the records of SidecarSets", () => {
    const set = {
      metadata: { name: "log" },
      spec: { selector: { matchLabels: { app: "web" } }, containers: [{ name: "l" }] },
    };
    const object = changed(
      answer([policyOf("one", { containers: [{ name: "c" }] })], { sidecarSets: [set] }),
    );
    const annotations = get(object, "metadata", "annotations");
    expect(get(annotations, "kruise.io/sidecarset-injected-list")).toBe("log");
    expect(get(annotations, "kruise.io/sidecarset-hash")).not.toContain("one");
    expect(get(annotations, injected)).toBe("one");
  });

  it("waits for a Namespace only if it depends on it", () => {
    const byNamespace = policyOf("mesh", {
      switch: { label: "inject", namespaceLabel: "mesh" },
      containers: [{ name: "m" }],
    });
    expect(answer([byNamespace])).toMatchObject({
      outcome: "wait",
      reason:
        "namespace shop is not known yet, and spec.switch.namespaceLabel of InjectionPolicy mesh depends on it",
    });
    const labels = { inject: "true" };
    const asked = { ...pod, metadata: { ...(pod.metadata as JsonObject), labels } };
    expect(answer([byNamespace], {}, asked).outcome).toBe("change");
    const refuses = policyOf("mesh", {
      match: { namespaceSelector: { matchLabels: { team: "a" } } },
      switch: { label: "inject" },
      containers: [{ name: "m" }],
    });
    expect(answer([refuses]).outcome).toBe("allow");
    expect(answer([refuses], {}, asked).outcome).toBe("wait");
  });

  it("keeps pods waiting until all policies are listed", () => {
    const { listers } = creation({});
    const request = creation({ circumstances: { listers: { ...listers, injectionPolicies: unknown } } });
    expect(inject(pod, request).outcome).toBe("wait");
  });

  it("is explained row by row, also where it does not inject", () => {
    const result = answer([
      policyOf("off", { switch: { annotation: "inject" }, containers: [{ name: "c" }] }),
      policyOf("on", { match: { selector: { matchLabels: { app: "web" } } }, app, volumes }),
    ]);
    expect(
      printExplanation(result.explain()),
    ).toBe(`env B, mount /s in container app  (InjectionPolicy on, spec.app)
volume s  (InjectionPolicy on, spec.volumes[0])
annotation injection.antechamber.dev/injected  (InjectionPolicy on)
InjectionPolicy off does not inject
  spec.match.hostNetwork: the pod does not use the host network
  spec.match.ignoredNamespaces: namespace shop is not among them
  spec.switch.annotation: the pod has no annotation inject
  spec.switch.default: it is Disabled → no
InjectionPolicy on injects
  spec.match.selector: the pod meets it
  spec.match.hostNetwork: the pod does not use the host network
  spec.match.ignoredNamespaces: namespace shop is not among them
  spec.switch.default: it is Enabled → yes
`);
  });

  it("that no API server would store is answered, never thrown at", () => {
    const anything = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    const fields = fc.record(
      Object.fromEntries(
        [
          "match",
          "switch",
          "containers",
          "initContainers",
          "volumes",
          "imagePullSecrets",
          "app",
          "values",
        ].map((key) => [
          key,
          fc.oneof(anything, fc.array(fc.dictionary(fc.constantFrom("name", "fields", "env"), anything))),
        ]),
      ),
      { requiredKeys: [] },
    );
    const property = fc.property(fc.oneof(anything, fields), somePod, (spec, object) => {
      const result = answer([policyOf("odd", spec as JsonObject)], { namespaces: [] }, object);
      expect(["allow", "change", "deny", "wait"]).toContain(result.outcome);
      expect(printExplanation(result.explain())).toContain("InjectionPolicy odd");
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("changes nothing when it is injected again", () => {
    const examples = ["v1beta1/secrets", "v1beta1/certificates", "v1beta1/runtime"].map((name) => {
      const file = new URL(`../../../webhooks/injection/policy/examples/${name}.yaml`, import.meta.url);
      const [example] = readYaml(readFileSync(file, "utf8")).map(({ value }) => value);
      const [metadata, spec] = [get(example, "metadata"), get(example, "spec")];
      // All of them inject, whatever the pod.
      return {
        metadata,
        spec: { ...(spec as JsonObject), match: {}, switch: { default: "Enabled" } },
      } as JsonObject;
    });
    const property = fc.property(somePod, sidecarSets, (object, sets) => {
      const once = answer(examples, { sidecarSets: sets, namespaces: [] }, object);
      if (once.outcome !== "change") return;
      const again = answer(examples, {}, once.object);
      expect(again.outcome === "change" ? equal(again.object, once.object) : true).toBe(true);
    });
    fc.assert(property);
  });
});
