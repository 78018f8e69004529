import { expect, it } from "vitest";
import { fits, resourceShapeOf } from "../../src/conversion/shape.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { compileVersion } from "../../src/schema/crd/compile.ts";

it.each<[string, JsonObject, boolean]>([
  ["without a type", { "x-kubernetes-preserve-unknown-fields": true }, true],
  ["nullable", { type: "string", nullable: true }, true],
  ["a string", { type: "string" }, false],
  ["an integer or a string", { "x-kubernetes-int-or-string": true }, false],
])("null fits as an item %s if it is valid there", (_name, items, expected) => {
  const spec = { type: "object", properties: { list: { type: "array", items } } };
  const openAPIV3Schema = { type: "object", properties: { spec } };
  const version = compileVersion({ name: "v1", schema: { openAPIV3Schema } });
  if ("faults" in version) throw new Error(JSON.stringify(version.faults));
  const object = { metadata: { name: "one" }, spec: { list: [null] } };
  const isValid = version.schema.validate(object).faults.length === 0;
  expect({ isValid, fits: fits(object, resourceShapeOf(version.schema.model)) }).toEqual({
    isValid: expected,
    fits: expected,
  });
});
