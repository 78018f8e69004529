import { annotationLimit } from "../apimachinery/limits.ts";
import { isLabelValue, isQualifiedName } from "../apimachinery/names.ts";
import { sizeOfAnnotations } from "../conversion/carriers.ts";
import { equal } from "../json/equal.ts";
import { fieldAt, isObject, type Json, type JsonObject, own } from "../json/json.ts";

/**
 * The fault that the API server would find in one converted object, in its words and its order; undefined if none
 * (apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go, validateConvertedObject and restoreObjectMeta). It may have
 * `mostBytes` of annotations.
 */
export function faultOfConverted(
  original: JsonObject,
  converted: JsonObject,
  apiVersion: string,
  mostBytes = annotationLimit,
): string | undefined {
  if (converted.apiVersion !== apiVersion) {
    return `invalid groupVersion (expected ${apiVersion}, received ${text(converted.apiVersion)})`;
  }
  if (!equal(converted.kind, original.kind)) {
    return `invalid kind (expected ${text(original.kind)}, received ${text(converted.kind)})`;
  }
  for (const { key, word } of identity) {
    const [before, after] = [own(original.metadata, key), own(converted.metadata, key)];
    if (!equal(before, after)) return `must have the same ${word}: ${text(before)} != ${text(after)}`;
  }
  if (!isObject(converted.metadata)) return "missing metadata in converted object";
  const limits = { mostBytes };
  return (
    faultOfMap(original, converted, "labels", limits) ??
    faultOfMap(original, converted, "annotations", limits)
  );
}

/**
 * The fault of a changed object that the API server would reject for the change: it is another object, or the change made its
 * metadata invalid. What the client wrote is judged by the API server, in words that name the client's fault.
 */
export function faultOfChanged(original: JsonObject, changed: JsonObject): string | undefined {
  if (!equal(changed.apiVersion, original.apiVersion)) return "the change has another apiVersion";
  if (!equal(changed.kind, original.kind)) return "the change has another kind";
  for (const { key, word } of identity) {
    if (!equal(own(original.metadata, key), own(changed.metadata, key)))
      return `the change has another ${word}`;
  }
  const limits = { mostBytes: annotationLimit, of: "new entries" } as const;
  return (
    faultOfMap(original, changed, "labels", limits) ?? faultOfMap(original, changed, "annotations", limits)
  );
}

const identity = [
  { key: "name", word: "name" },
  { key: "namespace", word: "namespace" },
  { key: "uid", word: "UID" },
];

/**
 * The fault of labels or annotations, or of those of their entries that are new. Like the API server, it does not look into
 * unchanged ones, which may be invalid.
 */
function faultOfMap(
  original: JsonObject,
  changed: JsonObject,
  field: "labels" | "annotations",
  { mostBytes, of }: { readonly mostBytes: number; readonly of?: "new entries" },
): string | undefined {
  const [before, after] = [own(original.metadata, field), own(changed.metadata, field)];
  if (after === undefined || after === null || equal(before, after)) return undefined;
  if (!isObject(after)) return `invalid metadata.${field} in converted object`;
  let characters = 0;
  for (const key in after) {
    const value = fieldAt(after, key);
    if (typeof value === "string") characters += key.length + value.length;
    if (of === "new entries" && equal(own(before, key), value)) continue;
    if (typeof value !== "string") return `metadata.${field}[${key}] must be a string`;
    if (!isKnownOrQualified(key)) return `metadata.${field}: Invalid value: "${key}": not a qualified name`;
    if (field === "labels" && !isLabelValue(value)) {
      return `metadata.labels: Invalid value: "${value}": not a label value`;
    }
  }
  // No character takes more than three bytes, so that most annotations need no counting.
  if (field === "labels" || 3 * characters <= mostBytes) return undefined;
  const isTooLongBefore = of === "new entries" && isObject(before) && sizeOfAnnotations(before) > mostBytes;
  return !isTooLongBefore && sizeOfAnnotations(after) > mostBytes
    ? `metadata.annotations: Too long: may not be more than ${mostBytes} bytes`
    : undefined;
}

/** Whether a key is a qualified name. The same few keys come with every object, and a look into a set takes less than a match. */
function isKnownOrQualified(key: string): boolean {
  if (qualified.has(key)) return true;
  const isOne = isQualifiedName(key);
  if (isOne && qualified.size < mostQualified) qualified.add(key);
  return isOne;
}

// A cache: it changes no result. Clients choose keys, so that their number must be limited.
const qualified = new Set<string>();
const mostQualified = 1000;

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
