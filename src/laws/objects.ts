import fc from "fast-check";
import { isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { anyJson, anyKey, anyText, deepJson } from "./any.ts";
import { contentSchemaOf } from "./content-schema.ts";
import type { Harvest } from "./harvest.ts";
import { fieldsOf, type Manner, valuesOf } from "./values.ts";

/** Whole objects of one version, drawn in each manner; `any` is arbitrary JSON with the version's identity. */
export type Objects = Readonly<Record<Manner | "any", fc.Arbitrary<JsonObject>>>;

/** Objects of a version drawn from its schema, with metadata as an API server sets it. */
export function objectsOf(kind: Kind, version: number, found: Harvest): Objects {
  const { entry, apiVersion } = kind.versions[version] ?? kind.hub;
  const fullMetadata = metadataOf(kind.versions.map((each) => each.apiVersion));
  const anyMetadata = anyMetadataOf(fullMetadata);
  const identity = { apiVersion, kind: kind.definition.kind };
  const content = (manner: Manner) => valuesOf(contentSchemaOf(entry), "", found, manner);
  const made = (manner: Manner, metadata: fc.Arbitrary<JsonObject>) =>
    fc
      .tuple(content(manner), metadata)
      .map(([below, above]) => ({ ...(isObject(below) ? below : {}), ...identity, ...above }));
  return {
    valid: made("valid", fieldsOf([["metadata", fullMetadata, true]])),
    partial: fc
      .tuple(made("partial", anyMetadata), fc.constantFrom(...parts))
      .map(([object, [name, value]]) => (name === undefined ? object : set(object, name, value))),
    wild: made("wild", anyMetadata),
    any: fc
      .tuple(fc.array(fc.tuple(anyKey, anyJson), { maxLength: 3 }), shapelessOf(fullMetadata))
      .map(([others, below]) => ({ ...Object.fromEntries(others), ...below, ...identity })),
  };
}

type Part = readonly [name?: string, value?: Json | undefined];

/** Partial objects, as the API server converts them for server-side apply: sometimes without any spec or status. */
const parts: readonly Part[] = [
  [],
  [],
  [],
  ["spec", undefined],
  ["spec", null],
  ["spec", {}],
  ["status", undefined],
  ["status", null],
  ["status", {}],
];

const texts: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom("app", "example.org/a", "__proto__", "antechamber.dev/other"), anyText), {
    maxLength: 2,
  })
  .map(Object.fromEntries);

/** Labels or annotations: strings by name, absent, or null. */
const marks: fc.Arbitrary<Json> = fc.oneof(
  { arbitrary: texts, weight: 6 },
  { arbitrary: fc.constantFrom<Json[]>({}, null), weight: 1 },
);

/** Metadata of an object that clients of these versions have written, some by server-side apply. */
const metadataOf = (apiVersions: readonly string[]): fc.Arbitrary<JsonObject> =>
  fieldsOf([
    ["name", fc.constant("one"), true],
    ["namespace", fc.constant("home"), true],
    ["uid", fc.constant("8a1b7c1e-0001"), true],
    ["generation", fc.integer({ min: 1, max: 9 }), true],
    ["creationTimestamp", fc.constant("2026-03-01T06:45:00Z"), true],
    ["resourceVersion", fc.constant("7"), false],
    ["labels", texts, false],
    ["annotations", marks, false],
    ["finalizers", fc.constant(["example.org/wait"]), false],
    [
      "managedFields",
      fc
        .record({
          operation: fc.constantFrom("Apply", "Update"),
          apiVersion: fc.constantFrom(...apiVersions),
        })
        .map((how) => [{ manager: "one", ...how, fieldsV1: { "f:spec": {} } }]),
      false,
    ],
  ]);

const anyMetadataOf = (fullMetadata: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fieldsOf([
    [
      "metadata",
      fc.oneof(
        { arbitrary: fullMetadata, weight: 4 },
        { arbitrary: fc.constant({ name: "one", namespace: "home" }), weight: 1 },
        {
          arbitrary: fieldsOf([
            ["name", fc.constant("one"), true],
            ["uid", fc.constant("8a1b7c1e-0001"), false],
            ["generation", fc.integer({ min: 1, max: 9 }), false],
            ["labels", marks, false],
            ["annotations", marks, false],
          ]),
          weight: 2,
        },
      ),
      false,
    ],
  ]);

const shapelessOf = (fullMetadata: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> =>
  fieldsOf([
    [
      "metadata",
      fc.oneof(
        { arbitrary: fullMetadata, weight: 3 },
        {
          arbitrary: fc
            .tuple(fullMetadata, anyJson)
            .map(([full, value]) => ({ ...full, annotations: value })),
          weight: 1,
        },
        { arbitrary: anyJson, weight: 1 },
      ),
      false,
    ],
    ["spec", fc.oneof({ arbitrary: anyJson, weight: 9 }, { arbitrary: deepJson, weight: 1 }), false],
    ["status", anyJson, false],
  ]);
