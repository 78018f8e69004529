import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonArray, type JsonObject } from "../json/json.ts";

import { deepest } from "./draft.ts";
import { indexesByKey } from "./keyed.ts";
import { type KeysOf, noKeys } from "./patch.ts";
import { below, type Pointer, pathOf, root } from "./pointer.ts";

/**
 * Applies the change from `before` to `after` to the origin: what these two agree on stays in the origin, whether they
 * show it or not. `before` is an image of the origin, `after` one of the changed object. Objects change by key, lists by
 * the keys of their items if these are unique in all three; anything else that differs becomes the value of `after`. What
 * `after` no longer has is removed with everything in it.
 */
export function amend(origin: JsonObject, before: JsonObject, after: JsonObject, keysOf?: KeysOf): JsonObject;
export function amend(origin: Json, before: Json, after: Json, keysOf?: KeysOf): Json;
export function amend(origin: Json, before: Json, after: Json, keysOf: KeysOf = noKeys): Json {
  const amended = amendValue(origin, before, after, root, keysOf);
  return amended === undefined ? after : amended;
}

type Optional = Json | undefined;

/** Any of the three may be absent, and so may be the result. */
function amendValue(
  origin: Optional,
  before: Optional,
  after: Optional,
  pointer: Pointer,
  keysOf: KeysOf,
): Optional {
  if (before === after) return origin;
  if (origin === undefined && before === undefined) return after;
  if (pointer.depth < deepest) {
    if (isPart(origin) && isPart(before) && isObject(after)) {
      return amendObject(origin, before, after, pointer, keysOf);
    }
    if (isArray(origin) && isArray(before) && isArray(after)) {
      return amendList(origin, before, after, pointer, keysOf);
    }
  }
  return equal(before, after) ? origin : after;
}

/** Whether a value is an object or absent: an absent object comes into being with its first key. */
function isPart(value: Optional): value is JsonObject | undefined {
  return value === undefined || isObject(value);
}

function amendObject(
  origin: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject,
  pointer: Pointer,
  keysOf: KeysOf,
): JsonObject | undefined {
  const changes = new Map<string, Optional>();
  for (const key of new Set([...Object.keys(before ?? {}), ...Object.keys(after)])) {
    const was = get(before, key);
    const is = get(after, key);
    if (was === is) continue;
    const had = get(origin, key);
    const amended = amendValue(had, was, is, below(pointer, key), keysOf);
    if (amended !== had) changes.set(key, amended);
  }
  return changes.size === 0 ? origin : withChanges(origin ?? {}, changes);
}

/** The object with some keys set, in their old order if they existed, and those that became absent removed. */
function withChanges(object: JsonObject, changes: ReadonlyMap<string, Optional>): JsonObject {
  const entries = new Map<string, Optional>([...Object.entries(object), ...changes]);
  return Object.fromEntries([...entries].filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function amendList(
  origin: JsonArray,
  before: JsonArray,
  after: JsonArray,
  pointer: Pointer,
  keysOf: KeysOf,
): JsonArray {
  const keys = keysOf(pathOf(pointer));
  const had = keys && indexesByKey(origin, keys);
  const was = had && indexesByKey(before, keys);
  const is = was && indexesByKey(after, keys);
  if (!is) return equal(before, after) ? origin : after;
  const amended = new Map<string, Optional>();
  for (const [key, index] of is) {
    const [item, shown] = [itemAt(origin, had.get(key)), itemAt(before, was.get(key))];
    amended.set(key, amendItem(item, shown, after[index], below(pointer, index), keysOf));
  }
  const kept = [...had.keys()].filter((key) => is.has(key) || !was.has(key));
  const wanted = [...is.keys()].filter((key) => amended.get(key) !== undefined);
  const order = sameOrder(was, is) ? weave(kept, wanted) : weave(wanted, kept);
  const list = order
    .map((key) => amended.get(key) ?? itemAt(origin, had.get(key)))
    .filter((item) => item !== undefined);
  return list.length === origin.length && list.every((item, index) => item === origin[index]) ? origin : list;
}

/** A changed item that the origin lacks is added whole: a part of it would lack the key. */
function amendItem(
  origin: Optional,
  before: Optional,
  after: Optional,
  pointer: Pointer,
  keysOf: KeysOf,
): Optional {
  if (origin === undefined) return equal(before, after) ? undefined : after;
  return amendValue(origin, before, after, pointer, keysOf);
}

function itemAt(list: JsonArray, pointer: number | undefined): Optional {
  return pointer === undefined ? undefined : list[pointer];
}

/** Whether the items that two keyed lists share stand in the same order. */
function sameOrder(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  const indexes = [...after.keys()].map((key) => before.get(key)).filter((pointer) => pointer !== undefined);
  return indexes.every((pointer, index) => index === 0 || pointer > (indexes[index - 1] ?? pointer));
}

/** Merges two lists of keys: the first in its order, each other key behind the shared key that it follows in the second. */
function weave(fixed: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(fixed);
  const front: string[] = [];
  const followers = new Map(fixed.map((key): [string, string[]] => [key, []]));
  let current = front;
  for (const key of others) {
    if (known.has(key)) current = followers.get(key) ?? front;
    else current.push(key);
  }
  return [...front, ...fixed.flatMap((key) => [key, ...(followers.get(key) ?? [])])];
}
