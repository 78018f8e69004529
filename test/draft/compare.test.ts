import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passageOf } from "../../src/draft/change.ts";
import { type Comparison, compareSchemas } from "../../src/draft/compare.ts";
import { type Field, fieldsOf, hasFields } from "../../src/draft/fields.ts";
import { warningsOf } from "../../src/draft/warnings.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";

const names = { older: "v1", newer: "v2" };

const [document] = readYaml(readFileSync("test/cases/draft-lenses.yaml", "utf8"));
const cases = (isArray(document?.value) ? document.value : []).map(
  (each) => [String(get(each, "it")), each] as const,
);

describe("a comparison of two versions", () => {
  it.each(cases)("%s", (_name, each) => {
    const [older, newer] = ["older", "newer"].map((side) => schemaOf(get(each, side)));
    const found = summaryOf(compareSchemas(older ?? {}, newer ?? {}, names), "");
    const expected = Object.fromEntries(Object.keys(found).map((key) => [key, sorted(get(each, key))]));
    expect(Object.fromEntries(Object.entries(found).map(([key, list]) => [key, list.toSorted()]))).toEqual(
      expected,
    );
  });
});

const words = [
  "name",
  "size",
  "timeout",
  "timeoutSeconds",
  "ref",
  "kind",
  "v1",
  "v2",
  "__proto__",
  "a.b",
  "kinds",
];
const scalars = fc.constantFrom<JsonObject>(
  { type: "string" },
  { type: "integer", description: "The size of the thing" },
  { type: "string", enum: ["a", "b"] },
  { type: "string", enum: ["A", "B"] },
  { "x-kubernetes-int-or-string": true },
  { "x-kubernetes-preserve-unknown-fields": true },
);
const { schema } = fc.letrec<{ schema: JsonObject; object: JsonObject; list: JsonObject; map: JsonObject }>(
  (tie) => ({
    schema: fc.oneof({ depthSize: "small" }, scalars, tie("object"), tie("list"), tie("map")),
    object: fc
      .array(fc.tuple(fc.constantFrom(...words), tie("schema")), { maxLength: 5 })
      .map((fields) => ({ type: "object", properties: Object.fromEntries(fields) })),
    list: tie("schema").map((items) => ({ type: "array", items })),
    map: tie("schema").map((additionalProperties) => ({ type: "object", additionalProperties })),
  }),
);
const roots = fc
  .array(fc.tuple(fc.constantFrom("spec", "status"), schema), { maxLength: 2 })
  .map((fields): JsonObject => ({ type: "object", properties: Object.fromEntries(fields) }));

describe("of any two schemas", () => {
  it("each field is in exactly one list of a comparison", () => {
    fc.assert(
      fc.property(roots, roots, (older, newer) => {
        for (const [comparison, key] of keyedAll(compareSchemas(older, newer, names))) {
          // An object that a list's first item became is named as a whole.
          const leaves = (field: Field) =>
            field.sort === "object" && hasFields(field.schema) ? fieldsOf(field.schema, field.path) : [field];
          const without = (fields: readonly Field[]) =>
            paths(fields.flatMap(leaves)).filter((path) => path !== key);
          const { passing, proposals, unlike, narrowed, open, onlyOlder, onlyNewer } = comparison;
          expect(
            without([
              ...passing,
              ...proposals.map((each) => each.older),
              ...[...unlike, ...narrowed].map(([each]) => each),
              ...open.older,
              ...onlyOlder,
            ]),
          ).toEqual(without(fieldsOf(comparison.schemas.older)));
          expect(
            without([
              ...passing,
              ...proposals.map((each) => each.newer),
              ...[...unlike, ...narrowed].map(([, each]) => each),
              ...open.newer,
              ...onlyNewer,
            ]),
          ).toEqual(without(fieldsOf(comparison.schemas.newer)));
        }
      }),
    );
  });

  it("a schema and itself differ in nothing", () => {
    fc.assert(
      fc.property(roots, (root) => {
        const apart = { older: "v3", newer: "v4" };
        for (const { proposals, unlike, narrowed, open, onlyOlder, onlyNewer } of allOf(
          compareSchemas(root, root, apart),
        ))
          expect([...proposals, ...unlike, ...narrowed, ...open.older, ...onlyOlder, ...onlyNewer]).toEqual(
            [],
          );
        expect(warningsOf(compareSchemas(root, root, apart), apart, true, 3)).toEqual([]);
      }),
    );
  });
});

