import { equal } from "../json/equal.ts";
import {
  define,
  fieldAt,
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
import { isMappable, type MappedMetadata } from "./marks.ts";
import type { ChainVersion } from "./version-chain.ts";

/**
 * Everything of an object but its identity: apiVersion, kind and metadata stay outside of lenses, except the labels and
 * annotations that lenses map. They stand below `metadata` of the content.
 */
export function contentOf(object: JsonObject, mapped: MappedMetadata): JsonObject {
  const { metadata } = object;
  const content: Record<string, Json> = {};
  for (const key in object) if (!identity.has(key)) define(content, key, fieldAt(object, key));
  const marks = marksOf(metadata, mapped);
  return marks === undefined ? content : { ...content, metadata: marks };
}

/** The labels and annotations that lenses map, as a part of metadata. */
function marksOf(metadata: Json | undefined, mapped: MappedMetadata): JsonObject | undefined {
  let marks: JsonObject | undefined;
  for (const sort of sorts) {
    if (mapped[sort].length === 0) continue;
    const all = own(metadata, sort);
    const entries = mapped[sort].flatMap((name) => {
      const value = own(all, name);
      return isMappable(value, sort) ? [[name, value] as const] : [];
    });
    // Empty labels are content too: when a label that was put among them goes, they must be empty again and not absent.
    if (entries.length > 0) marks = { ...marks, [sort]: Object.fromEntries(entries) };
    else if (isEmptyOrNull(all)) marks = { ...marks, [sort]: all };
  }
  return marks;
}

const sorts = ["labels", "annotations"] as const;

/** Content without what only a forged leaf could have put into it: the object's identity, a carrier. */
export function withoutReserved(content: JsonObject, mapped: MappedMetadata): JsonObject {
  const allowed = hasIdentity(content) ? contentOf(content, mapped) : content;
  const { status } = allowed;
  if (!isObject(status) || !Object.hasOwn(status, carrierField)) return allowed;
  return set(allowed, "status", set(status, carrierField, undefined));
}

/** An object of a version from its content and another object's kind and metadata. */
export function assembled(
  { kind, metadata }: JsonObject,
  { apiVersion }: ChainVersion,
  content: JsonObject,
  mapped: MappedMetadata,
): JsonObject {
  let after = isObject(metadata) ? metadata : {};
  for (const sort of sorts) {
    const names = mapped[sort];
    if (names.length > 0) after = withMarks(after, sort, get(content, "metadata", sort), names);
  }
  const object: Record<string, Json> =
    kind === undefined ? { apiVersion, metadata: after } : { apiVersion, kind, metadata: after };
  let fields = 3;
  for (const key in content) {
    if (key === "metadata") continue;
    define(object, key, fieldAt(content, key));
    fields++;
  }
  return settled(object, fields);
}

/** Metadata with all labels or annotations that lenses map replaced by the given ones. */
function withMarks(
  metadata: JsonObject,
  sort: keyof MappedMetadata,
  mapped: Json | undefined,
  names: readonly string[],
): JsonObject {
  const before = own(metadata, sort);
  if (mapped === undefined && !isObject(before)) return metadata;
  const others = Object.entries(isObject(before) ? before : {}).filter(
    ([name, value]) => !names.includes(name) || !isMappable(value, sort),
  );
  const marks = { ...Object.fromEntries(others), ...(isObject(mapped) ? mapped : {}) };
  const after = isEmptyOrNull(marks) ? mapped : marks;
  return equal(after, before) ? metadata : set(metadata, sort, after);
}

function isEmptyOrNull(marks: Json | undefined): marks is null | JsonObject {
  return marks === null || (isObject(marks) && hasNoFields(marks));
}

function hasIdentity(content: JsonObject): boolean {
  for (const key in content) if (identity.has(key)) return true;
  return false;
}

const identity = new Set(["apiVersion", "kind", "metadata"]);
