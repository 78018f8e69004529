import { plainNumber } from "../../go/decode.ts";
import { GoFault } from "../../go/fault.ts";
import { isInt64, jsonSort, printJson } from "../../go/json.ts";
import { compareBytes } from "../../go/text.ts";
import { normalizeTime } from "../../go/time.ts";
import { isInteger, isNumber } from "../../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";

/** Metadata as the API server's ObjectMeta holds it, and its unknown fields; or why it cannot be read. */
type Coerced =
  | { readonly metadata: JsonObject; readonly unknown: readonly string[] }
  | { readonly fault: string };

/**
 * Reads metadata into the fields of ObjectMeta and writes it again: what is empty or unknown is dropped, and so are nulls,
 * times are written in UTC (apiextensions, schema/objectmeta/coerce.go). The fault is encoding/json's.
 */
export function coerceMetadata(metadata: Json): Coerced {
  const unknown: string[] = [];
  const unfit: Unfit[] = [];
  try {
    const read = readStruct(plainNumber(metadata), objectMeta, {
      struct: "ObjectMeta",
      field: "",
      unknown,
      unfit,
      place: "",
    });
    const [first] = unfit;
    if (first !== undefined) return { fault: first.message };
    return { metadata: isObject(read) ? read : {}, unknown };
  } catch (error) {
    if (error instanceof Unfit) return { fault: error.message };
    throw error;
  }
}

/** A value has another type than its field. */
class Unfit extends Error {}

/** A value is not a time: of all faults this one is reported, wherever it is. */
class Untimely extends Unfit {}

/** A Go type, by the name that faults call it. */
type Type = Scalar | List | Struct | { readonly map: true };

interface Scalar {
  readonly scalar: "string" | "int64" | "bool" | "time" | "raw";
  readonly name: string;
}

interface List {
  readonly list: Scalar | Struct;
  readonly name: string;
}

interface Struct {
  readonly struct: string;
  readonly fields: Fields;
  readonly name: string;
}

interface FieldType {
  readonly type: Type;
  /** Written even when empty. */
  readonly always?: boolean;
  /** A pointer: only null is empty. */
  readonly pointer?: boolean;
}

type Fields = ReadonlyMap<string, FieldType>;

const text: Scalar = { scalar: "string", name: "string" };
const time: Scalar = { scalar: "time", name: "string" };
const int64: Scalar = { scalar: "int64", name: "int64" };
const bool: Scalar = { scalar: "bool", name: "bool" };
const uid: Scalar = { scalar: "string", name: "types.UID" };

const ownerReference: Fields = new Map<string, FieldType>([
  ["apiVersion", { type: text, always: true }],
  ["kind", { type: text, always: true }],
  ["name", { type: text, always: true }],
  ["uid", { type: uid, always: true }],
  ["controller", { type: bool, pointer: true }],
  ["blockOwnerDeletion", { type: bool, pointer: true }],
]);

const managedFieldsEntry: Fields = new Map<string, FieldType>([
  ["manager", { type: text }],
  ["operation", { type: { scalar: "string", name: "v1.ManagedFieldsOperationType" } }],
  ["apiVersion", { type: text }],
  ["time", { type: time, pointer: true }],
  ["fieldsType", { type: text }],
  ["fieldsV1", { type: { scalar: "raw", name: "v1.FieldsV1" }, pointer: true }],
  ["subresource", { type: text }],
]);

const objectMeta: Fields = new Map<string, FieldType>([
  ["name", { type: text }],
  ["generateName", { type: text }],
  ["namespace", { type: text }],
  ["selfLink", { type: text }],
  ["uid", { type: uid }],
  ["resourceVersion", { type: text }],
  ["generation", { type: int64 }],
  ["creationTimestamp", { type: time }],
  ["deletionTimestamp", { type: time, pointer: true }],
  ["deletionGracePeriodSeconds", { type: int64, pointer: true }],
  ["labels", { type: { map: true } }],
  ["annotations", { type: { map: true } }],
  ["ownerReferences", { type: listOf("OwnerReference", ownerReference) }],
  ["finalizers", { type: { list: text, name: "[]string" } }],
  ["managedFields", { type: listOf("ManagedFieldsEntry", managedFieldsEntry) }],
]);

function listOf(struct: string, fields: Fields): List {
  return { list: { struct, fields, name: `v1.${struct}` }, name: `[]v1.${struct}` };
}

/** Where a value stands: the struct and field that a fault names, and what a warning about a field calls it. */
interface Where {
  readonly struct: string;
  readonly field: string;
  readonly place: string;
  readonly unknown: string[];
  readonly unfit: Unfit[];
}

