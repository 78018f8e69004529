import { amend } from "../admission/amend.ts";
import { diff, type KeysOf } from "../admission/patch.ts";
import type { Cause, Verdict } from "../admission/verdict.ts";
import { unload } from "../conversion/carriers.ts";
import { keep, withAnnotationsOf } from "../conversion/keeper.ts";
import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject } from "../json/json.ts";
import { fieldOf } from "../json/path.ts";
import {
  type Circumstances,
  fromHub,
  type Kind,
  type Kinds,
  type Lister,
  toHub,
  versionIndex,
} from "../kind.ts";
import { apiVersionOf } from "../resource.ts";
import { listKeysAt } from "../schema/shape.ts";
import type { Answer } from "./answer.ts";
import { open, seal } from "./envelope.ts";
import { faultOfChanged } from "./selfcheck.ts";

/** What admission is judged with besides the review itself. */
export interface Surroundings {
  readonly kinds: Kinds;
  readonly now: () => Date;
  /** The lister of a kind in its hub version. */
  readonly lister: (group: string, kind: string) => Lister;
}

/** Answers an AdmissionReview of the mutating webhook: the object with its kind's defaults, as a patch. */
export function answerMutation(review: Json, surroundings: Surroundings): Answer {
  return answer(review, surroundings, mutate);
}

/** Answers an AdmissionReview of the validating webhook: whether the kind's rules hold. */
export function answerValidation(review: Json, surroundings: Surroundings): Answer {
  return answer(review, surroundings, validate);
}

/** A request to create or update an object of a known kind and version. */
interface Write {
  readonly kind: Kind;
  readonly version: number;
  readonly object: JsonObject;
  readonly oldObject?: JsonObject;
  readonly subresource: string;
  /** Whether it is at the version that its client wrote, not converted for us (`requestKind` = `kind`). */
  readonly isOriginal: boolean;
  readonly circumstances: Circumstances;
}

type Judge = (write: Write) => Verdict;

const allowed: Verdict = { outcome: "allow", warnings: [] };

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
    const verdict = kind === undefined ? strangeKind(request) : judgeKind(request, kind, surroundings, judge);
    const response = responseOf(verdict, request, kind);
    const message = get(response, "status", "message");
    return {
      review: seal(opened, response),
      report: { ...report, outcome: verdict.outcome, ...(typeof message === "string" ? { message } : {}) },
    };
  } catch (error) {
    // Our own fault, or a kind's: the API server still gets an answer that it can read, and says it to the user.
    const message = `the webhook failed: ${error instanceof Error ? error.message : String(error)}`;
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
    warnings: [short(`${kind} is not served by this webhook: nothing was looked at`)],
  };
}

function judgeKind(request: JsonObject, kind: Kind, surroundings: Surroundings, judge: Judge): Verdict {
  const operation = textAt(request, "operation");
  if (operation !== "CREATE" && operation !== "UPDATE") return allowed;
  const apiVersion = apiVersionOf(kind.definition.group, textAt(request, "kind", "version"));
  const version = versionIndex(kind, apiVersion);
  if (version === undefined) {
    return refuse([], "FieldValueNotSupported", `${kind.name} has no version ${apiVersion} here`);
  }
  const { object, oldObject } = request;
  if (!isObject(object)) return refuse([], "FieldValueRequired", "request.object is no object");
  if (object.apiVersion !== apiVersion || object.kind !== kind.definition.kind) {
    return refuse(
      [],
      "FieldValueInvalid",
      `request.object is not the ${apiVersion} ${kind.definition.kind} that request.kind says`,
    );
  }
  const old = operation === "UPDATE" && isObject(oldObject) ? oldObject : undefined;
  const circumstances: Circumstances = {
    operation,
    ...(old === undefined ? {} : { oldObject: toHub(kind, old, version) }),
    namespace: textAt(request, "namespace"),
    now: surroundings.now(),
    listers: listersOf(kind, surroundings),
  };
  return judge({
    kind,
    version,
    object,
    ...(old === undefined ? {} : { oldObject: old }),
    subresource: textAt(request, "subResource"),
    isOriginal: request.requestKind === undefined || equal(request.requestKind, request.kind),
    circumstances,
  });
}

/** What is meant: the carriers that this writer may not change put back, then what the kind's defaults add to spec. */
function mutate(write: Write): Verdict {
  const changed = filled({ ...write, object: kept(write) });
  return equal(changed, write.object) ? allowed : { outcome: "change", object: changed, warnings: [] };
}

/** The keeper looks only at writes that arrive as their client wrote them: on others it would undo what was meant. */
function kept({
  kind,
  version,
  object,
  oldObject,
  subresource,
  circumstances,
  isOriginal,
}: Write): JsonObject {
  if (!isOriginal || (subresource !== "" && subresource !== "status")) return object;
  const atHub = version === kind.versions.length - 1;
  return keep(object, oldObject, { operation: circumstances.operation, subresource, atHub });
}

