import type { JsonObject } from "antechamber";
import type { Clause, Contribution } from "./clause.ts";

/** Everything that SidecarSets put into one pod, each part with its reason: `apply` does what stands here, and nothing else. */
export interface Plan {
  readonly annotations: readonly PlannedAnnotation[];
  readonly initContainers: readonly PlannedContainer[];
  readonly containers: readonly PlannedContainer[];
  /** In the order in which they are added behind the pod's own. */
  readonly volumes: readonly Contribution[];
  readonly imagePullSecrets: readonly Contribution[];
  /** Places of the pod's own imagePullSecrets that say a name again: they go. */
  readonly repeatedSecrets: readonly number[];
  /** What looks like a mistake; nobody is kept from making it. */
  readonly warnings: readonly Remark[];
  /** What was asked for and is not there. */
  readonly notes: readonly Remark[];
}

export interface PlannedAnnotation {
  readonly key: string;
  readonly value: string;
  /** All that had a part in it, the last one last. */
  readonly clauses: readonly Clause[];
}

export interface PlannedContainer {
  readonly name: string;
  readonly container: JsonObject;
  /** In front of the pod's own, behind them, or in the place of the one at this index. */
  readonly place: "before" | "after" | number;
  readonly clause: Clause;
  /** What of it comes from the pod. */
  readonly details: readonly Detail[];
}

/** A sentence on what a clause asks for. */
export interface Remark {
  readonly clause: Clause;
  readonly sentence: string;
}

/** What a plan is made with, besides the pod and what matches it. */
export interface PlanOptions {
  readonly now: Date;
  readonly namespace: string;
  /** Whether containers go in by their names rather than in the order in which they are asked for. */
  readonly sortsContainers: boolean;
  /** Whether computed memory is rounded up to whole bytes. */
  readonly wholeBytes: boolean;
}

/** Something in a sidecar that is not in its SidecarSet: what it is, and where it was taken from. */
export interface Detail {
  readonly what: string;
  readonly from: string;
  readonly clause: Clause;
}
