import {
  isArray,
  isExactNumber,
  isInteger,
  isObject,
  type Json,
  own,
  type Path,
  printQuantity,
  quantityOf,
} from "antechamber";
import { goMap, goString } from "./go-json.ts";

/**
 * A type of Go's, as far as encoding/json is concerned. Kruise reads objects into such types and writes them again,
 * and hashes what it wrote (sidecarset.md 2.11).
 */
export type GoType =
  | "bool"
  | "int32"
  | "int64"
  | "intOrString"
  | "quantity"
  | "string"
  | { readonly list: GoType }
  | { readonly map: GoType }
  | { readonly struct: ReadonlyMap<string, GoField> };

/** A member of a struct, and when it is written: where it is not zero, where it is not nil, always, always and nil as null. */
export interface GoField {
  readonly type: GoType;
  readonly written: "unlessZero" | "unlessNil" | "always" | "orNull";
}

/** A struct by its members in their order. What is plain is left out where it is zero, a struct where it is nil. */
export function struct(fields: Readonly<Record<string, GoType | GoField>>): GoType {
  const plain = (type: GoType): GoField => ({ type, written: isStruct(type) ? "unlessNil" : "unlessZero" });
  return {
    struct: new Map(
      Object.entries(fields).map(([name, field]) => [name, isField(field) ? field : plain(field)] as const),
    ),
  };
}

/** A member that is a pointer: left out only where it is nil. */
export function pointer(type: GoType): GoField {
  return { type, written: "unlessNil" };
}

/** A member that is always written, be it zero. */
export function always(type: GoType): GoField {
  return { type, written: "always" };
}

/** A pointer that is always written, be it null. */
export function nullable(type: GoType): GoField {
  return { type, written: "orNull" };
}

/** A list of texts. */
export const texts: GoType = { list: "string" };

/** What Go writes of a value that it read: JSON text without white space. What has another type is taken for nothing. */
export function writeGo(type: GoType, value: Json | undefined): string {
  if (typeof type === "string") return writeScalar(type, value);
  if ("list" in type) {
    return isArray(value) ? `[${value.map((item) => writeGo(type.list, item)).join(",")}]` : "null";
  }
  if ("map" in type) {
    if (!isObject(value)) return "null";
    return goMap(Object.entries(value).map(([key, below]) => [key, writeGo(type.map, below)]));
  }
  const members = [...type.struct].flatMap(([name, field]) => {
    const below = own(value, name);
    return isWritten(field, below) ? [`${JSON.stringify(name)}:${writeMember(field, below)}`] : [];
  });
  return `{${members.join(",")}}`;
}

/** A place where a value has a type that Go cannot read, and what it would take there. */
export interface TypeFault {
  readonly path: Path;
  readonly expected: string;
}

/** Where Go cannot read a value; unknown members are passed over, and null is nothing. */
export function typeFaults(type: GoType, value: Json | undefined, path: Path): readonly TypeFault[] {
  if (value === undefined || value === null) return [];
  if (typeof type === "string") return isScalar(type, value) ? [] : [{ path, expected: words[type] }];
  if ("list" in type) {
    if (!isArray(value)) return [{ path, expected: "a list" }];
    return value.flatMap((item, index) => typeFaults(type.list, item, [...path, index]));
  }
  if (!isObject(value)) return [{ path, expected: "an object" }];
  return Object.entries(value).flatMap(([key, below]) => {
    const inner = "map" in type ? type.map : type.struct.get(key)?.type;
    return inner === undefined ? [] : typeFaults(inner, below, [...path, key]);
  });
}

const words = {
  bool: "true or false",
  int32: "an integer of 32 bits",
  int64: "an integer of 64 bits",
  intOrString: "an integer of 32 bits or a text",
  quantity: "a quantity, such as 500m or 2Gi",
  string: "a text",
};

function isScalar(type: keyof typeof words, value: Json): boolean {
  switch (type) {
    case "bool":
      return typeof value === "boolean";
    case "int32":
      return isIntegerOf(32, value);
    case "int64":
      return isIntegerOf(64, value);
    case "intOrString":
      return typeof value === "string" || isIntegerOf(32, value);
    case "quantity":
      return quantityOf(value) !== undefined;
    case "string":
      return typeof value === "string";
  }
}

function isIntegerOf(bits: number, value: Json): boolean {
  if (!isInteger(value)) return false;
  const integer = BigInt(isExactNumber(value) ? value.rawJSON : value);
  return BigInt.asIntN(bits, integer) === integer;
}

function writeScalar(type: keyof typeof words, value: Json | undefined): string {
  const isGiven = value !== undefined && value !== null && isScalar(type, value);
  switch (type) {
    case "bool":
      return isGiven ? String(value) : "false";
    case "string":
      return goString(isGiven ? String(value) : "");
    case "quantity": {
      const read = isGiven ? quantityOf(value) : undefined;
      return goString(read === undefined ? "0" : printQuantity(read));
    }
    default:
      if (!isGiven) return "0";
      return typeof value === "string"
        ? goString(value)
        : isExactNumber(value)
          ? value.rawJSON
          : String(value);
  }
}

function writeMember({ type, written }: GoField, value: Json | undefined): string {
  return written === "orNull" && (value === undefined || value === null) ? "null" : writeGo(type, value);
}

function isWritten({ type, written }: GoField, value: Json | undefined): boolean {
  if (written === "always" || written === "orNull") return true;
  if (value === undefined || value === null) return false;
  return written === "unlessNil" || !isZero(type, value);
}

function isZero(type: GoType, value: Json): boolean {
  if (typeof type === "string") return zeros.has(writeScalar(type, value));
  if ("list" in type) return !isArray(value) || value.length === 0;
  return !isObject(value) || Object.keys(value).length === 0;
}

const zeros: ReadonlySet<string> = new Set(["false", "0", '""']);

function isStruct(type: GoType): boolean {
  return typeof type !== "string" && "struct" in type;
}

function isField(field: GoType | GoField): field is GoField {
  return typeof field !== "string" && "written" in field;
}
