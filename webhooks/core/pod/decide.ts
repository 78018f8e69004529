import { get, type Json, type Lister, own } from "antechamber";
import { meets, type Selector } from "antechamber/apimachinery";
import { quote } from "antechamber/go";
import { namespaceNameLabel } from "../../kruise/shared/names.ts";
import { optionalStringAt } from "../../kruise/shared/read.ts";
import type { PreparedPolicy, ReadSelector } from "./policies.ts";
import { printRequirement } from "./requirement-text.ts";

/** What a decision depends on: the pod, and its namespace. */
export interface DecisionContext {
  readonly labels: Json | undefined;
  readonly annotations: Json | undefined;
  readonly usesHostNetwork: boolean;
  readonly namespace: string;
  readonly namespaces: Lister;
}

/** One row of the decision table: the field of the policy, what it says about the pod, and why. */
interface Row {
  readonly field: string;
  /**
   * `yes` and `no` decide. Both others wait for a Namespace that is not known yet: after `unknown` only a later no decides,
   * after `undecided` nothing.
   */
  readonly says: "yes" | "no" | "nothing" | "unknown" | "undecided";
  readonly why: string;
  /** For a value that is neither on nor off. */
  readonly isWarning?: boolean;
}

/** Whether a policy injects into a pod, and the rows up to the one that decided. */
export interface Decision {
  readonly decision: "yes" | "no" | "unknown";
  readonly rows: readonly Row[];
}

/**
 * Decides by the first row that says yes or no. From hostNetwork on the rows and their order are Istio's (pkg/kube/inject,
 * injectRequired): a pod's own switch comes before never, never before always, and an illegal default is a no whatever else
 * holds. The namespace's switch stands where Istio selects namespaces in its webhook configuration.
 */
export function decide(policy: PreparedPolicy, context: DecisionContext): Decision {
  const rows: Row[] = [];
  for (const rowOf of table) {
    const row = rowOf(policy, context);
    if (row === undefined) continue;
    rows.push(row);
    if (row.says === "no") return { decision: "no", rows };
    if (row.says === "undecided") return { decision: "unknown", rows };
    if (row.says === "yes") {
      const isKnown = rows.every(({ says }) => says !== "unknown");
      return { decision: isKnown ? "yes" : "unknown", rows };
    }
  }
  return { decision: "no", rows };
}

type RowOf = (policy: PreparedPolicy, context: DecisionContext) => Row | undefined;

const table: readonly RowOf[] = [
  ({ isPaused }) => (isPaused ? no("paused", "the policy is paused") : undefined),
  ({ podSelector }, { labels }) => requirementRow("match.selector", podSelector, labels, "the pod"),
  ({ annotations }, context) =>
    requirementRow("match.annotations", annotations, context.annotations, "the pod"),
  ({ includesHostNetwork }, { usesHostNetwork }) => {
    const field = "match.hostNetwork";
    if (!usesHostNetwork) return nothing(field, "the pod does not use the host network");
    return includesHostNetwork
      ? nothing(field, "pods on the host network are included")
      : no(field, "the pod uses the host network");
  },
  ({ ignoredNamespaces }, { namespace }) =>
    ignoredNamespaces.includes(namespace)
      ? no("match.ignoredNamespaces", `namespace ${namespace} is ignored`)
      : nothing("match.ignoredNamespaces", `namespace ${namespace} is not among them`),
  namespaceSelectorRow,
  ({ switch: { default: byDefault } }) =>
    byDefault === "Enabled" || byDefault === "Disabled"
      ? undefined
      : no("switch.default", "it is neither Enabled nor Disabled, so nothing is injected"),
  podSwitchRow,
  ({ never }, { labels }) => selectorsRow("switch.never", never, labels, "no"),
  ({ always }, { labels }) => selectorsRow("switch.always", always, labels, "yes"),
  namespaceSwitchRow,
  ({ switch: { default: byDefault } }) => ({
    field: "switch.default",
    says: byDefault === "Enabled" ? "yes" : "no",
    why: `it is ${byDefault}`,
  }),
];

function requirementRow(
  field: string,
  read: ReadSelector | undefined,
  values: Json | undefined,
  owner: string,
): Row | undefined {
  if (read === undefined) return undefined;
  if ("fault" in read) return no(field, `it matches nothing, because it cannot be read: ${read.fault}`);
  const missed = read.selector.requirements.find((each) => !meets(each, values));
  if (missed === undefined) return nothing(field, `${owner} meets it`);
  const value = own(values, missed.key);
  const has = typeof value === "string" ? `${missed.key}=${value}` : `no ${missed.key}`;
  return no(field, `it requires ${printRequirement(missed)}, but ${owner} has ${has}`);
}

