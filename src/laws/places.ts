import { orderKey } from "../conversion/leaf.ts";
import { mapFields, mapItems } from "../json/copy.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { fieldBelow, type Path } from "../json/path.ts";

/** A step down a schema: a field by name, any item of a list, any entry of a map. */
export type SchemaStep = string | { readonly any: "item" | "entry" };

/** A place in a schema, such as `spec.lights[].color` or `spec.rooms.*.size`, with the places below it. */
export interface SchemaPlace {
  readonly text: string;
  readonly steps: readonly SchemaStep[];
  readonly schema: JsonObject;
  readonly below: readonly SchemaPlace[];
}

/** The places directly below a schema, each with those below it. */
export function placesBelow(
  schema: Json | undefined,
  steps: readonly SchemaStep[] = [],
  text = "",
): readonly SchemaPlace[] {
  const [properties, items, others] = ["properties", "items", "additionalProperties"].map((name) =>
    get(schema, name),
  );
  const place = (step: SchemaStep, name: string, inner: Json | undefined): readonly SchemaPlace[] => {
    const here = [...steps, step];
    return isObject(inner)
      ? [{ text: name, steps: here, schema: inner, below: placesBelow(inner, here, name) }]
      : [];
  };
  return [
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, inner]) =>
      place(name, fieldBelow(text, name), inner),
    ),
    ...place({ any: "item" }, `${text}[]`, items),
    ...place({ any: "entry" }, `${text}.*`, others),
  ];
}

/** The places and all places below them, parents first. */
export function allOf(places: readonly SchemaPlace[]): readonly SchemaPlace[] {
  return places.flatMap((place) => [place, ...allOf(place.below)]);
}

/** The topmost fields for which a predicate holds. Items and entries are not fields. */
export function topmost(
  places: readonly SchemaPlace[],
  holds: (place: SchemaPlace) => boolean,
): readonly SchemaPlace[] {
  return places.flatMap((place) =>
    typeof place.steps.at(-1) === "string" && holds(place) ? [place] : topmost(place.below, holds),
  );
}

/** The values of an object at a place: several if it is inside lists or maps. */
export function valuesIn(value: Json | undefined, [step, ...rest]: readonly SchemaStep[]): readonly Json[] {
  if (value === undefined) return [];
  if (step === undefined) return [value];
  if (typeof step === "string") return valuesIn(get(value, step), rest);
  if (step.any === "item") return isArray(value) ? value.flatMap((item) => valuesIn(item, rest)) : [];
  return isObject(value) ? Object.values(value).flatMap((entry) => valuesIn(entry, rest)) : [];
}

/** A value without its values at a place; containers stay, even if they become empty. */
export function withoutPlace(value: Json, [step, ...rest]: readonly SchemaStep[]): Json {
  if (step === undefined) return value;
  if (typeof step !== "string") {
    if (isArray(value)) return value.map((item) => withoutPlace(item, rest));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, withoutPlace(entry, rest)]));
  }
  const inner = get(value, step);
  if (!isObject(value) || inner === undefined) return value;
  return set(value, step, rest.length === 0 ? undefined : withoutPlace(inner, rest));
}

/** Whether a value is an empty list or an empty object, which is not worth reporting. */
export function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** A value without empty lists and objects, including those that become empty when others are removed. */
export function withoutEmpty(value: Json): Json {
  if (isArray(value)) {
    const items = mapItems(value, withoutEmpty);
    return items.some(isEmpty) ? items.filter((item) => !isEmpty(item)) : items;
  }
  if (!isObject(value)) return value;
  return mapFields(value, (inner) => {
    const rest = withoutEmpty(inner);
    return isEmpty(rest) ? undefined : rest;
  });
}

/** The place of a leaf of a complement, from its names in one object: `[spec, lights, lamp, color]`. */
export function placeOfLeaf(names: readonly string[], schema: Json | undefined, text = ""): string {
  const [name, ...rest] = names;
  if (name === undefined || name === orderKey) return text;
  if (get(schema, "x-kubernetes-list-map-keys") !== undefined)
    return placeOfLeaf(rest, get(schema, "items"), `${text}[]`);
  const field = get(schema, "properties", name);
  if (field !== undefined) return placeOfLeaf(rest, field, fieldBelow(text, name));
  // An item of a list without keys, by its index or by a field that tells the items apart.
  const items = get(schema, "items");
  return items === undefined
    ? placeOfLeaf(rest, get(schema, "additionalProperties"), `${text}.*`)
    : placeOfLeaf(rest, items, `${text}[]`);
}

/** The place in a schema for a path of an object: `spec.lights[].color`. */
export function placeOfPath([step, ...rest]: Path, schema: Json | undefined, text = ""): string {
  if (step === undefined) return text;
  if (typeof step === "number") return placeOfPath(rest, get(schema, "items"), `${text}[]`);
  const field = get(schema, "properties", step);
  return field === undefined
    ? placeOfPath(rest, get(schema, "additionalProperties"), `${text}.*`)
    : placeOfPath(rest, field, fieldBelow(text, step));
}

/** Whether a leaf of a complement is a key of an item, which is carried if the whole item is. */
export function isItemKey(names: readonly string[], schema: Json | undefined): boolean {
  const [name, ...rest] = names;
  if (name === undefined) return false;
  const keys = get(schema, "x-kubernetes-list-map-keys");
  if (isArray(keys))
    return (rest.length === 1 && keys.includes(rest[0] ?? "")) || isItemKey(rest, get(schema, "items"));
  const field = get(schema, "properties", name);
  return isItemKey(rest, field ?? get(schema, "items") ?? get(schema, "additionalProperties"));
}
