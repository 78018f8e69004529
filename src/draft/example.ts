import fc from "fast-check";
import { compileRegexp } from "../go/regexp.ts";
import { toInteger } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { admitted } from "../laws/admitted.ts";
import { contentSchemaOf } from "../laws/content-schema.ts";
import { valuesOf } from "../laws/values.ts";
import type { CompiledSchema } from "../schema/crd/compile.ts";
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
  const schema = contentSchemaOf(version.entry);
  const objects = widths.map((width) => plainObject(schema, width));
  const readable = objects.find((object) => leavesOf(object) <= mostLeaves) ?? plainObject(schema, 0);
  return admitted(version, withIdentity(readable, version)) ?? drawnExample(schema, version);
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

function plainText(schema: JsonObject, name: string): Json {
  const known = formats.get(String(schema.format));
  if (known !== undefined) return known;
  if (typeof schema.pattern === "string") return patternedText(schema, schema.pattern);
  const text = name === "apiVersion" ? "example.org/v1" : isDuration(name) ? "1h" : "example";
  const long = text.padEnd(boundOf(schema, "minLength") ?? 0, "e");
  return [...long].slice(0, boundOf(schema, "maxLength")).join("");
}

function isDuration(name: string): boolean {
  return /timeout|duration|interval|period|ttl|delay|wait|renewbefore/i.test(name);
}

/** A plain text that matches the pattern of a schema, or else the shortest of some that are drawn from it. */
function patternedText(schema: JsonObject, pattern: string): Json {
  const compiled = compileRegexp(pattern);
  const plain = "isFoundIn" in compiled ? plainTexts.find((text) => compiled.isFoundIn(text)) : undefined;
  if (plain !== undefined) return plain;
  const drawn = fc.sample(valuesOf(schema, "", new Map(), "valid"), { numRuns: 30, seed: 1 });
  const texts = drawn.filter((each) => typeof each === "string" && each !== "");
  return texts.toSorted((a, b) => String(a).length - String(b).length)[0] ?? "";
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

/** A value for each format that an API server checks (apiextensions-apiserver, pkg/apiserver/validation/formats.go). */
const formats: ReadonlyMap<string, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["datetime", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["duration", "1h"],
  ["byte", "ZXhhbXBsZQ=="],
  ["email", "someone@example.org"],
  ["hostname", "example.org"],
  ["uri", "https://example.org"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
  ["cidr", "192.0.2.0/24"],
  ["mac", "00:00:5e:00:53:01"],
  ["uuid", "8a1b7c1e-0001-4000-8000-000000000001"],
  ["uuid4", "8a1b7c1e-0001-4000-8000-000000000001"],
]);

function boundOf(schema: JsonObject, name: string): number | undefined {
  const value = schema[name];
  return typeof value === "number" ? value : undefined;
}
