import { below, fits, type Shape } from "../conversion/shape.ts";
import {
  fieldAt,
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  own,
  set,
} from "../json/json.ts";

// Go prints fields that were never set: a field without `omitempty` as "", 0, {} or null, and the time of a template's metadata as
// `creationTimestamp: null`. Such values are no data: an object that server-side apply made of one manager's fields must not
// gain others. But a zero that the object itself said is data, and it may stand elsewhere in the other version.

/**
 * An answer without the zero values that its source did not say; `false` and empty lists stay, since they often are data. So do
 * values that the schema requires in an object that is there.
 */
export function withoutUnsaidZeros(answer: JsonObject, source: JsonObject, shape: Shape): JsonObject {
  const moved = new Set<string>();
  addMissing(source, answer, moved);
  const content = cleaned(answer, source, shape, moved);
  // A controller that has not reported anything has not reported `ready: false`.
  const { status } = content;
  if (status === undefined || source.status !== undefined || says(status)) return content;
  return shape.required.includes("status") ? content : set(content, "status", undefined);
}

/** Whether there is a value in it that is not a zero one; here `false` is one. */
export function says(value: Json): boolean {
  if (value === null || value === "" || value === 0 || value === false) return false;
  if (typeof value !== "object") return true;
  return Object.values(value).some(says);
}

/** Collects the zero values of the source that the answer does not have in their places: they may have moved. */
function addMissing(source: Json, answer: Json | undefined, moved: Set<string>): void {
  if (isArray(source)) {
    for (const [at, item] of source.entries())
      addMissing(item, isArray(answer) ? answer[at] : undefined, moved);
  } else if (isObject(source) && !hasNoFields(source)) {
    for (const name in source) addMissing(fieldAt(source, name), own(answer, name), moved);
  } else {
    const zero = zeroOf(source);
    if (zero !== undefined && zero !== zeroOf(answer)) moved.add(zero);
  }
}

function cleaned(
  answer: JsonObject,
  source: Json | undefined,
  shape: Shape | undefined,
  moved: ReadonlySet<string>,
): JsonObject {
  const parts = Object.entries(answer).map(([name, value]) => {
    const said = own(source, name);
    const part = cleanedValue(value, said, below(shape, name), moved);
    const zero = zeroOf(part);
    const isSaid = zero === undefined || zero === zeroOf(said) || (zero !== "null" && moved.has(zero));
    return { name, part, isSaid };
  });
  const isThere = isObject(source) || parts.some(({ isSaid }) => isSaid);
  const isRequired = (name: string) => isThere && shape?.required.includes(name) === true;
  return Object.fromEntries(
    parts.flatMap(({ name, part, isSaid }) =>
      isSaid || (isRequired(name) && part !== null) ? [[name, part]] : [],
    ),
  );
}

/**
 * Items of lists stay, zero or not: each has its place. Where the source said an empty text that is gone, an item that lacks a
 * key had that one: Go leaves out what is empty, and an API server would reject the item.
 */
function cleanedValue(
  value: Json,
  said: Json | undefined,
  shape: Shape | undefined,
  moved: ReadonlySet<string>,
): Json {
  if (isArray(value))
    return value.map((item, at) => {
      const source = isArray(said) ? said[at] : undefined;
      const part = cleanedValue(item, source, shape?.items, moved);
      return moved.has('""') ? withKeys(part, source, shape) : part;
    });
  return isObject(value) ? cleaned(value, said, shape, moved) : value;
}

function withKeys(item: Json, said: Json | undefined, list: Shape | undefined): Json {
  const { keys = [], items } = list ?? {};
  if (!isObject(item)) return item;
  const lacking = keys.filter((key) => {
    const field = below(items, key);
    if (own(item, key) !== undefined || field === undefined || !fits("", field)) return false;
    // A key with a default need not be there.
    return items?.required.includes(key) === true || own(said, key) === "";
  });
  return lacking.length === 0 ? item : { ...item, ...Object.fromEntries(lacking.map((key) => [key, ""])) };
}

function zeroOf(value: Json | undefined): string | undefined {
  if (value === null) return "null";
  if (value === "") return '""';
  if (value === 0) return "0";
  return isObject(value) && hasNoFields(value) ? "{}" : undefined;
}
