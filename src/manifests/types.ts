import { isNumber, toDouble } from "../json/exact.ts";
import { get, isArray, isExactNumber, isObject, type Json } from "../json/json.ts";
import type { Kind, Version } from "../kind/kind.ts";
import { docOf, fieldName, type Type, typed, wordOf } from "./typescript.ts";

/**
 * The TypeScript types of a kind's objects, one for each version, derived from its schemas.
 * They are type aliases, not interfaces, since only an alias is assignable to JsonObject.
 */
export function typesOf(kind: Kind): string {
  const versions = kind.versions.map((version) => versionType(kind, version));
  return ['import type { ExactNumber, Json } from "antechamber";\n', ...versions, metadataType].join("\n");
}

/** The name of a version's type: `RoomV1beta1`. */
function typeName({ definition }: Kind, { name }: Version): string {
  return definition.kind + name.slice(0, 1).toUpperCase() + name.slice(1).replaceAll("-", "_");
}

function versionType(kind: Kind, version: Version): string {
  const schema = get(version.entry, "schema", "openAPIV3Schema");
  const fields = resourceFields(schema, "  ", [
    typed("  ", "apiVersion", wordOf(version.apiVersion)),
    typed("  ", "kind", wordOf(kind.definition.kind)),
    typed("  ", "metadata", "Metadata"),
  ]);
  return `${docOf(get(schema, "description"), "")}export type ${typeName(kind, version)} = {\n${fields}};\n`;
}

/**
 * The type of the values that a schema admits. Ranges, patterns and rules have no types; a default makes no field
 * required.
 */
function typeOf(schema: Json | undefined, indent: string): Type {
  const types = typesOfValue(schema, indent);
  const all = get(schema, "nullable") === true && !types.includes("null") ? [...types, "null"] : types;
  return all.length === 1 && all[0] !== undefined ? all[0] : { union: all };
}

function typesOfValue(schema: Json | undefined, indent: string): readonly Type[] {
  const choices = choicesOf(get(schema, "enum"));
  if (choices !== undefined) return choices;
  if (get(schema, "x-kubernetes-int-or-string") === true) return ["number", "string"];
  switch (get(schema, "type")) {
    case "object":
      return [objectType(schema, indent)];
    case "array":
      return [{ list: typeOf(get(schema, "items"), indent) }];
    case "integer":
      return isAlwaysSafe(schema) ? ["number"] : ["number", "ExactNumber"];
    case "number":
      return ["number"];
    case "string":
      return ["string"];
    case "boolean":
      return ["boolean"];
    default:
      return ["Json"];
  }
}

/** The literals of an enum; undefined if there is none, or if a value is a list or an object. */
function choicesOf(choices: Json | undefined): readonly string[] | undefined {
  if (!isArray(choices) || choices.length === 0) return undefined;
  const words = choices.flatMap((each) => {
    if (isExactNumber(each)) return "ExactNumber";
    return isObject(each) || isArray(each) ? [] : wordOf(each);
  });
  return words.length === choices.length ? [...new Set(words)] : undefined;
}

/** Whether a double can hold every integer that a schema admits: only others are kept as exact numbers. */
function isAlwaysSafe(schema: Json | undefined): boolean {
  if (get(schema, "format") === "int32") return true;
  return [get(schema, "minimum"), get(schema, "maximum")].every(
    (bound) => isNumber(bound) && Math.abs(toDouble(bound)) <= Number.MAX_SAFE_INTEGER,
  );
}

function objectType(schema: Json | undefined, indent: string): string {
  const inner = `${indent}  `;
  const fields =
    get(schema, "x-kubernetes-embedded-resource") === true
      ? resourceFields(schema, inner, [
          typed(inner, "apiVersion", "string"),
          typed(inner, "kind", "string"),
          typed(inner, "metadata?", "Metadata"),
        ])
      : fieldsOf(schema, inner, []);
  return `{\n${fields === "" ? otherFields(inner, "never") : fields}${indent}}`;
}

/** The fields of a whole resource: first those that every resource has, whatever the schema says of them. */
function resourceFields(schema: Json | undefined, indent: string, first: readonly string[]): string {
  return first.join("") + fieldsOf(schema, indent, ["apiVersion", "kind", "metadata"]);
}

function fieldsOf(schema: Json | undefined, indent: string, except: readonly string[]): string {
  const properties = get(schema, "properties");
  const entries = isObject(properties) ? Object.entries(properties) : [];
  const required = get(schema, "required");
  const isRequired = (name: string) => isArray(required) && required.includes(name);
  const fields = entries
    .filter(([name]) => !except.includes(name))
    .map(([name, below]) => {
      const head = isRequired(name) ? fieldName(name) : `${fieldName(name)}?`;
      return docOf(get(below, "description"), indent) + typed(indent, head, typeOf(below, indent));
    });
  const allRequired = except.length === 0 && entries.every(([name]) => isRequired(name));
  return fields.join("") + unnamedFields(schema, indent, allRequired);
}

/** The type of fields that the schema does not name; nothing if such fields are pruned. */
function unnamedFields(schema: Json | undefined, indent: string, allRequired: boolean): string {
  const additional = get(schema, "additionalProperties");
  if (isObject(additional)) return otherFields(indent, typeOf(additional, indent));
  if (additional === true) return otherFields(indent, "Json");
  if (get(schema, "x-kubernetes-preserve-unknown-fields") !== true) return "";
  // Without exactOptionalPropertyTypes optional fields include undefined, which the index signature must then include
  // too.
  return otherFields(indent, allRequired ? "Json" : { union: ["Json", "undefined"] });
}

function otherFields(indent: string, type: Type): string {
  return typed(indent, "[key: string]", type);
}

/** The metadata of every object (metav1.ObjectMeta). */
const metadataType = `type Metadata = {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly labels?: {
    readonly [key: string]: string;
  };
  readonly annotations?: {
    readonly [key: string]: string;
  };
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number | ExactNumber;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string | null;
  readonly deletionGracePeriodSeconds?: number | ExactNumber;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly uid: string;
    readonly controller?: boolean;
    readonly blockOwnerDeletion?: boolean;
  }[];
  readonly managedFields?: readonly Json[];
  readonly selfLink?: string;
};
`;
