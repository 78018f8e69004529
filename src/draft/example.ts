import fc from "fast-check";
import { toInteger } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { admitted } from "../laws/admitted.ts";
import { contentSchemaOf } from "../laws/content-schema.ts";
import { valuesOf } from "../laws/values.ts";
import type { CompiledSchema } from "../schema/crd/compile.ts";
import { settled } from "../values/combinators.ts";
import { fitting, formattedText, valuesFor } from "../values/leaf.ts";
import { sortOf } from "./fields.ts";

/** The version of which an example is drawn. */
interface ExampleVersion {
  readonly entry: JsonObject;
  readonly schema: CompiledSchema;
  readonly apiVersion: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
}

/**
 * An object that a version's schema and rules admit: plain values for as many fields as are still readable, without those
 * that a rule forbids. Undefined if neither plain values nor drawn ones are admitted.
 */
export function exampleOf(version: ExampleVersion): JsonObject | undefined {
  const content = contentSchemaOf(version.entry);
  const schema = settled(content);
  const objects = widths.map((width) => plainObject(schema, width));
  const readable = objects.find((object) => leavesOf(object) <= mostLeaves) ?? plainObject(schema, 0);
  return admitted(version, withIdentity(readable, version)) ?? drawnExample(content, version);
}

/** Objects get so many optional fields: the largest of these numbers that leaves the example readable. */
const widths = [1000, 24, 12, 8, 6, 4, 3, 2, 1];
const mostLeaves = 120;

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
  const metadata = { name: "example", ...(isNamespaced ? { namespace: "default" } : {}) };
  return { apiVersion, kind, metadata, ...content };
}

function leavesOf(value: Json): number {
  if (isArray(value)) return value.reduce<number>((sum, item) => sum + leavesOf(item), 0);
  if (!isObject(value)) return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + leavesOf(item), 0);
}

/** An object with its required fields, and as many optional ones as its width allows. */
function plainObject(schema: JsonObject, width: number): JsonObject {
  const { properties, required, additionalProperties } = schema;
  const fields = Object.entries(isObject(properties) ? properties : {});
  const isRequired = (name: string) => isArray(required) && required.includes(name);
  const optional = fields.filter(([name]) => !isRequired(name)).slice(0, width);
  const chosen = fields.filter((field) => isRequired(field[0]) || optional.includes(field));
  const named = chosen.flatMap(([name, below]) =>
    isObject(below) ? [[name, plainValue(below, name, width)] as const] : [],
  );
  if (!isObject(additionalProperties) || width === 0) return Object.fromEntries(named);
  return Object.fromEntries([["example", plainValue(additionalProperties, "", width)], ...named]);
}

/** A plain value for a field of this name that its schema admits as far as types and bounds say. */
export function plainValue(schema: JsonObject, name: string, width: number): Json {
  if (schema.default !== undefined) return schema.default;
  const choices = isArray(schema.enum) ? schema.enum.filter((each) => each !== "") : [];
  if (choices[0] !== undefined) return choices[0];
  if (schema["x-kubernetes-embedded-resource"] === true) return embedded;
  switch (sortOf(schema)) {
    case "string":
      return plainText(schema, name);
    case "integer":
    case "number":
    case "int-or-string":
      return plainNumber(schema);
    case "boolean":
      return true;
    case "list":
      return plainList(schema, name, width);
    default:
      return plainObject(schema, width);
  }
}

const embedded = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "example" } };

function plainList(schema: JsonObject, name: string, width: number): Json {
  const least = boundOf(schema, "minItems") ?? 0;
  const length = width > 0 ? Math.max(1, least) : least;
  const items = get(schema, "items");
  return isObject(items) ? Array.from({ length }, () => plainValue(items, name, width)) : [];
}

function plainNumber(schema: JsonObject): Json {
  const [least, most] = [boundOf(schema, "minimum") ?? 1, boundOf(schema, "maximum")];
  const above = schema.exclusiveMinimum === true ? Math.floor(least) + 1 : Math.ceil(least);
  const value = Math.min(
    Math.max(1, above),
    most === undefined ? Number.POSITIVE_INFINITY : Math.floor(most),
  );
  return toInteger(String(value));
}

/** A text that says that it is an example, or else the plainest one that format and pattern admit. */
function plainText(schema: JsonObject, name: string): Json {
  const formatted = formattedText(schema);
  if (formatted !== undefined) return formatted;
  const word = name === "apiVersion" ? "example.org/v1" : isDuration(name) ? "1h" : "example";
  const own =
    typeof schema.pattern === "string"
      ? [word, ...plainTexts]
      : [word.padEnd(boundOf(schema, "minLength") ?? 0, "e")];
  const cut = own.map((text) => [...text].slice(0, boundOf(schema, "maxLength")).join(""));
  const [text] = [...fitting(cut, schema), ...valuesFor(schema, name)];
  return text ?? "";
}

function isDuration(name: string): boolean {
  return /timeout|duration|interval|period|ttl|delay|wait|renewbefore/i.test(name);
}

const plainTexts = [
  "example",
  "Example",
  "1h",
  "example.org/v1",
  "example.org",
  "https://example.org",
  "1",
  "v1.2.3",
];

function boundOf(schema: JsonObject, name: string): number | undefined {
  const value = schema[name];
  return typeof value === "number" ? value : undefined;
}
