import fc from "fast-check";
import { image } from "../conversion/version-chain.ts";
import type { JsonObject } from "../json/json.ts";
import type { Kind, Version } from "../kind/kind.ts";
import { bareOf, contentOf } from "./bare.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { objectsOf } from "./objects.ts";
import { placesBelow, type SchemaPlace } from "./places.ts";
import type { Setting } from "./setting.ts";
import { suggestionsOf } from "./suggestions.ts";

/** A version and the version that its objects are converted to; one of the two is the hub. */
export interface Pair {
  readonly kind: Kind;
  readonly from: Version;
  readonly to: Version;
  /** The places of `from`'s schema that users write. */
  readonly places: readonly SchemaPlace[];
  /**
   * Objects of `from` with its defaults: first its examples, then valid ones drawn from its schema, with values that its fields
   * suggest.
   */
  readonly objects: readonly JsonObject[];
  /** The content of an object in `to`, by the lenses alone. */
  readonly shown: (content: JsonObject) => JsonObject;
}

/** The number of objects drawn from a schema. More would hardly find more. */
const drawn = 200;

/** A pair of a kind's versions. Its objects are drawn by the seed. */
export function pairOf(setting: Setting, from: number, to: number, seed: number): Pair {
  const { kind } = setting;
  const made = fc.sample(objectsOf(kind, from, suggestionsOf(kind, from)).valid, { numRuns: drawn, seed });
  const examples = kind.examples.filter(({ version }) => version === from).map(({ object }) => object);
  const version = kind.versions[from] ?? kind.hub;
  return {
    kind,
    from: version,
    to: kind.versions[to] ?? kind.hub,
    places: placesBelow(contentSchemaOf(version.entry)),
    // As an API server stores them, since a default of one version is a value of the other.
    objects: [...examples, ...made].map((object) => version.defaulted(object)),
    shown: (content) => image(content, kind.chain, from, to),
  };
}

/** What the users of an object wrote: neither identity nor metadata nor reserved fields. */
export function contentsOf({ objects }: Pair): readonly JsonObject[] {
  return objects.map((object) => contentOf(bareOf(object)));
}
