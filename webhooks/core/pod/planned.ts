import type { JsonObject } from "antechamber";
import type { Clause, Contribution } from "./clause.ts";

/** Everything that SidecarSets and InjectionPolicies add to one pod, each part with its reason. `apply` adds exactly this. */
export interface Plan {
  readonly annotations: readonly PlannedAnnotation[];
  readonly initContainers: readonly PlannedContainer[];
  readonly containers: readonly PlannedContainer[];
  /** What is added to the pod's own containers. */
  readonly app: readonly PlannedApp[];
  /** In the order in which they are appended to the pod's own. */
  readonly volumes: readonly Contribution[];
  readonly imagePullSecrets: readonly Contribution[];
  /** Indexes of the pod's own imagePullSecrets that repeat a name: they are removed. */
  readonly repeatedSecrets: readonly number[];
  /** Probable mistakes, which do not reject the pod. */
  readonly warnings: readonly Remark[];
  /** What a SidecarSet asks for and the pod does not have. */
  readonly notes: readonly Remark[];
}

export interface PlannedAnnotation {
  readonly key: string;
  readonly value: string;
  /** Every clause that set it, in order. */
  readonly clauses: readonly Clause[];
}

export interface PlannedContainer {
  readonly name: string;
  readonly container: JsonObject;
  /** Before the pod's own containers, after them, or in place of the one at this index. */
  readonly position: "before" | "after" | number;
  readonly clause: Clause;
  /** The parts of it that come from the pod. */
  readonly details: readonly Detail[];
}

/** What is added to one of the pod's own containers. */
export interface PlannedApp {
  readonly list: "containers" | "initContainers";
  readonly index: number;
  /** The container's name. */
  readonly container: string;
  readonly env: readonly JsonObject[];
  readonly volumeMounts: readonly JsonObject[];
  readonly clause: Clause;
}

/** A message about what a clause asks for. */
export interface Remark {
  readonly clause: Clause;
  readonly message: string;
}

/** What a plan depends on besides the pod and the contents that are added to it. */
export interface PlanOptions {
  readonly now: Date;
  readonly namespace: string;
  /** Whether containers are injected in the order of their names instead of injection order. */
  readonly sortsContainers: boolean;
  /** Whether computed memory is rounded up to whole bytes. */
  readonly wholeBytes: boolean;
}

/** A part of a sidecar that does not come from its SidecarSet: what it is, and where it comes from. */
export interface Detail {
  readonly what: string;
  readonly from: string;
  readonly clause: Clause;
}
