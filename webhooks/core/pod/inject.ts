import { type Cause, get, type JsonObject, type Lister, NotSynced, own, type Verdict } from "antechamber";
import { kruiseNamespace } from "../../kruise/shared/names.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import { apply } from "./apply.ts";
import { type Fault, printClause, printFault } from "./clause.ts";
import { type Explanation, explain } from "./explain.ts";
import { type Match, matchSet } from "./match.ts";
import { drawOf, type MatchContext } from "./match-context.ts";
import { plan } from "./plan.ts";
import type { Plan, Remark } from "./planned.ts";
import { PodView } from "./pod-view.ts";
import { indexOf } from "./set-index.ts";

/** The circumstances of a request to write a pod; those of a native kind (`NativeCircumstances`) are such. */
export interface Circumstances {
  readonly operation: string;
  /** Empty for the pod itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly now: Date;
  readonly random: () => number;
  /** `sidecarSets` in the version v1beta1, `namespaces`, `controllerRevisions`. */
  readonly listers: Readonly<Record<string, Lister>>;
  readonly gates: Readonly<Record<string, boolean>>;
}

/** What is different when a gate is open; all are closed by default. */
export const gates = {
  EnableSortSidecarContainerByName: {
    default: false,
    meaning: "containers go into pods by their names, not in the order in which SidecarSets name them",
  },
  PartialRevisionByOwner: {
    default: false,
    meaning: "which pods stay at an old spec (policy Partial) is decided by their owner's uid, not by chance",
  },
  WholeBytes: {
    default: false,
    meaning: "memory that a resourcesPolicy computes is rounded up to whole bytes",
  },
} as const;

/** Where OpenKruise records what SidecarSets were like. */
export const revisionNamespace = kruiseNamespace;

/** A verdict on a pod; why it is so is told to whoever asks. */
export type Injection = Verdict & { readonly explain: () => Explanation };

/** The pod with what the SidecarSets that match it put into it. */
export function inject(pod: JsonObject, circumstances: Circumstances): Injection {
  const untouched = reasonToLeave(pod, circumstances);
  if (untouched !== undefined) {
    return { outcome: "allow", warnings: [], explain: () => ({ untouched, sets: [] }) };
  }
  try {
    return injection(pod, circumstances);
  } catch (error) {
    if (!(error instanceof NotSynced)) throw error;
    return waiting(error.message);
  }
}

/** Begins to prepare what is costly, so that the first pod need not wait for it. */
export function prepareFor(listers: Circumstances["listers"]): void {
  indexOf(listerOf(listers, "sidecarSets"));
}

function injection(pod: JsonObject, circumstances: Circumstances): Injection {
  const sidecarSets = listerOf(circumstances.listers, "sidecarSets");
  // Throws where the SidecarSets are not known yet: a pod that came then would go without its sidecars.
  sidecarSets.get("", "");
  const index = indexOf(sidecarSets);
  const view = new PodView(pod);
  const context = matchContextOf(view, circumstances);
  const candidates = index.candidates(view.labels, context.namespace);
  const relations = candidates.map((set) => matchSet(set, context));
  const unknown = relations.find((each) => each.relation === "unknown");
  if (unknown !== undefined) return waiting(unknown.what);
  const matches = relations.flatMap((each) => (each.relation === "match" ? [each.match] : []));
  const faults = relations.flatMap((each) => (each.relation === "fault" ? [each.fault] : []));
  const found = faults.length > 0 ? { faults } : planned(view, matches, context, circumstances);
  const verdict = "faults" in found ? denial(found.faults) : changed(pod, found.plan, matches);
  return { ...verdict, explain: () => explain(index.all(), context, matches, found) };
}

function planned(
  view: PodView,
  matches: readonly Match[],
  { namespace }: MatchContext,
  { now, gates: open }: Circumstances,
): { readonly plan: Plan } | { readonly faults: readonly Fault[] } {
  const made = plan(view, matches, {
    now,
    namespace,
    sortsContainers: open.EnableSortSidecarContainerByName === true,
    wholeBytes: open.WholeBytes === true,
  });
  return "faults" in made ? made : { plan: made };
}

function changed(pod: JsonObject, plan: Plan, matches: readonly Match[]): Verdict {
  const object = apply(pod, plan);
  const warnings = few([...new Set(plan.warnings.map(sentenceOf))]);
  if (object === pod) return { outcome: "allow", warnings };
  const audit = { injected: listed(matches.map(({ set }) => set.name)) };
  return { outcome: "change", object, warnings, audit };
}

/** Why a pod is none of our business; undefined where it is. */
function reasonToLeave(pod: JsonObject, { operation, subresource }: Circumstances): string | undefined {
  if (operation !== "CREATE") return `sidecars go into pods that are created, and this is ${operation}`;
  if (subresource !== "") return `sidecars go into pods, and this is pods/${subresource}`;
  const phase = get(pod, "status", "phase");
  if (phase === "Succeeded" || phase === "Failed") return `the pod has ${phase.toLowerCase()}`;
  if ((get(pod, "metadata", "deletionTimestamp") ?? null) !== null) return "the pod is being deleted";
  if (get(pod, "metadata", "annotations", "kubernetes.io/config.mirror") !== undefined) {
    return "the pod mirrors a static pod, whose containers only its node's manifest decides";
  }
  return undefined;
}

function matchContextOf(
  view: PodView,
  { namespace, listers, gates: open, random }: Circumstances,
): MatchContext {
  return {
    labels: view.labels,
    namespace: stringAt(own(view.pod, "metadata"), "namespace") || namespace || "default",
    namespaces: listerOf(listers, "namespaces"),
    controllerRevisions: listerOf(listers, "controllerRevisions"),
    revisionNamespace,
    draw: drawOf(view.pod, random, { byOwner: open.PartialRevisionByOwner === true }),
  };
}

function listerOf(listers: Circumstances["listers"], name: string): Lister {
  const lister = listers[name];
  if (lister === undefined) throw new Error(`the injector needs a lister ${name}`);
  return lister;
}

function waiting(reason: string): Injection {
  return { outcome: "wait", reason, warnings: [], explain: () => ({ untouched: reason, sets: [] }) };
}

function denial(faults: readonly Fault[]): Verdict {
  const causes = few(faults.map(printFault)).map(
    (message): Cause => ({ path: [], reason: "FieldValueInvalid", message }),
  );
  const names = new Set(faults.flatMap(({ clause }) => (clause === undefined ? [] : [clause.set])));
  return { outcome: "deny", causes, warnings: [], audit: { "refused-for": listed([...names]) } };
}

/** The first ones and how many more: whoever reads them is asked to look into few things at a time. */
function few(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= most) return sentences;
  return [...sentences.slice(0, most - 1), `and ${sentences.length - most + 1} more`];
}

const most = 5;

function sentenceOf({ clause, sentence }: Remark): string {
  const whole = `${printClause(clause)}: ${sentence}`;
  return whole.length > 120 ? `${[...whole].slice(0, 119).join("")}…` : whole;
}

function listed(names: readonly string[]): string {
  const text = names.join(",");
  return text.length > 1000 ? `${text.slice(0, 999)}…` : text;
}
