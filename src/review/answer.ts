import { type SerializedObject, writeSerialized } from "../conversion/carriers.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import type { JsonObject } from "../json/json.ts";

/** What a review road gives back: the review to send, and what is told of it to metrics and logs. */
export interface Answer {
  readonly review: JsonObject;
  /** Of a conversion the converted objects: they belong into the empty list at the end of the review. */
  readonly objects?: readonly SerializedObject[];
  /** Of an admission that changes an object the patch in base64: it belongs into the empty text at the end of the review. */
  readonly patch?: string;
  readonly report: ConversionReport | AdmissionReport;
}

/** The text of an answer's review, in parts: whoever sends it puts them together, and nobody before. */
export function writeAnswer({ review, objects = [], patch }: Omit<Answer, "report">): readonly string[] {
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

/** What of a review's text stands before the objects in the empty list at its end, and what behind them. */
export function aroundObjects(text: string): readonly [string, string] {
  return around(text, emptyList);
}

function around(text: string, end: string): readonly [string, string] {
  if (!text.endsWith(end)) throw new Error(`the answer does not end with ${end}`);
  return [text.slice(0, 1 - end.length), end.slice(1)];
}

const emptyList = "[]}}";
const emptyText = '""}}';

/** What is told of one ConversionReview. */
export interface ConversionReport {
  readonly review: "conversion";
  readonly uid: string;
  /** `Kind.group` of a kind that is served, or `other`. */
  readonly kind: string;
  /** Version that came, `mixed` where the objects of one review came in several, `other` where unknown. */
  readonly from: string;
  readonly to: string;
  readonly objects: number;
  readonly outcome: "success" | "failure";
  /** Why it failed. */
  readonly message?: string;
}

/** What is told of one AdmissionReview. */
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
  /** Why it was refused. */
  readonly message?: string;
}

/** A review that cannot be answered in its envelope: no request, no uid, the wrong kind. Answered with HTTP 400. */
export class UnreadableReview extends Error {
  override readonly name = "UnreadableReview";
}
