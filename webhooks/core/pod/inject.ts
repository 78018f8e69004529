import { type Cause, get, type JsonObject, type Lister, NotSynced, own, type Verdict } from "antechamber";
import { kruiseNamespace } from "../../kruise/shared/names.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import { apply } from "./apply.ts";
import { type Clause, type Fault, printClause, printFault } from "./clause.ts";
import type { Content } from "./content.ts";
import type { DecisionContext } from "./decide.ts";
import { type Explanation, explain } from "./explain.ts";
import { type MatchResult, matchSet } from "./match.ts";
import { drawOf, type MatchContext } from "./match-context.ts";
import { matchPolicy, type PolicyResult, switchWarnings } from "./match-policy.ts";
import { plan } from "./plan.ts";
import type { Plan, Remark } from "./planned.ts";
import { PodView } from "./pod-view.ts";
import { preparePolicy } from "./policies.ts";
import { indexing } from "./set-index.ts";
import { prepare } from "./sets.ts";

/** What injection needs to know of a request besides the pod; `NativeCircumstances` of a native kind will do. */
export interface InjectionRequest {
  readonly operation: string;
  /** Empty for the pod itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly now: Date;
  readonly random: () => number;
  /** `sidecarSets` and `injectionPolicies` in the version v1beta1, `namespaces`, `controllerRevisions`. */
  readonly listers: Readonly<Record<string, Lister>>;
  readonly gates: Readonly<Record<string, boolean>>;
}

/** The injector's feature gates, all disabled by default. */
export const gates = {
  EnableSortSidecarContainerByName: {
    default: false,
    meaning:
      "containers are injected in the order of their names, not in the order in which SidecarSets list them",
  },
  PartialRevisionByOwner: {
    default: false,
    meaning: "the owner's uid, not chance, decides which pods keep the old spec (policy Partial)",
  },
  WholeBytes: {
    default: false,
    meaning: "memory that a resourcesPolicy computes is rounded up to whole bytes",
  },
} as const;

/** The namespace in which OpenKruise records revisions of SidecarSets. */
export const revisionNamespace = kruiseNamespace;

/** A verdict on a pod, with its explanation on request. */
export type Injection = Verdict & { readonly explain: () => Explanation };

/** Injects what all SidecarSets and InjectionPolicies add that match a pod. */
export function inject(pod: JsonObject, request: InjectionRequest): Injection {
  const skipped = reasonToSkip(pod, request);
  if (skipped !== undefined) {
    return { outcome: "allow", warnings: [], explain: () => ({ skipped, sets: [] }) };
  }
  try {
    return injection(pod, request);
  } catch (error) {
    if (!(error instanceof NotSynced)) throw error;
    const { message } = error;
    return { ...waiting(message), explain: () => ({ skipped: message, sets: [] }) };
  }
}

const setsOf = indexing(prepare);
const policiesOf = indexing(preparePolicy);

/** Starts to index the SidecarSets and InjectionPolicies, so that the first pod does not wait for it. */
export function prepareFor(listers: InjectionRequest["listers"]): void {
  setsOf(listerOf(listers, "sidecarSets"));
  policiesOf(listerOf(listers, "injectionPolicies"));
}

function injection(pod: JsonObject, request: InjectionRequest): Injection {
  const sidecarSets = listerOf(request.listers, "sidecarSets");
  const injectionPolicies = listerOf(request.listers, "injectionPolicies");
  // Both throw until all are listed: a pod admitted earlier would miss its sidecars.
  sidecarSets.get("", "");
  injectionPolicies.get("", "");
  const [index, policies] = [setsOf(sidecarSets), policiesOf(injectionPolicies)];
  const view = new PodView(pod);
  const context = matchContextOf(view, request);
  const decisionContext = decisionContextOf(view, context);
  const results = index.candidates(view.labels, context.namespace).map((set) => matchSet(set, context));
  const decided = policies
    .candidates(view.labels, context.namespace, decisionContext.annotations)
    .map((policy) => matchPolicy(policy, decisionContext));
  const matches = results.flatMap((each) => (each.result === "match" ? [each.match] : []));
  const faults = [
    ...results.flatMap((each) => (each.result === "fault" ? [each.fault] : [])),
    ...decided.flatMap(({ content }) => (content !== undefined && "fault" in content ? [content.fault] : [])),
  ];
  const contents = [
    ...matches.map(({ content }) => content),
    ...decided.flatMap(({ content }) => (content === undefined || "fault" in content ? [] : [content])),
  ];
  const found = faults.length > 0 ? { faults } : planned(view, contents, context, request, decided);
  const unknown = unknownIn(results, decided);
  const verdict =
    unknown !== undefined
      ? waiting(unknown)
      : "faults" in found
        ? denial(found.faults)
        : changed(pod, found.plan, contents);
  return {
    ...verdict,
    explain: () => {
      const all = policies.all().map((policy) => matchPolicy(policy, decisionContext));
      return explain(index.all(), context, matches, found, all);
    },
  };
}

