import { equal } from "../json/equal.ts";
import { isArray, isObject, type Json, type JsonArray, type JsonObject, own } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Alignment, alignByIdentity, alignByKey, alignByPlace } from "./alignment.ts";
import { type Draft, deepest, join, nothing, put, remove, type Step, shorter } from "./draft.ts";
import { placesByKey } from "./keyed.ts";
import { below, type Place, pathOf, pointerTo, root } from "./place.ts";
import { newScale, type Scale } from "./scale.ts";

/** One step of a JSON Patch (RFC 6902). The API server knows more of them; these three say everything. */
export type PatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** By which fields the items of the list at a path are told apart; undefined where nothing but their place tells. */
export type KeysOf = (path: Path) => readonly string[] | undefined;

/**
 * What must be told to `before` for it to become `after`, in the order in which it must be told. Subtrees that both
 * share are not walked. Items of lists are named by index, never by `-`: every path then says by itself where
 * something stands, and the API server takes an index equal to the length (evanphx/json-patch, `partialArray.add`).
 */
export function diff(before: Json, after: Json, keysOf: KeysOf = noKeys): readonly PatchOperation[] {
  return stepsBetween(before, after, keysOf).map(operationOf);
}

/** The same with places in the stead of paths, for whoever writes the patch. */
export function stepsBetween(before: Json, after: Json, keysOf: KeysOf = noKeys): readonly Step[] {
  return change(before, after, root, { keysOf, scale: newScale() }).steps;
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

function change(before: Json, after: Json, place: Place, tools: Tools): Draft {
  if (before === after) return nothing;
  if (place.depth < deepest) {
    if (isArray(before) && isArray(after)) return changeList(before, after, place, tools);
    if (isObject(before) && isObject(after)) return changeObject(before, after, place, tools);
  }
  return equal(before, after) ? nothing : put("replace", place, after, tools.scale);
}

function changeObject(before: JsonObject, after: JsonObject, place: Place, tools: Tools): Draft {
  const drafts: Draft[] = [];
  for (const key in before) {
    const was = before[key] as Json;
    const is = own(after, key);
    if (is === was) continue;
    drafts.push(is === undefined ? remove(below(place, key)) : change(was, is, below(place, key), tools));
  }
  for (const key in after) {
    if (own(before, key) === undefined) {
      drafts.push(put("add", below(place, key), after[key] as Json, tools.scale));
    }
  }
  return shorter(join(drafts), place, after, tools.scale, patience);
}

/** Removals from the end, so that the indexes in front hold; then, from the front, each item where it stands in the end. */
function changeList(before: JsonArray, after: JsonArray, place: Place, tools: Tools): Draft {
  const { places, same, orderly } = align(before, after, tools.keysOf(pathOf(place)));
  const taken = new Set(places);
  const drafts: Draft[] = [];
  for (let index = before.length - 1; index >= 0; index -= 1) {
    if (!taken.has(index)) drafts.push(remove(below(place, index)));
  }
  for (const [index, is] of after.entries()) {
    const origin = places[index];
    const was = origin === undefined ? undefined : before[origin];
    if (was === is) continue;
    const here = below(place, index);
    if (origin === undefined || was === undefined) drafts.push(put("add", here, is, tools.scale));
    else drafts.push(changeItem(was, is, here, tools, same.has(origin) ? patience : 0));
  }
  return shorter(join(drafts), place, after, tools.scale, orderly ? patience : 0);
}

function changeItem(was: Json, is: Json, place: Place, tools: Tools, patience: number): Draft {
  return shorter(change(was, is, place, tools), place, is, tools.scale, patience);
}

function align(before: JsonArray, after: JsonArray, keys: readonly string[] | undefined): Alignment {
  const grown = keys && alignByIdentity(before, after);
  if (grown !== undefined) return grown;
  const was = keys && placesByKey(before, keys);
  const is = was && placesByKey(after, keys);
  return is ? alignByKey(was, is) : alignByPlace(before, after);
}

function operationOf(step: Step): PatchOperation {
  const path = pointerTo(step.place);
  return step.op === "remove" ? { op: step.op, path } : { op: step.op, path, value: step.value };
}
