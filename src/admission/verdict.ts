import type { JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import type { FaultType } from "../schema/model/fault.ts";

/** Why an object is rejected: one field, one sentence (metav1.StatusCause). */
export interface Cause {
  readonly path: Path;
  /** The field as it is printed, where it differs from the path: `<nil>` for a rule about the whole object. */
  readonly field?: string;
  /** The API server's word for the sort of fault, as in `field.ErrorType`. */
  readonly reason: FaultType | "FieldValueNotFound";
  /** The sentence after the field: `Forbidden: the lock is jammed; free it before unlocking`. */
  readonly message: string;
}

/**
 * The result of an admission request: the object is allowed as it is, changed to another one, or rejected for causes; or
 * the request has to wait, since objects that it depends on are not listed yet (the API server retries).
 */
export type Verdict =
  | ({ readonly outcome: "allow" } & Remarks)
  | ({ readonly outcome: "change"; readonly object: JsonObject } & Remarks)
  | ({ readonly outcome: "deny"; readonly causes: readonly Cause[] } & Remarks)
  | ({ readonly outcome: "wait"; readonly reason: string } & Remarks);

/** What accompanies a verdict. */
interface Remarks {
  /** For the client, each of at most 120 characters. */
  readonly warnings: readonly string[];
  /** For the audit log, by names like `injected`. */
  readonly audit?: Readonly<Record<string, string>>;
  /** The reasons for the verdict, line by line; computed only for `antechamber inject`. */
  readonly explanation?: () => string;
}
