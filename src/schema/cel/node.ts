import { isArray, isObject, type Json, type JsonObject, own } from "../../json/json.ts";

/** What of a schema the rules see: kube's structural schema, as far as CEL looks at it. */
export interface Node {
  readonly type: string;
  readonly format: string;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserve: boolean;
  readonly embedded: boolean;
  readonly properties: ReadonlyMap<string, Node> | undefined;
  readonly additional: Node | undefined;
  /** Whether `additionalProperties` is there at all, be it true or false. */
  readonly isMap: boolean;
  readonly items: Node | undefined;
  readonly listType: string;
  readonly mapType: string;
  /** Whether it, and all below it, is a schema of the structural sort at all. */
  readonly isStructural: boolean;
  readonly listKeys: readonly string[];
  readonly required: ReadonlySet<string>;
  readonly enum: readonly Json[];
  readonly hasDefault: boolean;
  readonly maxLength: number | undefined;
  readonly maxItems: number | undefined;
  readonly maxProperties: number | undefined;
  readonly rules: readonly JsonObject[];
}

// apiextensions-apiserver pkg/apiserver/schema/convert.go, NewStructural
const unsupportedTexts = ["id", "$schema", "$ref"];
const unsupportedMaps = ["patternProperties", "dependencies", "definitions"];

// A schema beyond this depth is no schema that a server took; deeper parts are not looked at.
const deepest = 200;

/** The node that a schema says. */
export function nodeOf(schema: Json, depth = 0): Node {
  const text = (key: string) => textOf(own(schema, key));
  const flag = (key: string) => own(schema, key) === true;
  const below = (value: Json | undefined) =>
    isObject(value) && depth < deepest ? nodeOf(value, depth + 1) : undefined;
  const rules = own(schema, "x-kubernetes-validations");
  const required = own(schema, "required");
  const keys = own(schema, "x-kubernetes-list-map-keys");
  const choices = own(schema, "enum");
  const byDefault = own(schema, "default");
  const properties = propertiesOf(own(schema, "properties"), below);
  const [additional, items] = [below(own(schema, "additionalProperties")), below(own(schema, "items"))];
  return {
    type: text("type"),
    format: text("format"),
    nullable: flag("nullable"),
    intOrString: flag("x-kubernetes-int-or-string"),
    preserve: flag("x-kubernetes-preserve-unknown-fields"),
    embedded: flag("x-kubernetes-embedded-resource"),
    properties,
    additional,
    isMap: (own(schema, "additionalProperties") ?? null) !== null,
    items,
    listType: text("x-kubernetes-list-type"),
    mapType: text("x-kubernetes-map-type"),
    isStructural:
      !hasUnsupported(schema) &&
      [...(properties?.values() ?? []), additional, items].every((node) => node?.isStructural ?? true),
    listKeys: isArray(keys) ? keys.map(textOf) : [],
    required: new Set(isArray(required) ? required.map(textOf) : []),
    enum: isArray(choices) ? choices : [],
    hasDefault: byDefault !== undefined && byDefault !== null,
    maxLength: sizeOf(own(schema, "maxLength")),
    maxItems: sizeOf(own(schema, "maxItems")),
    maxProperties: sizeOf(own(schema, "maxProperties")),
    rules: isArray(rules) ? rules.filter(isObject) : [],
  };
}

function propertiesOf(
  value: Json | undefined,
  below: (schema: Json) => Node | undefined,
): ReadonlyMap<string, Node> | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, schema]) => {
    const node = below(schema);
    return node === undefined ? [] : [[name, node] as const];
  });
  return entries.length === 0 ? undefined : new Map(entries);
}

const textNode = nodeOf({ type: "string" });
const metadataNode = nodeOf({
  type: "object",
  properties: { name: { type: "string" }, generateName: { type: "string" } },
});

/** The root of a resource always shows kind, apiVersion and the two names (`WithTypeAndObjectMeta`). */
export function asResource(node: Node): Node {
  const { properties } = node;
  const metadata = properties?.get("metadata");
  const isWhole =
    ["kind", "apiVersion"].every((name) => properties?.get(name)?.type === "string") &&
    metadata?.type === "object" &&
    ["name", "generateName"].every((name) => metadata.properties?.get(name)?.type === "string");
  if (isWhole) return node;
  const added = [
    ["kind", textNode],
    ["apiVersion", textNode],
    ["metadata", metadataNode],
  ] as const;
  return { ...node, properties: new Map([...(properties ?? []), ...added]) };
}

function hasUnsupported(schema: Json): boolean {
  const has = (key: string) => own(schema, key) !== undefined;
  return (
    unsupportedTexts.some((key) => textOf(own(schema, key)) !== "") ||
    unsupportedMaps.some((key) => Object.keys(objectOf(own(schema, key))).length > 0) ||
    has("additionalItems") ||
    isArray(own(schema, "items")) ||
    own(schema, "x-kubernetes-preserve-unknown-fields") === false
  );
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function sizeOf(value: Json | undefined): number | undefined {
  return typeof value === "number" ? Math.max(0, value) : undefined;
}