function namespaceSelectorRow(
  { namespaceSelector }: PreparedPolicy,
  context: DecisionContext,
): Row | undefined {
  const field = "match.namespaceSelector";
  const { namespace, namespaces } = context;
  const owner = `namespace ${namespace}`;
  const name = { [namespaceNameLabel]: namespace };
  if (namespaceSelector === undefined || "fault" in namespaceSelector) {
    return requirementRow(field, namespaceSelector, undefined, owner);
  }
  const { requirements } = namespaceSelector.selector;
  const others = requirements.filter(({ key }) => key !== namespaceNameLabel);
  const byName = requirementRow(
    field,
    withOnly(requirements.filter((each) => !others.includes(each))),
    name,
    owner,
  );
  if (byName?.says === "no" || others.length === 0) return byName;
  const found = namespaces.get("", namespace);
  if (found === undefined) return unknown(field, namespace);
  return requirementRow(field, withOnly(others), get(found, "metadata", "labels"), owner);
}

function withOnly(requirements: Selector["requirements"]): ReadSelector {
  return { selector: { requirements, matches: () => true } };
}

/** The label takes precedence; any other value than those of the switch counts as absent. */
function podSwitchRow({ switch: found }: PreparedPolicy, context: DecisionContext): Row | undefined {
  const label = found.label === undefined ? undefined : optionalStringAt(context.labels, found.label);
  if (label !== undefined) return valueRow("switch.label", found, `label ${found.label} of the pod`, label);
  if (found.annotation === undefined) {
    return found.label === undefined
      ? undefined
      : nothing("switch.label", `the pod has no label ${found.label}`);
  }
  const annotation = optionalStringAt(context.annotations, found.annotation);
  return annotation === undefined
    ? nothing("switch.annotation", `the pod has no ${keysOf(found.label, found.annotation)}`)
    : valueRow("switch.annotation", found, `annotation ${found.annotation} of the pod`, annotation);
}

function namespaceSwitchRow({ switch: found }: PreparedPolicy, context: DecisionContext): Row | undefined {
  const { namespaceLabel, namespaceAnnotation } = found;
  if (namespaceLabel === undefined && namespaceAnnotation === undefined) return undefined;
  const { namespace, namespaces } = context;
  const metadata = get(namespaces.get("", namespace), "metadata");
  const field = namespaceLabel === undefined ? "switch.namespaceAnnotation" : "switch.namespaceLabel";
  if (metadata === undefined) return { ...unknown(field, namespace), says: "undecided" };
  const label = namespaceLabel && optionalStringAt(own(metadata, "labels"), namespaceLabel);
  const owner = `namespace ${namespace}`;
  if (label !== undefined)
    return valueRow("switch.namespaceLabel", found, `label ${namespaceLabel} of ${owner}`, label);
  const annotation =
    namespaceAnnotation && optionalStringAt(own(metadata, "annotations"), namespaceAnnotation);
  return annotation === undefined
    ? nothing(field, `${owner} has no ${keysOf(namespaceLabel, namespaceAnnotation)}`)
    : valueRow(
        "switch.namespaceAnnotation",
        found,
        `annotation ${namespaceAnnotation} of ${owner}`,
        annotation,
      );
}

function valueRow(field: string, { on, off }: PreparedPolicy["switch"], what: string, value: string): Row {
  const says = off.includes(value) ? "no" : on.includes(value) ? "yes" : "nothing";
  const is = `${what} is ${quote(value.slice(0, 100))}`;
  if (says !== "nothing") return { field, says, why: is };
  const known = [...on, ...off].map((each) => quote(each)).join(", ");
  return { ...nothing(field, `${is}, which counts as absent: it is not one of ${known}`), isWarning: true };
}

/** An empty selector matches no pod here, and one that cannot be read is passed over. */
function selectorsRow(
  field: string,
  selectors: readonly ReadSelector[],
  labels: Json | undefined,
  says: "yes" | "no",
): Row | undefined {
  if (selectors.length === 0) return undefined;
  const index = selectors.findIndex(
    (each) => "selector" in each && each.selector.requirements.length > 0 && each.selector.matches(labels),
  );
  return index < 0
    ? nothing(field, "no selector matches the pod")
    : { field: `${field}[${index}]`, says, why: "it matches the pod" };
}

function keysOf(label: string | undefined, annotation: string | undefined): string {
  return [label && `label ${label}`, annotation && `annotation ${annotation}`]
    .filter(Boolean)
    .join(" and no ");
}

function no(field: string, why: string): Row {
  return { field, says: "no", why };
}

function nothing(field: string, why: string): Row {
  return { field, says: "nothing", why };
}

function unknown(field: string, namespace: string): Row {
  return { field, says: "unknown", why: `namespace ${namespace} is not known yet` };
}
