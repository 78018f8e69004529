import fc from "fast-check";
import { image } from "../conversion/ladder.ts";
import type { JsonObject } from "../json/json.ts";
import type { Kind, Version } from "../kind.ts";
import { bareOf, contentOf } from "./bare.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { type Place, placesBelow } from "./places.ts";
import type { Setting } from "./setting.ts";

/** One version and another that its objects are tried on; one of the two is the hub. */
export interface Pair {
  readonly kind: Kind;
  readonly from: Version;
  readonly to: Version;
  /** The places of `from`'s schema that its users write. */
  readonly places: readonly Place[];
  /** Objects of `from`: examples first, then valid ones made from its schema. */
  readonly objects: readonly JsonObject[];
  /** What `to` shows of an object's content, by the lenses alone. */
  readonly shown: (content: JsonObject) => JsonObject;
}

/** Objects made from a schema. More would find hardly more. */
const drawn = 200;

/** A pair of a kind's versions. Its objects are drawn by the seed. */
export function pairOf(setting: Setting, from: number, to: number, seed: number): Pair {
  const { kind, objects } = setting;
  const made = fc.sample(objects[from]?.valid ?? fc.constant({}), { numRuns: drawn, seed });
  const examples = kind.examples.filter(({ version }) => version === from).map(({ object }) => object);
  const version = kind.versions[from] ?? kind.hub;
  return {
    kind,
    from: version,
    to: kind.versions[to] ?? kind.hub,
    places: placesBelow(contentSchemaOf(version.entry)),
    objects: [...examples, ...made],
    shown: (content) => image(content, kind.ladder, from, to),
  };
}

/** What an object's users wrote: neither identity, nor metadata, nor anything of the engine's. */
export function contentsOf({ objects }: Pair): readonly JsonObject[] {
  return objects.map((object) => contentOf(bareOf(object)));
}
