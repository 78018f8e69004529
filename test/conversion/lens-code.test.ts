import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Codec } from "../../src/conversion/codecs/codec.ts";
import type { AnyRow } from "../../src/conversion/lens.ts";
import { fittedLens } from "../../src/conversion/lens-code.ts";
import { annotation, label } from "../../src/conversion/marks.ts";
import { each, within } from "../../src/conversion/nested-rows.ts";
import { group, lens, move } from "../../src/conversion/rows.ts";
import { fitInto, resourceShapeOf, type Shape } from "../../src/conversion/shape.ts";
import { isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { edited } from "../../src/laws/edits.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { settingOf } from "../../src/laws/setting.ts";
import { readSchema } from "../../src/schema/model.ts";

const { all } = await loadKinds(["webhooks", "test/kinds"]);
const runs = 200;

describe("a lens made for the shapes of its versions returns what it returns without that, fitted", () => {
  it.each(
    all.flatMap((kind) =>
      kind.versions.slice(1).map(({ name }, older) => [kind.name, name, kind, older] as const),
    ),
  )("of %s to %s", (_kind, _version, kind, older) => {
    const { chain, versions } = kind;
    const { objects, edits } = settingOf(kind, servingEngine);
    const changes = fc.func(fc.option(fc.constantFrom<Json | undefined>(null, undefined, "x", {}, [])));
    const drawn = [older, older + 1].map((version) =>
      fc
        .oneof(...Object.values(objects[version] ?? {}))
        .chain((object) => (edits[version] ?? fc.constant([])).map((these) => edited(object, these))),
    );
    for (const [side, object] of drawn.entries()) {
      fc.assert(
        fc.property(object, changes, fc.boolean(), ({ apiVersion, kind: _, ...content }, change, isHurt) => {
          const [from, to] = [older + side, older + 1 - side].map((at) => versions[at]?.shape as Shape);
          const said = fitInto((isHurt ? hurt(content, change) : content) as JsonObject, from as Shape);
          const way = side === 0 ? "up" : "down";
          const plain = versions[older]?.lens?.[way](said) ?? {};
          expect(chain.lenses[older]?.[way](said)).toEqual(fitInto(plain, to as Shape));
        }),
        { numRuns: runs },
      );
    }
  });

  it("of any rows and schemas", () => {
    let mapped = 0;
    fc.assert(
      fc.property(anyCase, ({ schemas, drawn, contents }) => {
        const made = ifValid(() => lens(...drawn));
        fc.pre(made !== undefined);
        const [below, above] = schemas.map(shapeOf) as [Shape, Shape];
        const fitted = fittedLens(made, below, above);
        for (const [way, from, to, content] of [
          ["up", below, above, contents[0]],
          ["down", above, below, contents[1]],
        ] as const) {
          const said = frozen(fitInto(content ?? {}, from));
          const plain = fitInto(made[way](said), to);
          if (Object.keys(plain).length > 0) mapped++;
          expect(fitted[way](said)).toEqual(plain);
        }
      }),
      { numRuns: 10 * runs },
    );
    expect(mapped).toBeGreaterThan(5 * runs);
  });
});

it("leaves fields in their order, also where an object has no field that fits until a row writes one", () => {
  const made = lens(
    move("spec.door.color", "spec.door.paint"),
    move("spec.door.lock.color", "spec.door.lock.paint"),
    move("spec.size", "spec.door.size"),
  );
  const object = (properties: JsonObject) => ({ type: "object", properties });
  const older = object({ color: scalar, old: scalar, lock: object({ color: scalar, old: scalar }) });
  const newer = object({ paint: scalar, size: scalar, lock: object({ paint: scalar }) });
  const [below, above] = [older, newer].map((door) =>
    shapeOf(object({ size: scalar, door, zone: scalar, area: scalar })),
  ) as [Shape, Shape];
  const { up, down } = fittedLens(made, below, above);
  const upward = (spec: JsonObject) => JSON.stringify(up({ spec }).spec);
  expect(upward({ zone: "x", door: { old: "x" }, size: "x", area: "x" })).toBe(
    '{"zone":"x","door":{"size":"x"},"area":"x"}',
  );
  expect(upward({ door: { old: "x" }, area: "x" })).toBe('{"area":"x"}');
  expect(upward({ door: { lock: { old: "x" } }, area: "x" })).toBe('{"area":"x"}');
  expect(JSON.stringify(down({ spec: { zone: "x", door: { size: "x" }, area: "x" } }).spec)).toBe(
    '{"zone":"x","area":"x","size":"x"}',
  );
});

it("follows a lens whose author put another function in the place of one that rows make", () => {
  const made = lens(move("spec.a", "spec.b"));
  const shape = shapeOf({ type: "object", properties: { a: scalar, b: scalar } });
  const up = (older: JsonObject) => ({ spec: { b: Object.keys(older).join() } });
  expect(fittedLens({ ...made, up }, shape, shape).up({ spec: { a: "x" } })).toEqual({ spec: { b: "spec" } });
});

function hurt(value: Json, change: (value: Json) => Json | undefined | null): Json | undefined {
  const other = change(value);
  if (other !== null) return other;
  if (isArray(value)) return value.map((item) => hurt(item, change) ?? null);
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, below]) => [name, hurt(below, change)] as const);
  return Object.fromEntries(fields.filter(([, below]) => below !== undefined)) as JsonObject;
}

