import { isObject, type JsonObject, own } from "antechamber";
import { stringAt } from "../../kruise/shared/read.ts";
import type { Annotations } from "./annotations.ts";
import { type Clause, type Fault, Unreadable } from "./clause.ts";
import { mergeTexts } from "./merge.ts";

/** Annotations that a SidecarSet adds, and how they combine with existing ones (`patchPodMetadata[]`). */
export interface MetadataPatch {
  readonly policy: string;
  readonly annotations: readonly (readonly [key: string, value: string])[];
  readonly clause: Clause;
}

/** Reads one item of `patchPodMetadata`. */
export function metadataPatchOf(item: JsonObject, clause: Clause): MetadataPatch {
  const annotations = own(item, "annotations") ?? {};
  const at = { ...clause, path: [...clause.path, "annotations"] };
  if (!isObject(annotations)) throw new Unreadable({ clause: at, message: "must be an object" });
  const entries = Object.entries(annotations).map(([key, value]) => {
    if (typeof value === "string") return [key, value] as const;
    throw new Unreadable({ clause: { ...at, path: [...at.path, key] }, message: "must be a string" });
  });
  return { policy: stringAt(item, "patchPolicy"), annotations: entries, clause };
}

/** Applies the annotation patches in order; a value that cannot be merged is a fault. */
export function patchMetadata(annotations: Annotations, patches: readonly MetadataPatch[]): readonly Fault[] {
  return patches.flatMap(({ policy, annotations: entries, clause }) =>
    entries.flatMap(([key, patch]) => {
      const value = patched(policy, annotations.get(key), patch);
      if (typeof value === "object") {
        return [{ clause: { ...clause, path: [...clause.path, "annotations", key] }, message: value.fault }];
      }
      if (value !== undefined) annotations.set(key, value, [clause]);
      return [];
    }),
  );
}

/**
 * The new value of an annotation; undefined if it stays. `Retain` sets it if it is absent, `Overwrite` always,
 * `MergePatchJson` merges; any other policy does nothing (OpenKruise, pkg/control/sidecarcontrol/util.go, PatchPodMetadata).
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
