import { faultsOfDNS1035Label } from "../../apimachinery/names.ts";
import { mapFields, mapItems } from "../../json/copy.ts";
import { isArray, isObject, type Json, type JsonObject, own, set, textAt } from "../../json/json.ts";
import { invalid, required, type SchemaFault } from "../model/fault.ts";
import type { KubernetesVersion } from "../model/kubernetes-version.ts";
import { child, entry, item, type Place, root } from "../model/place.ts";
import type { Schema } from "../model/schema.ts";
import { asReported, faultsOfMetadata, pathNames } from "./check.ts";
import { coerceMetadata } from "./coerce.ts";

/** A value whose embedded resources had their metadata read. */
type Embedded =
  | { readonly value: Json; readonly unknown: readonly string[] }
  | { readonly fault: SchemaFault };

/** Walks to the embedded resources of a value (apiextensions, schema/objectmeta). */
export interface Embedding {
  /** The value with the metadata of each as its fields hold it, or the first thing that cannot be read. */
  readonly coerce: (value: Json, at?: Place) => Embedded;
  /** What is wrong with each: apiVersion and kind must be there, metadata well formed. */
  readonly check: (value: Json, kubernetes: KubernetesVersion, at?: Place) => readonly SchemaFault[];
}

/** Compiles the walk; undefined where a schema embeds nothing. */
export function embeddingOf(schema: Schema): Embedding | undefined {
  const below = childrenOf(schema);
  if (!schema.embedded && below === undefined) return undefined;
  return {
    coerce: (value, at = root) => coerceAt(value, at, schema.embedded, below),
    check: (value, kubernetes, at = root) => [
      ...(schema.embedded && isObject(value) ? faultsOfResource(value, at, kubernetes) : []),
      ...placesBelow(value, at, below).flatMap(({ embedding, value: inner, at: place }) =>
        embedding.check(inner, kubernetes, place),
      ),
    ],
  };
}

interface Children {
  readonly fields: ReadonlyMap<string, Embedding | undefined>;
  readonly other: Embedding | undefined;
  readonly items: Embedding | undefined;
}

interface Below {
  readonly step: string | number;
  readonly embedding: Embedding;
  readonly value: Json;
  readonly at: Place;
}

function childrenOf({ properties, additional, items }: Schema): Children | undefined {
  const fields = new Map([...properties].map(([key, below]) => [key, embeddingOf(below)]));
  const other = additional && embeddingOf(additional);
  const item = items && embeddingOf(items);
  const has =
    other !== undefined || item !== undefined || [...fields.values()].some((each) => each !== undefined);
  return has ? { fields, other, items: item } : undefined;
}

function placesBelow(value: Json, at: Place, children: Children | undefined): readonly Below[] {
  if (children === undefined) return [];
  const { fields, other, items } = children;
  if (isArray(value)) {
    if (items === undefined) return [];
    return value.map((each, index) => ({ step: index, embedding: items, value: each, at: item(at, index) }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, below]) => {
    const declared = fields.has(key);
    const embedding = declared ? fields.get(key) : other;
    const place = declared ? child(at, key) : entry(at, key);
    return embedding === undefined ? [] : [{ step: key, embedding, value: below, at: place }];
  });
}

function coerceAt(value: Json, at: Place, embedded: boolean, children: Children | undefined): Embedded {
  const unknown: string[] = [];
  let coerced = value;
  if (embedded && isObject(value)) {
    const own = coerceResource(value, at);
    if ("fault" in own) return own;
    unknown.push(...own.unknown);
    coerced = own.value;
  }
  const changes = new Map<string | number, Json>();
  for (const { step, embedding, value: below, at: place } of placesBelow(coerced, at, children)) {
    const inner = embedding.coerce(below, place);
    if ("fault" in inner) return inner;
    unknown.push(...inner.unknown);
    if (inner.value !== below) changes.set(step, inner.value);
  }
  return { value: changes.size === 0 ? coerced : withChanges(coerced, changes), unknown };
}

function withChanges(value: Json, changes: ReadonlyMap<string | number, Json>): Json {
  if (isArray(value)) return mapItems(value, (each, index) => changes.get(index) ?? each);
  return isObject(value) ? mapFields(value, (each, key) => changes.get(key) ?? each) : value;
}

function coerceResource(object: JsonObject, at: Place): Embedded {
  for (const key of ["apiVersion", "kind"]) {
    const value = own(object, key);
    if (value !== undefined && typeof value !== "string")
      return { fault: invalid(child(at, key), value, "must be a string") };
  }
  const metadata = own(object, "metadata");
  if (metadata === undefined) return { value: object, unknown: [] };
  const coerced = coerceMetadata(metadata);
  const place = child(at, "metadata");
  if ("fault" in coerced) return { fault: invalid(place, metadata, coerced.fault) };
  return {
    value: set(object, "metadata", coerced.metadata),
    unknown: coerced.unknown.map((field) => `${place.text}.${field}`),
  };
}

function faultsOfResource(
  object: JsonObject,
  at: Place,
  kubernetes: KubernetesVersion,
): readonly SchemaFault[] {
  const faults = [
    ...checked(object, "apiVersion", at, faultsOfApiVersion),
    ...checked(object, "kind", at, faultsOfKind),
  ];
  const written = own(object, "metadata");
  if (written === undefined) return faults;
  const coerced = coerceMetadata(written);
  const place = child(at, "metadata");
  if ("fault" in coerced) return [...faults, invalid(place, written, coerced.fault)];
  const { metadata } = coerced;
  const named = textAt(metadata, "name") === "" ? set(metadata, "name", "fakename") : metadata;
  const scope = textAt(metadata, "namespace") === "" ? "Cluster" : "Namespaced";
  const found = faultsOfMetadata(named, scope, pathNames, place, kubernetes);
  return [...faults, ...asReported(found, kubernetes)];
}

/** The faults of a field that must be there. */
function checked(
  object: JsonObject,
  key: string,
  at: Place,
  faultsOf: (value: Json, at: Place) => readonly SchemaFault[],
): readonly SchemaFault[] {
  const value = own(object, key);
  return value === undefined ? [required(child(at, key))] : faultsOf(value, child(at, key));
}

function faultsOfApiVersion(value: Json, at: Place): readonly SchemaFault[] {
  if (typeof value !== "string") return [invalid(at, value, "must be a string")];
  if (value === "") return [invalid(at, value, "must not be empty")];
  return value.split("/").length > 2 ? [invalid(at, value, `unexpected GroupVersion string: ${value}`)] : [];
}

function faultsOfKind(value: Json, at: Place): readonly SchemaFault[] {
  if (typeof value !== "string") return [invalid(at, value, "must be a string")];
  if (value === "") return [invalid(at, value, "must not be empty")];
  const faults = faultsOfDNS1035Label(value.toLowerCase());
  if (faults.length === 0) return [];
  return [invalid(at, value, `may have mixed case, but should otherwise match: ${faults.join(",")}`)];
}
