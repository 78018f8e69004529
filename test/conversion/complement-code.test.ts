import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { complementOf } from "../../src/conversion/complement.ts";
import { complementFor, complementTreeFor } from "../../src/conversion/complement-code.ts";
import { resourceShapeOf, type Shape } from "../../src/conversion/shape.ts";
import { alwaysStoredOf, image } from "../../src/conversion/version-chain.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { anyJson, anyKey } from "../../src/laws/any.ts";
import { edited } from "../../src/laws/edits.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { type Setting, settingOf } from "../../src/laws/setting.ts";
import { readSchema } from "../../src/schema/model.ts";

const { all } = await loadKinds(["webhooks", "test/kinds"]);
const runs = 100;

/** Three sides to compare: what we have, what came back of it, and what came back after defaults. */
interface Sides {
  readonly source: JsonObject;
  readonly roundTripped: JsonObject;
  readonly defaulted: JsonObject;
}

function expectSameText(
  shape: Shape,
  { source, roundTripped, defaulted }: Sides,
  groups: readonly (readonly string[])[],
): void {
  const alwaysStored = alwaysStoredOf(groups.map((row) => ({ stored: row.slice(0, 2), row })));
  const tree = complementOf(source, roundTripped, defaulted, shape, alwaysStored);
  const text = complementFor(shape, alwaysStored)(source, roundTripped, defaulted);
  expect(text).toBe(tree === undefined ? undefined : writeJson(tree));
  const complement = complementTreeFor(shape, alwaysStored);
  for (const known of [undefined, tree, { other: { "=": 1 } }]) {
    const found = complement(source, roundTripped, defaulted, known);
    expect(found?.tree).toEqual(tree);
    expect(found?.text).toBe(text);
  }
}

describe("a complement made for a schema writes what the one for all finds", () => {
  it.each(
    all.flatMap((kind) =>
      kind.versions.map(({ name }, version) => [kind.name, name, kind, version] as const),
    ),
  )("in %s %s", (_kind, _version, kind, version) => {
    const { shape } = kind.versions[version] ?? kind.hub;
    fc.assert(
      fc.property(sidesOf(settingOf(kind, servingEngine), version), groupsIn(shape), (sides, groups) => {
        expectSameText(shape, sides, groups);
      }),
      { numRuns: runs },
    );
  });

  it("in a schema of names that mean something to JavaScript or to a tree", () => {
    fc.assert(
      fc.property(anyObject, fc.oneof(anyObject, field), groupsIn(strange), (source, other, groups) => {
        const roundTripped =
          typeof other === "string" ? (changed(source, other) as JsonObject) : { ...source, ...other };
        expectSameText(strange, { source, roundTripped, defaulted: roundTripped }, groups);
      }),
      { numRuns: 40 * runs },
    );
  });
});

it("leaves nothing of an object that is like its schema to the one for all", () => {
  const room = all.find(({ definition }) => definition.kind === "Room") as Kind;
  const [object] = room.examples.filter(({ file }) => file.endsWith("/v1/kitchen.yaml"));
  const { apiVersion, kind, metadata, ...content } = object?.object ?? {};
  const tables = new CountedMap(room.hub.shape.properties);
  const said = complementFor({ ...room.hub.shape, properties: tables }, undefined);
  tables.asked = 0;
  const back = image(image(content, room.chain, 1, 0), room.chain, 0, 1);
  expect(parseJson(said(content, back, back) ?? "")).toHaveProperty("spec.lights.cellar-bulb.transition");
  expect(tables.asked).toBe(0);
});

