import { get, type Json, meets, type Requirement } from "antechamber";
import { namespaceNameLabel } from "../../kruise/shared/names.ts";
import type { Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import type { MatchContext } from "./match-context.ts";
import { type Chosen, chooseContent } from "./revisions.ts";
import type { PreparedSet } from "./sets.ts";

/** A SidecarSet that goes into a pod, and with which of its specs. */
export interface Match {
  readonly set: PreparedSet;
  readonly content: Content;
  readonly choice: Chosen["choice"];
}

/** How a SidecarSet and a pod stand to each other. */
export type MatchResult =
  | { readonly relation: "match"; readonly match: Match }
  | { readonly relation: "none"; readonly reason: Reason }
  | { readonly relation: "fault"; readonly fault: Fault }
  | { readonly relation: "unknown"; readonly what: string };

/** Why a SidecarSet is not for a pod. */
export type Reason =
  | { readonly why: "paused" }
  | { readonly why: "selects nothing" }
  | { readonly why: "labels"; readonly requirement: Requirement; readonly value: Json | undefined }
  | { readonly why: "namespace"; readonly requirement: Requirement; readonly value: Json | undefined }
  | { readonly why: "namespaceSelector"; readonly fault: Fault };

/**
 * How a prepared SidecarSet and a pod stand to each other, in OpenKruise's order: paused, namespace, labels, revision
 * (sidecarset.md 2.1); but labels before what must be asked of others, so that nobody waits for what does not concern them.
 */
export function matchSet(set: PreparedSet, context: MatchContext): MatchResult {
  if (set.isPaused) return none({ why: "paused" });
  const reason = labelReason(set, context.labels);
  if (reason !== undefined) return none(reason);
  const place = inNamespace(set, context);
  if (place !== undefined) return place;
  if (set.selectorFault !== undefined) return { relation: "fault", fault: set.selectorFault };
  const chosen = chooseContent(set, context);
  if ("fault" in chosen) return { relation: "fault", fault: chosen.fault };
  return { relation: "match", match: { set, content: chosen.content, choice: chosen.choice } };
}

function labelReason({ selector, selectorFault }: PreparedSet, labels: Json | undefined): Reason | undefined {
  if (selector.requirements.length === 0) {
    return selectorFault === undefined ? { why: "selects nothing" } : undefined;
  }
  if (selector.matches(labels)) return undefined;
  const requirement = selector.requirements.find((each) => !meets(each, labels));
  return requirement && { why: "labels", requirement, value: get(labels, requirement.key) };
}

/** Undefined where the pod's namespace is meant. Its name is known from the request, its labels from the Namespace. */
function inNamespace(
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
    const what = `namespace ${namespace} is not known here yet, and SidecarSet ${name} asks for its labels`;
    return { relation: "unknown", what };
  }
  const labels = get(found, "metadata", "labels");
  const other = others.find((each) => !meets(each, labels));
  return other && none({ why: "namespace", requirement: other, value: get(labels, other.key) });
}

function none(reason: Reason): MatchResult {
  return { relation: "none", reason };
}
