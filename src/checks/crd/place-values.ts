import { get, isArray, isObject, type Json, type JsonObject, set } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import type { SchemaStep } from "../../laws/places.ts";
import { leastOf } from "./least.ts";

/** The schema at a step below another one; undefined where it has none. */
function schemaBelow(schema: Json | undefined, step: SchemaStep | number): Json | undefined {
  if (typeof step === "number") return get(schema, "items");
  if (typeof step !== "string") return get(schema, step.any === "item" ? "items" : "additionalProperties");
  const field = get(schema, "properties", step);
  if (field !== undefined) return field;
  const others = get(schema, "additionalProperties");
  return isObject(others) ? others : undefined;
}

/** The schema at a path of an object; undefined where the schema does not know the path. */
export function schemaAt(schema: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((here, step) => schemaBelow(here, step), schema);
}

/** The key that a map of ours uses. */
const ownKey = "k0";

/** The path that a place has in an object of ours: the first item of lists, one entry of maps. */
export function pathOf(steps: readonly SchemaStep[]): Path {
  return steps.map((step) => (typeof step === "string" ? step : step.any === "item" ? 0 : ownKey));
}

/** A value with another one at a path; missing parents are the least that the schema accepts. Undefined removes it. */
export function withValue(
  here: Json | undefined,
  schema: Json | undefined,
  [step, ...rest]: Path,
  value: Json | undefined,
): Json | undefined {
  if (step === undefined) return value;
  const parent = here ?? leastOf(schema);
  const below = schemaBelow(schema, step);
  if (typeof step === "number") {
    const items = isArray(parent) ? parent : [];
    const item = withValue(items[step] ?? (rest.length > 0 ? leastOf(below) : undefined), below, rest, value);
    if (item === undefined) return items.filter((_, index) => index !== step);
    return step < items.length ? items.with(step, item) : [...items, item];
  }
  const object: JsonObject = isObject(parent) ? parent : {};
  const inner = get(object, step) ?? (rest.length > 0 && value !== undefined ? leastOf(below) : undefined);
  if (inner === undefined && value === undefined) return object;
  return set(object, step, withValue(inner, below, rest, value));
}

/** The value at a path of an object; undefined where there is none. */
export function valueAt(value: Json | undefined, [step, ...rest]: Path): Json | undefined {
  if (step === undefined || value === undefined) return value;
  if (isArray(value)) return valueAt(value[Number(step)], rest);
  return valueAt(get(value, String(step)), rest);
}
