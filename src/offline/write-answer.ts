import jsonpatch from "jsonpatch";
import { apiVersionOf } from "../apimachinery/resource.ts";
import { get, type JsonObject, set } from "../json/json.ts";
import { versionIndex } from "../kind/kind.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { wholeReview } from "../review/answer.ts";
import type { AdmissionContext } from "../review/write.ts";
import { type Answer, type Crd, type FieldValidation, failure, withPlainNumbers } from "../schema/index.ts";
import { responseOf, reviewOf } from "./review.ts";

/** How an object is written. */
interface WriteOptions {
  readonly subresource?: "status";
  readonly fieldValidation: FieldValidation;
  /** Whether server-side apply made the object, with its defaults: a null that it left stays. */
  readonly isApplied?: boolean;
}

/** An answer, and the object as it was after the mutating webhook, if one was asked. */
export interface AnswerOfWebhooks extends Answer {
  readonly mutated?: JsonObject;
}

/** The response of the API server, webhooks included. The previous object gets its defaults, as on a read. */
export function answerOf(
  object: JsonObject,
  old: JsonObject | undefined,
  definition: Crd,
  context: AdmissionContext,
  { subresource, fieldValidation, isApplied }: WriteOptions,
): AnswerOfWebhooks {
  const version = definition.versions.find(
    ({ name }) => apiVersionOf(definition.group, name) === object.apiVersion,
  );
  const before = old === undefined ? undefined : withPlainNumbers(version?.default(old) ?? old);
  const write = {
    ...(before === undefined ? {} : { old: before }),
    ...(subresource === undefined ? {} : { subresource }),
    ...(isApplied === undefined ? {} : { isApplied }),
  };
  const first = definition.write({ ...write, object, fieldValidation });
  // A webhook gets the object as the API server writes it.
  const known = version?.prune(object).object ?? object;
  const clean = withPlainNumbers(isApplied ? known : (version?.default(known) ?? known));
  const review = reviewOf(clean, before, subresource);
  // The mutating webhook runs before the schema validation and may fix its errors; undecodable objects never reach it.
  const isReadable = first.allowed || get(first.status, "code") === 422;
  if (!isReadable || !isServed(object, definition, context)) return first;
  const mutated = responseOf(wholeReview(answerMutation(review, context)));
  if (!mutated.allowed) return rejectedBy("mutate", mutated, definition);
  const changed = jsonpatch.apply_patch(clean, [...mutated.patch]);
  const answer =
    mutated.patch.length === 0
      ? first
      : definition.write({ ...write, object: changed, fieldValidation: "ignore" });
  const warnings = [...new Set([...first.warnings, ...answer.warnings])];
  if (!answer.allowed || answer.object === undefined) return { ...answer, warnings };
  const asked = reviewOf(answer.object, before, subresource);
  const verdict = responseOf(wholeReview(answerValidation(asked, context)));
  if (!verdict.allowed) return rejectedBy("validate", verdict, definition);
  return { ...answer, mutated: changed, warnings: [...warnings, ...mutated.warnings, ...verdict.warnings] };
}

/** Whether the kind has webhooks here; a kind that is known only by its CRD has none. */
function isServed({ apiVersion }: JsonObject, { group, kind }: Crd, { kinds }: AdmissionContext): boolean {
  const own = kinds.find(group, kind);
  return own !== undefined && versionIndex(own, apiVersion) !== undefined;
}

/** A webhook's rejection as the API server passes it on (apiserver, admission/plugin/webhook/errors). */
function rejectedBy(
  endpoint: "mutate" | "validate",
  { status = {}, warnings }: ReturnType<typeof responseOf>,
  { plural, group }: Crd,
): Answer {
  const message = `admission webhook "${endpoint}.${plural}.${group}" denied the request: ${status.message}`;
  return {
    allowed: false,
    status: set({ ...failure(500, undefined, ""), ...status }, "message", message),
    warnings,
  };
}
