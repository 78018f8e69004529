import type { Clause, Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import { type Decision, type DecisionContext, decide } from "./decide.ts";
import type { Remark } from "./planned.ts";
import type { PreparedPolicy } from "./policies.ts";

/** An InjectionPolicy and its decision about a pod, with what it adds. */
export interface PolicyResult {
  readonly policy: PreparedPolicy;
  readonly decision: Decision;
  /** What it adds, or why it cannot; only if it injects. */
  readonly content?: Content | { readonly fault: Fault };
}

/** Matches an InjectionPolicy with a pod. */
export function matchPolicy(policy: PreparedPolicy, context: DecisionContext): PolicyResult {
  const decision = decide(policy, context);
  return decision.decision === "yes"
    ? { policy, decision, content: policy.content(context.annotations) }
    : { policy, decision };
}

/** The switches of the pod or its namespace whose values mean nothing. */
export function switchWarnings({ policy, decision }: PolicyResult): readonly Remark[] {
  return decision.rows.flatMap(({ isWarning, field, why }) => {
    const clause: Clause = { set: policy.name, kind: "InjectionPolicy", path: ["spec", ...field.split(".")] };
    return isWarning === true ? [{ clause, message: why }] : [];
  });
}
