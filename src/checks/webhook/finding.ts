import type { Json, JsonObject } from "../../json/json.ts";

/** What is wrong with a conversion. */
export type FindingKind =
  /** A value is gone. */
  | "lost"
  /** A value is another one. */
  | "became"
  /** A value stands at another place of the same version, where it was not read back from. */
  | "moved"
  /** A value comes back from an annotation, and the view does not show it although it could. */
  | "hidden"
  /** A value appears that was not there. */
  | "added"
  /** A valid object is not converted, or in a way that an API server rejects. */
  | "refused"
  /** The connection is closed without an answer, no answer comes in time, or the process ends. */
  | "crashed"
  /** The same object is converted differently when it is sent again. */
  | "differs"
  /** A value is kept only as long as clients keep the annotations that the webhook adds. */
  | "kept by annotations"
  /** The converted object is not valid by the schema or the rules of the other version. */
  | "invalid"
  /** An object that was stored before the CRD changed is not converted, or not whole. */
  | "frozen"
  /** The schema admits a text or number that the webhook does not read. */
  | "looser";

/** All kinds, the gravest first. */
export const findingKinds: readonly FindingKind[] = [
  "crashed",
  "refused",
  "differs",
  "lost",
  "became",
  "moved",
  "hidden",
  "frozen",
  "added",
  "kept by annotations",
  "looser",
  "invalid",
];

/** Kinds of findings that are properties to know rather than faults: they do not change the exit code. */
export const notes: ReadonlySet<FindingKind> = new Set(["added", "kept by annotations", "invalid", "looser"]);

/** What was done: a round trip, an edit at the other version, and so on. */
export type Check =
  | "conversion"
  | "round trip"
  | "round trip without annotations"
  | "edit"
  | "unread value"
  | "same request twice"
  | "partial object"
  | "damaged annotation"
  | "stored object"
  | "review v1beta1";

/** An object on its way. */
export interface View {
  /** `v1beta1`, or `v1, spec.size set to 3`. */
  readonly what: string;
  readonly object: JsonObject;
}

/** One thing that is wrong with a conversion, with the smallest object that shows it. */
export interface Finding {
  readonly kind: FindingKind;
  readonly check: Check;
  /** The versions on the way: `v1 → v1beta1 → v1`. */
  readonly versions: readonly string[];
  /** The place in the schema: `spec.lights[].color`; empty for the whole object. */
  readonly place: string;
  /** All places that this finding stands for, where several below one parent are alike. */
  readonly places: readonly string[];
  /** The place in the object: `spec.lights[0].color`. */
  readonly field: string;
  readonly before?: Json;
  readonly after?: Json;
  /** The fields of the reference that the place is a field of: references with the same fields are of one type. */
  readonly reference?: string;
  /** What the webhook said, or a further explanation. */
  readonly message?: string;
  /** The object as it was sent, then each view up to the one that shows the finding. */
  readonly views: readonly View[];
}

/** Values that differ although they mean the same to Go, counted by place. */
export interface Alike {
  /** Zero values that appear or vanish: `""`, 0, false, null, `{}`, `[]`, `0s`. */
  readonly zero: readonly string[];
  /** Values that are printed otherwise: `1024Mi` as `1Gi`. */
  readonly reprinted: readonly string[];
}
