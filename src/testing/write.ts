import jsonpatch from "jsonpatch";
import { apiVersionOf } from "../apimachinery/resource.ts";
import { didYouMean } from "../json/alike.ts";
import { get, isObject, type Json, type JsonObject, listAt, set } from "../json/json.ts";
import { fromHub, type Kind, toHub, versionIndex } from "../kind/kind.ts";
import { kindsOf } from "../kind/load-kinds.ts";
import { crdsOf } from "../offline/crds.ts";
import { offlineListers } from "../offline/listers.ts";
import { responseOf, reviewOf } from "../offline/review.ts";
import { reviewContextOf } from "../offline/review-context.ts";
import { answerOf } from "../offline/write-answer.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { wholeReview } from "../review/answer.ts";
import type { AdmissionContext } from "../review/write.ts";
import type { Crd } from "../schema/index.ts";

/** What a write depends on besides the object. */
export interface Conditions {
  /** The stored object, at any version: the write is an update then. */
  readonly old?: JsonObject;
  readonly subresource?: "status";
  /** The objects that listers list, at any version. */
  readonly with?: readonly JsonObject[];
  /** Other kinds that the objects of `with` belong to. */
  readonly kinds?: readonly Kind[];
  /** Feature gates to open or close; the others have their defaults. */
  readonly gates?: Readonly<Record<string, boolean>>;
  /** The time of the write; 2026-01-01T00:00:00Z unless given, so that a test always gives the same result. */
  readonly now?: Date;
}

/** Why a write is denied: a field as the API server prints it, `spec.lights[0].name`, and its sentence. */
export interface DeniedField {
  readonly field: string;
  readonly message: string;
  readonly reason: string;
}

/** The result of a write. */
export interface Outcome {
  readonly allowed: boolean;
  /** The object that is stored, at the version that was written; absent if the write is denied. */
  readonly object?: JsonObject;
  /** Empty if the write is allowed, or denied as a whole: then the message says why. */
  readonly causes: readonly DeniedField[];
  /** What kubectl prints of a denial; empty if the write is allowed. */
  readonly message: string;
  readonly warnings: readonly string[];
}

/**
 * Converts an object of a kind to another version, given by its name: `convert(blind, object, "v1")`. Throws an Error for an
 * object of another kind, and for a version that the kind does not have.
 */
export function convert(kind: Kind, object: JsonObject, to: string): JsonObject {
  const target = versionIndex(kind, apiVersionOf(kind.definition.group, to));
  if (target === undefined) throw new Error(`${kind.name} has no version ${to}; it has ${versionsOf(kind)}`);
  return fromHub(kind, toHub(kind, object, versionOf(kind, object)), target);
}

/**
 * The result of a write as an API server with this kind would answer it: defaults, schema, CEL rules and both webhooks.
 * Unknown fields are errors, as for kubectl. Throws an Error for an object of another kind or version.
 */
export function validate(kind: Kind, object: JsonObject, conditions: Conditions = {}): Outcome {
  const write = placed(kind, object, conditions.old);
  const { subresource } = conditions;
  const answer = answerOf(write.object, write.old, crdOf(kind), contextOf(kind, conditions), {
    fieldValidation: "strict",
    ...(subresource === undefined ? {} : { subresource }),
  });
  return outcomeOf(answer);
}

/**
 * The result of the webhooks alone, the mutating one and then the validating one: `default` and `validate` of the kind, and
 * the rules of its newest version. Throws an Error for an object of another kind or version.
 */
export function admit(kind: Kind, object: JsonObject, conditions: Conditions = {}): Outcome {
  const context = contextOf(kind, conditions);
  const write = asSent(kind, placed(kind, object, conditions.old), conditions.subresource);
  const review = (each: JsonObject) => reviewOf(each, write.old, conditions.subresource);
  const mutated = responseOf(wholeReview(answerMutation(review(write.object), context)));
  if (!mutated.allowed) return outcomeOf(mutated);
  const changed = jsonpatch.apply_patch(write.object, [...mutated.patch]);
  const validated = responseOf(wholeReview(answerValidation(review(changed), context)));
  const warnings = [...mutated.warnings, ...validated.warnings];
  return outcomeOf({ ...validated, object: changed, warnings });
}

