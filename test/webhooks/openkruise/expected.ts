import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { evaluate, parseExpression, type Value } from "../../../webhooks/kruise/shared/evaluate.ts";
import { canMatchTogether, kruiseOverlap } from "./differences.ts";

/** An error that a validation must report. */
export interface ExpectedError {
  readonly type: string;
  readonly field: string;
  readonly detail: string;
}

/** An error as a golden case records it. */
export interface RecordedError extends ExpectedError {
  /** The whole error as Go prints it. */
  readonly text: string;
}

/** Which errors our validation must report, or why the record cannot be OpenKruise's answer to this input. */
export type Expectation = { readonly errors: readonly ExpectedError[] } | { readonly broken: string };

/**
 * The errors of a SidecarSet at v1beta1 that a record of OpenKruise asks for. Conflicts and expressions, on which the two
 * sides differ on purpose, are first computed by OpenKruise's rule: the record must agree with it. Then they are replaced
 * by what the intended rule finds. Neither computation uses the code under test.
 */
export function expectedErrors(
  hub: JsonObject,
  others: readonly JsonObject[],
  recorded: readonly ExpectedError[],
): Expectation {
  const echoes = recorded.filter(isEcho);
  const errors = recorded.filter((each) => !isEcho(each));
  const unjustified = echoFault(echoes, errors);
  if (unjustified !== undefined) return { broken: unjustified };
  const conflicts = errors.filter(isConflict);
  const own = errors.filter((each) => !isConflict(each));
  const theirs = own.length > 0 ? [] : conflictsOf(hub, others, kruiseOverlap);
  if (!equal(conflicts.map(comparable), theirs.map(comparable))) {
    return { broken: `OpenKruise's rule finds these conflicts: ${JSON.stringify(theirs)}` };
  }
  const tried = withIntendedTrials(hub, own);
  if ("broken" in tried || tried.errors.length > 0) return tried;
  return { errors: conflictsOf(hub, others, canMatchTogether) };
}

function comparable({ type, field, detail }: ExpectedError): Json {
  return { type, field, detail };
}

function isConflict({ detail }: ExpectedError): boolean {
  return /already exist in|is in conflict with sidecarset/.test(detail);
}

/**
 * OpenKruise reports an invalid selector once more at `.selector`, without a reason, and an invalid volume name once more
 * with the name of its own sample pod before it.
 */
function isEcho({ type, field, detail }: ExpectedError): boolean {
  if (detail.startsWith('PVC name "test-')) return true;
  return detail === "" && type === "FieldValueInvalid" && /elector\.selector$/.test(field);
}

/** Why the repeated errors do not fit those that they repeat. */
function echoFault(echoes: readonly ExpectedError[], errors: readonly ExpectedError[]): string | undefined {
  const at = (field: string) =>
    errors.some((each) => each.field.startsWith(field) && !/^(?:empty|no) selector/.test(each.detail));
  for (const selector of ["spec.selector", "spec.namespaceSelector", "spec.updateStrategy.selector"]) {
    const isRepeated = echoes.some(({ field }) => field === `${selector}.selector`);
    if (isRepeated !== at(selector))
      return `${selector} is reported ${isRepeated ? "only again" : "only once"}`;
  }
  return undefined;
}

/** The errors with the trials of expressions as they are intended here: with amounts, not with the number 1. */
function withIntendedTrials(hub: JsonObject, own: readonly ExpectedError[]): Expectation {
  const trials = trialsOf(hub);
  const find = ({ field }: Trial) =>
    own.findIndex((each) => each.field === field && /^invalid expression: /.test(each.detail));
  const wrong = trials.find((trial) => {
    const error = own[find(trial)];
    const detail = trial.plain === undefined ? undefined : `invalid expression: ${trial.plain}`;
    return error?.detail !== detail || (error !== undefined && error.type !== "FieldValueInvalid");
  });
  if (wrong !== undefined) {
    return { broken: `OpenKruise tries ${wrong.field} with the number 1: ${wrong.plain}` };
  }
  const stray = own.filter(({ detail }) => /^invalid expression: /.test(detail)).length;
  if (stray !== trials.filter(({ plain }) => plain !== undefined).length) {
    return { broken: "an error of an expression is recorded twice, or at a field without one" };
  }
  const accepted = new Set(
    trials.filter(({ plain, fault }) => plain !== undefined && fault === undefined).map(find),
  );
  const rejected = trials.filter(({ plain, fault }) => plain === undefined && fault !== undefined);
  return {
    errors: [
      ...own.filter((_, index) => !accepted.has(index)),
      ...rejected.map(({ field, fault }) => ({
        type: "FieldValueInvalid",
        field,
        detail: `invalid expression: ${fault}`,
      })),
    ],
  };
}

/** An expression that validation tries: why it fails with the number 1, and why it fails with every amount. */
interface Trial {
  readonly field: string;
  readonly plain: string | undefined;
  readonly fault: string | undefined;
}

