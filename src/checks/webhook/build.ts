import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { isHinted, valuesFor } from "./words.ts";

/** The value of a schema that has nothing but what is required. `nth` tells the items of a list apart. */
export function smallestOf(schema: Json | undefined, name = "", nth = 0): Json {
  if (get(schema, "type") === "object" || isObject(get(schema, "properties"))) return smallestObject(schema);
  if (get(schema, "type") === "array") {
    const least = countAt(schema, "minItems");
    return Array.from({ length: least }, (_, index) => smallestOf(get(schema, "items"), name, index));
  }
  const values = valuesFor(schema, name);
  const anything = get(schema, "x-kubernetes-preserve-unknown-fields") === true ? {} : null;
  return values[nth % Math.max(values.length, 1)] ?? anything;
}

function smallestObject(schema: Json | undefined): JsonObject {
  const required = requiredOf(schema);
  const least = countAt(schema, "minProperties");
  const others = Object.keys(propertiesOf(schema)).filter((name) => !required.includes(name));
  const names = [...required, ...others.slice(0, Math.max(0, least - required.length))];
  const known = names.map((name) => [name, smallestOf(propertiesOf(schema)[name], name)] as const);
  const open = get(schema, "additionalProperties");
  const missing = isObject(open) ? Math.max(0, least - known.length) : 0;
  const entries = Array.from({ length: missing }, (_, index) => [`k${index}`, smallestOf(open)] as const);
  return Object.fromEntries([...known, ...entries]);
}

/**
 * The smallest value of a schema that has `value` at a path, with the required fields beside it. A list gets as many items
 * as it must have.
 */
export function built(schema: Json | undefined, path: Path, value: Json): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const smallest = smallestOf(schema);
  return placed(smallest, schema, step, (below) => built(below, rest, value));
}

function placed(
  smallest: Json,
  schema: Json | undefined,
  step: string | number,
  make: (schema: Json | undefined) => Json,
): Json {
  if (typeof step === "number") {
    const items = isArray(smallest) ? smallest : [];
    const length = Math.max(items.length, step + 1);
    return Array.from({ length }, (_, index) =>
      index === step
        ? make(get(schema, "items"))
        : (items[index] ?? smallestOf(get(schema, "items"), "", index)),
    );
  }
  const object = isObject(smallest) ? smallest : {};
  const below = propertiesOf(schema)[step] ?? get(schema, "additionalProperties");
  return set(object, step, make(below));
}

/** A place of a schema that can hold a value of its own, as a path into an object. */
export interface Place {
  /** `spec.lights[].color`. */
  readonly text: string;
  readonly path: Path;
  readonly schema: JsonObject;
  /** Why nothing is drawn here, where that is so. */
  readonly closed?: string;
}

/** The most places of one version that are looked at. */
const mostPlaces = 20_000;

/** All places of a schema that hold values: leaves, lists, and maps whose entries are leaves. */
export function placesOf(schema: Json | undefined): readonly Place[] {
  const found: Place[] = [];
  for (const [name, below] of Object.entries(propertiesOf(schema)))
    if (!["apiVersion", "kind", "metadata"].includes(name)) visit(below, [name], name, found);
  return found;
}

function visit(schema: Json | undefined, path: Path, text: string, found: Place[]): void {
  if (!isObject(schema) || found.length >= mostPlaces) return;
  const fields = Object.entries(propertiesOf(schema));
  const { items, additionalProperties: others } = schema;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  for (const [name, below] of fields) visit(below, [...path, name], fieldBelow(text, name), found);
  if (isObject(items)) {
    found.push({ text, path, schema });
    visit(items, [...path, 0], `${text}[]`, found);
  } else if (isObject(others)) visit(others, [...path, "k"], `${text}.*`, found);
  else if (fields.length === 0) {
    const closed = isOpen ? "the schema does not describe it; an example can show what it holds" : undefined;
    if (schema.type !== "object" || closed !== undefined)
      found.push({ text, path, schema, ...(closed === undefined ? {} : { closed }) });
  }
}

/** The values that a place is tried with, the plainest first. A list is tried with items out of order. */
export function valuesAt({ schema, text }: Place): readonly Json[] {
  if (schema.type !== "array")
    return valuesFor(schema, text.split(/[.[\]*]+/).findLast((part) => part !== "") ?? "");
  const list = shuffledList(schema);
  return list === undefined ? [] : [list];
}

/** A list of items that are out of order; undefined where the items cannot be told apart. */
function shuffledList(schema: JsonObject): Json | undefined {
  const { items, maxItems } = schema;
  const listed = schema["x-kubernetes-list-map-keys"];
  const keys = isArray(listed) ? listed : [];
  const length = Math.min(3, typeof maxItems === "number" ? maxItems : 3);
  if (length < 2) return undefined;
  const names = ["c", "a", "b"].slice(0, length);
  if (get(items, "type") === "string") {
    const values = valuesFor(items, "");
    if (values.includes("a")) return names;
    return values.length >= length ? values.slice(0, length).toReversed() : undefined;
  }
  const fields = Object.entries(propertiesOf(items)).filter(
    ([name, schema]) =>
      get(schema, "type") === "string" && valuesFor(schema, name)[0] === "a" && !isHinted(name),
  );
  const isNamed = ([name]: (typeof fields)[number]) =>
    keys.includes(name) || ["name", "type", "key", "id"].includes(name);
  const [key] = fields.find(isNamed) ?? fields[0] ?? [];
  return key === undefined ? undefined : names.map((name) => built(items, [key], name));
}

/** The schema's place for a path: `spec.lights[].color`. */
export function placeText(schema: Json | undefined, path: Path): string {
  let [text, here] = ["", schema];
  for (const step of path) {
    if (typeof step === "number") {
      text += "[]";
      here = get(here, "items");
      continue;
    }
    const field = get(here, "properties", step);
    const isEntry = field === undefined && isObject(get(here, "additionalProperties"));
    text = isEntry ? `${text}.*` : fieldBelow(text, step);
    here = field ?? get(here, "additionalProperties");
  }
  return text;
}

export function fieldBelow(text: string, name: string): string {
  if (!/^[A-Za-z_$][\w$-]*$/.test(name)) return `${text}[${name}]`;
  return text === "" ? name : `${text}.${name}`;
}

/** The value at a path. */
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let here = value;
  for (const step of path) here = isArray(here) ? here[Number(step)] : get(here, String(step));
  return here;
}

/** A value with another one at a path that exists, or whose parent does; undefined removes it. */
export function withAt(value: Json, [step, ...rest]: Path, made: Json | undefined): Json {
  if (step === undefined) return made ?? null;
  if (isArray(value)) {
    if (rest.length === 0 && made === undefined) return value.filter((_, index) => index !== step);
    return value.map((item, index) => (index === step ? withAt(item, rest, made) : item));
  }
  if (!isObject(value)) return value;
  const inner = get(value, String(step));
  return set(value, String(step), rest.length === 0 ? made : withAt(inner ?? {}, rest, made));
}

export function propertiesOf(schema: Json | undefined): JsonObject {
  const properties = get(schema, "properties");
  return isObject(properties) ? properties : {};
}

function requiredOf(schema: Json | undefined): readonly string[] {
  const required = get(schema, "required");
  return isArray(required)
    ? required.map(String).filter((name) => Object.hasOwn(propertiesOf(schema), name))
    : [];
}

function countAt(schema: Json | undefined, name: string): number {
  const value = get(schema, name);
  return typeof value === "number" ? Math.min(value, 100) : 0;
}