it("writes lists whose schema names no keys as the one for all does", () => {
  const lists = fc.array(fc.oneof(likeItem, oddItem), { minLength: 1, maxLength: 4 });
  const less = fc.constantFrom("mode", "a", "name", "id", "none");
  fc.assert(
    fc.property(lists, less, fc.nat(3), groupsIn(strange), (e, name, end, groups) => {
      const source = copyOf({ spec: { e: e as Json } });
      const back = changed(e as Json, name) as readonly Json[];
      const roundTripped = copyOf({ spec: { e: back.slice(0, e.length + end) } });
      expectSameText(strange, { source, roundTripped, defaulted: roundTripped }, groups);
      expectSameText(strange, { source, roundTripped, defaulted: roundTripped }, []);
    }),
    { numRuns: 20 * runs },
  );
});

it("leaves no list with an obvious key to the one for all", () => {
  const shape = resourceShapeOf(
    readSchema({ type: "object", properties: { spec: listed({ name: scalar, a: scalar, mode: scalar }) } }),
  );
  const items = shape.properties.get("spec")?.items as Shape;
  const tables = new CountedMap(items.properties);
  const spec = { ...(shape.properties.get("spec") as Shape), items: { ...items, properties: tables } };
  const said = complementFor({ ...shape, properties: new Map([["spec", spec]]) }, undefined);
  tables.asked = 0;
  const source = { spec: ["z", "x", "y"].map((name) => ({ name, a: "1", mode: name })) };
  const back = { spec: source.spec.map(({ name, a }) => ({ name, a })) };
  expect(parseJson(said(source, back, back) ?? "")).toHaveProperty("spec.y.mode", { "=": "y" });
  expect(tables.asked).toBe(0);
});

class CountedMap<Key, Value> extends Map<Key, Value> {
  asked = 0;
  override get(key: Key): Value | undefined {
    this.asked++;
    return super.get(key);
  }
}

function sidesOf(setting: Setting, version: number): fc.Arbitrary<Sides> {
  const { objects, edits, hub, kind } = setting;
  const drawn = fc.oneof(...Object.values(objects[version] ?? {}));
  const change = edits[version] ?? fc.constant([]);
  const others: readonly ((object: JsonObject) => fc.Arbitrary<JsonObject>)[] = [
    () => drawn,
    (object) => change.map((these) => edited(object, these)),
    (object) => change.map((these) => edited(copyOf(object), these)),
    (object) => fc.constant(thereAndBack(object, kind, version, version === hub ? 0 : hub)),
    (object) => fc.constant(object),
  ];
  const other = (object: JsonObject) => fc.oneof(...others.map((draw) => draw(object)));
  return drawn.chain((source) =>
    other(source).chain((roundTripped) =>
      fc
        .oneof(
          { arbitrary: fc.constant(roundTripped), weight: 4 },
          { arbitrary: other(roundTripped), weight: 1 },
        )
        .map((defaulted) => ({ source, roundTripped, defaulted })),
    ),
  );
}

function thereAndBack(object: JsonObject, { chain }: Kind, from: number, to: number): JsonObject {
  return from === to ? object : image(image(object, chain, from, to), chain, to, from);
}

