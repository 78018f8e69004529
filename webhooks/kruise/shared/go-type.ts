import { isArray, isExactNumber, isInteger, isObject, type Json, own, type Path } from "antechamber";
import { printQuantity, quantityOf } from "antechamber/apimachinery";
import { goMap, goString } from "./go-json.ts";

/**
 * A Go type, as far as encoding/json is concerned. Kruise decodes objects into such types, encodes them again and hashes
 * the result (pkg/control/sidecarcontrol/hash.go, encodeSidecarSetV1beta1).
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

/** A field of a struct, and when it is encoded: unless zero, unless nil, always, or always with nil as null. */
export interface GoField {
  readonly type: GoType;
  readonly written: "unlessZero" | "unlessNil" | "always" | "orNull";
}

/** A struct by its fields in order. A plain field is left out if it is zero, a nested struct if it is nil. */
export function struct(fields: Readonly<Record<string, GoType | GoField>>): GoType {
  const plain = (type: GoType): GoField => ({ type, written: isStruct(type) ? "unlessNil" : "unlessZero" });
  return {
    struct: new Map(
      Object.entries(fields).map(([name, field]) => [name, isField(field) ? field : plain(field)] as const),
    ),
  };
}

/** A pointer field: left out only if it is nil. */
export function pointer(type: GoType): GoField {
  return { type, written: "unlessNil" };
}

/** A field without omitempty: always encoded, even if it is zero. */
export function always(type: GoType): GoField {
  return { type, written: "always" };
}

/** A pointer field without omitempty: encoded as null if it is nil. */
export function nullable(type: GoType): GoField {
  return { type, written: "orNull" };
}

/** A list of strings. */
export const strings: GoType = { list: "string" };

/**
 * The JSON text that Go encodes from a value that it decoded, without white space. A value of another type counts as
 * zero.
 */
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

/** A value that Go cannot decode: where it is, and what is expected there. */
interface TypeFault {
  readonly path: Path;
  readonly expected: string;
}

/** The values that Go cannot decode. Unknown fields are ignored, and null counts as absent. */
export function typeFaults(type: GoType, value: Json | undefined, path: Path): readonly TypeFault[] {
  if (value === undefined || value === null) return [];
  if (typeof type === "string") return isScalar(type, value) ? [] : [{ path, expected: expectations[type] }];
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

const expectations = {
  bool: "true or false",
  int32: "a 32-bit integer",
  int64: "a 64-bit integer",
  intOrString: "a 32-bit integer or a string",
  quantity: "a quantity, such as 500m or 2Gi",
  string: "a string",
};

function isScalar(type: keyof typeof expectations, value: Json): boolean {
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
  // More digits than that are beyond 64 bits, and take long to be read.
  if (isExactNumber(value) && value.rawJSON.length > 30) return false;
  const integer = BigInt(isExactNumber(value) ? value.rawJSON : value);
  return BigInt.asIntN(bits, integer) === integer;
}

function writeScalar(type: keyof typeof expectations, value: Json | undefined): string {
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
