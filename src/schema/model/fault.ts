import { printValue } from "../../go/json.ts";
import { quote } from "../../go/text.ts";
import type { Json } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import type { Place } from "./place.ts";

/**
 * The reasons of a cause as they go over the wire (apimachinery, `field.ErrorType`); none where what was sent cannot even
 * be read, which is answered with 400 and no cause.
 */
export type FaultType =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError"
  | "";

/** One thing that the API server would report. */
export interface SchemaFault {
  readonly type: FaultType;
  /** As the API server prints it: `spec.lights[0].name`, `<nil>`. */
  readonly field: string;
  /** The same place as steps; absent where the server names none. */
  readonly path?: Path;
  /** The body without the field: `Invalid value: 3: must be …`, `Required value`. */
  readonly message: string;
  /** The part of the message that says what is wrong, without the kind of fault and the value; empty where it says no more. */
  readonly detail: string;
  /**
   * Set where a fault is not about the value itself: a rule that could not be evaluated (an error, too high a cost), or all
   * rules together, which are skipped while an object has faults that would make them fail.
   */
  readonly because?: "rule not evaluated" | "rules skipped";
}

/** A place with its steps, the root where there is none, or what prints as a field without being one of an object. */
type At = Place | string;

/** A value that is malformed. An undefined value is not shown. */
export function invalid(at: At, value: Json | undefined, detail: string): SchemaFault {
  return fault("FieldValueInvalid", at, withValue("Invalid value", value), detail);
}

/** The same for a value that is printed already. */
export function invalidAs(at: At, printed: string, detail = ""): SchemaFault {
  return fault("FieldValueInvalid", at, `Invalid value: ${printed}`, detail);
}

/** The same fault, marked as one of a rule that could not be evaluated. */
export function unevaluated(fault: SchemaFault): SchemaFault {
  return { ...fault, because: "rule not evaluated" };
}

/** A value of another type than its field. */
export function typeInvalid(at: At, value: Json, detail: string): SchemaFault {
  return fault("FieldValueTypeInvalid", at, withValue("Invalid value", value), detail);
}

/** A value that is missing. */
export function required(at: At, detail = ""): SchemaFault {
  return fault("FieldValueRequired", at, "Required value", detail);
}

/** What makes the API server panic, and what would do instead: its client gets no response. */
export function panics(at: At, remedy: string): SchemaFault {
  return internalError(at, `the API server panics, and closes the connection without a response: ${remedy}`);
}

/** A value that may not be there. */
export function forbidden(at: At, detail: string): SchemaFault {
  return fault("FieldValueForbidden", at, "Forbidden", detail);
}

/** A value that is there twice. An undefined value is not shown. */
export function duplicate(at: At, value: Json | undefined): SchemaFault {
  return fault("FieldValueDuplicate", at, withValue("Duplicate value", value), "");
}

/** A value that is not one of those that a field accepts. */
export function notSupported(at: At, value: Json, known: readonly string[]): SchemaFault {
  const detail = known.length === 0 ? "" : `supported values: ${known.map(quote).join(", ")}`;
  return fault("FieldValueNotSupported", at, withValue("Unsupported value", value), detail);
}

/** A text, or texts, of more than so many characters, which the API server calls bytes. */
export function tooLong(at: At, most: number): SchemaFault {
  const detail =
    most < 0 ? "value is too long" : `may not be more than ${most} ${most === 1 ? "byte" : "bytes"}`;
  return fault("FieldValueTooLong", at, "Too long", detail);
}

/** A list or map of more than so many entries. */
export function tooMany(at: At, actual: number, most: number): SchemaFault {
  const detail =
    most < 0 ? "has too many items" : `must have at most ${most} ${most === 1 ? "item" : "items"}`;
  return fault("FieldValueTooMany", at, `Too many: ${actual}`, detail);
}

/** An error of the API server's own. */
export function internalError(at: At, detail: string): SchemaFault {
  return fault("InternalError", at, "Internal error", detail);
}

function fault(type: FaultType, at: At, body: string, detail: string): SchemaFault {
  const message = detail === "" ? body : `${body}: ${detail}`;
  if (typeof at === "string") return { type, field: at, message, detail };
  return at.text === ""
    ? { type, field: "<nil>", message, detail }
    : { type, field: at.text, path: at.path, message, detail };
}

function withValue(body: string, value: Json | undefined): string {
  return value === undefined ? body : `${body}: ${printValue(value)}`;
}
