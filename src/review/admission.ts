import { diff } from "../admission/patch.ts";
import type { Verdict } from "../admission/verdict.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import { type Kind, versionIndex } from "../kind.ts";
import type { Answer } from "./answer.ts";
import { invalidStatus } from "./denial.ts";
import { open, seal } from "./envelope.ts";
import { mutate } from "./mutation.ts";
import { faultOfChanged } from "./selfcheck.ts";
import { sentenceOf, textAt } from "./text.ts";
import { validate } from "./validation.ts";
import { keysOf, readWrite, type Surroundings, type Write } from "./write.ts";

/** Answers an AdmissionReview of the mutating webhook: the object with its kind's defaults, as a patch. */
export function answerMutation(review: Json, surroundings: Surroundings): Answer {
  return answer(review, surroundings, mutate);
}

/** Answers an AdmissionReview of the validating webhook: whether the kind's rules hold. */
export function answerValidation(review: Json, surroundings: Surroundings): Answer {
  return answer(review, surroundings, validate);
}

type Judge = (write: Write) => Verdict;

function answer(review: Json, surroundings: Surroundings, judge: Judge): Answer {
  const opened = open(review, "AdmissionReview");
  const { request } = opened;
  const kind = surroundings.kinds.find(textAt(request, "kind", "group"), textAt(request, "kind", "kind"));
  const operation = textAt(request, "operation");
  const report = {
    review: "admission" as const,
    uid: opened.uid,
    kind: kind?.name ?? "other",
    namespace: textAt(request, "namespace"),
    name: textAt(request, "name"),
    operation: operations.has(operation) ? operation : "other",
  };
  try {
    const verdict = kind === undefined ? strangeKind(request) : judged(request, kind, surroundings, judge);
    const response = responseOf(verdict, request, kind);
    const message = get(response, "status", "message");
    return {
      review: seal(opened, response),
      report: { ...report, outcome: verdict.outcome, ...(typeof message === "string" ? { message } : {}) },
    };
  } catch (error) {
    // Our own fault, or a kind's: the API server still gets an answer that it can read, and says it to the user.
    const message = `the webhook failed: ${sentenceOf(error)}`;
    const status = { status: "Failure", message, reason: "InternalError", code: 500 };
    return {
      review: seal(opened, { allowed: false, status }),
      report: { ...report, outcome: "error", message },
    };
  }
}

const operations = new Set(["CREATE", "UPDATE", "DELETE", "CONNECT"]);

function strangeKind(request: JsonObject): Verdict {
  const kind = `${textAt(request, "kind", "kind")}.${textAt(request, "kind", "group")}`;
  return {
    outcome: "allow",
    warnings: [`${kind} is not served by this webhook: nothing was looked at`],
  };
}

function judged(request: JsonObject, kind: Kind, surroundings: Surroundings, judge: Judge): Verdict {
  const write = readWrite(request, kind, surroundings);
  return "outcome" in write ? write : judge(write);
}

function responseOf(verdict: Verdict, request: JsonObject, kind: Kind | undefined): JsonObject {
  const warnings = verdict.warnings.length > 0 ? { warnings: verdict.warnings.map(short) } : {};
  switch (verdict.outcome) {
    case "allow":
      return { allowed: true, ...warnings };
    case "deny":
      return { allowed: false, status: invalidStatus(verdict.causes, request, kind), ...warnings };
    case "change":
      return { allowed: true, ...patchOf(request.object as JsonObject, verdict.object, kind), ...warnings };
  }
}

function patchOf(before: JsonObject, after: JsonObject, kind: Kind | undefined): JsonObject {
  const fault = faultOfChanged(before, after);
  if (fault !== undefined) throw new Error(fault);
  const keys = kind && keysOf(kind, versionIndex(kind, before.apiVersion) ?? 0);
  const patch = diff(before, after, keys);
  return { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
}

/** At most 120 characters, as the API server asks of a warning (kubernetes.md 1.12). */
function short(warning: string): string {
  return [...warning].length > 120 ? `${[...warning].slice(0, 119).join("")}…` : warning;
}
