import { fieldOf, type JsonObject } from "antechamber";
import type { Requirement } from "antechamber/apimachinery";
import { stringAt } from "../../kruise/shared/read.ts";
import { type Clause, type Fault, printClause, printFault } from "./clause.ts";
import { type Match, type MatchResult, matchSet, type Reason } from "./match.ts";
import type { MatchContext } from "./match-context.ts";
import type { PolicyResult } from "./match-policy.ts";
import type { Plan, Remark } from "./planned.ts";
import { printRequirement } from "./requirement-text.ts";
import type { PreparedSet } from "./sets.ts";

/** Why a pod looks as it does: what was added and by which clause, and why each other SidecarSet did not match. */
export interface Explanation {
  /** Why injection was skipped altogether; absent if it was not. */
  readonly skipped?: string;
  /** Every SidecarSet: first those that match, in injection order, then the others by name. */
  readonly sets: readonly ExplainedSet[];
  /** Every InjectionPolicy, by name, with the rows that decided. */
  readonly policies?: readonly PolicyResult[];
  readonly added?: readonly Addition[];
  readonly warnings?: readonly Remark[];
  readonly notes?: readonly Remark[];
  /** Why the pod is rejected. */
  readonly faults?: readonly Fault[];
}

/** A SidecarSet, and why it matches the pod or does not. */
interface ExplainedSet {
  readonly name: string;
  readonly outcome: "matches" | "does not match" | "cannot be injected" | "may match";
  readonly why: string;
}

/** One thing that was added to the pod. */
interface Addition {
  /** `container agent, before the pod's own`, `annotation x`, `volume buf`. */
  readonly what: string;
  readonly clauses: readonly Clause[];
  /** Which parts of it were taken from the pod. */
  readonly details: readonly { readonly what: string; readonly from: string; readonly clause: Clause }[];
}

/** Explains an injection. It evaluates every SidecarSet, so it runs only on request (`--explain`). */
export function explain(
  sets: readonly PreparedSet[],
  context: MatchContext,
  matches: readonly Match[],
  found: { readonly plan: Plan } | { readonly faults: readonly Fault[] },
  policies: readonly PolicyResult[],
): Explanation {
  const chosen = new Set(matches.map(({ set }) => set.name));
  return {
    sets: [
      ...matches.map(({ set, choice }) => ({ name: set.name, outcome: "matches" as const, why: choice })),
      ...sets
        .filter(({ name }) => !chosen.has(name))
        .map((set) => ({ name: set.name, ...outcomeOf(matchSet(set, context), context) })),
    ],
    policies,
    ...("faults" in found
      ? { faults: found.faults }
      : { added: additionsOf(found.plan), warnings: found.plan.warnings, notes: found.plan.notes }),
  };
}

/** An explanation as text, one line for each part. */
export function printExplanation(explanation: Explanation): string {
  const { skipped, sets, policies = [], added = [], warnings = [], notes = [], faults = [] } = explanation;
  const lines = [
    ...(skipped === undefined ? [] : [`nothing is added: ${skipped}`]),
    ...faults.map((fault) => `refused: ${printFault(fault)}`),
    ...added.flatMap((each) => [
      `${each.what}  (${each.clauses.map(printClause).join("; ")})`,
      ...each.details.map(({ what, from, clause }) => `  ${what} ${from}  (${printClause(clause)})`),
    ]),
    ...warnings.map((remark) => `warning: ${printRemark(remark)}`),
    ...notes.map((remark) => `note: ${printRemark(remark)}`),
    ...sets.map(({ name, outcome, why }) => `SidecarSet ${name} ${outcome}: ${why}`),
    ...policies.flatMap(printPolicy),
  ];
  return `${lines.join("\n")}\n`;
}

/** A policy with its rows: those that say nothing, and the one that decided. */
function printPolicy({ policy, decision }: PolicyResult): readonly string[] {
  const verb = { yes: "injects", no: "does not inject", unknown: "may inject" }[decision.decision];
  const rows = decision.rows.map(({ field, says, why }) => {
    const decides = says === "yes" || says === "no" ? ` → ${says}` : "";
    return `  spec.${field}: ${why}${decides}`;
  });
  return [`InjectionPolicy ${policy.name} ${verb}`, ...rows];
}

function printRemark({ clause, message }: Remark): string {
  return `${printClause(clause)}: ${message}`;
}

function additionsOf(plan: Plan): readonly Addition[] {
  const containers = [
    ...plan.initContainers.map((each) => ({ ...each, kind: "init container" })),
    ...plan.containers.map((each) => ({ ...each, kind: "container" })),
  ];
  return [
    ...plan.app.map(({ list, container, env, volumeMounts, clause }) => ({
      what: `${[...env.map((each) => `env ${nameOf(each)}`), ...volumeMounts.map((each) => `mount ${pathOf(each)}`)].join(", ")} in ${list === "containers" ? "container" : "init container"} ${container}`,
      clauses: [clause],
      details: [],
    })),
    ...containers.map(({ kind, name, position, clause, details }) => ({
      what: `${kind} ${name}, ${printPosition(position)}`,
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

function printPosition(position: "before" | "after" | number): string {
  if (position === "before") return "before the pod's own";
  return position === "after" ? "after the pod's own" : `replaces the pod's own at [${position}]`;
}

function nameOf(entry: JsonObject): string {
  return stringAt(entry, "name");
}

function pathOf(mount: JsonObject): string {
  return stringAt(mount, "mountPath");
}

function outcomeOf(result: MatchResult, context: MatchContext): Omit<ExplainedSet, "name"> {
  switch (result.result) {
    case "none":
      return { outcome: "does not match", why: sentenceOf(result.reason, context) };
    case "fault":
      return { outcome: "cannot be injected", why: whereAndWhat(result.fault) };
    case "unknown":
      return { outcome: "may match", why: result.what };
    case "match":
      return { outcome: "matches", why: result.match.choice };
  }
}

/** A fault of the SidecarSet that the line names already. */
function whereAndWhat({ clause, message }: Fault): string {
  return clause === undefined ? message : `${fieldOf(clause.path)}: ${message}`;
}

function sentenceOf(reason: Reason, { namespace }: MatchContext): string {
  switch (reason.why) {
    case "paused":
      return "spec.injectionStrategy.paused is true";
    case "selects nothing":
      return "spec.selector is empty, so it matches no pod";
    case "labels":
      return `spec.selector requires ${printRequirement(reason.requirement)}, but the pod has ${printLabel(reason)}`;
    case "namespace":
      return `spec.namespaceSelector requires ${printRequirement(reason.requirement)}, but namespace ${namespace} has ${printLabel(reason)}`;
    case "namespaceSelector":
      return `spec.namespaceSelector matches no namespace, because it cannot be read: ${printFault(reason.fault)}`;
  }
}

function printLabel({ requirement, value }: Extract<Reason, { requirement: Requirement }>): string {
  return typeof value === "string" ? `${requirement.key}=${value}` : `no ${requirement.key}`;
}