function trialsOf(hub: JsonObject): readonly Trial[] {
  return ["initContainers", "containers"].flatMap((list) =>
    itemsOf(get(hub, "spec", list)).flatMap((container, index) => {
      const hasOwn = ["limits", "requests"].some(
        (key) => entriesOf(get(container, "resources", key)).length > 0,
      );
      if (hasOwn) return [];
      return ["limits", "requests"].flatMap((key) =>
        (["cpu", "memory"] as const).flatMap((resource) => {
          const text = get(container, "resourcesPolicy", "resourcesExpr", key, resource);
          if (typeof text !== "string" || text === "") return [];
          return [
            {
              field: `spec[${index}].resourcesPolicy.resourcesExpr.${key}.${resource}`,
              ...trialOf(text, resource),
            },
          ];
        }),
      );
    }),
  );
}

function trialOf(text: string, resource: "cpu" | "memory"): Pick<Trial, "plain" | "fault"> {
  const expression = parseExpression(text);
  const faultWith = (name: string, value: Value) => {
    const result = evaluate(expression, new Map([[name, value]]));
    return "fault" in result ? result.fault : undefined;
  };
  const plain = faultWith(resource, { number: 1 });
  // In use, a text without the word `memory` is evaluated for cpu.
  const isDefined = (/\bmemory\b/.test(text) ? "memory" : "cpu") === resource;
  const faults = amounts.map((value) => faultWith(isDefined ? resource : "neither", value));
  return { plain, fault: faults.includes(undefined) ? undefined : (plain ?? faults[0]) };
}

/** Amounts of every size that a pod may have, from a nano-core to an exbibyte. */
const amounts: readonly Value[] = Array.from({ length: 61 }, (_, bits) => [
  { quantity: { mantissa: 1n << BigInt(bits), exponent: 0, format: "BinarySI" as const, wide: false } },
  { quantity: { mantissa: 1n << BigInt(bits), exponent: -3, format: "DecimalSI" as const, wide: false } },
]).flat();

/**
 * The conflicts that OpenKruise's webhook reports, given which selectors overlap; of several other SidecarSets the last by
 * name (pkg/webhook/sidecarset/validating, validateSidecarConflict).
 */
function conflictsOf(
  hub: JsonObject,
  all: readonly JsonObject[],
  overlap: (a: Json | undefined, b: Json | undefined) => boolean,
): readonly ExpectedError[] {
  const name = get(hub, "metadata", "name");
  const others = all
    .filter((other) => get(other, "metadata", "name") !== name && mayMeet(hub, other, overlap))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return [
    ...["initContainers", "containers"].flatMap((list) =>
      namesIn(hub, list).flatMap((each) => {
        const other = others.findLast((set) => namesIn(set, list).includes(each));
        return other === undefined
          ? []
          : [invalid("spec.containers", `container ${each} already exist in ${nameOf(other)}`)];
      }),
    ),
    ...itemsOf(get(hub, "spec", "volumes")).flatMap((volume) => volumeConflict(volume, others)),
    ...patchesOf(hub).flatMap((patch) => annotationConflict(patch, others)),
  ];
}

function mayMeet(
  a: JsonObject,
  b: JsonObject,
  overlap: (a: Json | undefined, b: Json | undefined) => boolean,
): boolean {
  const [here, there] = [a, b].map((each) => get(each, "spec", "namespaceSelector") ?? undefined);
  const meetInNamespace = here === undefined || there === undefined || overlap(here, there);
  return meetInNamespace && overlap(get(a, "spec", "selector"), get(b, "spec", "selector"));
}

function volumeConflict(volume: Json, others: readonly JsonObject[]): readonly ExpectedError[] {
  const name = get(volume, "name");
  const of = (set: JsonObject) =>
    itemsOf(get(set, "spec", "volumes")).find((each) => get(each, "name") === name);
  const other = others.findLast((set) => of(set) !== undefined);
  if (other === undefined || equal(volume, of(other))) return [];
  return [invalid("spec.volumes", `volume ${name} is in conflict with sidecarset ${nameOf(other)}`)];
}

function annotationConflict(
  { key, policy }: { readonly key: string; readonly policy: Json | undefined },
  others: readonly JsonObject[],
): readonly ExpectedError[] {
  const other = others.findLast((set) => patchesOf(set).some((each) => each.key === key));
  if (other === undefined) return [];
  const last = patchesOf(other).findLast((each) => each.key === key);
  if (policy !== "Overwrite" && last?.policy !== "Overwrite") return [];
  return [
    invalid("spec.patchPodMetadata", `annotation ${key} is in conflict with sidecarset ${nameOf(other)}`),
  ];
}

function patchesOf(set: JsonObject) {
  return itemsOf(get(set, "spec", "patchPodMetadata"))
    .filter((patch) => get(patch, "patchPolicy") !== "Retain")
    .flatMap((patch) =>
      entriesOf(get(patch, "annotations")).map(([key]) => ({ key, policy: get(patch, "patchPolicy") })),
    );
}

function invalid(field: string, detail: string): ExpectedError {
  return { type: "FieldValueInvalid", field, detail };
}

function namesIn(set: JsonObject, list: string): readonly Json[] {
  return itemsOf(get(set, "spec", list)).map((each) => get(each, "name") ?? "");
}

function nameOf(set: JsonObject): string {
  return String(get(set, "metadata", "name"));
}

function itemsOf(value: Json | undefined): readonly Json[] {
  return isArray(value) ? value : [];
}

function entriesOf(value: Json | undefined) {
  return isObject(value) ? Object.entries(value) : [];
}
