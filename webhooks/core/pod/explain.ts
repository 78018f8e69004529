import type { Requirement } from "antechamber";
import { type Clause, type Fault, printClause, printFault } from "./clause.ts";
import { type Match, matchSet, type Reason } from "./match.ts";
import type { MatchContext } from "./match-context.ts";
import type { Plan, Remark } from "./planned.ts";
import type { PreparedSet } from "./sets.ts";

/** Why a pod is what it became: what was added and by which clause, and why each other SidecarSet was not for it. */
export interface Explanation {
  /** Why nothing was looked at; absent where it was. */
  readonly untouched?: string;
  /** Every SidecarSet: those that match in the order in which they are injected, then the others by name. */
  readonly sets: readonly ExplainedSet[];
  readonly added?: readonly Addition[];
  readonly warnings?: readonly Remark[];
  readonly notes?: readonly Remark[];
  /** Why the pod is refused. */
  readonly faults?: readonly Fault[];
}

/** A SidecarSet, and what it has to do with the pod. */
export interface ExplainedSet {
  readonly name: string;
  readonly matches: boolean;
  readonly why: string;
}

/** One thing that the pod got. */
export interface Addition {
  /** `container agent, in front`, `annotation x`, `volume buf`. */
  readonly what: string;
  readonly clauses: readonly Clause[];
  /** What of it was taken from the pod. */
  readonly details: readonly { readonly what: string; readonly from: string; readonly clause: Clause }[];
}

/** Explains what was found; every SidecarSet is looked at, so nothing of this is done where nobody asks. */
export function explain(
  sets: readonly PreparedSet[],
  context: MatchContext,
  matches: readonly Match[],
  found: { readonly plan: Plan } | { readonly faults: readonly Fault[] },
): Explanation {
  const chosen = new Set(matches.map(({ set }) => set.name));
  return {
    sets: [
      ...matches.map(({ set, choice }) => ({ name: set.name, matches: true, why: choice })),
      ...sets
        .filter(({ name }) => !chosen.has(name))
        .map((set) => ({ name: set.name, matches: false, why: whyNot(set, context) })),
    ],
    ...("faults" in found
      ? { faults: found.faults }
      : { added: additionsOf(found.plan), warnings: found.plan.warnings, notes: found.plan.notes }),
  };
}

/** An explanation as text, a line a thing. */
export function printExplanation(explanation: Explanation): string {
  const { untouched, sets, added = [], warnings = [], notes = [], faults = [] } = explanation;
  const lines = [
    ...(untouched === undefined ? [] : [`nothing is added: ${untouched}`]),
    ...faults.map((fault) => `refused: ${printFault(fault)}`),
    ...added.flatMap((each) => [
      `${each.what}  (${each.clauses.map(printClause).join("; ")})`,
      ...each.details.map(({ what, from, clause }) => `  ${what} ${from}  (${printClause(clause)})`),
    ]),
    ...warnings.map((remark) => `warning: ${printRemark(remark)}`),
    ...notes.map((remark) => `note: ${printRemark(remark)}`),
    ...sets.map(
      ({ name, matches, why }) => `SidecarSet ${name} ${matches ? "matches" : "does not match"}: ${why}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

function printRemark({ clause, sentence }: Remark): string {
  return `${printClause(clause)}: ${sentence}`;
}

function additionsOf(plan: Plan): readonly Addition[] {
  const containers = [
    ...plan.initContainers.map((each) => ({ ...each, kind: "init container" })),
    ...plan.containers.map((each) => ({ ...each, kind: "container" })),
  ];
  return [
    ...containers.map(({ kind, name, place, clause, details }) => ({
      what: `${kind} ${name}, ${places(place)}`,
      clauses: [clause],
      details,
    })),
    ...plan.volumes.map(({ name, clause }) => ({ what: `volume ${name}`, clauses: [clause], details: [] })),
    ...plan.imagePullSecrets.map(({ name, clause }) => ({
      what: `imagePullSecret ${name}`,
      clauses: [clause],
      details: [],
    })),
    ...plan.annotations.map(({ key, clauses }) => ({ what: `annotation ${key}`, clauses, details: [] })),
  ];
}

function places(place: "before" | "after" | number): string {
  if (place === "before") return "in front of the pod's own";
  return place === "after" ? "behind the pod's own" : `in place of the pod's own at [${place}]`;
}

function whyNot(set: PreparedSet, context: MatchContext): string {
  const relation = matchSet(set, context);
  switch (relation.relation) {
    case "none":
      return sentenceOf(relation.reason, context);
    case "fault":
      return printFault(relation.fault);
    case "unknown":
      return relation.what;
    case "match":
      return relation.match.choice;
  }
}

function sentenceOf(reason: Reason, { namespace }: MatchContext): string {
  switch (reason.why) {
    case "paused":
      return "spec.injectionStrategy.paused is true";
    case "selects nothing":
      return "spec.selector is empty, and an empty one selects nothing";
    case "labels":
      return `spec.selector asks for ${printRequirement(reason.requirement)}, and the pod has ${printLabel(reason)}`;
    case "namespace":
      return `spec.namespaceSelector asks for ${printRequirement(reason.requirement)}, and namespace ${namespace} has ${printLabel(reason)}`;
    case "namespaceSelector":
      return `matches no namespace, as it cannot be read: ${printFault(reason.fault)}`;
  }
}

function printRequirement({ key, operator, values }: Requirement): string {
  if (operator === "Exists") return key;
  if (operator === "DoesNotExist") return `no ${key}`;
  if (operator === "In" && values.length === 1) return `${key}=${values[0]}`;
  return `${key} ${operator === "In" ? "in" : "not in"} (${values.join(", ")})`;
}

function printLabel({ requirement, value }: Extract<Reason, { requirement: Requirement }>): string {
  return typeof value === "string" ? `${requirement.key}=${value}` : `no ${requirement.key}`;
}
