import type { DeploymentEvent } from "../src/cluster/api/events.ts";
import { rotationReasons } from "../src/manifests/access.ts";
import type { Round } from "./rotator.ts";

const { started, switched, completed, renewed, restored, failed } = rotationReasons;

/** The event of a step of the rotation; undefined for one that another event stands for, and for a step that was not taken. */
export function eventOf({ step, phase, isLate, notes, targets = [] }: Round): DeploymentEvent | undefined {
  if (step === "wait") {
    // The first note says what it waits for.
    return notes.length > 1 ? warning(notes.slice(1)) : undefined;
  }
  if (isLate) return undefined;
  if (notes.length > 0) return warning(notes);
  switch (step) {
    case "publish":
      return normal(started, "a new CA was made, and is added to every caBundle");
    case "switch":
      return normal(switched, "certificates of the new CA are served; the caBundles hold both");
    case "settle":
      return normal(completed, "the previous CA was removed from every caBundle");
    case "renew leaf":
      return normal(renewed, "the certificate of the replicas was renewed, with the same CA");
    case "write bundles":
      // In the other phases that is part of the rotation.
      return phase === "stable"
        ? normal(restored, `the caBundle was set in ${targets.join(", ")}`)
        : undefined;
    case "retire":
      return undefined;
  }
}

/** The event of a round that broke off. */
export function eventOfFailure(reason: string): DeploymentEvent {
  return warning([reason]);
}

function normal(reason: string, message: string): DeploymentEvent {
  return { reason, type: "Normal", message };
}

function warning(faults: readonly string[]): DeploymentEvent {
  return { reason: failed, type: "Warning", message: faults.join("; ") };
}