/** A copy without the fields of one name, wherever they stand, and with one item more in lists whose length is even. */
function changed(value: Json, name: string): Json {
  if (isArray(value)) {
    const items = value.map((each) => changed(each, name));
    return items.length % 2 === 0 ? [...items, { name: "more" }] : items;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(fields.map(([key, below]) => [key, changed(below, name)]));
}

function copyOf(object: JsonObject): JsonObject {
  return parseJson(writeJson(object)) as JsonObject;
}

/** Some fields of a shape, as dotted names that lead through lists: each alone, or those of one object together. */
function groupsIn(shape: Shape): fc.Arbitrary<readonly (readonly string[])[]> {
  const names = namesIn(shape, []);
  const siblings = Object.values(Object.groupBy(names, (name) => name.slice(0, name.lastIndexOf("."))));
  const some = (from: readonly string[]) => fc.subarray([...from], { maxLength: Math.min(3, from.length) });
  const group = fc.oneof(...siblings.map((these) => some(these ?? [])));
  const alone = some(names).map((fields) => fields.map((each) => [each]));
  return fc.oneof(fc.constant([]), alone, fc.array(group, { maxLength: 2 }));
}

function namesIn(shape: Shape, above: readonly string[]): readonly string[] {
  const below = [...shape.properties].flatMap(([name, within]) => {
    const path = [...above, name];
    return [path.join("."), ...namesIn(within, path)];
  });
  return shape.items === undefined ? below : [...below, ...namesIn(shape.items, above)];
}

const odd = ["__proto__", "constructor", "toString", "10", "9", "=", "#order", "a", "b", "name", "mode", "é"];
const scalar = { type: "string" };
const keyed = (key: string, properties: JsonObject) => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": [key],
  items: { type: "object", properties },
});
const node = {
  type: "object",
  properties: {
    a: scalar,
    b: keyed("name", { name: scalar, mode: { type: "object", properties: { a: scalar } } }),
    name: keyed("constructor", { constructor: scalar, a: scalar }),
    mode: { type: "object", properties: { a: scalar, b: keyed("a", { a: scalar, b: scalar }) } },
  },
};
/** A list whose schema names no keys. */
const listed = (properties: JsonObject) => ({ type: "array", items: { type: "object", properties } });
const listAndMap = {
  type: "object",
  "x-kubernetes-list-map-keys": ["a"],
  properties: { a: scalar, b: scalar },
};
const strange = resourceShapeOf(
  readSchema({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          ...node.properties,
          b: node,
          c: keyed("name", node.properties),
          d: listAndMap,
          e: listed({ ...node.properties, name: scalar }),
          f: listed({ a: scalar, id: scalar, mode: listed({ name: scalar, a: scalar }) }),
        },
      },
      status: { type: "object", properties: Object.fromEntries(odd.map((name) => [name, scalar])) },
    },
  }),
);

/** Objects that have something in many of those places. */
const field = fc.oneof(
  fc.constantFrom("a", "b", "c", "d", "e", "f", "id", "name", "mode", "10", "9", "constructor"),
  anyKey,
);
const names = fc.oneof(
  { arbitrary: fc.constantFrom("x", "y", "a1", "1a", "constructor"), weight: 3 },
  { arbitrary: fc.constantFrom("10", "9", "=", "#order", "", "ü"), weight: 1 },
);
const likeItem = fc.record(
  { name: names, mode: fc.oneof(fc.constant({ a: "x" }), fc.constant({}), fc.constant("")), a: names },
  { requiredKeys: ["name"] },
);
/** Its name may be something else than a text. */
const oddItem = fc.record(
  { name: fc.oneof(names, fc.constantFrom<Json[]>(1, null, true, {}, [])), id: names, a: names, mode: names },
  { requiredKeys: ["a"] },
);
const item = fc.oneof(
  likeItem,
  fc.tuple(fc.dictionary(field, anyJson, { maxKeys: 2 }), names).map(([rest, name]) => ({ ...rest, name })),
);
const value: fc.Arbitrary<Json> = fc.oneof(
  anyJson,
  fc.uniqueArray(likeItem, { maxLength: 4, selector: ({ name }) => name }),
  fc.array(item, { maxLength: 3 }),
  fc.array(likeItem, { minLength: 2, maxLength: 3 }),
  fc.uniqueArray(
    fc.record({ id: names, a: names, mode: fc.array(likeItem, { maxLength: 3 }) }, { requiredKeys: ["id"] }),
    { maxLength: 3, selector: ({ id }) => id },
  ),
  fc.record({ a: names, b: names }, { requiredKeys: [] }),
  fc.dictionary(field, anyJson, { maxKeys: 3 }),
);
const anyObject: fc.Arbitrary<JsonObject> = fc
  .record({
    spec: fc.dictionary(field, value, { maxKeys: 4 }),
    status: fc.oneof(anyJson, fc.dictionary(fc.constantFrom(...odd), anyJson)),
  })
  .map((object) => parseJson(writeJson(object)) as JsonObject);
