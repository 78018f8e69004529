import { isNumber, toDouble } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { valuesFor } from "../../values/leaf.ts";
import { differentOf, isTold, keysOf, propertiesOf } from "../../values/smallest.ts";

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

/** The values that a place is tried with, the plainest first. A list is tried with several items, out of order. */
export function valuesAt({ schema, text }: Place): readonly Json[] {
  if (schema.type !== "array")
    return valuesFor(schema, text.split(/[.[\]*]+/).findLast((part) => part !== "") ?? "");
  return listsAt(schema);
}

/** Lists of three and of two items that are out of order, as far as the schema admits them. */
function listsAt(schema: JsonObject): readonly Json[] {
  const { items } = schema;
  const [least, most] = [schema.minItems, schema.maxItems].map((bound) =>
    isNumber(bound) ? toDouble(bound) : 0,
  );
  const lengths = [3, 2]
    .map((length) => Math.max(length, least ?? 0))
    .filter((length) => !most || length <= most);
  const isRepeatable = !isTold(schema);
  return [...new Set(lengths)].flatMap((length) => {
    const found = differentOf(items, Math.min(length, 100), keysOf(schema));
    if (found.length < 2 || (found.length < length && !isRepeatable)) return [];
    return [Array.from({ length }, (_, index) => found[index % found.length] as Json)];
  });
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
