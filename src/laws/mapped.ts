import fc from "fast-check";
import type { AnyRow } from "../conversion/lens.ts";
import { fieldsOfRow } from "../conversion/row-fields.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import type { Json, JsonObject } from "../json/json.ts";
import { bareOf, contentOf } from "./bare.ts";
import { forgottenBranches, idleRows } from "./branches.ts";
import { derivedOtherwise, derivedPlaces } from "./derived.ts";
import { contentsAt } from "./faithful.ts";
import { forgotten, unreadAt } from "./forgotten.ts";
import { type Claim, type Finding, type Law, thrown } from "./law.ts";
import { changesOf } from "./lens-change.ts";
import { allOf, isEmpty, type SchemaPlace, topmost, valuesIn, withoutEmpty, withoutPlace } from "./places.ts";
import {
  crossedRows,
  type Fault,
  leftOver,
  nameOf,
  otherSense,
  otherUnits,
  placesOf,
  type Samples,
  unfit,
} from "./row-faults.ts";
import { type Setting, versionAt, wayOf } from "./setting.ts";
import { textOf } from "./suggestions.ts";

/** What both versions have a field for has a row that maps it, both ways. */
export const mapped: Law = {
  name: "Mapped",
  statement:
    "A lens loses nothing that both versions have a field for: no row is forgotten, nor a branch of a union, no two rows are crossed or in other units than their names say, each row takes and gives values of its fields, what a row maps comes back, some of it as it was, a field that repeats a key says it, and no value of a row is left without a counterpart while the other field has values to spare.",
  claims: (setting) => {
    const draw = samplesOf(setting);
    return setting.spokes.flatMap((older) => {
      const parts = partsOf(setting, older);
      return parts.map((_, index) => claimOf(setting, draw, older, parts.slice(index)));
    });
  },
};

/** A part of the law: what it claims, and how it finds what breaks it. */
interface Part {
  readonly says: string;
  readonly find: (samples: Samples) => readonly Fault[];
}

function partsOf(setting: Setting, older: number): readonly Part[] {
  const unread = (samples: Samples, side: "older" | "newer") =>
    side === "older"
      ? unreadAt(setting, samples.older, older, older + 1)
      : unreadAt(setting, samples.newer, older + 1, older);
  return [
    { says: "no two rows are crossed", find: () => crossedRows(setting, older) },
    { says: "units of names agree with values", find: () => otherUnits(setting, older) },
    { says: "opposite names have opposite values", find: () => otherSense(setting, older) },
    { says: "values of a row have counterparts", find: () => leftOver(setting, older) },
    { says: "no row is forgotten", find: (samples) => forgotten(setting, older, samples) },
    {
      says: "no branch of a union is forgotten, nor what a row of it takes",
      find: (samples) => [
        ...forgottenBranches(setting, older, (side) => unread(samples, side)),
        ...idleRows(setting, older, samples),
      ],
    },
    {
      says: "a row takes and gives values of its fields",
      find: (samples) => unfit(setting, older, samples),
    },
    {
      says: "a field that repeats the key of its entry says that key",
      find: (samples) => derivedOtherwise(setting, older, samples),
    },
    {
      says: "what a row maps comes back",
      find: (samples) => [
        ...oneWay(setting, samples.older, older, older + 1),
        ...oneWay(setting, samples.newer, older + 1, older),
      ],
    },
    {
      says: "even a lossy row brings some value back as it was",
      find: (samples) => [
        ...alwaysOthers(setting, samples.older, older, older + 1),
        ...alwaysOthers(setting, samples.newer, older + 1, older),
      ],
    },
  ];
}

/** The claim of the first part. What breaks it says what breaks the parts after it too, which would take a run each. */
function claimOf(
  setting: Setting,
  draw: ReturnType<typeof samplesOf>,
  older: number,
  [part, ...later]: readonly Part[],
): Claim {
  const { says = "", find = () => [] } = part ?? {};
  const versions = wayOf(setting, older, older + 1);
  const check: Claim["check"] = (runs, seed) => {
    const samples = {
      get older() {
        return draw(older, runs, seed);
      },
      get newer() {
        return draw(older + 1, runs, seed);
      },
    };
    const [fault, ...others] = faultsOf(() => find(samples));
    if (fault === undefined) return { runs };
    const more = [...others, ...later.flatMap((each) => faultsOf(() => each.find(samples)))];
    const also = more.map(sentenceOf).filter(isFirst);
    const broken = { claim: says, versions, object: {}, steps: [], ...fault };
    return { runs, counterexample: also.length === 0 ? broken : { ...broken, also } };
  };
  return { says, versions, check };
}

function sentenceOf({ field, expected, actual }: NonNullable<Finding> | Fault): string {
  const words = (value: Json | undefined) => (typeof value === "string" ? value : JSON.stringify(value));
  return `${field === "" ? "the lens" : field}: ${words(expected)}, but ${words(actual)}`;
}

function isFirst(text: string, index: number, all: readonly string[]): boolean {
  return all.indexOf(text) === index;
}

/** The faults of a part, or that a row throws, for which Total has an object. */
function faultsOf(find: () => readonly Fault[]): readonly (NonNullable<Finding> | Fault)[] {
  try {
    return find();
  } catch (error) {
    return [{ ...thrown(error), object: {}, hint: "mend what breaks Total first" }];
  }
}

