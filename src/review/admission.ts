import type { DraftOperation } from "../admission/draft.ts";
import { type KeysOf, operationsBetween } from "../admission/patch.ts";
import { encodedPatch } from "../admission/patch-text.ts";
import { writePointer } from "../admission/pointer.ts";
import type { Verdict } from "../admission/verdict.ts";
import { Unanswered } from "../conversion/lens.ts";
import { get, type Json, type JsonObject, textAt } from "../json/json.ts";
import { type Kind, type Kinds, versionIndex } from "../kind/kind.ts";
import { NotSynced } from "../kind/lister.ts";
import type { NativeKind } from "../kind/native.ts";
import type { Answer } from "./answer.ts";
import { invalidStatus } from "./denial.ts";
import { open, seal } from "./envelope.ts";
import { mutate } from "./mutation.ts";
import { mutateNative, nativeKeysOf } from "./native.ts";
import { faultOfChanged } from "./selfcheck.ts";
import { sentenceOf } from "./text.ts";
import { validate } from "./validation.ts";
import { type AdmissionContext, keysOf, readWrite, type Write } from "./write.ts";

/** Answers an AdmissionReview of the mutating webhook: the object with its kind's defaults, as a patch. */
export function answerMutation(review: Json, context: AdmissionContext): Answer {
  return answer(review, context.kinds, judged(context, { custom: mutate, native: mutateNative }));
}

/** Answers an AdmissionReview of the validating webhook: whether the kind's rules hold. */
export function answerValidation(review: Json, context: AdmissionContext): Answer {
  return answer(review, context.kinds, judged(context, { custom: validate, native: allowed }));
}

/** Answers an AdmissionReview of either webhook: the write passes as it is. */
export function answerUnjudged(review: Json, kinds: Kinds): Answer {
  return answer(review, kinds, allowed);
}

function allowed() {
  return { outcome: "allow", warnings: [] } as const;
}

/** What a webhook does with a write to a custom kind, and with a request for a native one. */
interface Webhook {
  readonly custom: (write: Write) => Verdict;
  readonly native: (request: JsonObject, kind: NativeKind, context: AdmissionContext) => Verdict;
}

/** Judges a request by its subject. */
type Judge = (request: JsonObject, subject: Subject | undefined) => FinalVerdict;

function judged(context: AdmissionContext, webhook: Webhook): Judge {
  return (request, subject) => finalVerdict(verdictOf(request, subject, context, webhook), context);
}

function answer(review: Json, kinds: Kinds, judge: Judge): Answer {
  const opened = open(review, "AdmissionReview");
  const { request } = opened;
  const subject = subjectOf(request, kinds);
  const operation = textAt(request, "operation");
  const report = {
    review: "admission" as const,
    uid: opened.uid,
    kind: subject?.name ?? "other",
    namespace: textAt(request, "namespace"),
    name: textAt(request, "name"),
    operation: operations.has(operation) ? operation : "other",
  };
  try {
    const verdict = judge(request, subject);
    const { response, ...more } = responseOf(verdict, request, subject);
    const message = get(response, "status", "message");
    return {
      review: seal(opened, response),
      ...more,
      report: { ...report, outcome: verdict.outcome, ...(typeof message === "string" ? { message } : {}) },
    };
  } catch (error) {
    if (error instanceof NotSynced || error instanceof Unanswered) throw error;
    // A bug here or in a kind: the API server still gets a response, and shows the message to its client.
    const message = `the webhook failed: ${sentenceOf(error)}`;
    const status = { status: "Failure", message, reason: "InternalError", code: 500 };
    return {
      review: seal(opened, { allowed: false, status }),
      report: { ...report, outcome: "error", message },
    };
  }
}

/** The kind that a review is about, custom or native. */
type Subject = Kind | NativeKind;

function subjectOf(request: JsonObject, kinds: Kinds): Subject | undefined {
  const [group, kind] = [textAt(request, "kind", "group"), textAt(request, "kind", "kind")];
  return kinds.find(group, kind) ?? kinds.findNative(group, kind);
}

const operations = new Set(["CREATE", "UPDATE", "DELETE", "CONNECT"]);

function unknownKind(request: JsonObject): Verdict {
  const kind = `${textAt(request, "kind", "kind")}.${textAt(request, "kind", "group")}`;
  return {
    outcome: "allow",
    warnings: [`${kind} is not served by this webhook: the object was not checked`],
  };
}

function verdictOf(
  request: JsonObject,
  subject: Subject | undefined,
  context: AdmissionContext,
  webhook: Webhook,
): Verdict {
  if (subject === undefined) return unknownKind(request);
  if (isNative(subject)) return webhook.native(request, subject, context);
  const write = readWrite(request, subject, context);
  return "outcome" in write ? write : webhook.custom(write);
}

type FinalVerdict = Exclude<Verdict, { outcome: "wait" }>;

/** The verdict to respond with. Throws NotSynced while the request may wait for objects that are not listed yet. */
function finalVerdict(verdict: Verdict, { mayWait }: AdmissionContext): FinalVerdict {
  if (verdict.outcome !== "wait") return verdict;
  if (mayWait(verdict.reason)) throw new NotSynced(verdict.reason);
  const { warnings, reason } = verdict;
  return { outcome: "deny", causes: [{ path: [], reason: "FieldValueInvalid", message: reason }], warnings };
}

function isNative(subject: Subject): subject is NativeKind {
  return "native" in subject.definition;
}

/** The response, and the patch that `writeAnswer` inserts at its end. */
function responseOf(
  verdict: FinalVerdict,
  request: JsonObject,
  subject: Subject | undefined,
): { readonly response: JsonObject; readonly patch?: string } {
  const warnings = verdict.warnings.length > 0 ? { warnings: verdict.warnings.map(short) } : {};
  const remarks = {
    ...warnings,
    ...(verdict.audit === undefined ? {} : { auditAnnotations: verdict.audit }),
  };
  switch (verdict.outcome) {
    case "allow":
      return { response: { allowed: true, ...remarks } };
    case "deny": {
      const status = invalidStatus(verdict.causes, request, subject?.name);
      return { response: { allowed: false, status, ...remarks } };
    }
    case "change": {
      const patch = patchOf(request.object as JsonObject, verdict.object, subject);
      const auditAnnotations = verdict.audit ?? { changed: pathsOf(patch) };
      return {
        response: { allowed: true, patchType: "JSONPatch", ...warnings, auditAnnotations, patch: "" },
        patch: encodedPatch(patch),
      };
    }
  }
}

function patchOf(
  before: JsonObject,
  after: JsonObject,
  subject: Subject | undefined,
): readonly DraftOperation[] {
  const fault = faultOfChanged(before, after);
  if (fault !== undefined) throw new Error(fault);
  return operationsBetween(before, after, subject && listKeysOf(subject, before));
}

/** The paths that a patch changes, for the audit log, which must not contain values. */
function pathsOf(patch: readonly DraftOperation[]): string {
  const paths = patch.map(({ pointer }) => writePointer(pointer)).join(" ");
  return paths.length > 1000 ? `${paths.slice(0, 999)}…` : paths;
}

function listKeysOf(subject: Subject, object: JsonObject): KeysOf {
  if (isNative(subject)) return nativeKeysOf(subject);
  return keysOf(subject, versionIndex(subject, object.apiVersion) ?? 0);
}

/** At most 120 characters, as k8s.io/api recommends for a warning (admission/v1, AdmissionResponse.Warnings). */
function short(warning: string): string {
  return [...warning].length > 120 ? `${[...warning].slice(0, 119).join("")}…` : warning;
}