const names = ["a", "b", "c", "constructor"];
const scalar = { type: "string" };
const name = fc.constantFrom(...names);

const { schema } = fc.letrec<{ schema: JsonObject; struct: JsonObject }>((tie) => ({
  struct: fc
    .tuple(
      fc.dictionary(name, tie("schema"), { minKeys: 1, maxKeys: 3 }),
      fc.constantFrom({}, {}, { "x-kubernetes-preserve-unknown-fields": true }),
    )
    .map(([properties, more]) => ({ type: "object", properties, ...more })),
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonObject>(scalar, { type: "integer" }, { type: "array", items: scalar }),
    { arbitrary: tie("struct"), weight: 4 },
    tie("struct").map((items) => ({ type: "array", items })),
    tie("struct").map((items) => ({ type: "array", items: { ...items, nullable: true } })),
    tie("struct").map(({ properties, ...items }) => ({
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
      items: { ...items, properties: { ...(properties as JsonObject), a: scalar } },
    })),
    tie("schema").map((additionalProperties) => ({ type: "object", additionalProperties })),
    fc.constant({ "x-kubernetes-preserve-unknown-fields": true }),
  ),
}));

const { anything: anyValue } = fc.letrec<{ anything: Json }>((tie) => ({
  anything: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<Json>("x", "y", 1, null, {}, []),
    { arbitrary: fc.dictionary(name, tie("anything"), { maxKeys: 3 }), weight: 4 },
    fc.array(tie("anything"), { maxLength: 3 }),
  ),
}));
/** A schema like another one: itself, another one in its place, or one with other parts. */
function variantOf(like: JsonObject): fc.Arbitrary<JsonObject> {
  const { properties, items, ...others } = like;
  const parts: fc.Arbitrary<JsonObject>[] = [fc.constant(like), fc.constant(like), schema];
  if (isObject(items)) {
    const { "x-kubernetes-list-map-keys": _, "x-kubernetes-list-type": __, ...unkeyed } = others;
    const { nullable, ...strict } = items;
    parts.push(variantOf(items).map((each) => ({ ...unkeyed, items: each })));
    parts.push(fc.constant({ ...others, items: nullable === true ? strict : { ...items, nullable: true } }));
  }
  if (isObject(properties)) {
    const fields = Object.entries(properties).map(([key, field]) => [key, variantOf(field as JsonObject)]);
    const other = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    parts.push(other.map((each) => ({ ...others, properties: { a: scalar, ...each } })));
  }
  return fc.oneof(...parts);
}

/** A value of a schema, most often. */
function anyOf({ type, properties, items, additionalProperties }: JsonObject): fc.Arbitrary<Json> {
  const fields = Object.entries(isObject(properties) ? properties : {});
  const usual =
    type === "array"
      ? fc.array(anyOf(items as JsonObject), { maxLength: 3 })
      : isObject(additionalProperties)
        ? fc.dictionary(name, anyOf(additionalProperties), { maxKeys: 3 })
        : fields.length > 0
          ? fc.record(Object.fromEntries(fields.map(([key, field]) => [key, anyOf(field as JsonObject)])), {
              requiredKeys: [],
            })
          : fc.constantFrom<Json>(...(type === "string" ? ["x", "y"] : [1, 2]));
  return fc.oneof(
    { arbitrary: usual as fc.Arbitrary<Json>, weight: 12 },
    { arbitrary: fc.constant(null), weight: 1 },
    anyValue,
  );
}

