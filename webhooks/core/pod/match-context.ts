import { createHash } from "node:crypto";
import { get, isArray, type Json, type JsonObject, type Lister, own } from "antechamber";
import { stringAt } from "../../kruise/shared/read.ts";

/** What matching depends on: the pod's labels and namespace, and objects of the cluster. */
export interface MatchContext {
  readonly labels: Json | undefined;
  readonly namespace: string;
  readonly namespaces: Lister;
  readonly controllerRevisions: Lister;
  /** The namespace in which revisions are recorded. */
  readonly revisionNamespace: string;
  readonly draw: Draw;
}

/** A number from 0 up to, but not including, 1 that decides whether a pod keeps the old spec of a SidecarSet. */
type Draw = (set: string) => number;

/**
 * A random draw, or one that is the same for all pods of an owner: from its uid, or from the pod's name without an
 * owner.
 */
export function drawOf(
  pod: JsonObject,
  random: () => number,
  { byOwner }: { readonly byOwner: boolean },
): Draw {
  if (!byOwner) return random;
  const owners = get(pod, "metadata", "ownerReferences");
  const owner = isArray(owners) ? owners.find((each) => own(each, "controller") === true) : undefined;
  const metadata = own(pod, "metadata");
  const seed = stringAt(owner, "uid") || stringAt(metadata, "name") || stringAt(metadata, "generateName");
  return (set) => {
    const digest = createHash("sha256").update(`${set}/${seed}`).digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}
