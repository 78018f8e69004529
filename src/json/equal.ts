import { isArray, isExactNumber, isObject, type Json } from "./json.ts";

/** Whether two values are the same JSON: the order of keys does not count, that of items does; null is not absent. */
export function equal(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isExactNumber(a)) return isExactNumber(b) && a.rawJSON === b.rawJSON;
  if (isArray(a)) {
    return isArray(b) && a.length === b.length && a.every((item, index) => equal(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equal(a[key], b[key]))
  );
}
