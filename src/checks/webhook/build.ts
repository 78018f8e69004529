import { isNumber, toDouble } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import { fieldBelow, type Path } from "../../json/path.ts";
import { valuesFor } from "../../values/leaf.ts";
import { differentOf, isTold, keysOf, propertiesOf, smallestOf } from "../../values/smallest.ts";

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

/** All places of a schema that hold values: leaves, lists and maps. */
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
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || others === true;
  for (const [name, below] of fields) visit(below, [...path, name], fieldBelow(text, name), found);
  if (isObject(items)) {
    found.push({ text, path, schema });
    visit(items, [...path, 0], `${text}[]`, found);
  } else if (isObject(others)) {
    found.push({ text, path, schema });
    visit(others, [...path, "k"], `${text}.*`, found);
  } else if (fields.length === 0) {
    const closed = isOpen ? "the schema does not describe it; an example can show what it holds" : undefined;
    if (schema.type !== "object" || closed !== undefined)
      found.push({ text, path, schema, ...(closed === undefined ? {} : { closed }) });
  }
}

/** The values that a place is tried with, the plainest first. Lists and maps are tried with several items or entries. */
export function valuesAt({ schema, text }: Place): readonly Json[] {
  if (schema.type === "array") return listsAt(schema);
  if (isMap(schema)) return mapsAt(schema);
  return valuesFor(schema, text.split(/[.[\]*]+/).findLast((part) => part !== "") ?? "");
}

/** Whether a schema describes a map, whose entries have any names. */
export function isMap(schema: Json | undefined): boolean {
  return isObject(get(schema, "additionalProperties"));
}

/** Lists of three and of two items that are out of order, as far as the schema admits them. */
function listsAt(schema: JsonObject): readonly Json[] {
  const isRepeatable = !isTold(schema);
  return lengthsOf(schema.minItems, schema.maxItems).flatMap((length) => {
    const found = differentOf(schema.items, length, keysOf(schema));
    if (found.length < 2 || (found.length < length && !isRepeatable)) return [];
    return [Array.from({ length }, (_, index) => found[index % found.length] as Json)];
  });
}

/** Maps of three and of two entries, as far as the schema admits them. The names of two tell whether case and length count. */
function mapsAt({ additionalProperties: entry, minProperties, maxProperties }: JsonObject): readonly Json[] {
  return lengthsOf(minProperties, maxProperties).map((length) => {
    const found = differentOf(entry, length);
    const names = length === 2 ? ["k", "Another-Key"] : ["k", "b", "a"];
    const entries = Array.from({ length }, (_, nth) => [
      names[nth] ?? `k${nth}`,
      found[nth % Math.max(found.length, 1)] ?? smallestOf(entry, { nth }),
    ]);
    return Object.fromEntries(entries);
  });
}

/** Three and two, as far as two bounds admit them; where the lower one is above, that. */
function lengthsOf(minimum: Json | undefined, maximum: Json | undefined): readonly number[] {
  const [least, most] = [minimum, maximum].map((bound) => (isNumber(bound) ? toDouble(bound) : 0));
  const lengths = [3, 2].map((length) => Math.min(Math.max(length, least ?? 0), 100));
  return [...new Set(lengths)].filter((length) => !most || length <= most);
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

/** What is directly within a value: items of a list, fields or entries of an object. */
export function entriesOf(value: Json | undefined): readonly (readonly [string | number, Json])[] {
  if (isArray(value)) return [...value.entries()];
  return isObject(value) ? Object.entries(value) : [];
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