/**
 * Defaults speak of spec in the hub version; the change is then told in the version that came. What that version
 * cannot say travels in the annotation alone: status is not this write's to change.
 */
function filled({ kind, version, object, subresource, circumstances }: Write): JsonObject {
  const fill = kind.definition.default;
  if (fill === undefined || subresource !== "") return object;
  const hub = toHub(kind, object, version);
  const meant = fill(hub, circumstances);
  if (equal(meant, hub)) return object;
  const after = fromHub(kind, meant, version);
  const [origin, from, to] = [object, fromHub(kind, hub, version), after].map((each) => unload(each).object);
  const changed = amend(origin ?? object, from ?? object, to ?? object, keysOf(kind, version));
  return withAnnotationsOf(
    { ...changed, ...(Object.hasOwn(object, "status") ? { status: object.status } : {}) },
    after,
  );
}

function validate(write: Write): Verdict {
  const { kind, version, object, subresource, circumstances } = write;
  const hub = toHub(kind, object, version);
  const judged = subresource === "" && !sameContent(hub, circumstances.oldObject);
  const { causes = [], warnings = [] } = (judged && kind.definition.validate?.(hub, circumstances)) || {};
  const all = [...retiredFields(write), ...warnings].map(short);
  return causes.length > 0 ? { outcome: "deny", causes, warnings: all } : { outcome: "allow", warnings: all };
}

/** Whether a write leaves everything but metadata as it was: a label, a finalizer. No rule stands in its way. */
function sameContent(object: JsonObject, oldObject: JsonObject | undefined): boolean {
  return oldObject !== undefined && equal({ ...object, metadata: {} }, { ...oldObject, metadata: {} });
}

/** A warning for each field without a word in the next version that this write sets or changes. */
function retiredFields({ kind, version, object, oldObject, subresource }: Write): readonly string[] {
  // The main endpoint cannot write status, and /status cannot write anything else (kubernetes.md 4.4).
  const isWritable = (root: unknown) => (root === "status") === (subresource === "status");
  return (kind.versions[version]?.retired ?? []).flatMap(({ path, instead }) => {
    const keys = path.map(String);
    const value = get(object, ...keys);
    const isNew = value !== undefined && !equal(value, get(oldObject, ...keys));
    return isNew && isWritable(path[0]) ? [`${fieldOf(path)} is retired: ${instead}`] : [];
  });
}

function listersOf(kind: Kind, { lister }: Surroundings): Readonly<Record<string, Lister>> {
  const needs = Object.entries(kind.definition.needs ?? {});
  return Object.fromEntries(needs.map(([name, need]) => [name, lister(need.group, need.kind)]));
}

function responseOf(verdict: Verdict, request: JsonObject, kind: Kind | undefined): JsonObject {
  const warnings = verdict.warnings.length > 0 ? { warnings: verdict.warnings } : {};
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

function keysOf(kind: Kind, version: number): KeysOf {
  const shape = kind.versions[version]?.shape;
  return (path) => shape && listKeysAt(shape, path);
}

/** A refusal as the API server words its own (apimachinery, errors.NewInvalid). */
function invalidStatus(causes: readonly Cause[], request: JsonObject, kind: Kind | undefined): JsonObject {
  const name = textAt(request, "name") || textAt(request, "object", "metadata", "name");
  const details = causes.map(({ path, reason, message }) => ({
    reason,
    message,
    ...(path.length > 0 ? { field: fieldOf(path) } : {}),
  }));
  const sentences = details.map(({ field, message }) =>
    field === undefined ? message : `${field}: ${message}`,
  );
  const list = sentences.length === 1 ? sentences[0] : `[${sentences.join(", ")}]`;
  return {
    status: "Failure",
    message: `${kind?.name ?? "object"} ${JSON.stringify(name)} is invalid: ${list}`,
    reason: "Invalid",
    details: {
      ...(name === "" ? {} : { name }),
      group: textAt(request, "kind", "group"),
      kind: textAt(request, "kind", "kind"),
      causes: details,
    },
    code: 422,
  };
}

function refuse(path: Cause["path"], reason: Cause["reason"], message: string): Verdict {
  return { outcome: "deny", causes: [{ path, reason, message }], warnings: [] };
}

/** At most 120 characters, as the API server asks of a warning (kubernetes.md 1.12). */
function short(warning: string): string {
  return [...warning].length > 120 ? `${[...warning].slice(0, 119).join("")}…` : warning;
}

function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = get(object, ...path);
  return typeof value === "string" ? value : "";
}
