import { compareBytes } from "../../../src/go/text.ts";
import { get, type Json, type JsonObject, own } from "../../../src/json/json.ts";
import { labelKeyFaults } from "../../../src/names.ts";
import type { Clause } from "./clause.ts";
import { textAt } from "./json-text.ts";
import type { PodView } from "./pod-view.ts";

/** Env that a sidecar takes over from a container of the pod (`transferEnv[]`). */
export interface Transfer {
  /** In the order of their bytes, each once. */
  readonly names: readonly string[];
  /** The container's name, or the label or annotation of the pod that says it; absent where nothing can be found. */
  readonly source?: string | { readonly map: "labels" | "annotations"; readonly key: string };
  readonly clause: Clause;
}

/** An env entry that was taken over, and from which container. */
export interface Transferred {
  readonly entry: Json;
  readonly container: string;
  readonly clause: Clause;
}

/** Reads one item of `transferEnv`. A `sourceContainerNameFrom` without a fieldRef counts as absent. */
export function transferOf(item: JsonObject, clause: Clause): Transfer {
  const envNames = own(item, "envNames");
  const names = new Set([textAt(item, "envName"), ...(Array.isArray(envNames) ? envNames : [])]);
  const texts = [...names].filter((name): name is string => typeof name === "string" && name !== "");
  const fieldRef = get(item, "sourceContainerNameFrom", "fieldRef") ?? null;
  const source =
    fieldRef === null ? textAt(item, "sourceContainerName") : fieldOf(textAt(fieldRef, "fieldPath"));
  return { names: texts.sort(compareBytes), clause, ...(source === undefined ? {} : { source }) };
}

/** What a pod has of the env that a sidecar asks for; what it does not have is left out, and told to `missing`. */
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
  return source.map === "labels" ? textAt(pod.labels, source.key) : (annotations.get(source.key) ?? "");
}

/** `metadata.labels['K']` or `metadata.annotations['K']`; nothing else is looked up (sidecarset.md 2.6). */
function fieldOf(path: string): Transfer["source"] {
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/s.exec(path) ?? [];
  if (map === undefined || key === undefined) return undefined;
  const isName = labelKeyFaults(map === "labels" ? key : key.toLowerCase()).length === 0;
  return isName ? { map: map === "labels" ? "labels" : "annotations", key } : undefined;
}
