import type { SeenByKind } from "../../cluster/follow/kinds-in-force.ts";
import type { ListerChanges, Unsynced } from "../../cluster/follow/replica.ts";
import type { Answer } from "../../review/answer.ts";
import type { Rejection } from "../shared/rejection.ts";

/** The paths of reviews. */
export type ReviewPath = "/convert" | "/mutate" | "/validate";

/** The kind of the reviews that a path takes. */
export function reviewKindOf(path: ReviewPath): "ConversionReview" | "AdmissionReview" {
  return path === "/convert" ? "ConversionReview" : "AdmissionReview";
}

/** The outcome of a large review. */
export type LargeOutcome =
  | {
      readonly outcome: "answered";
      readonly text: Uint8Array<ArrayBuffer>;
      readonly report: Answer["report"];
    }
  | { readonly outcome: "rejected"; readonly rejection: Rejection };

/** A message from the main thread to the thread for large reviews. A review comes once the one before it was answered. */
export type ToThread =
  | {
      readonly type: "review";
      readonly path: ReviewPath;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly unsynced: Unsynced;
    }
  | { readonly type: "objects"; readonly changes: ListerChanges }
  | { readonly type: "crds"; readonly seen: SeenByKind };

/** The message back, one for each review. */
export interface FromThread {
  readonly outcome: LargeOutcome;
  /** The error behind a 500, for the log. */
  readonly error?: { readonly message: string; readonly stack: string | undefined };
}
