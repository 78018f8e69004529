import {
  define,
  fieldAt,
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/json.ts";
import { requireCodec } from "./functions.ts";

/**
 * Converts one value both ways, or the items of a list. Each way returns undefined for what the other version cannot express and for a wrong
 * type: the complement then keeps the value. Null never reaches a codec by itself; it may stand within a value.
 */
export interface Codec<Older = Json, Newer = Json> {
  // Methods, so that a codec of strings fits a field of plain JSON.
  up(older: Older): Newer | undefined;
  down(newer: Newer): Older | undefined;
  /** Why a value may come back as another one; undefined for a codec from which it comes back as it was. */
  readonly lossy?: string | undefined;
  readonly derived?: DerivedField | undefined;
}

/**
 * The field of a map's values that repeats the key of its entry, in the version that has the map. Clients of the other version say it
 * with the key, so that it needs a place of its own in a carrier.
 */
export interface DerivedField {
  readonly older?: string | undefined;
  readonly newer?: string | undefined;
}

/** A codec that may be called with any value, as all of the vocabulary may. */
export interface OpenCodec<Older = Json, Newer = Json> {
  up(older: unknown): Newer | undefined;
  down(newer: unknown): Older | undefined;
  readonly lossy?: string | undefined;
  readonly derived?: DerivedField | undefined;
}

/** A codec as an argument: its types are those that it returns, since one that may be called with any value says no more. */
interface GivenCodec<Older, Newer> {
  up(older: never): Newer | undefined;
  down(newer: never): Older | undefined;
  readonly lossy?: string | undefined;
  readonly derived?: DerivedField | undefined;
}

/**
 * The codec the other way round: `reverse(durationTo("s"))` has the number in the older version.
 * @throws {Error} if it is not a codec
 */
export function reverse<Older, Newer>(codec: GivenCodec<Older, Newer>): Codec<Newer, Older>;
export function reverse(codec: Codec): Codec {
  requireCodecs(codec);
  const { up, down, lossy, derived } = codec;
  return { up: down, down: up, lossy, derived: derived && { older: derived.newer, newer: derived.older } };
}

/**
 * Two codecs, one after the other.
 * @throws {Error} if one of them is not a codec
 */
export function chain<Older, Between, Newer>(
  first: GivenCodec<Older, Between>,
  second: GivenCodec<Between, Newer>,
): Codec<Older, Newer>;
export function chain(first: Codec, second: Codec): Codec {
  requireCodecs(first, second);
  return {
    up: (older) => {
      const between = first.up(older);
      return between === undefined ? undefined : second.up(between);
    },
    down: (newer) => {
      const between = second.down(newer);
      return between === undefined ? undefined : first.down(between);
    },
    lossy: first.lossy ?? second.lossy,
    derived: {
      older: first.derived?.older ?? second.derived?.older,
      newer: second.derived?.newer ?? first.derived?.newer,
    },
  };
}

/**
 * Converts each item of a list, or each value of a map. A list is converted as a whole or not at all, since a client that
 * saw a part of it would write a part of it back; a key of a map whose value cannot be converted is left out.
 * @throws {Error} if it is not given a codec
 */
export function eachValue<Older, Newer>(
  codec: GivenCodec<Older, Newer>,
): Codec<readonly Older[], readonly Newer[]> & Codec<MapOf<Older>, MapOf<Newer>>;
export function eachValue(codec: Codec): Codec {
  requireCodecs(codec);
  return {
    up: (older) => mapEach(older, (value) => (value === null ? undefined : codec.up(value))),
    down: (newer) => mapEach(newer, (value) => (value === null ? undefined : codec.down(value))),
    lossy: codec.lossy,
    derived: codec.derived,
  };
}

function requireCodecs(...codecs: readonly unknown[]): void {
  for (const codec of codecs) requireCodec(codec ?? null);
}

/** A map from names to values. */
type MapOf<Value> = { readonly [name: string]: Value };

function mapEach(value: Json, convert: (value: Json) => Json | undefined): Json | undefined {
  if (isArray(value)) return mapItems(value, convert);
  return isObject(value) ? mapValues(value, convert) : undefined;
}

function mapItems(
  list: readonly Json[],
  convert: (value: Json) => Json | undefined,
): readonly Json[] | undefined {
  const converted: Json[] = [];
  for (const item of list) {
    const result = convert(item);
    if (result === undefined) return undefined;
    converted.push(result);
  }
  return converted;
}

/** The map with each value converted, without the keys for which there is none; undefined if that leaves nothing of it. */
export function mapValues(
  map: JsonObject,
  convert: (value: Json) => Json | undefined,
): JsonObject | undefined {
  const converted: Record<string, Json> = {};
  for (const name in map) {
    const result = convert(fieldAt(map, name));
    if (result !== undefined) define(converted, name, result);
  }
  return hasNoFields(converted) && !hasNoFields(map) ? undefined : converted;
}
