import fc from "fast-check";
import { groupVersionOf } from "../apimachinery/resource.ts";
import { isArray, isObject, type Json, type JsonObject, listAt, objectAt } from "../json/json.ts";
import { admitted } from "../laws/admitted.ts";
import { contentSchemaOf } from "../laws/content-schema.ts";
import { valuesOf } from "../laws/values.ts";
import type { CompiledSchema } from "../schema/crd/compile.ts";
import { fitting, valuesFor } from "../values/leaf.ts";
import { sortOf } from "./fields.ts";

/** The version of which an example is drawn. */
interface ExampleVersion {
  readonly entry: JsonObject;
  readonly schema: CompiledSchema;
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** The paths of fields that differ between this version and a neighbouring one, and of the objects around them. */
  readonly changed: ReadonlySet<string>;
}

/**
 * An object that a version's schema and rules admit: plain values for as many fields as are still readable, first those that
 * changed, without those that a rule forbids. Undefined if neither plain values nor drawn ones are admitted.
 */
export function exampleOf(version: ExampleVersion): JsonObject | undefined {
  const schema = contentSchemaOf(version.entry);
  const objects = [version.changed, new Set<string>()].flatMap((changed) =>
    widths.map((width) => plainObject({ schema, width, changed })),
  );
  const readable =
    objects.find((object) => leavesOf(object) <= mostLeaves) ?? plainObject({ schema, width: 0 });
  return admitted(version, withIdentity(readable, version)) ?? drawnExample(schema, version);
}

/** Objects get so many optional fields: the largest of these numbers that leaves the example readable. */
const widths = [1000, 24, 12, 8, 6, 4, 3, 2, 1];
const mostLeaves = 120;

/** A list that must have more items gets no example. */
const mostItems = 1_000;

/** The smallest of many objects that the laws' generator draws, for schemas that plain values do not meet. */
function drawnExample(schema: JsonObject, version: ExampleVersion): JsonObject | undefined {
  const drawn = fc.sample(valuesOf(schema, "", new Map(), "valid"), { numRuns: 300, seed: 1 });
  const [smallest] = drawn
    .map((content) => admitted(version, withIdentity(isObject(content) ? content : {}, version)))
    .filter((each) => each !== undefined)
    .toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length);
  return smallest;
}

function withIdentity(content: JsonObject, { apiVersion, kind, isNamespaced }: ExampleVersion): JsonObject {
  // Examples of two versions are two objects: kubectl must not take one for a change of the other.
  const name = `example-${groupVersionOf(apiVersion).version}`;
  const metadata = { name, ...(isNamespaced ? { namespace: "default" } : {}) };
  return { apiVersion, kind, metadata, ...content };
}

function leavesOf(value: Json): number {
  if (isArray(value)) return value.reduce<number>((sum, item) => sum + leavesOf(item), 0);
  if (!isObject(value)) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + leavesOf(item), 0);
}

/** A place in an example, and how much of what its schema admits stands there. */
interface Place {
  readonly schema: JsonObject;
  /** The name of the field, if it has one. */
  readonly name?: string;
  readonly path?: string;
  /** Each object gets so many optional fields. */
  readonly width: number;
  /** The paths of fields that it gets besides. */
  readonly changed?: ReadonlySet<string>;
}

/** An object with its required fields, those that changed, and as many optional ones as its width allows. */
function plainObject(place: Place): JsonObject {
  const { schema, width, changed = new Set(), path = "" } = place;
  const { additionalProperties } = schema;
  const required = listAt(schema, "required");
  const properties = objectAt(schema, "properties");
  const pathOf = (name: string) => (path === "" ? name : `${path}.${name}`);
  // Rules fail without a key that they take for granted.
  const rules = changed.size > 0 ? JSON.stringify(schema["x-kubernetes-validations"] ?? "") : "";
  const isNeeded = (name: string) =>
    required.includes(name) || changed.has(pathOf(name)) || rules.includes(`self.${name}`);
  const optional = Object.keys(properties).filter((name) => !isNeeded(name));
  const leftOut = new Set(optional.slice(width));
  const fields = Object.entries(properties).flatMap(([name, below]) =>
    isObject(below) && !leftOut.has(name)
      ? [[name, plainValue({ ...place, schema: below, name, path: pathOf(name) })] as const]
      : [],
  );
  if (!isObject(additionalProperties) || width === 0) return Object.fromEntries(fields);
  const example = plainValue({ ...place, schema: additionalProperties, name: "" });
  return Object.fromEntries([["example", example], ...fields]);
}

/** A plain value for a place that its schema admits as far as types and bounds say. */
export function plainValue(place: Place): Json {
  const { schema, name = "" } = place;
  if (schema.default !== undefined) return schema.default;
  const [choice] = listAt(schema, "enum").filter((each) => each !== "");
  if (choice !== undefined) return choice;
  if (schema["x-kubernetes-embedded-resource"] === true) return embedded;
  const sort = sortOf(schema);
  if (sort === "list") return plainList(place);
  if (sort === "object" || sort === "map" || sort === "any") return plainObject(place);
  const values = valuesFor(schema, name);
  const isText = sort === "string";
  const plain = isText ? fitting([plainText(schema, name)], schema) : values.filter((value) => value === 1);
  return plain[0] ?? values[0] ?? (isText ? "" : 0);
}

const embedded = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "example" } };

function plainList(place: Place): Json {
  const { items, minItems } = place.schema;
  const least = Math.min(typeof minItems === "number" ? minItems : 0, mostItems);
  const length = Math.max(least, place.width > 0 ? 1 : 0);
  return isObject(items) ? Array.from({ length }, () => plainValue({ ...place, schema: items })) : [];
}

/** A text that says that it is an example, of a length that the schema admits. */
function plainText({ minLength = 0, maxLength }: JsonObject, name: string): string {
  const isDuration = /timeout|duration|interval|period|ttl|delay|wait|renewbefore/i.test(name);
  const word = name === "apiVersion" ? "example.org/v1" : isDuration ? "1h" : "example";
  const long = word.padEnd(Math.min(Number(minLength), mostCharacters), "e");
  return maxLength === undefined ? long : long.slice(0, Number(maxLength));
}

/** A longer example cannot be read, and a schema's minLength may be anything. */
const mostCharacters = 100;
