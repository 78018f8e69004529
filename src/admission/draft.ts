import type { Json } from "../json/json.ts";
import type { Place } from "./place.ts";
import type { Scale } from "./scale.ts";

/** One operation of a patch in the making. */
export type Step =
  | { readonly op: "add" | "replace"; readonly place: Place; readonly value: Json }
  | { readonly op: "remove"; readonly place: Place };

/** A patch in the making, and about how many bytes it will be. */
export interface Draft {
  readonly steps: readonly Step[];
  readonly weight: number;
}

/** The draft that changes nothing. */
export const nothing: Draft = { steps: [], weight: 0 };

/** Below this many steps no difference is narrowed down any further: the stack holds only so many calls. */
export const deepest = 1000;

/** What an operation weighs without its path and value: `{"op":"replace","path":"","value":},`. */
const frame = 34;

/** A draft that puts a value at a place. */
export function put(op: "add" | "replace", place: Place, value: Json, scale: Scale): Draft {
  const weight = frame + place.length + scale.weigh(value, deepest - place.depth);
  return { steps: [{ op, place, value }], weight };
}

/** A draft that takes away what stands at a place. */
export function remove(place: Place): Draft {
  return { steps: [{ op: "remove", place }], weight: frame + place.length };
}

/** Several drafts, one after the other. */
export function join(drafts: readonly Draft[]): Draft {
  let only = nothing;
  let steps: Step[] | undefined;
  let weight = 0;
  for (const draft of drafts) {
    if (draft === nothing) continue;
    weight += draft.weight;
    if (only === nothing) only = draft;
    else {
      steps ??= [...only.steps];
      for (const step of draft.steps) steps.push(step);
    }
  }
  return steps === undefined ? only : { steps, weight };
}

/** The draft, or one step that puts the whole value there when that is shorter by more than the patience. */
export function shorter(draft: Draft, place: Place, value: Json, scale: Scale, patience: number): Draft {
  if (draft.steps.length < 2 || place.depth === 0) return draft;
  const limit = draft.weight - patience - frame - place.length;
  if (limit <= 0 || scale.weigh(value, deepest - place.depth, limit) >= limit) return draft;
  return put("replace", place, value, scale);
}
