import { isArray, isObject, type Json, type JsonArray, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { agree } from "./agree.ts";
import { type Alignment, alignByKey, alignByPlace } from "./alignment.ts";
import { type Draft, deepest, join, nothing, type PatchOperation, put, remove, shorter } from "./draft.ts";
import { placesByKey } from "./keyed.ts";
import { newScale, type Scale } from "./scale.ts";

export type { PatchOperation } from "./draft.ts";

/** By which fields the items of the list at a path are told apart; undefined where nothing but their place tells. */
export type KeysOf = (path: Path) => readonly string[] | undefined;

/**
 * What must be told to `before` for it to become `after`, in the order in which it must be told. Subtrees that both
 * share are not walked. Items of lists are named by index, never by `-`: every path then says by itself where
 * something stands, and the API server takes an index equal to the length (evanphx/json-patch, `partialArray.add`).
 */
export function diff(before: Json, after: Json, keysOf: KeysOf = noKeys): readonly PatchOperation[] {
  return change(before, after, [], { keysOf, scale: newScale() }).operations;
}

/** For values of which no list is known to be keyed. */
export const noKeys: KeysOf = () => undefined;

// A patch that names each change is easier to read than a shorter one that repeats a whole object. It ends where
// ten thousands of changes with long paths would make the patch many times the object.
const patience = 65_536;

/** What is at hand on the whole walk. */
interface Tools {
  readonly keysOf: KeysOf;
  readonly scale: Scale;
}

function change(before: Json, after: Json, path: Path, tools: Tools): Draft {
  if (before === after) return nothing;
  if (path.length < deepest) {
    if (isArray(before) && isArray(after)) return changeList(before, after, path, tools);
    if (isObject(before) && isObject(after)) return changeObject(before, after, path, tools);
  }
  return agree(before, after) ? nothing : put("replace", path, after, tools.scale);
}

function changeObject(before: JsonObject, after: JsonObject, path: Path, tools: Tools): Draft {
  const drafts: Draft[] = [];
  for (const [key, was] of Object.entries(before)) {
    const is = Object.hasOwn(after, key) ? after[key] : undefined;
    if (is === was) continue;
    drafts.push(is === undefined ? remove([...path, key]) : change(was, is, [...path, key], tools));
  }
  for (const [key, is] of Object.entries(after)) {
    if (!Object.hasOwn(before, key)) drafts.push(put("add", [...path, key], is, tools.scale));
  }
  return shorter(join(drafts), path, after, tools.scale, patience);
}

/** Removals from the end, so that the indexes in front hold; then, from the front, each item where it stands in the end. */
function changeList(before: JsonArray, after: JsonArray, path: Path, tools: Tools): Draft {
  const { places, same, orderly } = align(before, after, tools.keysOf(path));
  const taken = new Set(places);
  const drafts: Draft[] = [];
  for (let index = before.length - 1; index >= 0; index -= 1) {
    if (!taken.has(index)) drafts.push(remove([...path, index]));
  }
  for (const [index, is] of after.entries()) {
    const place = places[index];
    const was = place === undefined ? undefined : before[place];
    if (was === is) continue;
    const here = [...path, index];
    if (place === undefined || was === undefined) drafts.push(put("add", here, is, tools.scale));
    else drafts.push(changeItem(was, is, here, tools, same.has(place) ? patience : 0));
  }
  return shorter(join(drafts), path, after, tools.scale, orderly ? patience : 0);
}

function changeItem(was: Json, is: Json, path: Path, tools: Tools, patience: number): Draft {
  return shorter(change(was, is, path, tools), path, is, tools.scale, patience);
}

function align(before: JsonArray, after: JsonArray, keys: readonly string[] | undefined): Alignment {
  const was = keys && placesByKey(before, keys);
  const is = was && placesByKey(after, keys);
  return is ? alignByKey(was, is) : alignByPlace(before, after);
}
