import type { Json } from "../json/json.ts";
import type { Pointer } from "./pointer.ts";
import type { Sizer } from "./text-size.ts";

/** One operation of a draft, its path still a pointer. */
export type DraftOperation =
  | { readonly op: "add" | "replace"; readonly pointer: Pointer; readonly value: Json }
  | { readonly op: "remove"; readonly pointer: Pointer };

/** Operations that will become a patch, and about how many bytes they will take as text. */
export interface Draft {
  readonly operations: readonly DraftOperation[];
  readonly size: number;
}

/** The draft that changes nothing. */
export const nothing: Draft = { operations: [], size: 0 };

/** Differences below this depth are not narrowed down any further, since the recursion would exhaust the stack. */
export const deepest = 1000;

/** The size of an operation without its path and value: `{"op":"replace","path":"","value":},`. */
const frame = 34;

/** A draft that puts a value at a pointer. */
export function put(op: "add" | "replace", pointer: Pointer, value: Json, sizer: Sizer): Draft {
  const size = frame + pointer.length + sizer.sizeOf(value, deepest - pointer.depth);
  return { operations: [{ op, pointer, value }], size };
}

/** A draft that removes the value at a pointer. */
export function remove(pointer: Pointer): Draft {
  return { operations: [{ op: "remove", pointer }], size: frame + pointer.length };
}

/** Several drafts, one after the other. */
export function join(drafts: readonly Draft[]): Draft {
  let only = nothing;
  let operations: DraftOperation[] | undefined;
  let size = 0;
  for (const draft of drafts) {
    if (draft === nothing) continue;
    size += draft.size;
    if (only === nothing) only = draft;
    else {
      operations ??= [...only.operations];
      for (const step of draft.operations) operations.push(step);
    }
  }
  return operations === undefined ? only : { operations, size };
}

/** The draft, or a single operation that replaces the whole value, if that is shorter by more than the slack. */
export function shorter(draft: Draft, pointer: Pointer, value: Json, sizer: Sizer, slack: number): Draft {
  if (draft.operations.length < 2 || pointer.depth === 0) return draft;
  const limit = draft.size - slack - frame - pointer.length;
  if (limit <= 0 || sizer.sizeOf(value, deepest - pointer.depth, limit) >= limit) return draft;
  return put("replace", pointer, value, sizer);
}
