import { labelValueFaults } from "../apimachinery/names.ts";
import { equal } from "../json/equal.ts";
import {
  define,
  get,
  hasNoFields,
  isObject,
  type Json,
  type JsonObject,
  own,
  set,
  settled,
} from "../json/json.ts";
import { carrierField } from "./carriers.ts";
import type { ChainVersion } from "./version-chain.ts";

/**
 * Everything of an object but its identity: apiVersion, kind and metadata stay outside of lenses, except the labels that
 * lenses map. They stand below `metadata.labels` of the content.
 */
export function contentOf(object: JsonObject, labels: readonly string[]): JsonObject {
  const { metadata } = object;
  const content: Record<string, Json> = {};
  for (const key in object) if (!identity.has(key)) define(content, key, object[key] as Json);
  if (labels.length === 0) return content;
  const mapped = labels.flatMap((name) => {
    const value = get(metadata, "labels", name);
    return isLabelValue(value) ? [[name, value] as const] : [];
  });
  if (mapped.length > 0) return { ...content, metadata: { labels: Object.fromEntries(mapped) } };
  // Empty labels are content too: when a label that was put among them goes, they must be empty again and not absent.
  const unmapped = own(metadata, "labels");
  return isEmptyOrNull(unmapped) ? { ...content, metadata: { labels: unmapped } } : content;
}

/** Content without what only a forged leaf could have put into it: the object's identity, a carrier. */
export function withoutReserved(content: JsonObject, labels: readonly string[]): JsonObject {
  const allowed = hasIdentity(content) ? contentOf(content, labels) : content;
  const { status } = allowed;
  if (!isObject(status) || !Object.hasOwn(status, carrierField)) return allowed;
  return set(allowed, "status", set(status, carrierField, undefined));
}

/** An object of a version from its content and another object's kind and metadata. */
export function assembled(
  { kind, metadata }: JsonObject,
  { apiVersion }: ChainVersion,
  content: JsonObject,
  labels: readonly string[],
): JsonObject {
  const before = isObject(metadata) ? metadata : {};
  const after = labels.length === 0 ? before : withLabels(before, get(content, "metadata", "labels"), labels);
  const object: Record<string, Json> =
    kind === undefined ? { apiVersion, metadata: after } : { apiVersion, kind, metadata: after };
  let fields = 3;
  for (const key in content) {
    if (key === "metadata") continue;
    define(object, key, content[key] as Json);
    fields++;
  }
  return settled(object, fields);
}

/** Metadata with all labels that lenses map replaced by the given ones. */
function withLabels(metadata: JsonObject, mapped: Json | undefined, names: readonly string[]): JsonObject {
  const before = own(metadata, "labels");
  if (mapped === undefined && !isObject(before)) return metadata;
  const others = Object.entries(isObject(before) ? before : {}).filter(
    ([name, value]) => !names.includes(name) || !isLabelValue(value),
  );
  const labels = { ...Object.fromEntries(others), ...(isObject(mapped) ? mapped : {}) };
  const after = isEmptyOrNull(labels) ? mapped : labels;
  return equal(after, before) ? metadata : set(metadata, "labels", after);
}

function isEmptyOrNull(labels: Json | undefined): labels is null | JsonObject {
  return labels === null || (isObject(labels) && hasNoFields(labels));
}

/** Whether a lens may map a value as a label. For an invalid one the API server would reject the whole response. */
function isLabelValue(value: Json | undefined): value is string {
  return typeof value === "string" && labelValueFaults(value).length === 0;
}

function hasIdentity(content: JsonObject): boolean {
  for (const key in content) if (identity.has(key)) return true;
  return false;
}

const identity = new Set(["apiVersion", "kind", "metadata"]);
