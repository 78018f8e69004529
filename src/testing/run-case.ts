import { messageOf } from "../errors.ts";
import type { Json, JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { type Case, type ConversionCase, type VersionedObject, type WriteCase, wholeObject } from "./case.ts";
import { isMeant } from "./matchers.ts";
import { comparable, isSameObject } from "./same.ts";
import { convert, type DeniedField, type Outcome, validate } from "./write.ts";

/** The result of one thing that a case claims. */
export interface CaseResult {
  /** `v1 → v1beta1`, `create at v1`. */
  readonly claim: string;
  /** Absent if the claim holds. */
  readonly failure?: CaseFailure;
}

/** Why a claim does not hold; with a difference where objects are compared. */
export interface CaseFailure {
  readonly sentence: string;
  readonly expected?: Json;
  readonly actual?: Json;
}

/** Tests what a case claims: each direction of a conversion, or the outcome of a write. */
export function runCase(found: Case, kind: Kind, kinds: readonly Kind[]): readonly CaseResult[] {
  return "convert" in found ? runConversion(found, kind) : [runWrite(found, kind, kinds)];
}

function runConversion({ convert: objects, only }: ConversionCase, kind: Kind): readonly CaseResult[] {
  const order = kind.versions.map(({ name }) => name);
  const direction = (from: string, to: string) => (order.indexOf(from) < order.indexOf(to) ? "up" : "down");
  return objects.flatMap((from) =>
    objects
      .filter(
        (to) =>
          to !== from &&
          (only ?? direction(from.version, to.version)) === direction(from.version, to.version),
      )
      .map((to) => ({ claim: `${from.version} → ${to.version}`, ...converted(from, to, kind) })),
  );
}

function converted(from: VersionedObject, to: VersionedObject, kind: Kind): Pick<CaseResult, "failure"> {
  try {
    return compared(convert(kind, wholeObject(kind, from), to.version), to, kind);
  } catch (error) {
    return failed(`the conversion throws: ${messageOf(error)}`);
  }
}

/** Whether an object is the expected one. */
function compared(actual: JsonObject, expected: VersionedObject, kind: Kind): Pick<CaseResult, "failure"> {
  const meant = { ...expected.object, ...identityOf(kind, expected.version) };
  if (isSameObject(actual, meant)) return {};
  const sides = comparable(actual, meant);
  return { failure: { sentence: `at ${expected.version} the object is another one`, ...sides } };
}

function identityOf({ definition: { group, kind } }: Kind, version: string): JsonObject {
  return { apiVersion: `${group}/${version}`, kind };
}

function runWrite(found: WriteCase, kind: Kind, kinds: readonly Kind[]): CaseResult {
  const { write, conditions } = found;
  const claim = `${conditions.old === undefined ? "create" : "update"} at ${write.version}`;
  const [object, others] = [wholeObject(kind, write), { ...conditions, kinds }];
  try {
    return { claim, ...judged(validate(kind, object, others), found, kind) };
  } catch (error) {
    return { claim, ...failed(`the write throws: ${messageOf(error)}`) };
  }
}

function judged(outcome: Outcome, expected: WriteCase, kind: Kind): Pick<CaseResult, "failure"> {
  const { denied, stored = [], warnings } = expected;
  const ofWarnings = warnings === undefined ? {} : judgedWarnings(outcome.warnings, warnings);
  if (denied !== undefined) return firstOf([judgedDenial(outcome, denied), ofWarnings]);
  if (!outcome.allowed || outcome.object === undefined)
    return failed(`the write is denied: ${outcome.message}`);
  const { object } = outcome;
  const ofStored = stored.map((each) => compared(readAt(kind, object, each.version), each, kind));
  return firstOf([...ofStored, ofWarnings]);
}

/** A stored object as a client of a version reads it: the API server fills in the defaults of that version, and of the hub. */
function readAt(kind: Kind, object: JsonObject, version: string): JsonObject {
  const hub = kind.hub.schema.defaulted(convert(kind, object, kind.hub.name));
  const reader = kind.versions.find(({ name }) => name === version);
  return reader === undefined ? hub : reader.schema.defaulted(convert(kind, hub, version));
}

/** Each expected cause must be one of the causes, and each cause must be expected. */
function judgedDenial(
  outcome: Outcome,
  denied: readonly Partial<DeniedField>[],
): Pick<CaseResult, "failure"> {
  if (outcome.allowed) return failed("the write is allowed");
  // A denial without causes, as of an object that cannot be read, has only its message.
  const causes =
    outcome.causes.length > 0 ? outcome.causes : [{ field: "", message: outcome.message, reason: "" }];
  const missing = denied.some((cause) => !causes.some((each) => isMeant(each, cause)));
  const unexpected = causes.some((each) => !denied.some((cause) => isMeant(each, cause)));
  if (!missing && !unexpected) return {};
  return {
    failure: {
      sentence: "the write is denied for other causes",
      expected: denied.map((cause) => ({ ...cause })),
      actual: causes.map((cause, index) => shownCause(cause, denied[index])),
    },
  };
}

/** What the expected cause names of a cause, in its words where they agree. */
function shownCause(cause: DeniedField, expected: Partial<DeniedField> | undefined): Json {
  if (expected === undefined) return { ...cause };
  const names = (["field", "message", "reason"] as const).filter((name) => expected[name] !== undefined);
  const shown = (name: keyof DeniedField) =>
    isMeant(cause, { [name]: expected[name] }) ? expected[name] : cause[name];
  return Object.fromEntries(names.map((name) => [name, shown(name) ?? ""]));
}

function judgedWarnings(actual: readonly string[], expected: readonly string[]): Pick<CaseResult, "failure"> {
  const isSame =
    actual.length === expected.length && expected.every((part, at) => actual[at]?.includes(part));
  return isSame
    ? {}
    : { failure: { sentence: "the warnings are others", expected: [...expected], actual: [...actual] } };
}

function firstOf(results: readonly Pick<CaseResult, "failure">[]): Pick<CaseResult, "failure"> {
  return results.find(({ failure }) => failure !== undefined) ?? {};
}

function failed(sentence: string): { readonly failure: CaseFailure } {
  return { failure: { sentence } };
}
