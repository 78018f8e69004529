import type { SeenByKind } from "../cluster/kinds-in-force.ts";
import type { ListerChanges, Unsynced } from "../cluster/replica.ts";
import type { LargeOutcome } from "./large.ts";

/** The paths of reviews. */
export type ReviewPath = "/convert" | "/mutate" | "/validate";

/** The kind of the reviews that a path takes. */
export function reviewKindOf(path: ReviewPath): "ConversionReview" | "AdmissionReview" {
  return path === "/convert" ? "ConversionReview" : "AdmissionReview";
}

/** A message from the main thread to the thread for large reviews. */
export type ToThread =
  | {
      readonly type: "review";
      readonly id: number;
      readonly path: ReviewPath;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly caller: string;
      readonly unsynced: Unsynced;
    }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "objects"; readonly changes: ListerChanges }
  | { readonly type: "crds"; readonly seen: SeenByKind };

/** A message back. Each review gets one `end` or `failed`; the `end` of a cancelled review has no outcome. */
export type FromThread =
  | { readonly type: "piece"; readonly id: number; readonly piece: Uint8Array<ArrayBuffer> }
  | { readonly type: "end"; readonly id: number; readonly outcome: LargeOutcome | undefined }
  | {
      readonly type: "failed";
      readonly id: number;
      readonly outcome: LargeOutcome;
      readonly message: string;
      readonly stack: string | undefined;
    };