// A large schema takes a tenth of a second to compile, and a test suite writes many objects of one kind.
const compiled = new WeakMap<Kind, Crd>();

function crdOf(kind: Kind): Crd {
  const crd = compiled.get(kind) ?? crdsOf([kind]).get(kind.name);
  if (crd === undefined) throw new Error(`${kind.name} has no CRD`);
  compiled.set(kind, crd);
  return crd;
}

/** The index of an object's version. */
function versionOf(kind: Kind, object: JsonObject): number {
  const version = versionIndex(kind, object.apiVersion);
  if (version === undefined || object.kind !== kind.definition.kind)
    throw new Error(
      `${object.kind} of ${object.apiVersion} is not a ${kind.name}; its versions are ${versionsOf(kind)}`,
    );
  return version;
}

function versionsOf({ versions }: Kind): string {
  return versions.map(({ name }) => name).join(", ");
}

/** The object and the old one at the version of the object, in a namespace if the kind has them. */
function placed(
  kind: Kind,
  object: JsonObject,
  old: JsonObject | undefined,
): { readonly object: JsonObject; readonly old?: JsonObject } {
  const version = versionOf(kind, object);
  const here = withNamespace(kind, object);
  if (old === undefined) return { object: here };
  return { object: here, old: withNamespace(kind, convert(kind, old, kind.versions[version]?.name ?? "")) };
}

/** An update as an API server sends it to webhooks: what the endpoint cannot write is that of the old object. */
function asSent(
  kind: Kind,
  write: ReturnType<typeof placed>,
  subresource: "status" | undefined,
): ReturnType<typeof placed> {
  const { object, old } = write;
  const entry = kind.versions[versionOf(kind, object)]?.entry;
  if (old === undefined || get(entry, "subresources", "status") === undefined) return write;
  const [rest, status] = subresource === "status" ? [old, object] : [object, old];
  return { object: set(rest, "status", status.status), old };
}

function withNamespace({ definition }: Kind, object: JsonObject): JsonObject {
  const metadata: Json = object.metadata ?? {};
  if (definition.scope === "Cluster" || !isObject(metadata) || Object.hasOwn(metadata, "namespace"))
    return object;
  return set(object, "metadata", { ...metadata, namespace: "default" });
}

const usualTime = new Date("2026-01-01T00:00:00Z");

function contextOf(kind: Kind, conditions: Conditions): AdmissionContext {
  const { with: listed = [], kinds = [], now = usualTime } = conditions;
  const gates = gatesOf(kind, conditions.gates ?? {});
  const known = kindsOf([kind, ...kinds.filter((each) => each.name !== kind.name)]);
  const clock = { now: () => now, random: () => 0.5 };
  const listers = offlineListers(listed, known, { now: clock.now, gates });
  return { ...reviewContextOf(known, listers, gates, clock), mayWait: () => false };
}

function gatesOf(
  { name, definition }: Kind,
  given: Readonly<Record<string, boolean>>,
): ReadonlyMap<string, boolean> {
  const known = Object.keys(definition.gates ?? {});
  const unknown = Object.keys(given).find((each) => !known.includes(each));
  if (unknown === undefined) return new Map(Object.entries(given));
  throw new Error(`${name} has no feature gate ${unknown}${didYouMean(unknown, known)}`);
}

function outcomeOf(answer: {
  readonly allowed: boolean;
  readonly status?: JsonObject;
  readonly object?: JsonObject;
  readonly warnings: readonly string[];
}): Outcome {
  const { allowed, status, object, warnings } = answer;
  if (allowed)
    return { allowed, ...(object === undefined ? {} : { object }), causes: [], message: "", warnings };
  return {
    allowed,
    causes: listAt(status, "details", "causes").map(causeOf),
    message: String(get(status, "message") ?? "denied"),
    warnings,
  };
}

function causeOf(cause: Json): DeniedField {
  const text = (key: string) => String(get(cause, key) ?? "");
  return { field: text("field"), message: text("message"), reason: text("reason") };
}
