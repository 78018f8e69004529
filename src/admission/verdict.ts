import type { JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";

/** Why an object is refused: one field, one sentence (metav1.StatusCause). */
export interface Cause {
  readonly path: Path;
  /** The API server's word for the sort of fault, as in `field.ErrorType`. */
  readonly reason:
    | "FieldValueInvalid"
    | "FieldValueRequired"
    | "FieldValueDuplicate"
    | "FieldValueForbidden"
    | "FieldValueNotSupported";
  /** The sentence after the field: `Forbidden: the lock is jammed; free it before unlocking`. */
  readonly message: string;
}

/** What is answered to an admission request: as it is, changed to this object, or refused for these causes. */
export type Verdict =
  | { readonly outcome: "allow"; readonly warnings: readonly string[] }
  | { readonly outcome: "change"; readonly object: JsonObject; readonly warnings: readonly string[] }
  | { readonly outcome: "deny"; readonly causes: readonly Cause[]; readonly warnings: readonly string[] };
