import type { DraftOperation } from "../admission/draft.ts";
import { type KeysOf, operationsBetween } from "../admission/patch.ts";
import { encodedPatch } from "../admission/patch-text.ts";
import { writePointer } from "../admission/pointer.ts";
import type { Verdict } from "../admission/verdict.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import { type Kind, type Kinds, versionIndex } from "../kind.ts";
import { NotSynced } from "../lister.ts";
import type { NativeKind } from "../native.ts";
import type { Answer } from "./answer.ts";
import { invalidStatus } from "./denial.ts";
import { open, seal } from "./envelope.ts";
import { mutate } from "./mutation.ts";
import { judgeNative, nativeKeysOf } from "./native.ts";
import { faultOfChanged } from "./selfcheck.ts";
import { sentenceOf, textAt } from "./text.ts";
import { validate } from "./validation.ts";
import { keysOf, readWrite, type Surroundings, type Write } from "./write.ts";

/** Answers an AdmissionReview of the mutating webhook: the object with its kind's defaults, as a patch. */
export function answerMutation(review: Json, surroundings: Surroundings): Answer {
  return answer(review, surroundings, { custom: mutate, native: judgeNative });
}

/** Answers an AdmissionReview of the validating webhook: whether the kind's rules hold. */
export function answerValidation(review: Json, surroundings: Surroundings): Answer {
  return answer(review, surroundings, {
    custom: validate,
    native: () => ({ outcome: "allow", warnings: [] }),
  });
}

/** What is asked of a kind of our own, and of one that the API server brings. */
interface Judge {
  readonly custom: (write: Write) => Verdict;
  readonly native: (request: JsonObject, kind: NativeKind, surroundings: Surroundings) => Verdict;
}

function answer(review: Json, surroundings: Surroundings, judge: Judge): Answer {
  const opened = open(review, "AdmissionReview");
  const { request } = opened;
  const subject = subjectOf(request, surroundings.kinds);
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
    const verdict = decided(judged(request, subject, surroundings, judge), surroundings);
    const { response, ...more } = responseOf(verdict, request, subject);
    const message = get(response, "status", "message");
    return {
      review: seal(opened, response),
      ...more,
      report: { ...report, outcome: verdict.outcome, ...(typeof message === "string" ? { message } : {}) },
    };
  } catch (error) {
    if (error instanceof NotSynced) throw error;
    // Our own fault, or a kind's: the API server still gets an answer that it can read, and says it to the user.
    const message = `the webhook failed: ${sentenceOf(error)}`;
    const status = { status: "Failure", message, reason: "InternalError", code: 500 };
    return {
      review: seal(opened, { allowed: false, status }),
      report: { ...report, outcome: "error", message },
    };
  }
}

/** What a review is about: a kind of our own, or one that the API server brings. */
type Subject = Kind | NativeKind;

function subjectOf(request: JsonObject, kinds: Kinds): Subject | undefined {
  const [group, kind] = [textAt(request, "kind", "group"), textAt(request, "kind", "kind")];
  return kinds.find(group, kind) ?? kinds.findNative(group, kind);
}

const operations = new Set(["CREATE", "UPDATE", "DELETE", "CONNECT"]);

function strangeKind(request: JsonObject): Verdict {
  const kind = `${textAt(request, "kind", "kind")}.${textAt(request, "kind", "group")}`;
  return {
    outcome: "allow",
    warnings: [`${kind} is not served by this webhook: nothing was looked at`],
  };
}

function judged(
  request: JsonObject,
  subject: Subject | undefined,
  surroundings: Surroundings,
  judge: Judge,
): Verdict {
  if (subject === undefined) return strangeKind(request);
  if (isNative(subject)) return judge.native(request, subject, surroundings);
  const write = readWrite(request, subject, surroundings);
  return "outcome" in write ? write : judge.custom(write);
}

type Decided = Exclude<Verdict, { outcome: "wait" }>;

/** A verdict that is to be told now. Throws NotSynced while it may be waited for what is missing. */
function decided(verdict: Verdict, { mayWait }: Surroundings): Decided {
  if (verdict.outcome !== "wait") return verdict;
  if (mayWait(verdict.reason)) throw new NotSynced(verdict.reason);
  const { warnings, reason } = verdict;
  return { outcome: "deny", causes: [{ path: [], reason: "FieldValueInvalid", message: reason }], warnings };
}

function isNative(subject: Subject): subject is NativeKind {
  return "native" in subject.definition;
}

/** What is answered; a patch stands apart, with room for it at the end. */
function responseOf(
  verdict: Decided,
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
      const auditAnnotations = verdict.audit ?? { changed: placesOf(patch) };
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

/** Where an object was changed, for the audit log: places only, never a value. */
function placesOf(patch: readonly DraftOperation[]): string {
  const places = patch.map(({ pointer }) => writePointer(pointer)).join(" ");
  return places.length > 1000 ? `${places.slice(0, 999)}…` : places;
}

function listKeysOf(subject: Subject, object: JsonObject): KeysOf {
  if (isNative(subject)) return nativeKeysOf(subject);
  return keysOf(subject, versionIndex(subject, object.apiVersion) ?? 0);
}

/** At most 120 characters, as the API server asks of a warning (kubernetes.md 1.12). */
function short(warning: string): string {
  return [...warning].length > 120 ? `${[...warning].slice(0, 119).join("")}…` : warning;
}