/** What must be known first to decide about a SidecarSet or InjectionPolicy. */
function unknownIn(results: readonly MatchResult[], decided: readonly PolicyResult[]): string | undefined {
  const set = results.find((each) => each.result === "unknown");
  if (set !== undefined) return set.what;
  const policy = decided.find(({ decision }) => decision.decision === "unknown");
  const row = policy?.decision.rows.find(({ says }) => says === "unknown" || says === "undecided");
  return row && `${row.why}, and spec.${row.field} of InjectionPolicy ${policy?.policy.name} depends on it`;
}

function planned(
  view: PodView,
  contents: readonly Content[],
  { namespace }: MatchContext,
  { now, gates: enabled }: InjectionRequest,
  decided: readonly PolicyResult[],
): { readonly plan: Plan } | { readonly faults: readonly Fault[] } {
  const made = plan(view, contents, {
    now,
    namespace,
    sortsContainers: enabled.EnableSortSidecarContainerByName === true,
    wholeBytes: enabled.WholeBytes === true,
  });
  if ("faults" in made) return made;
  const warnings = decided.flatMap(switchWarnings);
  return { plan: warnings.length === 0 ? made : { ...made, warnings: [...warnings, ...made.warnings] } };
}

function changed(pod: JsonObject, plan: Plan, contents: readonly Content[]): Verdict {
  const object = apply(pod, plan);
  const warnings = few([...new Set(plan.warnings.map(printWarning))]);
  if (object === pod) return { outcome: "allow", warnings };
  const audit = { injected: listed(contents.map(auditName)) };
  return { outcome: "change", object, warnings, audit };
}

/** Why nothing is injected into a pod, whatever the SidecarSets say; undefined if they decide. */
function reasonToSkip(pod: JsonObject, { operation, subresource }: InjectionRequest): string | undefined {
  if (operation !== "CREATE") return `sidecars are injected when a pod is created, and this is ${operation}`;
  if (subresource !== "") return `sidecars are injected into pods, and this is pods/${subresource}`;
  const phase = get(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed") return `the pod has ${phase.toLowerCase()}`;
  if ((get(pod, "metadata", "deletionTimestamp") ?? null) !== null) return "the pod is being deleted";
  if (get(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined) {
    return "it is a mirror pod: the manifest on its node defines the containers";
  }
  return undefined;
}

function matchContextOf(
  view: PodView,
  { namespace, listers, gates: enabled, random }: InjectionRequest,
): MatchContext {
  return {
    labels: view.labels,
    namespace: stringAt(own(view.pod, "metadata"), "namespace") || namespace || "default",
    namespaces: listerOf(listers, "namespaces"),
    controllerRevisions: listerOf(listers, "controllerRevisions"),
    revisionNamespace,
    draw: drawOf(view.pod, random, { byOwner: enabled.PartialRevisionByOwner === true }),
  };
}

function decisionContextOf(
  { pod, labels }: PodView,
  { namespace, namespaces }: MatchContext,
): DecisionContext {
  return {
    labels,
    annotations: own(own(pod, "metadata"), "annotations"),
    usesHostNetwork: own(own(pod, "spec"), "hostNetwork") === true,
    namespace,
    namespaces,
  };
}

function listerOf(listers: InjectionRequest["listers"], name: string): Lister {
  const lister = listers[name];
  if (lister === undefined) throw new Error(`the injector needs a lister ${name}`);
  return lister;
}

function waiting(reason: string): Verdict {
  return { outcome: "wait", reason, warnings: [] };
}

function denial(faults: readonly Fault[]): Verdict {
  const causes = few(faults.map(printFault)).map(
    (message): Cause => ({ path: [], reason: "FieldValueInvalid", message }),
  );
  const names = new Set(faults.flatMap(({ clause }) => (clause === undefined ? [] : [auditName(clause)])));
  return { outcome: "deny", causes, warnings: [], audit: { "refused-for": listed([...names]) } };
}

/** The first few, and how many more there are: messages and warnings have limited space. */
function few(messages: readonly string[]): readonly string[] {
  if (messages.length <= most) return messages;
  return [...messages.slice(0, most - 1), `and ${messages.length - most + 1} more`];
}

const most = 5;

function printWarning({ clause, message }: Remark): string {
  const whole = `${printClause(clause)}: ${message}`;
  return whole.length > 120 ? `${[...whole].slice(0, 119).join("")}…` : whole;
}

/** The name of a SidecarSet, or that of an InjectionPolicy with its kind. */
function auditName({ kind, set }: Pick<Clause, "kind" | "set">): string {
  return kind === undefined ? set : `${kind}/${set}`;
}

function listed(names: readonly string[]): string {
  const text = names.join(",");
  return text.length > 1000 ? `${text.slice(0, 999)}…` : text;
}
