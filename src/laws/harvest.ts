import { isArray, isObject, type Json } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { bareOf } from "./bare.ts";
import type { Engine } from "./engine.ts";

/** The values in examples, by their place in the schema: `spec.lights[].brightness`. */
export type Harvest = ReadonlyMap<string, readonly Json[]>;

/**
 * Few values for each place, so that drawn objects often agree, which is when lenses of different versions interact.
 */
const most = 6;

/** The values in a kind's examples for each version: in its own examples, and in the others converted to it. */
export function harvestsOf(kind: Kind, engine: Engine): readonly Harvest[] {
  return kind.versions.map((_, to) => {
    const found = new Map<string, Json[]>();
    for (const { object, version } of kind.examples) {
      gather(bareOf(engine.convert(object, kind.chain, version, to)), "", found);
    }
    return found;
  });
}

/** The place of a field below another place. */
export function placeBelow(place: string, key: string): string {
  return place === "" ? key : `${place}.${key}`;
}

function gather(value: Json, place: string, found: Map<string, Json[]>): void {
  const known = found.get(place) ?? [];
  const text = JSON.stringify(value);
  if (known.length < most && !known.some((each) => JSON.stringify(each) === text)) {
    found.set(place, [...known, value]);
  }
  if (isArray(value)) for (const item of value) gather(item, `${place}[]`, found);
  else if (isObject(value)) {
    for (const [key, below] of Object.entries(value)) gather(below, placeBelow(place, key), found);
  }
}
