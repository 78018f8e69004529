import { convert } from "../conversion/convert.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import type { Kind } from "../kind/kind.ts";
import { bareOf, contentOf } from "./bare.ts";
import { type Carriage, carriagesOf } from "./carriage.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { servingEngine } from "./engine.ts";
import { type InvalidImage, invalidImages } from "./invalid-images.ts";
import { type OneSidedDefault, oneSidedDefaults } from "./one-sided-defaults.ts";
import { pairOf } from "./pair.ts";
import { isEmpty, placesBelow, type SchemaPlace, topmost, valuesIn } from "./places.ts";
import { settingOf } from "./setting.ts";
import { type Unread, unreadFields } from "./unread.ts";

/** What one version can express and another one cannot; one of the two is the hub. For information, not an error. */
export interface Side {
  /** The version that can express it. */
  readonly of: string;
  /** The version that cannot. */
  readonly in: string;
  /** What travels in the complement. */
  readonly carried: readonly Carriage[];
  /** Fields that no lens reads, so that only the complement holds them. */
  readonly unread: readonly Unread[];
  /** Fields whose row was not tried: its codec takes no value that was drawn. */
  readonly untried: readonly string[];
  readonly defaults: readonly OneSidedDefault[];
  /** What it admits and the other version forbids after conversion. */
  readonly invalid: readonly InvalidImage[];
}

/** What a kind's versions cannot express of each other, and which fields its examples do not use. */
export interface Survey {
  /** For each spoke: what it cannot express of the hub, then what the hub cannot express of it. */
  readonly sides: readonly Side[];
  /** Fields of each version that no example uses, not even an example of another version after conversion. */
  readonly unused: readonly { readonly version: string; readonly places: readonly string[] }[];
}

/** The least number of objects to try for what one version admits and another forbids. */
const fewest = 300;

/**
 * Surveys a kind by trying its examples and objects made from its schemas; more runs find more of what one version admits
 * and another forbids. Deterministic by the seed.
 */
export function surveyOf(kind: Kind, seed: number, runs = fewest): Survey {
  const setting = settingOf(kind, servingEngine);
  const side = (from: number, to: number): Side => {
    const pair = pairOf(setting, from, to, seed);
    return {
      of: pair.from.name,
      in: pair.to.name,
      carried: carriagesOf(pair),
      ...unreadFields(pair),
      defaults: oneSidedDefaults(pair),
      invalid: invalidImages(setting, from, to, { runs: Math.max(runs, fewest), seed }),
    };
  };
  return {
    sides: setting.spokes.flatMap((spoke) => [side(setting.hub, spoke), side(spoke, setting.hub)]),
    unused: kind.versions.map(({ name }, version) => ({
      version: name,
      places: unusedPlaces(kind, version),
    })),
  };
}

function unusedPlaces(kind: Kind, version: number): readonly string[] {
  const shown = kind.examples.map((each) =>
    contentOf(bareOf(convert(each.object, kind.chain, each.version, version))),
  );
  const places = placesBelow(contentSchemaOf((kind.versions[version] ?? kind.hub).entry));
  const isUnused = ({ steps, schema }: SchemaPlace) =>
    !isHollow(schema) && shown.every((object) => valuesIn(object, steps).length === 0);
  return topmost(places, isUnused).map(({ text }) => text);
}

/** Whether a schema is of an object without fields, such as a status with nothing but the reserved field. */
function isHollow(schema: JsonObject): boolean {
  const { properties } = schema;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true || schema.additionalProperties;
  return isObject(properties) && isEmpty(properties) && !isOpen;
}
