import { get, type Json } from "antechamber";
import { meets, type Requirement } from "antechamber/apimachinery";
import { namespaceNameLabel } from "../../kruise/shared/names.ts";
import type { Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import type { MatchContext } from "./match-context.ts";
import { type Chosen, chooseContent } from "./revisions.ts";
import type { PreparedSet } from "./sets.ts";

/** A SidecarSet that matches a pod, and which of its specs is injected. */
export interface Match {
  readonly set: PreparedSet;
  readonly content: Content;
  readonly choice: Chosen["choice"];
}

/** Whether a SidecarSet matches a pod. */
export type MatchResult =
  | { readonly result: "match"; readonly match: Match }
  | { readonly result: "none"; readonly reason: Reason }
  | { readonly result: "fault"; readonly fault: Fault }
  | { readonly result: "unknown"; readonly what: string };

/** Why a SidecarSet does not match a pod. */
export type Reason =
  | { readonly why: "paused" }
  | { readonly why: "selects nothing" }
  | { readonly why: "labels"; readonly requirement: Requirement; readonly value: Json | undefined }
  | { readonly why: "namespace"; readonly requirement: Requirement; readonly value: Json | undefined }
  | { readonly why: "namespaceSelector"; readonly fault: Fault };

/**
 * Matches a SidecarSet with a pod. OpenKruise checks pause, namespace, labels and revision in this order
 * (pkg/webhook/pod/mutating/sidecarset.go, sidecarsetMutatingPod). Here labels come before the namespace, so that a pod
 * waits for an unknown Namespace only if the set selects the pod.
 */
export function matchSet(set: PreparedSet, context: MatchContext): MatchResult {
  if (set.isPaused) return none({ why: "paused" });
  const reason = labelReason(set, context.labels);
  if (reason !== undefined) return none(reason);
  const mismatch = namespaceMismatch(set, context);
  if (mismatch !== undefined) return mismatch;
  if (set.selectorFault !== undefined) return { result: "fault", fault: set.selectorFault };
  const chosen = chooseContent(set, context);
  if ("fault" in chosen) return { result: "fault", fault: chosen.fault };
  return { result: "match", match: { set, content: chosen.content, choice: chosen.choice } };
}

function labelReason({ selector, selectorFault }: PreparedSet, labels: Json | undefined): Reason | undefined {
  if (selector.requirements.length === 0) {
    return selectorFault === undefined ? { why: "selects nothing" } : undefined;
  }
  if (selector.matches(labels)) return undefined;
  const requirement = selector.requirements.find((each) => !meets(each, labels));
  return requirement && { why: "labels", requirement, value: get(labels, requirement.key) };
}

/** Undefined if the namespace matches. Its name is known from the request, its other labels from the Namespace. */
function namespaceMismatch(
  { name, namespaceSelector }: PreparedSet,
  { namespace, namespaces }: MatchContext,
): MatchResult | undefined {
  if (namespaceSelector === undefined) return undefined;
  if ("fault" in namespaceSelector) {
    return none({ why: "namespaceSelector", fault: namespaceSelector.fault });
  }
  const { requirements } = namespaceSelector.selector;
  const byName = requirements.filter(({ key }) => key === namespaceNameLabel);
  const missed = byName.find((each) => !meets(each, { [namespaceNameLabel]: namespace }));
  if (missed !== undefined) return none({ why: "namespace", requirement: missed, value: namespace });
  const others = requirements.filter(({ key }) => key !== namespaceNameLabel);
  if (others.length === 0) return undefined;
  const found = namespaces.get("", namespace);
  if (found === undefined) {
    const what = `namespace ${namespace} is not known yet, and SidecarSet ${name} selects by its labels`;
    return { result: "unknown", what };
  }
  const labels = get(found, "metadata", "labels");
  const other = others.find((each) => !meets(each, labels));
  return other && none({ why: "namespace", requirement: other, value: get(labels, other.key) });
}

function none(reason: Reason): MatchResult {
  return { result: "none", reason };
}
