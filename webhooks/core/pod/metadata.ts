import { isObject, type JsonObject, own } from "antechamber";
import { stringAt } from "../../kruise/shared/read.ts";
import type { Annotations } from "./annotations.ts";
import { type Clause, type Fault, Unreadable } from "./clause.ts";
import { mergeTexts } from "./merge.ts";

/** Annotations that a SidecarSet asks for, and what becomes of those that are there (`patchPodMetadata[]`). */
export interface MetadataPatch {
  readonly policy: string;
  readonly annotations: readonly (readonly [key: string, value: string])[];
  readonly clause: Clause;
}

/** Reads one item of `patchPodMetadata`. */
export function metadataPatchOf(item: JsonObject, clause: Clause): MetadataPatch {
  const annotations = own(item, "annotations") ?? {};
  const at = { ...clause, path: [...clause.path, "annotations"] };
  if (!isObject(annotations)) throw new Unreadable({ clause: at, sentence: "must be an object" });
  const entries = Object.entries(annotations).map(([key, value]) => {
    if (typeof value === "string") return [key, value] as const;
    throw new Unreadable({ clause: { ...at, path: [...at.path, key] }, sentence: "must be a text" });
  });
  return { policy: stringAt(item, "patchPolicy"), annotations: entries, clause };
}

/** Sets the annotations that SidecarSets ask for, one after the other; what cannot be merged is a fault. */
export function patchMetadata(annotations: Annotations, patches: readonly MetadataPatch[]): readonly Fault[] {
  return patches.flatMap(({ policy, annotations: entries, clause }) =>
    entries.flatMap(([key, patch]) => {
      const value = patched(policy, annotations.get(key), patch);
      if (typeof value === "object") {
        return [{ clause: { ...clause, path: [...clause.path, "annotations", key] }, sentence: value.fault }];
      }
      if (value !== undefined) annotations.set(key, value, [clause]);
      return [];
    }),
  );
}

/**
 * What an annotation becomes; undefined where it stays. `Retain` sets what is absent, `Overwrite` always,
 * `MergePatchJson` merges; any other policy does nothing (sidecarset.md 2.4).
 */
function patched(
  policy: string,
  value: string | undefined,
  patch: string,
): string | undefined | { readonly fault: string } {
  switch (policy) {
    case "":
    case "Retain":
      return value === undefined ? patch : undefined;
    case "Overwrite":
      return patch;
    case "MergePatchJson": {
      if (value === undefined || value === "") return patch;
      const merged = mergeTexts(value, patch);
      return "fault" in merged ? merged : merged.text;
    }
    default:
      return undefined;
  }
}
