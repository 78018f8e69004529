import { detach } from "../conversion/carriers.ts";
import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonObject, set } from "../json/json.ts";

/**
 * An object without what conversion carries for other versions: the annotation and the field of status. Containers that only
 * held them are left out too.
 */
export function withoutCarriers(object: JsonObject): JsonObject {
  return detach(object).object;
}

/**
 * The two sides of a comparison of objects, without carriers. Of metadata only what is expected counts: without expected
 * metadata none does.
 */
export function comparable(
  actual: JsonObject,
  expected: JsonObject,
): { readonly actual: Json; readonly expected: Json } {
  const [found, meant] = [withoutCarriers(actual), withoutCarriers(expected)];
  if (!isObject(meant.metadata))
    return {
      actual: inOrder(set(found, "metadata", undefined)),
      expected: inOrder(set(meant, "metadata", undefined)),
    };
  const wanted = Object.keys(meant.metadata);
  const metadata = Object.entries(isObject(found.metadata) ? found.metadata : {});
  const counted = Object.fromEntries(metadata.filter(([key]) => wanted.includes(key)));
  return { actual: inOrder(set(found, "metadata", counted)), expected: inOrder(meant) };
}

/** A value with the keys of its objects sorted, so that a difference shows values and not their order. */
function inOrder(value: Json): Json {
  if (isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, each]) => [key, inOrder(each)]));
}

/** Whether two objects are the same for a client: without carriers, and of metadata only what is expected. */
export function isSameObject(actual: JsonObject, expected: JsonObject): boolean {
  const sides = comparable(actual, expected);
  return equal(sides.actual, sides.expected);
}
