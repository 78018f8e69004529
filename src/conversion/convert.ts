import { isObject, type JsonObject } from "../json/json.ts";
import type { Lens } from "./lens.ts";

/** What conversion needs of one version: its name, its lens to the next newer version, what has a place in it. */
export interface Rung {
  /** `group/version`, as it stands in an object. */
  readonly apiVersion: string;
  readonly lens?: Lens;
  /** The part of an object that this version's schema has a place for. */
  readonly fit: (object: JsonObject) => JsonObject;
}

/** The versions of one kind, oldest first; the last one is the hub. */
export type Ladder = readonly Rung[];

/**
 * The object in another version, through the lenses between; at its own version as it is. Total: no object is refused, whatever its fields hold.
 * A value that is of a wrong type, or that has no place on either side, is not carried over. `apiVersion`, `kind`
 * and `metadata` are the engine's: metadata passes as it came, and is always there (kubernetes.md 1.3).
 */
export function convert(object: JsonObject, ladder: Ladder, from: number, to: number): JsonObject {
  if (from === to) return object;
  const { apiVersion: _, kind, metadata, ...content } = object;
  let here = fitAt(ladder, from, content);
  for (let at = from; at < to; at++) here = fitAt(ladder, at + 1, lensAt(ladder, at).up(here));
  for (let at = from; at > to; at--) here = fitAt(ladder, at - 1, lensAt(ladder, at - 1).down(here));
  return {
    apiVersion: rungAt(ladder, to).apiVersion,
    ...(kind === undefined ? {} : { kind }),
    metadata: isObject(metadata) ? metadata : {},
    ...here,
  };
}

function fitAt(ladder: Ladder, index: number, content: JsonObject): JsonObject {
  return rungAt(ladder, index).fit(content);
}

function lensAt(ladder: Ladder, index: number): Lens {
  const { lens } = rungAt(ladder, index);
  if (lens === undefined) throw new Error(`version ${index} of the ladder has no lens to the next`);
  return lens;
}

function rungAt(ladder: Ladder, index: number): Rung {
  const rung = ladder[index];
  if (rung === undefined) throw new Error(`the ladder has no version ${index}`);
  return rung;
}
