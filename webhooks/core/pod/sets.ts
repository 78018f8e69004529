import { quote } from "../../../src/go/text.ts";
import { get, isArray, isObject, type Json, type JsonObject, own } from "../../../src/json/json.ts";
import { type Selector, type SelectorFault, selectorOf } from "../../../src/selector.ts";
import { type Clause, type Fault, Unreadable } from "./clause.ts";
import { type Content, contentOf } from "./content.ts";
import { textAt } from "./json-text.ts";

/** A SidecarSet with everything made ready that decides whether it is for a pod. */
export interface PreparedSet {
  readonly name: string;
  readonly object: JsonObject;
  readonly isPaused: boolean;
  /** Which pods; of a selector that cannot be read, what of it can. */
  readonly selector: Selector;
  readonly selectorFault?: Fault;
  /** Which namespaces; absent for all. One that cannot be read matches none (sidecarset.md 7). */
  readonly namespaceSelector?: { readonly selector: Selector } | { readonly fault: Fault };
  /** The namespaces that it is bound to by name: sets that are bound come first. */
  readonly boundTo?: readonly string[];
  /** What it brings; prepared for the first pod that it matches, since of thousands few ever match one. */
  readonly content: () => Content | { readonly fault: Fault };
  readonly revision?: RevisionRule;
}

/** Which of a SidecarSet's recorded specs goes into new pods (`injectionStrategy.revision`). */
export interface RevisionRule {
  readonly name: string;
  readonly customVersion: string;
  readonly isPartial: boolean;
  /** Of `updateStrategy`: whether it is paused, whom it selects, how many stay at the old spec. */
  readonly isPaused: boolean;
  readonly selector?: { readonly selector: Selector } | { readonly fault: Fault };
  readonly oldShare: number | { readonly fault: Fault };
  readonly clause: Clause;
}

/** The label that every namespace has of itself. */
export const namespaceLabel = "kubernetes.io/metadata.name";

/** Makes a SidecarSet of the version v1beta1 ready. Never throws: what cannot be read is kept as a fault. */
export function prepare(object: JsonObject): PreparedSet {
  const name = textAt(own(object, "metadata"), "name");
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

/** What a SidecarSet injects, or why it cannot be read. */
export function preparedContent(object: JsonObject): Content | { readonly fault: Fault } {
  try {
    return contentOf(object);
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
  const reading = selectorAt(labelSelector, clause);
  return "fault" in reading
    ? { selector: readableSelector(labelSelector), selectorFault: reading.fault }
    : reading;
}

function selectorAt(
  labelSelector: Json | undefined,
  clause: Clause,
): { readonly selector: Selector } | { readonly fault: Fault } {
  const reading = selectorOf(labelSelector);
  if ("selector" in reading) return reading;
  const { fault } = reading;
  return {
    fault: {
      clause: { ...clause, path: [...clause.path, ...fault.path] },
      sentence: sentenceOf(fault, labelSelector),
    },
  };
}

/** OpenKruise's sentence for an operator that there is not, which comes from an older apimachinery. */
function sentenceOf({ path, detail }: SelectorFault, labelSelector: Json | undefined): string {
  if (path.at(-1) !== "operator") return detail;
  const operator = path.reduce<Json | undefined>(
    (value, step) => (isArray(value) ? value[Number(step)] : own(value, String(step))),
    labelSelector,
  );
  return `${quote(String(operator))} is not a valid pod selector operator`;
}

/** What remains of a selector without what cannot be read: a pod that this does not match is none of its business. */
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
  const reading = selectorOf(readable);
  return "selector" in reading ? reading.selector : everything;
}

const everything: Selector = { requirements: [], matches: () => true };

/** The names by which OpenKruise's index finds a set: of the label itself, else of the first `In` (sidecarset.md 2.1). */
function namesIn(namespaceSelector: Json | undefined): readonly string[] | undefined {
  const label = get(namespaceSelector, "matchLabels", namespaceLabel);
  if (typeof label === "string") return [label];
  const expressions = own(namespaceSelector, "matchExpressions");
  const found = isArray(expressions)
    ? expressions.find((each) => own(each, "key") === namespaceLabel && own(each, "operator") === "In")
    : undefined;
  const values = own(found, "values");
  return isArray(values) ? values.filter((value) => typeof value === "string") : undefined;
}

function revisionOf(
  spec: Json | undefined,
  at: (...path: readonly string[]) => Clause,
): RevisionRule | undefined {
  const revision = get(spec, "injectionStrategy", "revision");
  const [name, customVersion] = [textAt(revision, "revisionName"), textAt(revision, "customVersion")];
  if (name === "" && customVersion === "") return undefined;
  const strategy = own(spec, "updateStrategy");
  const selector = own(strategy, "selector") ?? undefined;
  return {
    name,
    customVersion,
    isPartial: textAt(revision, "policy") === "Partial",
    isPaused: own(strategy, "paused") === true,
    ...(selector === undefined ? {} : { selector: selectorAt(selector, at("updateStrategy", "selector")) }),
    oldShare: shareOf(own(strategy, "partition"), at("updateStrategy", "partition")),
    clause: at("injectionStrategy", "revision"),
  };
}

/** How many in one: of a percentage; none for a number of pods, which nobody counts here (sidecarset.md 2.3). */
function shareOf(partition: Json | undefined, clause: Clause): number | { readonly fault: Fault } {
  if (typeof partition !== "string") return 0;
  const [, digits] = /^(.*)%$/s.exec(partition) ?? [];
  const percent =
    digits === undefined || digits.trim() !== digits || digits === "" ? Number.NaN : Number(digits);
  if (!Number.isNaN(percent)) return percent / 100;
  const text = quote(digits ?? partition);
  return { fault: { clause, sentence: `strconv.ParseFloat: parsing ${text}: invalid syntax` } };
}