function readStruct(value: Json, fields: Fields, where: Where): Json {
  if (value === null) return where.field === "" ? {} : emptyOf(fields);
  if (!isObject(value)) {
    if (where.field !== "") throw unfit(value, `v1.${where.struct}`, where);
    throw new Unfit(`json: cannot unmarshal ${jsonSort(value)} into Go value of type v1.ObjectMeta`);
  }
  const found = new Map<string, Json>();
  // In the order of keys: the API server reads what Go wrote from a map, and reports the first fault.
  for (const [key, below] of sortedEntries(value)) {
    const field = fields.get(key);
    const place = where.place === "" ? key : `${where.place}.${key}`;
    if (field === undefined) where.unknown.push(place);
    else {
      const inner = { ...where, field: where.field === "" ? key : `${where.field}.${key}`, place };
      const read = attempt(() => readValue(below, field, inner), where.unfit);
      if (read !== undefined) found.set(key, read);
    }
  }
  return inOrder(found, fields);
}

/** The value of a field; undefined, and noted, where it cannot be read, so that others are read all the same. */
function attempt(read: () => Json | undefined, unfit: Unfit[]): Json | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unfit) || error instanceof Untimely) throw error;
    unfit.push(error);
    return undefined;
  }
}

/** The fields in the order of the struct, those that are always written among them. */
function inOrder(found: ReadonlyMap<string, Json>, fields: Fields): JsonObject {
  const entries: [string, Json][] = [];
  for (const [key, { always }] of fields) {
    const value = found.get(key) ?? (always ? "" : undefined);
    if (value !== undefined) entries.push([key, value]);
  }
  return Object.fromEntries(entries);
}

function emptyOf(fields: Fields): JsonObject {
  return inOrder(new Map(), fields);
}

/** A value as its field holds it; undefined where that is empty and not written. */
function readValue(value: Json, { type, pointer }: FieldType, where: Where): Json | undefined {
  if (value === null) return undefined;
  if ("map" in type) return readMap(value, where);
  if ("list" in type) return readList(value, type, where);
  if ("struct" in type) return readStruct(value, type.fields, { ...where, struct: type.struct });
  const read = readScalar(value, type, where);
  const isEmpty = read === "" || read === 0 || read === false;
  return isEmpty && !pointer ? undefined : read;
}

function readScalar(value: Json, { scalar, name }: Scalar, where: Where): Json {
  if (scalar === "raw") return value;
  if (scalar === "int64") {
    if (isNumber(value) && !isInt64(value)) throw unfit(value, name, where, ` ${printJson(value)}`);
    if (isInteger(value)) return value;
  }
  if (scalar === "bool" && typeof value === "boolean") return value;
  if ((scalar === "string" || scalar === "time") && typeof value === "string") {
    return scalar === "string" ? value : readTime(value);
  }
  const wrong = unfit(value, name, where);
  throw scalar === "time" ? new Untimely(wrong.message) : wrong;
}

function readTime(value: string): string {
  const read = normalizeTime(value);
  if (read instanceof GoFault) throw new Untimely(read.message);
  return read;
}

function sortedEntries(object: JsonObject): readonly (readonly [string, Json])[] {
  return Object.entries(object).toSorted(([a], [b]) => compareBytes(a, b));
}

function readMap(value: Json, where: Where): Json | undefined {
  if (!isObject(value)) throw unfit(value, "map[string]string", where);
  const entries = sortedEntries(value).map(([key, below]) => {
    if (below !== null && typeof below !== "string") throw unfit(below, "string", where);
    return [key, below ?? ""] as const;
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function readList(value: Json, type: List, where: Where): Json | undefined {
  if (!isArray(value)) throw unfit(value, type.name, where);
  const items = value.map((item, index) =>
    readItem(item, type.list, { ...where, place: `${where.place}[${index}]` }),
  );
  return items.length === 0 ? undefined : items;
}

function readItem(value: Json, type: Scalar | Struct, where: Where): Json {
  if ("struct" in type) {
    // A fault of an item that is not an object names the list's own struct, one within an object the item's.
    if (value !== null && !isObject(value)) throw unfit(value, type.name, where);
    return readStruct(value, type.fields, { ...where, struct: type.struct });
  }
  return readValue(value, { type, pointer: true }, where) ?? "";
}

function unfit(value: Json, type: string, { struct, field }: Where, literal = ""): Unfit {
  return new Unfit(
    `json: cannot unmarshal ${jsonSort(value)}${literal} into Go struct field ${struct}.${field} of type ${type}`,
  );
}
