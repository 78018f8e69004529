import { expect, it } from "vitest";
import { convert } from "../../src/conversion/convert.ts";
import { move } from "../../src/conversion/rows.ts";
import { resourceShapeOf } from "../../src/conversion/shape.ts";
import { versionChainOf } from "../../src/conversion/version-chain.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { compileVersion } from "../../src/schema/crd/compile.ts";
import { lens } from "../support/lens.ts";

// An object that a version requires stays, though empty, if nothing of it has a place there: an API server would refuse the
// object without it.

const text = { type: "string" };

function versionOf(name: string, spec: JsonObject, required: readonly string[]) {
  const openAPIV3Schema = {
    type: "object",
    required: ["spec"],
    properties: { spec: { type: "object", required, properties: spec } },
  };
  const compiled = compileVersion({ name, served: true, storage: false, schema: { openAPIV3Schema } });
  if ("faults" in compiled) throw new Error(compiled.faults[0]?.message);
  const { schema } = compiled;
  const apiVersion = `example.org/${name}`;
  const shape = resourceShapeOf(schema.model);
  return { name, apiVersion, shape, defaulted: schema.defaulted, carriesStatus: false };
}

const inner = (fields: JsonObject) => ({ type: "object", properties: fields });
const newer = versionOf("v1", { size: text, inner: inner({ hint: text }), floor: text }, ["inner"]);
const older = versionOf("v1beta1", { source: text, inner: inner({ mark: text, floor: text }) }, ["inner"]);

it.each([
  ["by no row", lens()],
  ["by a row that takes its only field", lens(move("spec.inner.floor", "spec.floor"))],
  ["by a lens written by hand", { up: lens().up, down: lens().down }],
])("a required object of which nothing passes is passed on empty %s", (_how, between) => {
  const chain = versionChainOf([{ ...older, lens: between }, newer]);
  const written = { apiVersion: older.apiVersion, kind: "Mini", metadata: { name: "a" } };
  const up = (spec: JsonObject) => convert({ ...written, spec }, chain, 0, 1).spec;
  expect(up({ source: "a", inner: { mark: "x" } })).toEqual({ inner: {} });
  expect(up({ source: "a" })).toEqual({});
  const stored = { ...written, apiVersion: newer.apiVersion };
  expect(convert({ ...stored, spec: { inner: { hint: "x" } } }, chain, 1, 0).spec).toEqual({ inner: {} });
  expect(convert(stored, chain, 1, 0).spec).toBeUndefined();
});