/** Each comparison with the path of the field that is the key of a map in the other version, if there is one: it is not missing. */
function keyedAll(
  comparison: Comparison,
  key?: string,
): readonly (readonly [Comparison, string | undefined])[] {
  const below = comparison.inner.flatMap((inner) => {
    const passage = passageOf(inner.older, inner.newer);
    const isKeyed = typeof passage === "object" && passage.to === "keyed";
    return keyedAll(inner.below, isKeyed ? JSON.stringify([passage.key]) : undefined);
  });
  return [[comparison, key], ...below];
}

function allOf(comparison: Comparison): readonly Comparison[] {
  return [comparison, ...comparison.inner.flatMap(({ below }) => allOf(below))];
}

function paths(fields: readonly Field[]): readonly string[] {
  return fields.map(({ path }) => JSON.stringify(path)).toSorted();
}

function sorted(value: Json | undefined): readonly string[] {
  return (isArray(value) ? value : []).map(String).toSorted();
}

/** A comparison as the cases write it. */
function summaryOf(comparison: Comparison, prefix: string): Readonly<Record<string, readonly string[]>> {
  const { proposals, unlike, narrowed, open, onlyOlder, onlyNewer, inner } = comparison;
  const name = ({ path }: Field) => prefix + path.join(".");
  const rows = (isCertain: boolean) =>
    proposals
      .filter((each) => each.isCertain === isCertain)
      .map(({ older, newer, passage }) => {
        const change = passage === "as it is" ? "" : ` (${passage.to})`;
        return `${name(older)} -> ${name(newer)}${change}`;
      });
  const below = inner.map(({ older, below: each }) =>
    summaryOf(
      each,
      `${name(older)}${({ list: "[]", object: "" } as Record<string, string>)[older.sort] ?? ".*"}.`,
    ),
  );
  const own = {
    rows: rows(true),
    guesses: rows(false),
    unlike: unlike.map(([older]) => name(older)),
    narrowed: narrowed.map(([older]) => name(older)),
    open: [...open.older, ...open.newer].map(name),
    left: onlyOlder.map(name),
    added: onlyNewer.map(name),
  };
  return Object.fromEntries(
    Object.entries(own).map(([key, list]) => [key, [...list, ...below.flatMap((each) => each[key] ?? [])]]),
  );
}

/** The schema of an object with these fields. */
function schemaOf(fields: Json | undefined): JsonObject {
  return Object.entries(isObject(fields) ? fields : {}).reduce<JsonObject>(
    (schemaSoFar, [path, type]) =>
      withField(schemaSoFar, path.replaceAll("[]", ".[]").split("."), isObject(type) ? type : { type }),
    {},
  );
}

function withField(
  schemaSoFar: JsonObject,
  [step, ...rest]: readonly string[],
  field: JsonObject,
): JsonObject {
  if (step === undefined) return field;
  const inner = (value: Json | undefined) => withField(isObject(value) ? value : {}, rest, field);
  if (step === "[]") return { ...schemaSoFar, type: "array", items: inner(schemaSoFar.items) };
  if (step === "*")
    return { ...schemaSoFar, type: "object", additionalProperties: inner(schemaSoFar.additionalProperties) };
  const properties = isObject(schemaSoFar.properties) ? schemaSoFar.properties : {};
  return { ...schemaSoFar, type: "object", properties: { ...properties, [step]: inner(properties[step]) } };
}
