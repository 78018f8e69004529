import { get, isArray, isObject, type Json, type JsonObject, own } from "antechamber";
import { type Selector, type SelectorFault, selectorOf } from "antechamber/apimachinery";
import { quote } from "antechamber/go";
import { namespaceNameLabel } from "../../kruise/shared/names.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import { type Clause, type Fault, Unreadable } from "./clause.ts";
import { type Content, contentOf } from "./content.ts";
import type { Indexed } from "./set-index.ts";

/** A SidecarSet, prepared for matching. Of an unreadable selector, `selector` is the readable part. */
export interface PreparedSet extends Indexed {
  readonly object: JsonObject;
  readonly selectorFault?: Fault;
  /**
   * Which namespaces it matches; absent for all. OpenKruise matches none if the selector is unreadable
   * (pkg/control/sidecarcontrol/util.go, IsSelectorNamespace).
   */
  readonly namespaceSelector?: { readonly selector: Selector } | { readonly fault: Fault };
  /** What it injects; prepared for the first pod that it matches, since most of thousands match none. */
  readonly content: () => Content | { readonly fault: Fault };
  readonly revision?: RevisionRule;
}

/** Which recorded spec of a SidecarSet is injected into new pods (`injectionStrategy.revision`). */
export interface RevisionRule {
  readonly name: string;
  readonly customVersion: string;
  readonly isPartial: boolean;
  /** From `updateStrategy`: whether it is paused, which pods it selects, which share keeps the old spec. */
  readonly isPaused: boolean;
  readonly selector?: { readonly selector: Selector } | { readonly fault: Fault };
  readonly oldShare: number | { readonly fault: Fault };
  readonly clause: Clause;
}

/** Prepares a v1beta1 SidecarSet. Never throws: an unreadable part becomes a fault. */
export function prepare(object: JsonObject): PreparedSet {
  const name = stringAt(own(object, "metadata"), "name");
  const spec = own(object, "spec");
  const at = (...path: readonly string[]): Clause => ({ set: name, path: ["spec", ...path] });
  const namespaceSelector = own(spec, "namespaceSelector") ?? undefined;
  const boundTo = namesIn(namespaceSelector);
  const revision = revisionOf(spec, at);
  return {
    name,
    object,
    isPaused: get(spec, "injectionStrategy", "paused") === true,
    ...readSelector(own(spec, "selector"), at("selector")),
    ...(namespaceSelector === undefined
      ? {}
      : { namespaceSelector: selectorAt(namespaceSelector, at("namespaceSelector")) }),
    ...(boundTo === undefined ? {} : { boundTo }),
    content: once(() => preparedContent(object)),
    ...(revision === undefined ? {} : { revision }),
  };
}

/** The content of a SidecarSet or InjectionPolicy, or why it cannot be read. */
export function preparedContent(
  object: JsonObject,
  owner?: Pick<Clause, "set" | "kind">,
): Content | { readonly fault: Fault } {
  try {
    return contentOf(object, owner);
  } catch (error) {
    if (error instanceof Unreadable) return { fault: error.fault };
    throw error;
  }
}

function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function readSelector(
  labelSelector: Json | undefined,
  clause: Clause,
): Pick<PreparedSet, "selector" | "selectorFault"> {
  const parsed = selectorAt(labelSelector, clause);
  return "fault" in parsed
    ? { selector: readableSelector(labelSelector), selectorFault: parsed.fault }
    : parsed;
}

function selectorAt(
  labelSelector: Json | undefined,
  clause: Clause,
): { readonly selector: Selector } | { readonly fault: Fault } {
  const parsed = selectorOf(labelSelector);
  if ("selector" in parsed) return parsed;
  const { fault } = parsed;
  return {
    fault: {
      clause: { ...clause, path: [...clause.path, ...fault.path] },
      message: messageOf(fault, labelSelector),
    },
  };
}

/** For an unknown operator OpenKruise's message differs, since its apimachinery is older. */
function messageOf({ path, detail }: SelectorFault, labelSelector: Json | undefined): string {
  if (path.at(-1) !== "operator") return detail;
  const operator = path.reduce<Json | undefined>(
    (value, key) => (isArray(value) ? value[Number(key)] : own(value, String(key))),
    labelSelector,
  );
  return `${quote(String(operator))} is not a valid pod selector operator`;
}

/** A selector without its unreadable parts: a pod that does not match even these is not affected by the fault. */
function readableSelector(labelSelector: Json | undefined): Selector {
  const labels = own(labelSelector, "matchLabels");
  const expressions = own(labelSelector, "matchExpressions");
  const readable = {
    matchLabels: isObject(labels)
      ? Object.fromEntries(Object.entries(labels).filter(([, value]) => typeof value === "string"))
      : {},
    matchExpressions: isArray(expressions)
      ? expressions.filter((each) => "selector" in selectorOf({ matchExpressions: [each] }))
      : [],
  };
  const parsed = selectorOf(readable);
  return "selector" in parsed ? parsed.selector : everything;
}

const everything: Selector = { requirements: [], matches: () => true };

/**
 * The namespaces that a selector names, under which OpenKruise indexes a SidecarSet (pkg/util/fieldindex/register.go, IndexSidecarSetV1Beta1).
 */
export function namesIn(namespaceSelector: Json | undefined): readonly string[] | undefined {
  const label = get(namespaceSelector, "matchLabels", namespaceNameLabel);
  if (typeof label === "string") return [label];
  const expressions = own(namespaceSelector, "matchExpressions");
  const found = isArray(expressions)
    ? expressions.find((each) => own(each, "key") === namespaceNameLabel && own(each, "operator") === "In")
    : undefined;
  const values = own(found, "values");
  return isArray(values) ? values.filter((value) => typeof value === "string") : undefined;
}

function revisionOf(
  spec: Json | undefined,
  at: (...path: readonly string[]) => Clause,
): RevisionRule | undefined {
  const revision = get(spec, "injectionStrategy", "revision");
  const [name, customVersion] = [stringAt(revision, "revisionName"), stringAt(revision, "customVersion")];
  if (name === "" && customVersion === "") return undefined;
  const strategy = own(spec, "updateStrategy");
  const selector = own(strategy, "selector") ?? undefined;
  return {
    name,
    customVersion,
    isPartial: stringAt(revision, "policy") === "Partial",
    isPaused: own(strategy, "paused") === true,
    ...(selector === undefined ? {} : { selector: selectorAt(selector, at("updateStrategy", "selector")) }),
    oldShare: shareOf(own(strategy, "partition"), at("updateStrategy", "partition")),
    clause: at("injectionStrategy", "revision"),
  };
}

/**
 * The share as a fraction; 0 for a number of pods, as in OpenKruise (pkg/webhook/pod/mutating/sidecarset.go,
 * selectRevisionRandomly).
 */
function shareOf(partition: Json | undefined, clause: Clause): number | { readonly fault: Fault } {
  if (typeof partition !== "string") return 0;
  const [, digits] = /^(.*)%$/s.exec(partition) ?? [];
  const percent =
    digits === undefined || digits.trim() !== digits || digits === "" ? Number.NaN : Number(digits);
  if (!Number.isNaN(percent)) return percent / 100;
  const text = quote(digits ?? partition);
  return { fault: { clause, message: `strconv.ParseFloat: parsing ${text}: invalid syntax` } };
}
