import type { JsonObject } from "../json/json.ts";

/** What a review road gives back: the review to send, and what is told of it to metrics and logs. */
export interface Answer {
  readonly review: JsonObject;
  readonly report: ConversionReport | AdmissionReport;
}

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
