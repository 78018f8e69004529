import { runeCount } from "../../../go/text.ts";
import type { Type } from "./types.ts";
import type { Work } from "./work.ts";

/** A value at run time. Ints are bigints, doubles are numbers. An error is a value too: `&&` and `||` may swallow it. */
export type Value =
  | boolean
  | bigint
  | number
  | string
  | null
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | ListValue
  | MapValue
  | Thing
  | CelError;

/** An unsigned integer. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds. */
export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A moment: seconds since 1970 and nanoseconds above them, with the zone's offset that it was written with. */
export class Timestamp {
  readonly seconds: bigint;
  readonly nanos: number;
  readonly offsetSeconds: number;
  constructor(seconds: bigint, nanos: number, offsetSeconds = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.offsetSeconds = offsetSeconds;
  }
}

/** A type as a value: `int`, `type(self.x)`. */
export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be missing. */
export class Optional {
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const none = new Optional(undefined);

/** An error while a rule runs; its text is what the API server prints. */
export class CelError {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** A list: of values made by the expression, or of an object's JSON (data.ts). */
export interface ListValue {
  readonly isList: true;
  readonly size: number;
  readonly get: (index: number) => Value;
  readonly equals: (other: Value, work: Work) => Value;
  readonly add: (other: ListValue, work: Work) => Value;
  readonly contains: (value: Value, work: Work) => Value;
}

/** A map, or an object of the schema. */
export interface MapValue {
  readonly isMap: true;
  readonly size: number;
  readonly find: (key: Value) => Value | undefined;
  readonly keys: (work: Work) => readonly Value[];
  readonly equals: (other: Value, work: Work) => Value;
}

/** A value of one of the Kubernetes libraries: a URL, a quantity, an IP address. */
export interface Thing {
  readonly thing: Type;
  /** Its size for the cost, where it has one. */
  readonly size?: number;
  readonly equals: (other: Value) => Value;
  readonly print: () => string;
}

export const isText = (value: Value): value is string => typeof value === "string";
export const isInt = (value: Value): value is bigint => typeof value === "bigint";
export const isBool = (value: Value): value is boolean => typeof value === "boolean";
export const isDuration = (value: Value): value is Duration => value instanceof Duration;
export const isTimestamp = (value: Value): value is Timestamp => value instanceof Timestamp;
export const isOptionalValue = (value: Value): value is Optional => value instanceof Optional;
/** Any value. */
export const isValue = (value: Value): value is Value => value !== undefined;
export const isList = (value: unknown): value is ListValue =>
  typeof value === "object" && value !== null && "isList" in value;
export const isMap = (value: unknown): value is MapValue =>
  typeof value === "object" && value !== null && "isMap" in value;
export const isThing = (value: unknown): value is Thing =>
  typeof value === "object" && value !== null && "thing" in value;
export const isError = (value: unknown): value is CelError => value instanceof CelError;

export const noSuchOverload = new CelError("no such overload");

/** The error that one of the values is, else that there is no such overload (cel-go types.MaybeNoSuchOverloadErr). */
export const errorOr = (value: Value, otherwise: CelError = noSuchOverload): CelError =>
  isError(value) ? value : otherwise;

/** The name of a value's type at run time, as the server's errors print it. */
export function typeName(value: Value): string {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
  }
  if (value === null) return "null_type";
  if (value instanceof Uint) return "uint";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof Timestamp) return "google.protobuf.Timestamp";
  if (value instanceof Duration) return "google.protobuf.Duration";
  if (value instanceof TypeValue) return "type";
  if (value instanceof Optional) return "optional_type";
  if (isList(value)) return "list";
  if (isMap(value)) return "map";
  if (isError(value)) return "error";
  return value.thing.name;
}

/** How many characters, bytes, items or entries a value has; undefined where it has no size. */
export function sizeOf(value: Value): number | undefined {
  if (typeof value === "string") return runeCount(value);
  if (value instanceof Uint8Array) return value.length;
  if (isList(value) || isMap(value)) return value.size;
  return isThing(value) ? value.size : undefined;
}
