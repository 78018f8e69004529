import { carrierPrefix } from "../conversion/carriers.ts";
import { fieldAt, get, isArray, isObject, type Json, own } from "../json/json.ts";

/**
 * Whether an object of a review may have a carrier that has to be inflated: a few kilobytes may become three megabytes.
 * May be true for other annotations: texts with escapes like `\u0064`, which the engine rarely writes, are not looked into.
 */
export function mayInflate(review: Json): boolean {
  const request = own(review, "request");
  const objects = own(request, "objects");
  if (isArray(objects)) return objects.some(hasCompressed);
  return hasCompressed(own(request, "object")) || hasCompressed(own(request, "oldObject"));
}

function hasCompressed(object: Json | undefined): boolean {
  const annotations = get(object, "metadata", "annotations");
  if (!isObject(annotations)) return false;
  for (const key in annotations) {
    const value = fieldAt(annotations, key);
    if (!key.startsWith(carrierPrefix) || typeof value !== "string") continue;
    if (value.includes('"deflated"') || value.includes("\\u")) return true;
  }
  return false;
}
