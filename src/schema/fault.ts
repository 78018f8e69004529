import type { Path } from "../json/path.ts";

/** The reasons of a cause as they go over the wire (apimachinery, `field.ErrorType`). */
export type FaultType =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** One thing the API server would say is wrong. */
export interface SchemaFault {
  readonly type: FaultType;
  /** As the API server prints it: `spec.lights[0].name`, `<nil>`. */
  readonly field: string;
  /** The same place as steps; absent where the server names none. */
  readonly path?: Path;
  /** The body without the field: `Invalid value: 3: must be …`, `Required value`. */
  readonly message: string;
}
