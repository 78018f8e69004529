import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json, type JsonArray, type JsonObject } from "../json/json.ts";

import { deepest } from "./draft.ts";
import { placesByKey } from "./keyed.ts";
import { type KeysOf, noKeys } from "./patch.ts";
import { below, type Place, pathOf, root } from "./place.ts";

/**
 * The origin with the change from `before` to `after` done to it: what these two agree on stays in the origin as it
 * is there, shown by them or not. `before` is an image of the origin, `after` one of the changed object. Objects
 * change by key, lists by the keys of their items when all three tell them apart; whatever else differs becomes what
 * `after` says. What `after` no longer has goes with all that was in it.
 */
export function amend(origin: JsonObject, before: JsonObject, after: JsonObject, keysOf?: KeysOf): JsonObject;
export function amend(origin: Json, before: Json, after: Json, keysOf?: KeysOf): Json;
export function amend(origin: Json, before: Json, after: Json, keysOf: KeysOf = noKeys): Json {
  const amended = amendValue(origin, before, after, root, keysOf);
  return amended === undefined ? after : amended;
}

type Perhaps = Json | undefined;

/** Any of the three may be absent, and so may be what comes of them. */
function amendValue(origin: Perhaps, before: Perhaps, after: Perhaps, place: Place, keysOf: KeysOf): Perhaps {
  if (before === after) return origin;
  if (origin === undefined && before === undefined) return after;
  if (place.depth < deepest) {
    if (isPart(origin) && isPart(before) && isObject(after)) {
      return amendObject(origin, before, after, place, keysOf);
    }
    if (isArray(origin) && isArray(before) && isArray(after)) {
      return amendList(origin, before, after, place, keysOf);
    }
  }
  return equal(before, after) ? origin : after;
}

/** Whether a value is an object or absent: an absent object has no keys, and comes to be with its first. */
function isPart(value: Perhaps): value is JsonObject | undefined {
  return value === undefined || isObject(value);
}

function amendObject(
  origin: JsonObject | undefined,
  before: JsonObject | undefined,
  after: JsonObject,
  place: Place,
  keysOf: KeysOf,
): JsonObject | undefined {
  const changes = new Map<string, Perhaps>();
  for (const key of new Set([...Object.keys(before ?? {}), ...Object.keys(after)])) {
    const was = get(before, key);
    const is = get(after, key);
    if (was === is) continue;
    const had = get(origin, key);
    const amended = amendValue(had, was, is, below(place, key), keysOf);
    if (amended !== had) changes.set(key, amended);
  }
  return changes.size === 0 ? origin : withChanges(origin ?? {}, changes);
}

/** The object with some keys set, in their old place if they had one, and those that became absent taken out. */
function withChanges(object: JsonObject, changes: ReadonlyMap<string, Perhaps>): JsonObject {
  const entries = new Map<string, Perhaps>([...Object.entries(object), ...changes]);
  return Object.fromEntries([...entries].filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

function amendList(
  origin: JsonArray,
  before: JsonArray,
  after: JsonArray,
  place: Place,
  keysOf: KeysOf,
): JsonArray {
  const keys = keysOf(pathOf(place));
  const had = keys && placesByKey(origin, keys);
  const was = had && placesByKey(before, keys);
  const is = was && placesByKey(after, keys);
  if (!is) return equal(before, after) ? origin : after;
  const amended = new Map<string, Perhaps>();
  for (const [key, index] of is) {
    const [item, shown] = [itemAt(origin, had.get(key)), itemAt(before, was.get(key))];
    amended.set(key, amendItem(item, shown, after[index], below(place, index), keysOf));
  }
  const kept = [...had.keys()].filter((key) => is.has(key) || !was.has(key));
  const wanted = [...is.keys()].filter((key) => amended.get(key) !== undefined);
  const order = sameOrder(was, is) ? weave(kept, wanted) : weave(wanted, kept);
  const list = order
    .map((key) => amended.get(key) ?? itemAt(origin, had.get(key)))
    .filter((item) => item !== undefined);
  return list.length === origin.length && list.every((item, index) => item === origin[index]) ? origin : list;
}

/** A changed item that the origin lacks comes whole: a part of it would lack the key that tells it apart. */
function amendItem(origin: Perhaps, before: Perhaps, after: Perhaps, place: Place, keysOf: KeysOf): Perhaps {
  if (origin === undefined) return equal(before, after) ? undefined : after;
  return amendValue(origin, before, after, place, keysOf);
}

function itemAt(list: JsonArray, place: number | undefined): Perhaps {
  return place === undefined ? undefined : list[place];
}

/** Whether the items that two keyed lists share stand in the same order. */
function sameOrder(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): boolean {
  const places = [...after.keys()].map((key) => before.get(key)).filter((place) => place !== undefined);
  return places.every((place, index) => index === 0 || place > (places[index - 1] ?? place));
}

/** One sequence of two: the hosts in their order, each guest that is no host behind the host it follows among the guests. */
function weave(hosts: readonly string[], guests: readonly string[]): readonly string[] {
  const settled = new Set(hosts);
  const front: string[] = [];
  const behind = new Map(hosts.map((host): [string, string[]] => [host, []]));
  let company = front;
  for (const key of guests) {
    if (settled.has(key)) company = behind.get(key) ?? front;
    else company.push(key);
  }
  return [...front, ...hosts.flatMap((host) => [host, ...(behind.get(host) ?? [])])];
}