/** The samples at each version, drawn once for all claims. */
function samplesOf(setting: Setting): (version: number, runs: number, seed: number) => readonly JsonObject[] {
  const drawn = new Map<string, readonly JsonObject[]>();
  return (version, runs, seed) => {
    const name = `${version} ${runs} ${seed}`;
    const samples = drawn.get(name) ?? samplesAt(setting, version, runs, seed);
    drawn.set(name, samples);
    return samples;
  };
}

/** All examples at a version, and contents that are drawn. */
function samplesAt(setting: Setting, version: number, runs: number, seed: number): readonly JsonObject[] {
  const { kind } = setting;
  const shown = kind.examples.map(({ object, version: at }) =>
    image(contentOf(bareOf(object), kind.chain.mapped), kind.chain, at, version),
  );
  const numRuns = Math.max(runs, leastSamples);
  return [...shown, ...fc.sample(contentsAt(setting, version), { numRuns, seed })];
}

/** With fewer, a field deep in lists may never have a value, and would look as if no row read it. */
const leastSamples = 150;

/** The fewest objects in which a value that a row reads did not come back: fewer may be chance. */
const fewest = 3;

/** Fields that a row reads and that never come back from the other version. */
function oneWay(
  setting: Setting,
  contents: readonly JsonObject[],
  from: number,
  over: number,
): readonly Fault[] {
  const { chain } = setting.kind;
  const lens = chain.versions[Math.min(from, over)]?.lens;
  const places = new Map(allOf(placesOf(setting, from)).map((place) => [nameOf(place.text), place]));
  const shown = (content: JsonObject) => image(content, chain, from, over);
  const isLost = ({ steps }: SchemaPlace) => {
    const holders = contents.filter((content) => valuesIn(content, steps).length > 0);
    const comesBack = (content: JsonObject) =>
      valuesIn(image(shown(content), chain, over, from), steps).length > 0;
    if (holders.length < fewest || holders.some(comesBack)) return false;
    const isRead = (content: JsonObject) =>
      !equal(withoutEmpty(shown(content)), withoutEmpty(shown(withoutPlace(content, steps) as JsonObject)));
    return holders.filter(isRead).length >= fewest;
  };
  const { name } = versionAt(setting, over);
  const hint = `the row writes to ${name} what it does not read from there: look at the paths and both directions`;
  return fieldsAt(lens?.rows ?? [], from < over).flatMap((text) => {
    const place = places.get(text);
    const isMeant = Object.hasOwn(lens?.lossy ?? {}, text.replaceAll("[]", ""));
    const lost = place === undefined || isMeant ? [] : topmost([place, ...place.below], isLost);
    return lost.map((each) => ({
      field: each.text,
      expected: `comes back from ${name}`,
      actual: "never comes back",
      hint,
    }));
  });
}

/** The fewest objects of which none shows a lossy field as it was: most values of such a field may come back as others. */
const many = 15;

/** Why `constant` says that its fields are lossy (src/conversion/constant-row.ts). */
const ofConstants = "it is always the same";

/** Lossy fields of rows that come back, but never as they were. */
function alwaysOthers(
  setting: Setting,
  contents: readonly JsonObject[],
  from: number,
  over: number,
): readonly Fault[] {
  const { chain } = setting.kind;
  const lens = chain.versions[Math.min(from, over)]?.lens;
  const lossy = new Map(Object.entries(lens?.lossy ?? {}));
  const places = new Map(allOf(placesOf(setting, from)).map((place) => [nameOf(place.text), place]));
  // A constant comes back as itself, which a drawn text hardly ever is.
  const fields = fieldsAt(lens?.rows ?? [], from < over).filter(
    (text) => (lossy.get(text.replaceAll("[]", "")) ?? ofConstants) !== ofConstants,
  );
  // What repeats a key comes back as the key, whatever stood there.
  const derived = derivedPlaces(setting, from, over);
  const without = (content: JsonObject) =>
    derived.reduce((here, { steps }) => withoutPlace(here, steps) as JsonObject, content);
  const sides =
    fields.length === 0
      ? []
      : contents.map((content) =>
          [content, image(image(content, chain, from, over), chain, over, from)].map(without),
        );
  return fields.flatMap((text) => {
    const place = places.get(text);
    if (place === undefined) return [];
    const trips = sides.flatMap(([content, back]) => {
      const before = valuesIn(content, place.steps).filter((value) => !isEmpty(value));
      const after = valuesIn(back, place.steps);
      return before.length === 0 || after.length === 0 ? [] : [[before, after] as const];
    });
    const [first] = trips;
    const isKept = trips.some(([before, after]) =>
      before.some((value, index) => changesOf(value, after[index] ?? value, undefined).length === 0),
    );
    if (first === undefined || trips.length < many || isKept) return [];
    const hint = "the row says that it is lossy, but no value at all comes back as it was";
    return [{ field: text, expected: first[0], actual: first[1], hint }];
  });
}

/** The fields that rows map in the older or in the newer version. */
function fieldsAt(rows: readonly AnyRow[], isOlder: boolean): readonly string[] {
  return rows.flatMap((row) => fieldsOfRow(row)[isOlder ? "older" : "newer"].map(textOf));
}
