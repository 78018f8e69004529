import type { Json } from "../json/json.ts";
import { type Path, pointerOf } from "../json/path.ts";
import type { Scale } from "./scale.ts";

/** One step of a JSON Patch (RFC 6902). The API server knows more of them; these three say everything. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** A patch in the making, and about how many bytes it is. */
export interface Draft {
  readonly operations: readonly PatchOperation[];
  readonly weight: number;
}

/** The draft that changes nothing. */
export const nothing: Draft = { operations: [], weight: 0 };

/** Below this many steps no difference is narrowed down any further: the stack holds only so many calls. */
export const deepest = 1000;

/** What an operation weighs without its path and value: `{"op":"replace","path":"","value":},`. */
const frame = 34;

/** A draft that puts a value at a path. */
export function put(op: "add" | "replace", path: Path, value: Json, scale: Scale): Draft {
  const operation: PatchOperation = { op, path: pointerOf(path), value };
  const weight = frame + operation.path.length + scale.weigh(value, deepest - path.length);
  return { operations: [operation], weight };
}

/** A draft that takes away what stands at a path. */
export function remove(path: Path): Draft {
  const operation: PatchOperation = { op: "remove", path: pointerOf(path) };
  return { operations: [operation], weight: frame + operation.path.length };
}

/** Several drafts, one after the other. */
export function join(drafts: readonly Draft[]): Draft {
  const told = drafts.filter((draft) => draft !== nothing);
  const [first] = told;
  if (first === undefined || told.length === 1) return first ?? nothing;
  return {
    operations: told.flatMap((draft) => draft.operations),
    weight: told.reduce((sum, draft) => sum + draft.weight, 0),
  };
}

/** The draft, or one operation that puts the whole value there when that is shorter by more than the patience. */
export function shorter(draft: Draft, path: Path, value: Json, scale: Scale, patience: number): Draft {
  if (draft.operations.length < 2 || path.length === 0) return draft;
  const limit = draft.weight - patience - frame - pointerOf(path).length;
  if (limit <= 0 || scale.weigh(value, deepest - path.length, limit) >= limit) return draft;
  return put("replace", path, value, scale);
}
