import { equal } from "../json/equal.ts";
import { isObject, type Json, type JsonObject, own } from "../json/json.ts";

/** What the API server would say of one converted object, in its order (kubernetes.md 1.2, 7 to 11); undefined when it is content. */
export function faultOfConverted(
  original: JsonObject,
  converted: JsonObject,
  apiVersion: string,
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
  return faultOfMap(original, converted, "labels") ?? faultOfMap(original, converted, "annotations");
}

/** Whether an admitted object is still the one that was asked about: the API server would refuse another (kubernetes.md 1.12). */
export function faultOfChanged(original: JsonObject, changed: JsonObject): string | undefined {
  if (!equal(changed.apiVersion, original.apiVersion)) return "the change has another apiVersion";
  if (!equal(changed.kind, original.kind)) return "the change has another kind";
  for (const { key, word } of identity) {
    if (!equal(own(original.metadata, key), own(changed.metadata, key)))
      return `the change has another ${word}`;
  }
  return faultOfMap(original, changed, "labels") ?? faultOfMap(original, changed, "annotations");
}

const identity = [
  { key: "name", word: "name" },
  { key: "namespace", word: "namespace" },
  { key: "uid", word: "UID" },
];

/** Annotations of one object may not be larger than this in all, keys and values (apimachinery, TotalAnnotationSizeLimitB). */
const annotationBytes = 256 * 1024;

/** A map that came and goes unchanged is not looked into, as the API server does not: old sins pass (kubernetes.md 1.3). */
function faultOfMap(
  original: JsonObject,
  changed: JsonObject,
  field: "labels" | "annotations",
): string | undefined {
  const [before, after] = [own(original.metadata, field), own(changed.metadata, field)];
  if (after === undefined || after === null || equal(before, after)) return undefined;
  if (!isObject(after)) return `invalid metadata.${field} in converted object`;
  let characters = 0;
  for (const key in after) {
    const value = after[key];
    if (typeof value !== "string") return `metadata.${field}[${key}] must be a string`;
    if (!isQualifiedName(key)) return `metadata.${field}: Invalid value: "${key}": not a qualified name`;
    if (field === "labels" && !isLabelValue(value)) {
      return `metadata.labels: Invalid value: "${value}": not a label value`;
    }
    characters += key.length + value.length;
  }
  // No character of a text takes more than three bytes, so that most need no counting.
  if (field === "labels" || 3 * characters <= annotationBytes) return undefined;
  return bytesOf(after) > annotationBytes
    ? `metadata.annotations: Too long: may not be more than ${annotationBytes} bytes`
    : undefined;
}

function bytesOf(texts: JsonObject): number {
  let bytes = 0;
  for (const key in texts) bytes += Buffer.byteLength(key) + Buffer.byteLength(String(texts[key]));
  return bytes;
}

/** `prefix/name`, the prefix a DNS subdomain and not needed (apimachinery, IsQualifiedName). */
function isQualifiedName(key: string): boolean {
  if (qualified.has(key)) return true;
  const slash = key.indexOf("/");
  const name = slash < 0 ? key : key.slice(slash + 1);
  if (name.length > 63 || !/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)) return false;
  const isOne = slash < 0 || isPrefix(key.slice(0, slash));
  if (isOne && qualified.size < mostQualified) qualified.add(key);
  return isOne;
}

// The same few come with every object; names of anybody's choice must not fill the memory.
const qualified = new Set<string>();
const mostQualified = 1000;

/** A DNS subdomain, whose labels may be of any length here. */
function isPrefix(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);
}

function isLabelValue(value: string): boolean {
  return value === "" || (value.length <= 63 && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(value));
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
