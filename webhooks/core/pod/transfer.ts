import { get, type Json, type JsonObject, own } from "antechamber";
import { labelKeyFaults } from "antechamber/apimachinery";
import { compareBytes } from "antechamber/go";
import { stringAt } from "../../kruise/shared/read.ts";
import type { Clause } from "./clause.ts";
import type { PodView } from "./pod-view.ts";

/** Env that a sidecar copies from a container of the pod (`transferEnv[]`). */
export interface Transfer {
  /** Sorted by bytes, without duplicates. */
  readonly names: readonly string[];
  /**
   * The container's name, or the pod's label or annotation that holds it; absent if the field reference is not
   * supported.
   */
  readonly source?: string | { readonly map: "labels" | "annotations"; readonly key: string };
  readonly clause: Clause;
}

/** An env entry that was copied, and from which container. */
interface Transferred {
  readonly entry: Json;
  readonly container: string;
  readonly clause: Clause;
}

/** Reads one item of `transferEnv`. A `sourceContainerNameFrom` without a fieldRef counts as absent. */
export function transferOf(item: JsonObject, clause: Clause): Transfer {
  const envNames = own(item, "envNames");
  const names = new Set([stringAt(item, "envName"), ...(Array.isArray(envNames) ? envNames : [])]);
  const strings = [...names].filter((name): name is string => typeof name === "string" && name !== "");
  const fieldRef = get(item, "sourceContainerNameFrom", "fieldRef") ?? null;
  const source =
    fieldRef === null ? stringAt(item, "sourceContainerName") : fieldOf(stringAt(fieldRef, "fieldPath"));
  return { names: strings.sort(compareBytes), clause, ...(source === undefined ? {} : { source }) };
}

/** The env entries to copy; `missing` is called for each one that the pod does not have. */
export function transferred(
  transfers: readonly Transfer[],
  pod: PodView,
  annotations: ReadonlyMap<string, string>,
  missing: (transfer: Transfer, name: string, container: string) => void,
): readonly Transferred[] {
  return transfers.flatMap((transfer) => {
    const container = containerOf(transfer.source, pod, annotations);
    return transfer.names.flatMap((name) => {
      const entry = pod.envOf(container, name);
      if (entry !== undefined) return [{ entry, container, clause: transfer.clause }];
      missing(transfer, name, container);
      return [];
    });
  });
}

function containerOf(
  source: Transfer["source"],
  pod: PodView,
  annotations: ReadonlyMap<string, string>,
): string {
  if (source === undefined || typeof source === "string") return source ?? "";
  return source.map === "labels" ? stringAt(pod.labels, source.key) : (annotations.get(source.key) ?? "");
}

/**
 * `metadata.labels['K']` or `metadata.annotations['K']`; nothing else is supported (pkg/control/sidecarcontrol/util.go,
 * ExtractContainerNameFromFieldPath).
 */
function fieldOf(path: string): Transfer["source"] {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(path) ?? [];
  if (map === undefined || key === undefined) return undefined;
  const isName = labelKeyFaults(map === "labels" ? key : key.toLowerCase()).length === 0;
  return isName ? { map: map === "labels" ? "labels" : "annotations", key } : undefined;
}
