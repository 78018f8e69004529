import { get, isObject, type Json, type JsonObject } from "../json/json.ts";
import { UnreadableReview } from "./answer.ts";

/** The two reviews that an API server sends. */
type ReviewKind = "ConversionReview" | "AdmissionReview";

/** A review that was opened: what is needed to seal its answer, and the request inside. */
export interface Opened {
  readonly apiVersion: string;
  readonly kind: ReviewKind;
  readonly uid: string;
  readonly request: JsonObject;
}

const groups: Readonly<Record<ReviewKind, string>> = {
  ConversionReview: "apiextensions.k8s.io",
  AdmissionReview: "admission.k8s.io",
};

/**
 * Opens a review of v1 or v1beta1, whose contents are the same. The empty `response` that API servers send in a
 * ConversionReview is ignored (apiextensions-apiserver, pkg/apiserver/conversion/webhook_converter.go). Throws
 * UnreadableReview if there is no envelope to answer in.
 */
export function open(review: Json, kind: ReviewKind): Opened {
  const versions = ["v1", "v1beta1"].map((version) => `${groups[kind]}/${version}`);
  if (!isObject(review))
    throw new UnreadableReview(`the body is not a JSON object; send a review of kind ${kind}`);
  const { apiVersion, kind: found, request } = review;
  if (found !== kind)
    throw new UnreadableReview(`kind is ${show(found)}, not ${kind}; is this the right path?`);
  if (typeof apiVersion !== "string" || !versions.includes(apiVersion)) {
    throw new UnreadableReview(`apiVersion is ${show(apiVersion)}, neither ${versions.join(" nor ")}`);
  }
  if (!isObject(request)) throw new UnreadableReview(`the ${kind} has no request`);
  const uid = get(request, "uid");
  if (typeof uid !== "string" || uid === "") throw new UnreadableReview(`the ${kind} has no request.uid`);
  return { apiVersion, kind, uid, request };
}

/** The answer in the envelope that came: the same apiVersion and kind, and the request's uid. */
export function seal({ apiVersion, kind, uid }: Opened, response: JsonObject): JsonObject {
  return { apiVersion, kind, response: { uid, ...response } };
}

/** A value for a message, cut to 80 characters: values from a client may be long. */
export function show(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
