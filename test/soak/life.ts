import { labelKeyFaults, labelValueFaults } from "../../src/apimachinery/names.ts";
import { image, unfittedAtHub } from "../../src/conversion/version-chain.ts";
import { get, hasNoFields, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Kind, Version } from "../../src/kind/kind.ts";
import type { Answer } from "../cluster/client.ts";
import { isCarrier, withoutCarriers } from "../cluster/content.ts";
import { AskedLens } from "./asked-lens.ts";
import { intended, isUnanswered, type Outcome, perform, remember, type Tenant, viewsOf } from "./client.ts";
import { type Fault, faultsBetween, judged, marked, unwritten, type Views } from "./judge.ts";
import { repeat } from "./repeat.ts";
import type { Step } from "./step.ts";

/** What came of a step: the faults found, and whether the server refused it with reason. */
export interface Taken {
  readonly faults: readonly Fault[];
  readonly isRefused: boolean;
  /** Whether the same apply again changed something, for a reason that docs/reference/limits.md gives. */
  readonly isExcused: boolean;
  /** Whether there is no object left to go on with. */
  readonly isGone: boolean;
}

/** Takes one step, and judges what readers of every version see after it. */
export async function takeStep(tenant: Tenant, step: Step): Promise<Taken> {
  const { kind, views: before, stored } = tenant;
  const wanted = intended(tenant, step);
  const outcome = await perform(tenant, step);
  const isGone = outcome.isGone ?? false;
  const after = isGone ? before : await viewsOf(kind, tenant.subject).catch(unreadable);
  if ("check" in after) return { faults: [after], isRefused: false, isExcused: false, isGone: true };
  remember(tenant, after);
  const refused = outcome.answers.find(({ status }) => status >= 300);
  if (refused !== undefined) {
    const isFault = !isForbidden(tenant, before, step, wanted, outcome, refused);
    return { faults: isFault ? [refusal(step, refused)] : [], isRefused: !isFault, isExcused: false, isGone };
  }
  const { meant } = outcome;
  const ofStatus = step.by.endsWith("/status");
  const own = meant && unwritten(kind, versionOf(kind, step.at), { meant, ofStatus }, after);
  const at = step.by === "storage" ? kind.hub.name : step.at;
  const faultsSince = (then: Views) =>
    faultsBetween(kind, then, after, at, { before: stored, after: tenant.stored });
  const isConverted = step.by === "storage" || step.by === "recreate" || step.at !== tenant.stored;
  const seen = faultsSince(before);
  const isInItem = ({ path = [] }: Fault) => path.some((name) => typeof name === "number");
  // By how much an item was changed counts from the last conversion on (docs/reference/limits.md, An item that is changed).
  const overall = isConverted || !seen.some(isInItem) ? seen : faultsSince(tenant.converted);
  const found = seen.filter(
    (each) => !isInItem(each) || overall.some(({ version }) => version === each.version),
  );
  if (isConverted) tenant.converted = after;
  // An old copy brings its carriers along: what it says again is what it said, not only what the lens makes of its words.
  const isOld = step.by.startsWith("stale") || step.by === "recreate";
  const hasCopy = step.by !== "recreate" || hasAnnotation(before.get(step.at) ?? {});
  const kept = found.filter(
    ({ check }) => (check !== "contradicted" || !isOld) && (check !== "lost" || hasCopy),
  );
  const others = marked(kind, kept, tenant.past);
  const again = await repeat(tenant, step, outcome, { before, wanted });
  return {
    faults: [...(own ? [own] : []), ...others, ...again.faults],
    isRefused: false,
    isExcused: again.isExcused,
    isGone,
  };
}

/**
 * Whether an export has all that the object's carriers hold. Where a spoke is stored, a client may have taken the annotation
 * out, and the API server drops the other copy with the status of what is created (docs/reference/limits.md).
 */
function hasAnnotation(view: JsonObject): boolean {
  const annotations = fieldsOf(get(view, "metadata", "annotations"));
  return hasNoFields(carriedInStatus(view)) || Object.keys(annotations).some(isCarrier);
}

/** Whether a version shows a part of a status that the hub no longer has, without the fields that its schema requires. */
function isBare({ hub, versions }: Kind, before: Views, at: string): boolean {
  const [here, there] = [at, hub.name].map((name) => judged(before.get(name) ?? {}).status);
  const version = versions.find(({ name }) => name === at);
  const required = get(version?.entry, "schema", "openAPIV3Schema", "properties", "status", "required");
  return (
    at !== hub.name &&
    there === undefined &&
    isObject(here) &&
    isArray(required) &&
    required.some((name) => get(here, String(name)) === undefined)
  );
}

