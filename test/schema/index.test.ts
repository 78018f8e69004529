import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/json/json.ts";
import { type Crd, checkDefinition, compileCrd } from "../../src/schema/index.ts";

const spec = {
  type: "object",
  required: ["size"],
  properties: {
    size: { type: "integer", maximum: 5 },
    color: { type: "string", default: "red", nullable: true },
    name: {
      type: "string",
      "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "may not change" }],
    },
  },
};

function gadgets(properties: JsonObject = spec): JsonObject {
  const openAPIV3Schema = { type: "object", properties: { spec: properties, status: { type: "object" } } };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "gadgets.example.org" },
    spec: {
      group: "example.org",
      scope: "Namespaced",
      names: { plural: "gadgets", singular: "gadget", kind: "Gadget", listKind: "GadgetList" },
      versions: [version],
    },
  };
}

function gadget(content: JsonObject): JsonObject {
  return { apiVersion: "example.org/v1", kind: "Gadget", metadata: { name: "g" }, spec: content };
}

function compiled(): Crd["versions"][number] {
  const found = compileCrd(gadgets());
  const version = "crd" in found ? found.crd.versions[0] : undefined;
  if (version === undefined) throw new Error("the CRD does not compile");
  return version;
}

describe("antechamber/schema", () => {
  it("gives causes as data", () => {
    expect(compiled().validate(gadget({ size: 9 })).causes).toEqual([
      {
        field: "spec.size",
        path: ["spec", "size"],
        reason: "FieldValueInvalid",
        message: "Invalid value: 9: spec.size in body should be less than or equal to 5",
        detail: "spec.size in body should be less than or equal to 5",
      },
    ]);
  });

  it.each([
    ["warn", { allowed: true, warnings: ['unknown field "spec.colour"'] }],
    ["ignore", { allowed: true, warnings: [] }],
    [
      "strict",
      {
        allowed: false,
        status: {
          code: 400,
          message:
            'Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "spec.colour"',
        },
        warnings: [],
      },
    ],
  ] as const)(
    "takes unknown fields as the parameter fieldValidation has it: %s",
    (fieldValidation, answer) => {
      const found = compileCrd(gadgets());
      if (!("crd" in found)) throw new Error("the CRD does not compile");
      const metadata = { name: "g", namespace: "default" };
      const object = { ...gadget({ size: 1, colour: "red" }), metadata };
      expect(found.crd.write({ object, fieldValidation })).toMatchObject(answer);
    },
  );

  it("finds nothing wrong with a valid object, whose unknown fields cause warnings", () => {
    expect(compiled().validate(gadget({ size: 1, colour: "red" }))).toEqual({
      causes: [],
      warnings: ['unknown field "spec.colour"'],
    });
  });

  it("takes an object with an old one for an update", () => {
    const version = compiled();
    const [old, after] = [gadget({ size: 9, name: "a" }), gadget({ size: 9, name: "b" })];
    expect(version.validate(after, old).causes).toMatchObject([
      { field: "spec.name", detail: "may not change" },
    ]);
    expect(version.validate(old, old).causes).toEqual([]);
  });

  it("says why an object cannot be read", () => {
    const { causes } = compiled().validate({ ...gadget({ size: 1 }), metadata: { name: 1 } });
    expect(causes).toMatchObject([{ field: "", reason: "", message: expect.stringContaining("cannot") }]);
  });

  it("fills in defaults and drops meaningless nulls", () => {
    const version = compiled();
    expect(version.default(gadget({ size: null }))).toEqual(gadget({ color: "red" }));
    const whole = gadget({ size: 1, color: null });
    expect(version.default(whole)).toBe(whole);
  });

  it("prunes", () => {
    expect(compiled().prune(gadget({ size: 1, colour: "red" }))).toEqual({
      object: gadget({ size: 1 }),
      unknown: ["spec.colour"],
    });
  });

  it("answers a write with the object that would be stored, or a Status", () => {
    const found = compileCrd(gadgets());
    if ("causes" in found) throw new Error("the CRD does not compile");
    const placed = { ...gadget({ size: 1 }), metadata: { name: "g", namespace: "default" } };
    expect(found.crd.write({ object: placed }).object).toMatchObject({ spec: { size: 1, color: "red" } });
    expect(found.crd.write({ object: gadget({ size: 1 }) }).status).toMatchObject({ code: 422 });
  });

  it("checks a CRD", () => {
    const size = { type: "integer", default: "x" };
    expect(checkDefinition(gadgets({ type: "object", properties: { size } })).causes).toMatchObject([
      {
        field: "spec.validation.openAPIV3Schema.properties[spec].properties[size].default",
        reason: "FieldValueTypeInvalid",
      },
    ]);
    expect(checkDefinition(gadgets())).toEqual({ causes: [], warnings: [] });
  });

  it("warns of formats that the API server ignores, each once", () => {
    const unknown = { type: "string", format: "nope" };
    const number = { type: "number", format: "int32" };
    const properties = { a: unknown, b: { type: "array", items: unknown }, c: number };
    expect(checkDefinition(gadgets({ type: "object", properties })).warnings).toEqual([
      'unrecognized format "nope"',
      'unrecognized format "int32"',
    ]);
  });

  it("warns of sets whose items are no scalars, as the API server does since v1.37", () => {
    const set = (type: string) => ({
      type: "array",
      "x-kubernetes-list-type": "set",
      items: { type, "x-kubernetes-map-type": "atomic" },
    });
    const crd = gadgets({ type: "object", properties: { a: set("object"), b: set("object") } });
    expect(checkDefinition(crd).warnings).toEqual([
      'x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules',
    ]);
    expect(checkDefinition(crd, { kubernetesVersion: "1.36" }).warnings).toEqual([]);
  });

  it("throws on nothing that is not a CRD", () => {
    for (const odd of [{}, { spec: [] }, { spec: { versions: [1, { schema: { openAPIV3Schema: 1 } }] } }]) {
      expect(checkDefinition(odd as JsonObject).causes).not.toEqual([]);
    }
  });
});
