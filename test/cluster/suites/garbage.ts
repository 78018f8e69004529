import { isObject, type Json, type JsonObject } from "../../../src/json/json.ts";

/** The answers of another conversion webhook, whatever the request: by the kind and name of the object. */
export const carelessness: readonly (readonly [string, (object: JsonObject) => JsonObject])[] = [
  [
    "nothing-but-metadata",
    ({ apiVersion = null, kind = null, metadata = null }) => ({ apiVersion, kind, metadata }),
  ],
  ["empty", (object) => ({ ...object, spec: {}, status: {} })],
  ["null-spec", (object) => ({ ...object, spec: null })],
  ["nulls", (object) => ({ ...object, spec: nullsOf(object) })],
  [
    "wrong-types",
    (object) => ({
      ...object,
      spec: wrongTypesOf(object),
      status: { conditions: "none", observedGeneration: "x" },
    }),
  ],
  [
    "wrong-items",
    (object) => ({ ...object, spec: wrongItemsOf(object), status: { conditions: [7, {}, null] } }),
  ],
  [
    "unknown-fields",
    (object) => ({ ...object, spec: { nonsense: 1, lights: [{ name: "a", odd: {} }] }, extra: "x" }),
  ],
  ["text-carrier", (object) => annotated(object, "antechamber.dev/conversion-data-0000000000", "not JSON")],
  ["hostile-carrier", (object) => annotated(object, "antechamber.dev/conversion-data", hostile)],
  [
    "later-carrier",
    (object) => annotated(object, "antechamber.dev/conversion-data-later", '{"format":99,"what":[]}'),
  ],
  [
    "odd-status-carrier",
    (object) => ({ ...object, status: { conversionData: { format: 1, spokes: [], hub: 3, uid: {} } } }),
  ],
  [
    "several-carriers",
    (object) => ({
      ...annotated(object, "antechamber.dev/conversion-data-a", hostile),
      status: { conversionData: { format: 99 } },
    }),
  ],
];

const hostile = JSON.stringify({
  format: 1,
  uid: "another's",
  generation: 1e9,
  hub: {
    spec: { "=": "text", brightness: { "=": {}, "~": [] } },
    metadata: { name: { "=": "x" } },
    ["__proto__"]: 1,
  },
  spokes: { v1beta1: { spec: { level: 7, powered: { "=": null }, nothing: { "#": [] } } }, v0: {}, v1: 3 },
});

/** Objects that an API server would not store, written to etcd directly. */
export const raw: readonly (readonly [string, JsonObject])[] = [
  ["raw-text", { spec: "text", status: "text" }],
  ["raw-list", { spec: [], status: [1] }],
  ["raw-number", { spec: 7, status: { conversionData: 7 } }],
  ["raw-null", { spec: null, status: null }],
  ["raw-deep", { spec: deep(200), status: { conversionData: deep(200) } }],
  [
    "raw-old-carrier",
    { spec: {}, status: { conversionData: { format: 1, hub: { spec: null }, spokes: null } } },
  ],
];

function annotated(object: JsonObject, key: string, value: string): JsonObject {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  return { ...object, metadata: { ...metadata, annotations: { [key]: value } } };
}

const fieldNames: Readonly<Record<string, readonly string[]>> = {
  Light: ["brightness", "color", "transition", "device", "schedule"],
  Lock: ["desiredState", "autoLock", "keys"],
  Room: ["lights", "locks", "climate", "location", "accessories"],
};

function fieldsOf(object: JsonObject): readonly string[] {
  return fieldNames[String(object.kind)] ?? [];
}

function nullsOf(object: JsonObject): JsonObject {
  return Object.fromEntries(fieldsOf(object).map((field) => [field, null]));
}

function wrongTypesOf(object: JsonObject): JsonObject {
  return Object.fromEntries(
    fieldsOf(object).map((field, index) => [field, [7, "text", true][index % 3] ?? 7]),
  );
}

function wrongItemsOf(object: JsonObject): JsonObject {
  const isList = (field: string) => ["lights", "locks", "keys", "schedule", "accessories"].includes(field);
  const items = [7, null, "text", {}, { name: "a" }, { name: "a" }, { name: {} }, []];
  return Object.fromEntries(
    fieldsOf(object).map((field) => [field, isList(field) ? items : { odd: [items] }]),
  );
}

function deep(levels: number): Json {
  let value: Json = "end";
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}