function carriedInStatus(view: JsonObject): JsonObject {
  const {
    format: _,
    generation: __,
    sum: ___,
    uid: ____,
    ...leaves
  } = fieldsOf(get(view, "status", "conversionData"));
  return leaves;
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** Whether an object may be stored as it is: valid at its version, and at the hub as the lens alone converts it. */
export function isValid(kind: Kind, version: Version, object: JsonObject, old?: JsonObject): boolean {
  if (labelFaults(object) || faultsAt(version, object, old).length > 0) return false;
  const { prune, defaulted } = version.schema;
  if (!isConverted(kind, version, defaulted(prune(object).object))) return false;
  // The server drops null where a field is not nullable, and sets defaults, before it converts.
  const hub = (each: JsonObject | undefined) => each && asHub(kind, version, defaulted(prune(each).object));
  return version === kind.hub || faultsAt(kind.hub, hub(object) ?? {}, hub(old)).length === 0;
}

/** Whether the webhook of a guarded kind converts it to all other versions, and what it makes of it there back again. */
function isConverted({ chain, versions }: Kind, version: Version, object: JsonObject): boolean {
  const { converter } = chain;
  if (!(converter instanceof AskedLens)) return true;
  const from = versions.indexOf(version);
  const { metadata: _, apiVersion: __, kind: ___, ...content } = withoutCarriers(object);
  return versions.every(
    (_, to) =>
      to === from ||
      (converter.converts(content, from, to) &&
        converter.converts(image(content, chain, from, to), to, from)),
  );
}

function faultsAt({ schema }: Version, object: JsonObject, old?: JsonObject) {
  return schema.validate(schema.defaulted(schema.prune(object).object), old).faults;
}

function labelFaults(object: JsonObject): boolean {
  const marks = (name: string) => Object.entries(get(object, "metadata", name) ?? {});
  const isBad = ([name, value]: readonly [string, Json]) =>
    labelKeyFaults(name).length > 0 || typeof value !== "string" || labelValueFaults(value).length > 0;
  return (
    marks("labels").some(isBad) ||
    marks("annotations").some(
      ([name, value]) => labelKeyFaults(name.toLowerCase()).length > 0 || typeof value !== "string",
    )
  );
}

/** What the hub is asked to admit: with values of a wrong type, which an open schema of the older version admits. */
function asHub(kind: Kind, version: Version, object: JsonObject): JsonObject {
  const { metadata = {}, apiVersion: _, kind: __, ...content } = withoutCarriers(object);
  const made = unfittedAtHub(content, kind.chain, kind.versions.indexOf(version));
  return { ...made, apiVersion: kind.hub.apiVersion, kind: kind.definition.kind, metadata };
}

/** Whether a refusal has a reason that the client could see: what it wrote is invalid. */
function isForbidden(
  { kind }: Tenant,
  before: Views,
  step: Step,
  wanted: JsonObject,
  { meant, mayGiveUp }: Outcome,
  answer: Answer,
): boolean {
  const { status, text } = answer;
  // Of an applied object the server reads YAML, in which some characters of JSON are errors.
  if (text.includes("error decoding YAML")) return true;
  if (isUnanswered(answer)) return true;
  if (status !== 422 && status !== 400) return false;
  // What is created has no copy in status to fall back on (docs/reference/limits.md).
  if (text.includes("may not be more than 262144 bytes"))
    return step.by === "recreate" || sizeOfAnnotations(wanted) > 262_144;
  // What other versions said of a status that the client removed has no place, nor what its own said of one that they removed
  // (docs/reference/limits.md).
  if (/status\.\w+: Required value/.test(text) && (wanted.status ?? null) === null)
    return !hasNoFields(carriedInStatus(before.get(step.at) ?? {}));
  if (/status\.\w+: Required value/.test(text) && isBare(kind, before, step.at)) return true;
  // The server itself makes null of an object whose last field an applier gives up while another manager holds the object.
  if (/must be of type \w+: \\"null\\"/.test(text)) return mayGiveUp === true;
  // What a kind's own function forbids is not modelled, nor what is left where an applier takes a required field away.
  if (kind.definition.validate !== undefined || meant === undefined) return true;
  // What is created anew is not compared with what was there before.
  const old = step.by === "recreate" ? undefined : withoutCarriers(before.get(step.at) ?? {});
  return !isValid(kind, versionOf(kind, step.at), wanted, old);
}

function sizeOfAnnotations(object: JsonObject): number {
  const annotations = Object.entries(get(object, "metadata", "annotations") ?? {});
  return annotations.reduce((bytes, [name, value]) => bytes + Buffer.byteLength(name + String(value)), 0);
}

function refusal(step: Step, { status, text }: Answer): Fault {
  return { check: "refused", version: step.at, field: "", says: `${status} ${text.slice(0, 600)}` };
}

function unreadable(error: Error): Fault {
  return { check: "unreadable", version: "", field: "", says: error.message.slice(0, 600) };
}

function versionOf(kind: Kind, name: string): Version {
  return kind.versions.find((version) => version.name === name) ?? kind.hub;
}
