import { type SerializedObject, writeSerialized } from "../conversion/carriers.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import type { JsonObject } from "../json/json.ts";

/** The answer to a review: the review to send, and a report for metrics and logs. */
export interface Answer {
  readonly review: JsonObject;
  /** The converted objects of a conversion, which `writeAnswer` inserts into the empty list at the end of the review. */
  readonly objects?: readonly SerializedObject[];
  /** The patch of an admission, in base64, which `writeAnswer` inserts into the empty string at the end of the review. */
  readonly patch?: string;
  /** What another webhook answered, sent as it is in place of the review. */
  readonly sent?: { readonly status: number; readonly text: string };
  readonly report: ConversionReport | AdmissionReport;
}

/**
 * JSON text of an answer's review, in parts that only the sender concatenates. Converted objects and patches are text
 * already; inserting them spares a copy of what may be megabytes as a JavaScript value. `review` must end with the empty
 * list or string that they replace.
 */
export function writeAnswer({
  review,
  objects = [],
  patch,
  sent,
}: Omit<Answer, "report">): readonly string[] {
  if (sent !== undefined) return [sent.text];
  const text = writeJson(review);
  if (patch !== undefined) return between(around(text, emptyText), [patch]);
  if (objects.length === 0) return [text];
  return between(
    aroundObjects(text),
    objects.flatMap((object, at) => (at === 0 ? writeSerialized(object) : [",", ...writeSerialized(object)])),
  );
}

function between([before, after]: readonly [string, string], parts: readonly string[]): readonly string[] {
  return [before, ...parts, after];
}

/** The review of an answer as one value. */
export function wholeReview(answer: Answer): JsonObject {
  const isWhole = answer.objects === undefined && answer.patch === undefined;
  return isWhole ? answer.review : (parseJson(writeAnswer(answer).join("")) as JsonObject);
}

/** The text of a review before and behind the objects in the empty list at its end. */
function aroundObjects(text: string): readonly [string, string] {
  return around(text, emptyList);
}

function around(text: string, end: string): readonly [string, string] {
  if (!text.endsWith(end)) throw new Error(`the answer does not end with ${end}`);
  return [text.slice(0, 1 - end.length), end.slice(1)];
}

const emptyList = "[]}}";
const emptyText = '""}}';

/** A report of one ConversionReview. */
export interface ConversionReport {
  readonly review: "conversion";
  readonly uid: string;
  /** `Kind.group` of a kind that is served, or `other`. */
  readonly kind: string;
  /** The version of the objects; `mixed` if they have several, `other` if it is unknown. */
  readonly from: string;
  readonly to: string;
  readonly objects: number;
  readonly outcome: "success" | "failure";
  /** Why it failed. */
  readonly message?: string;
}

/** A report of one AdmissionReview. */
export interface AdmissionReport {
  readonly review: "admission";
  readonly uid: string;
  /** `Kind.group` of a kind that is served, or `other`. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** CREATE, UPDATE, DELETE, CONNECT, or `other`. */
  readonly operation: string;
  readonly outcome: "allow" | "change" | "deny" | "error";
  /** Why it was denied. */
  readonly message?: string;
}

/** A review that cannot be answered in its envelope: no request, no uid, the wrong kind. Answered with HTTP 400. */
export class UnreadableReview extends Error {
  override readonly name = "UnreadableReview";
}
