import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { pullPolicyOf } from "../../../webhooks/kruise/shared/image.ts";
import { defaultSidecarSet } from "../../../webhooks/kruise/sidecarset/default.ts";
import { admit } from "../../support/admit.ts";
import { kinds, sidecarSet } from "./kind.ts";

function judged(object: JsonObject, more: { oldObject?: JsonObject; cluster?: readonly JsonObject[] } = {}) {
  const whole = defaultSidecarSet(object);
  const operation = more.oldObject === undefined ? "CREATE" : "UPDATE";
  const old = more.oldObject === undefined ? {} : { oldObject: defaultSidecarSet(more.oldObject) };
  const { response } = admit("validate", kinds, {
    operation,
    version: "v1beta1",
    object: whole,
    ...more,
    ...old,
  });
  const causes = get(response, "status", "details", "causes");
  return (isArray(causes) ? causes : []).map((each) => `${get(each, "field")}: ${get(each, "message")}`);
}

const withPolicy = (text: string) =>
  sidecarSet({
    containers: [
      {
        name: "agent",
        image: "agent:1",
        resourcesPolicy: {
          targetContainersMode: "sum",
          targetContainersNameRegex: ".*",
          resourcesExpr: { limits: { memory: text } },
        },
      },
    ],
  });

describe("a SidecarSet", () => {
  it("without faults is accepted", () => {
    expect(judged(sidecarSet())).toEqual([]);
  });

  it("with values of wrong types is rejected at each of them, and for nothing else", () => {
    const containers = [{ name: 5, image: ["a"], env: { A: "b" }, resources: { limits: { cpu: "much" } } }];
    expect(judged(sidecarSet({ containers, selector: {} }))).toEqual([
      "spec.containers[0].name: Invalid value: must be a string",
      "spec.containers[0].image: Invalid value: must be a string",
      "spec.containers[0].env: Invalid value: must be a list",
      "spec.containers[0].resources.limits.cpu: Invalid value: must be a quantity, such as 500m or 2Gi",
    ]);
  });

  it.each(["-1e400", "1e400", "1e-400", "1E+999999999", "1.5e300", "9".repeat(40)])(
    "with %s for an integer or a string gets a verdict, never a throw",
    (text) => {
      const number = parseJson(text);
      const updateStrategy = { type: "RollingUpdate", partition: number, maxUnavailable: number };
      expect(judged(sidecarSet({ updateStrategy })).join()).not.toContain("the webhook failed");
    },
  );

  it("of any JSON gets a verdict, never a throw", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (containers, volumes, more) => {
        const spec = { containers, volumes, ...(isObject(more as Json) ? (more as object) : {}) };
        expect(judged(sidecarSet(spec)).join()).not.toContain("the webhook failed");
      }),
    );
  });

  it("must name the source container's field, where OpenKruise panics", () => {
    const containers = [{ name: "agent", image: "agent:1", transferEnv: [{ sourceContainerNameFrom: {} }] }];
    expect(judged(sidecarSet({ containers }))).toEqual([
      "spec.containers[0].transferEnv[0].sourceContainerNameFrom.fieldRef: Required value: must name the field that holds the container name",
    ]);
  });

  it("may use expressions that have a value for some amount", () => {
    expect(judged(withPolicy("memory - 100Mi"))).toEqual([]);
    expect(judged(withPolicy("2Gi - memory"))).toEqual([]);
    expect(judged(withPolicy("memory * 50Mi")).join()).toContain("multiplication of two quantities");
    expect(judged(withPolicy("MEMORY / 2")).join()).toContain("undefined variable: memory");
  });

  it("clashes with another that may select the same pod, even if only one requires a label to exist", () => {
    const other = sidecarSet(
      { selector: { matchExpressions: [{ key: "team", operator: "Exists" }] } },
      { name: "other" },
    );
    expect(judged(sidecarSet(), { cluster: [other] })).toEqual([
      'spec.containers[0].name: Invalid value: "agent": container agent already exist in other',
    ]);
    const elsewhere = sidecarSet({ selector: { matchLabels: { app: "db" } } }, { name: "elsewhere" });
    expect(judged(sidecarSet(), { cluster: [elsewhere] })).toEqual([]);
  });

  it("whose revision is gone can be labelled, but not changed", () => {
    const pinned = sidecarSet({ injectionStrategy: { revision: { revisionName: "gone" } } });
    const labelled = set(pinned, "metadata", { name: "one", labels: { a: "b" } });
    expect(judged(labelled, { oldObject: pinned })).toEqual([]);
    const changed = sidecarSet({ ...(pinned.spec as object), revisionHistoryLimit: 3 });
    expect(judged(changed, { oldObject: pinned }).join()).toContain(
      'controllerrevisions.apps "gone" not found',
    );
  });

  it("with unknown values is accepted with a warning", () => {
    const spec = {
      updateStrategy: { type: "Never" },
      containers: [{ name: "agent", image: "agent:1", upgradeStrategy: { upgradeType: "HotUpgrade" } }],
    };
    const object = defaultSidecarSet(sidecarSet(spec));
    const { response } = admit("validate", kinds, { operation: "CREATE", version: "v1beta1", object });
    expect(response.allowed).toBe(true);
    expect(response.warnings).toEqual([
      'spec.updateStrategy.type: "Never" is neither RollingUpdate nor NotUpdate',
      "spec.containers[0].upgradeStrategy: HotUpgrade needs hotUpgradeEmptyImage",
    ]);
  });

  it.each([["no label"], ["x".repeat(64)], [""], ["v1"]])(
    "with a version that OpenKruise cannot write into a label is taken with a warning: %j",
    (customVersion) => {
      const containers = [{ name: "agent", image: "agent:1" }];
      const object = defaultSidecarSet(sidecarSet({ customVersion, containers }));
      const { response } = admit("validate", kinds, { operation: "CREATE", version: "v1beta1", object });
      expect(response.allowed).toBe(true);
      const shown = JSON.stringify(customVersion).slice(0, 40);
      const warning = `spec.customVersion: ${shown} is not a label value: OpenKruise cannot record or list it`;
      const isLabel = customVersion === "" || customVersion === "v1";
      expect(response.warnings ?? []).toEqual(isLabel ? [] : [warning]);
    },
  );
});

// In quadratic time it would take hours.
it("an image or a path is checked, however long it is", () => {
  const long = "a-".repeat(200_000);
  for (const text of [
    long,
    `${long}!`,
    "['".repeat(200_000),
    `iqn.2000-01.${long}:`,
    "/..".repeat(100_000),
  ]) {
    pullPolicyOf(text);
    const env = [{ name: text, valueFrom: { fieldRef: { fieldPath: `${text}']` } } }];
    const volumes = [{ name: text, iscsi: { iqn: text, targetPortal: text }, hostPath: { path: text } }];
    const faults = judged(
      sidecarSet({ containers: [{ name: text, image: text, env }], volumes }, { name: text }),
    );
    expect(faults.map((each) => each.slice(0, 22))).toContain("metadata.name: Invalid");
  }
});
