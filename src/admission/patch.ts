import { equal } from "../json/equal.ts";
import { fieldAt, isArray, isObject, type Json, type JsonArray, type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Alignment, alignByIdentity, alignByKey, alignByPosition } from "./alignment.ts";
import { type Draft, type DraftOperation, deepest, join, nothing, put, remove, shorter } from "./draft.ts";
import { indexesByKey } from "./keyed.ts";
import { below, type Pointer, pathOf, root, writePointer } from "./pointer.ts";
import { newSizer, type Sizer } from "./text-size.ts";

/** One operation of a JSON Patch (RFC 6902). These three of its six can express every change. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** The fields that identify the items of the list at a path; undefined for a list whose items only have an index. */
export type KeysOf = (path: Path) => readonly string[] | undefined;

/**
 * The operations that turn `before` into `after`, in the order in which they have to be applied. Subtrees that both share
 * as the same JavaScript value are not compared. List items are addressed by index, never by `-`, so that every path names
 * one place; the API server accepts an index equal to the length (evanphx/json-patch, `partialArray.add`).
 */
export function diff(before: Json, after: Json, keysOf: KeysOf = noKeys): readonly PatchOperation[] {
  return operationsBetween(before, after, keysOf).map(operationOf);
}

/** The same with pointers instead of paths, for `encodedPatch`. */
export function operationsBetween(
  before: Json,
  after: Json,
  keysOf: KeysOf = noKeys,
): readonly DraftOperation[] {
  return change(before, after, root, { keysOf, sizer: newSizer() }).operations;
}

/** For values of which no list is known to be keyed. */
export const noKeys: KeysOf = () => undefined;

// In bytes: a patch that names each change is easier to read than a shorter one that replaces a whole object. Without a
// limit, ten thousand changes with long paths would make the patch many times as large as the object.
const slack = 65_536;

/** What all parts of a comparison share. */
interface Tools {
  readonly keysOf: KeysOf;
  readonly sizer: Sizer;
}

function change(before: Json, after: Json, pointer: Pointer, tools: Tools): Draft {
  if (before === after) return nothing;
  if (pointer.depth < deepest) {
    if (isArray(before) && isArray(after)) return changeList(before, after, pointer, tools);
    if (isObject(before) && isObject(after)) return changeObject(before, after, pointer, tools);
  }
  return equal(before, after) ? nothing : put("replace", pointer, after, tools.sizer);
}

function changeObject(before: JsonObject, after: JsonObject, pointer: Pointer, tools: Tools): Draft {
  const drafts: Draft[] = [];
  for (const key in before) {
    const was = fieldAt(before, key);
    const is = own(after, key);
    if (is === was) continue;
    drafts.push(is === undefined ? remove(below(pointer, key)) : change(was, is, below(pointer, key), tools));
  }
  for (const key in after) {
    if (own(before, key) === undefined) {
      drafts.push(put("add", below(pointer, key), fieldAt(after, key), tools.sizer));
    }
  }
  return shorter(join(drafts), pointer, after, tools.sizer, slack);
}

/** Removes items from the end, so that the indexes before them stay valid; then changes or inserts items from the front. */
function changeList(before: JsonArray, after: JsonArray, pointer: Pointer, tools: Tools): Draft {
  const { indexes, same, orderly } = align(before, after, tools.keysOf(pathOf(pointer)));
  const taken = new Set(indexes);
  const drafts: Draft[] = [];
  for (let index = before.length - 1; index >= 0; index -= 1) {
    if (!taken.has(index)) drafts.push(remove(below(pointer, index)));
  }
  for (const [index, is] of after.entries()) {
    const origin = indexes[index];
    const was = origin === undefined ? undefined : before[origin];
    if (was === is) continue;
    const here = below(pointer, index);
    if (origin === undefined || was === undefined) drafts.push(put("add", here, is, tools.sizer));
    else drafts.push(changeItem(was, is, here, tools, same.has(origin) ? slack : 0));
  }
  return shorter(join(drafts), pointer, after, tools.sizer, orderly ? slack : 0);
}

function changeItem(was: Json, is: Json, pointer: Pointer, tools: Tools, slack: number): Draft {
  return shorter(change(was, is, pointer, tools), pointer, is, tools.sizer, slack);
}

function align(before: JsonArray, after: JsonArray, keys: readonly string[] | undefined): Alignment {
  const grown = keys && alignByIdentity(before, after);
  if (grown !== undefined) return grown;
  const was = keys && indexesByKey(before, keys);
  const is = was && indexesByKey(after, keys);
  return is ? alignByKey(was, is) : alignByPosition(before, after);
}

function operationOf(step: DraftOperation): PatchOperation {
  const path = writePointer(step.pointer);
  return step.op === "remove" ? { op: step.op, path } : { op: step.op, path, value: step.value };
}
