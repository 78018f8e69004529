import { expect, it } from "vitest";
import { isArray, isObject, type Json } from "../../src/json/json.ts";
import { compileCrd } from "../../src/schema/index.ts";
import { crdModelOf } from "../../src/schema/model/crd.ts";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "lamps.example.org", annotations: { a: "b" } },
  spec: {
    group: "example.org",
    scope: "Cluster",
    names: { kind: "Lamp", plural: "lamps", shortNames: ["la"], categories: ["all"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        deprecated: true,
        deprecationWarning: "use another lamp",
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["replicas"],
                properties: {
                  replicas: { type: "integer", minimum: 0 },
                  color: { type: "string", enum: ["red"], maxLength: 9 },
                },
                "x-kubernetes-validations": [{ rule: "self.replicas < 9", message: "too many" }],
              },
              status: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [{ name: "Color", type: "string", jsonPath: ".spec.color", priority: 1 }],
        selectableFields: [{ jsonPath: ".spec.color" }],
      },
    ],
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: {
          service: { namespace: "a", name: "b", path: "/convert", port: 443 },
          caBundle: "YQ==",
        },
        conversionReviewVersions: ["v1"],
      },
    },
  },
  status: { storedVersions: ["v1"] },
} as const;

const others: readonly Json[] = [null, true, 1, 1.5, 3_000_000_000, "x", [], [1], {}, { x: 1 }];

/** The value with one value in it, or itself, replaced by each of the others. */
function variantsOf(value: Json): readonly Json[] {
  const below = isArray(value)
    ? value.flatMap((item, index) => variantsOf(item).map((each) => value.with(index, each)))
    : isObject(value)
      ? Object.entries(value).flatMap(([key, inner]) =>
          variantsOf(inner).map((each) => ({ ...value, [key]: each })),
        )
      : [];
  return [...others, ...below];
}

it("a CRD is compiled, or has a cause, whatever stands in the place of one of its values", () => {
  expect(compileCrd(crd)).toHaveProperty("crd");
  let [compiled, rejected, undecodable] = [0, 0, 0];
  for (const variant of variantsOf(crd).filter(isObject)) {
    const { problems } = crdModelOf(variant);
    const result = compileCrd(variant);
    if ("crd" in result) compiled += 1;
    else if (result.causes[0]?.reason === "") undecodable += 1;
    else rejected += 1;
    if (problems.length > 0) expect(result).toMatchObject({ causes: [{ reason: "" }] });
    else expect("crd" in result || result.causes.length > 0).toBe(true);
  }
  expect(Math.min(compiled, rejected, undecodable)).toBeGreaterThan(50);
});
