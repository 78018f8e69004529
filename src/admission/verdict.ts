import type { JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { FaultType } from "../schema/fault.ts";

/** Why an object is refused: one field, one sentence (metav1.StatusCause). */
export interface Cause {
  readonly path: Path;
  /** How the place is printed where it is none of the object's: `<nil>`. */
  readonly field?: string;
  /** The API server's word for the sort of fault, as in `field.ErrorType`. */
  readonly reason: FaultType | "FieldValueNotFound";
  /** The sentence after the field: `Forbidden: the lock is jammed; free it before unlocking`. */
  readonly message: string;
}

/**
 * What is answered to an admission request: as it is, changed to this object, refused for these causes; or nothing yet,
 * since something that it depends on was not seen here so far (the API server asks again).
 */
export type Verdict =
  | ({ readonly outcome: "allow" } & Remarks)
  | ({ readonly outcome: "change"; readonly object: JsonObject } & Remarks)
  | ({ readonly outcome: "deny"; readonly causes: readonly Cause[] } & Remarks)
  | ({ readonly outcome: "wait"; readonly reason: string } & Remarks);

/** What is said beside a verdict. */
export interface Remarks {
  /** To the writer; 120 characters at most each. */
  readonly warnings: readonly string[];
  /** To the audit log, by names like `injected`. */
  readonly audit?: Readonly<Record<string, string>>;
  /** Why the verdict is what it is, line by line: worked out only for somebody who asks. */
  readonly explanation?: () => string;
}
