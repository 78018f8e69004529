import {
  type Conditions,
  type Decision,
  type EvolutionState,
  type Goal,
  leavingOf,
  next,
  type Step,
} from "./next.ts";

/** The steps towards a goal as far as they can be foreseen, and why they end there, unless the goal is reached. */
interface Plan {
  readonly steps: readonly Step[];
  readonly blocked?: string;
}

/** Plans from a state, as if every step went well and no other client changed anything. */
export function planOf(goal: Goal, start: EvolutionState, conditions: Conditions): Plan {
  const steps: Step[] = [];
  let state = start;
  for (;;) {
    const leaving = leavingOf(goal, state);
    if (steps.length > 0 && leaving !== undefined && leaving !== state.leaving?.version)
      return { steps, blocked: `the use of ${leaving} is looked at after these steps` };
    const decision: Decision = next(goal, state, conditions);
    if (decision.decision === "done") return { steps };
    if (decision.decision === "blocked") return { steps, blocked: decision.reason };
    if (decision.decision === "wait") {
      state = { ...state, now: state.now + decision.milliseconds };
      continue;
    }
    steps.push(decision.step);
    state = after(decision.step, state);
  }
}

/** The state after a step. Of `leaving`, it knows only the version that the state was observed for. */
export function after(step: Step, state: EvolutionState): EvolutionState {
  const { versions, served, storedVersions, leaving, now: changedAt } = state;
  switch (step.step) {
    case "add":
      return {
        ...state,
        versions: [...versions, step.version],
        served: [...served, step.version],
        changedAt,
      };
    case "serve":
      return { ...state, served: [...served, step.version], changedAt };
    case "store":
      return {
        ...state,
        storage: step.version,
        storedVersions: [...new Set([...storedVersions, step.version])],
        changedAt,
      };
    case "rewrite":
      return { ...state, storedVersions: [state.storage], hasFailedMigration: false };
    case "stopServing":
      return { ...state, served: served.filter((version) => version !== step.version), changedAt };
    case "record": {
      const { usage, since } = step;
      return leaving === undefined
        ? state
        : { ...state, leaving: { ...leaving, recorded: { usage, since } } };
    }
    case "forget":
      return leaving === undefined ? state : { ...state, leaving: { ...leaving, managed: 0 } };
    case "remove":
      return {
        ...state,
        versions: versions.filter((version) => version !== step.version),
        changedAt,
      };
    case "removeWebhooks":
      return { ...state, webhooks: [] };
    case "removeConversion": {
      const { conversion: _, ...rest } = state;
      return { ...rest, isLeftAlone: true, changedAt };
    }
  }
}
