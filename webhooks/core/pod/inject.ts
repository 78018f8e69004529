import type { Cause, Remarks, Verdict } from "../../../src/admission/verdict.ts";
import { get, type JsonObject, own } from "../../../src/json/json.ts";
import { type Lister, NotKnownYet } from "../../../src/lister.ts";
import { kruiseNamespace } from "../../kruise/sidecarset/revision.ts";
import { apply } from "./apply.ts";
import { type Fault, printClause, printFault } from "./clause.ts";
import { type Explanation, explain } from "./explain.ts";
import { textAt } from "./json-text.ts";
import { type Match, relate } from "./match.ts";
import { plan } from "./plan.ts";
import type { Plan, Remark } from "./planned.ts";
import { PodView } from "./pod-view.ts";
import { indexOf } from "./set-index.ts";
import { drawOf, type Surroundings } from "./surroundings.ts";

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
    if (!(error instanceof NotKnownYet)) throw error;
    return waiting(error.message);
  }
}

/** Begins to prepare what is costly, so that the first pod need not wait for it. */
export function prepareFor(listers: Circumstances["listers"]): void {
  indexOf(listerOf(listers, "sidecarSets"));
}

function injection(pod: JsonObject, circumstances: Circumstances): Injection {
  const { listers, gates: open, now } = circumstances;
  const sidecarSets = listerOf(listers, "sidecarSets");
  // Throws where the SidecarSets are not known yet: a pod that came then would go without its sidecars.
  sidecarSets.get("", "");
  const view = new PodView(pod);
  const surroundings = surroundingsOf(view, circumstances);
  const { namespace } = surroundings;
  const index = indexOf(sidecarSets);
  const relations = index.candidates(view.labels, namespace).map((set) => relate(set, surroundings));
  const unknown = relations.find((each) => each.relation === "unknown");
  if (unknown !== undefined) return waiting(unknown.what);
  const matches = relations.flatMap((each) => (each.relation === "match" ? [each.match] : []));
  const explained = (found: { readonly plan?: Plan; readonly faults?: readonly Fault[] }) => () =>
    explain(index.all(), surroundings, matches, found);
  const faults = relations.flatMap((each) => (each.relation === "fault" ? [each.fault] : []));
  if (faults.length > 0) return { ...denial(faults), explain: explained({ faults }) };
  if (matches.length === 0) return { outcome: "allow", warnings: [], explain: explained({}) };
  const made = plan(view, matches, {
    now,
    namespace,
    sortsContainers: open.EnableSortSidecarContainerByName === true,
    wholeBytes: open.WholeBytes === true,
  });
  if ("faults" in made) return { ...denial(made.faults), explain: explained(made) };
  const object = apply(pod, made);
  const remarks = remarksOf(made, matches);
  return object === pod
    ? { outcome: "allow", ...remarks, explain: explained({ plan: made }) }
    : { outcome: "change", object, ...remarks, explain: explained({ plan: made }) };
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

function surroundingsOf(
  view: PodView,
  { namespace, listers, gates: open, random }: Circumstances,
): Surroundings {
  return {
    labels: view.labels,
    namespace: textAt(own(view.pod, "metadata"), "namespace") || namespace || "default",
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

function denial(faults: readonly Fault[]): Extract<Verdict, { outcome: "deny" }> {
  const causes = faults.map(
    (fault): Cause => ({
      path: [],
      reason: "FieldValueInvalid",
      message: printFault(fault),
    }),
  );
  const names = [...new Set(faults.flatMap(({ clause }) => (clause === undefined ? [] : [clause.set])))];
  return { outcome: "deny", causes, warnings: [], audit: { "refused-for": listed(names) } };
}

function remarksOf({ warnings }: Plan, matches: readonly Match[]): Remarks {
  return {
    warnings: few([...new Set(warnings.map(sentenceOf))]),
    audit: { injected: listed(matches.map(({ set }) => set.name)) },
  };
}

/** The first ones and how many more: whoever reads them is asked to look into few things at a time. */
function few(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= mostWarnings) return sentences;
  return [
    ...sentences.slice(0, mostWarnings - 1),
    `and ${sentences.length - mostWarnings + 1} more of the kind`,
  ];
}

const mostWarnings = 5;

function sentenceOf({ clause, sentence }: Remark): string {
  const whole = `${printClause(clause)}: ${sentence}`;
  return whole.length > 120 ? `${[...whole].slice(0, 119).join("")}…` : whole;
}

function listed(names: readonly string[]): string {
  const text = names.join(",");
  return text.length > 1000 ? `${text.slice(0, 999)}…` : text;
}