/** The fields in a schema, from its root. */
function pathsIn({ properties }: JsonObject): readonly string[] {
  return Object.entries(isObject(properties) ? properties : {}).flatMap(([key, field]) => [
    key,
    ...pathsIn(field as JsonObject).map((below) => `${key}.${below}`),
  ]);
}

const marks = fc.dictionary(fc.constantFrom("one", "two"), fc.constantFrom<Json>("x", "not a label", 1));
const metadata = fc.record({ labels: marks, annotations: marks });

const anyCase = schema
  .chain((older) => variantOf(older).map((newer) => [older, newer] as const))
  .chain((schemas) =>
    fc.record({
      schemas: fc.constant(schemas),
      drawn: rowsWith(placeIn(schemas), 2),
      contents: fc.tuple(...schemas.map(contentOf)),
    }),
  );

function contentOf(spec: JsonObject): fc.Arbitrary<JsonObject> {
  const content = { spec: anyOf(spec), status: anyOf(spec), metadata };
  return fc.record(content, { requiredKeys: ["spec"] }) as fc.Arbitrary<JsonObject>;
}

function placeIn(schemas: readonly JsonObject[]): fc.Arbitrary<Place> {
  const known = schemas.flatMap(pathsIn);
  const below =
    known.length === 0 ? inner : fc.oneof({ arbitrary: fc.constantFrom(...known), weight: 4 }, inner);
  const field = fc.tuple(fc.constantFrom("spec", "spec", "status"), below).map((each) => each.join("."));
  return fc.oneof(
    { arbitrary: field, weight: 8 },
    fc.constantFrom(label("one"), label("two"), annotation("one")),
  );
}

type Place = string | readonly string[];

const codecs: readonly Codec[] = [
  {
    up: (value) => (value === "x" ? undefined : value),
    down: (value) => (value === "y" ? undefined : value),
  },
  { up: (value) => [value], down: (value) => ({ a: value }) },
  { up: () => null, down: () => 1 },
  { up: () => ({}), down: () => [] },
];

const inner = fc.array(name, { minLength: 1, maxLength: 3 }).map((path) => path.join("."));

function rowsWith(at: fc.Arbitrary<Place>, depth: number): fc.Arbitrary<readonly AnyRow[]> {
  const plain = fc
    .tuple(at, at, fc.option(fc.constantFrom(...codecs), { nil: undefined }))
    .map((args) => () => move(...args));
  const two = fc.tuple(at, at, at, at).map(
    ([one, other, third, fourth]) =>
      () =>
        group({
          older: { one, other } as Record<string, string>,
          newer: { third, fourth } as Record<string, string>,
          up: ({ one, other }) => ({ third: one, fourth: other }),
          down: ({ third, fourth }) => ({ one: third ?? fourth, other: fourth }),
        }),
  );
  const nested =
    depth === 0
      ? []
      : [each, within].map((make) =>
          fc.tuple(at, at, rowsWith(inner, depth - 1)).map(
            ([from, to, rows]) =>
              () =>
                make(from as string, to as string, ...rows),
          ),
        );
  return fc
    .array(fc.oneof({ arbitrary: plain, weight: 3 }, two, ...nested), { minLength: 1, maxLength: 4 })
    .map((made) =>
      made.flatMap((make) => {
        const row = ifValid(make);
        return row === undefined ? [] : [row as AnyRow];
      }),
    );
}

function frozen<Value extends Json>(value: Value): Value {
  for (const part of isArray(value) || isObject(value) ? Object.values(value) : []) frozen(part);
  return Object.freeze(value);
}

/** Rows that contradict one another are rejected when a lens is made. */
function ifValid<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function shapeOf(spec: JsonObject): Shape {
  return resourceShapeOf(readSchema({ type: "object", properties: { spec, status: spec } }));
}
