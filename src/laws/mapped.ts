import fc from "fast-check";
import type { AnyRow } from "../conversion/lens.ts";
import { fieldsOfRow } from "../conversion/row-fields.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import type { JsonObject } from "../json/json.ts";
import { bareOf, contentOf } from "./bare.ts";
import { forgottenBranches, idleRows } from "./branches.ts";
import { derivedOtherwise, derivedPlaces } from "./derived.ts";
import { contentsAt } from "./faithful.ts";
import { type Claim, type Finding, type Law, thrown } from "./law.ts";
import { changesOf } from "./lens-change.ts";
import { likeness } from "./likeness.ts";
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
import { isNamed, isWithoutEffect } from "./unread.ts";

/** What both versions have a field for has a row that maps it, both ways. */
export const mapped: Law = {
  name: "Mapped",
  statement:
    "A lens loses nothing that both versions have a field for: no row is forgotten, nor a branch of a union, no two rows are crossed or in other units than their names say, each row takes and gives values of its fields, what a row maps comes back, some of it as it was, a field that repeats a key says it, and no value of a row is left without a counterpart while the other field has values to spare.",
  claims: (setting) => {
    const draw = samplesOf(setting);
    return setting.spokes.flatMap((older) => [
      claimOf(setting, draw, older, "no two rows are crossed", () => crossedRows(setting, older)),
      claimOf(setting, draw, older, "units of names agree with values", () => otherUnits(setting, older)),
      claimOf(setting, draw, older, "opposite names have opposite values", () => otherSense(setting, older)),
      claimOf(setting, draw, older, "values of a row have counterparts", () => leftOver(setting, older)),
      claimOf(setting, draw, older, "no row is forgotten", (samples) => forgotten(setting, older, samples)),
      claimOf(
        setting,
        draw,
        older,
        "no branch of a union is forgotten, nor what a row of it takes",
        (samples) => [
          ...forgottenBranches(setting, older, (side) =>
            side === "older"
              ? unreadAt(setting, samples.older, older, older + 1)
              : unreadAt(setting, samples.newer, older + 1, older),
          ),
          ...idleRows(setting, older, samples),
        ],
      ),
      claimOf(setting, draw, older, "a row takes and gives values of its fields", (samples) =>
        unfit(setting, older, samples),
      ),
      claimOf(setting, draw, older, "a field that repeats the key of its entry says that key", (samples) =>
        derivedOtherwise(setting, older, samples),
      ),
      claimOf(setting, draw, older, "what a row maps comes back", (samples) => [
        ...oneWay(setting, samples.older, older, older + 1),
        ...oneWay(setting, samples.newer, older + 1, older),
      ]),
      claimOf(setting, draw, older, "even a lossy row brings some value back as it was", (samples) => [
        ...alwaysOthers(setting, samples.older, older, older + 1),
        ...alwaysOthers(setting, samples.newer, older + 1, older),
      ]),
    ]);
  },
};

function claimOf(
  setting: Setting,
  draw: ReturnType<typeof samplesOf>,
  older: number,
  says: string,
  find: (samples: Samples) => readonly Fault[],
): Claim {
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
    const fault = firstOf(() => find(samples));
    if (fault === undefined) return { runs };
    return { runs, counterexample: { claim: says, versions, object: {}, steps: [], ...fault } };
  };
  return { says, versions, check };
}

/** The first fault, or that a row throws, for which Total has an object. */
function firstOf(find: () => readonly Fault[]): NonNullable<Finding> | Fault | undefined {
  try {
    return find()[0];
  } catch (error) {
    return { ...thrown(error), object: {}, hint: "mend what breaks Total first" };
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

/** Two fields that no lens reads, one of each version, that are named alike. */
function forgotten(setting: Setting, older: number, samples: Samples): readonly Fault[] {
  const from = unreadAt(setting, samples.older, older, older + 1);
  if (from.length === 0) return [];
  const to = unreadAt(setting, samples.newer, older + 1, older);
  const [mine, theirs] = [older, older + 1].map(
    (version) => new Set(allOf(placesOf(setting, version)).map(({ text }) => text)),
  );
  // A field that the other version has too, at the same place, is not another field of it.
  const isAnother = (one: SchemaPlace, other: SchemaPlace) =>
    one.text !== other.text && (theirs?.has(one.text) || mine?.has(other.text));
  const rows = (setting.kind.chain.versions[older]?.lens?.rows ?? []).map(fieldsOfRow);
  // A row of which no drawn value is one that its codec takes is not forgotten; the survey lists it.
  const isMapped = (one: SchemaPlace, other: SchemaPlace) =>
    rows.some((row) => isNamed(one.text, row.older) && isNamed(other.text, row.newer));
  return from.flatMap((one) =>
    to
      .filter((other) => mayBeSame(one, other) && !isAnother(one, other) && !isMapped(one, other))
      .map((other) => ({
        field: one.text,
        expected: `a row that maps it to ${other.text}`,
        actual: "no row reads it, nor writes the other",
        hint: `add a row, or name ${one.text} in retired if ${other.text} is something else`,
      })),
  );
}

function mayBeSame(one: SchemaPlace, other: SchemaPlace): boolean {
  // An object that both versions have is copied as far as its fields are.
  if (one.text === other.text && one.schema.type === "object") return false;
  if (isChoice(one) ? isNumeric(other) : isNumeric(one) && isChoice(other)) return false;
  const isListed = [one, other].map(({ schema }) => schema.type === "array");
  const isMap = [one, other].some(({ schema }) => schema.type === "object");
  // A map and the list that it became are the same parent.
  const [name = "", otherName = ""] = [one, other].map(({ text }) => text.replaceAll(/\[\]|\.\*/g, ""));
  const share = likeness(name, otherName);
  return share === 1 || (share >= 0.5 && (isMap || isListed[0] === isListed[1]));
}

function isChoice({ schema }: SchemaPlace): boolean {
  return schema.type === "string" && schema.enum !== undefined;
}

function isNumeric({ schema }: SchemaPlace): boolean {
  return schema.type === "integer" || schema.type === "number";
}

function unreadAt(
  setting: Setting,
  contents: readonly JsonObject[],
  from: number,
  to: number,
): readonly SchemaPlace[] {
  const { kind } = setting;
  const isUnread = isWithoutEffect(contents, (content) => image(content, kind.chain, from, to));
  const retired = new Set(Object.keys(kind.definition.versions[from]?.retired ?? {}));
  const derived = new Set(derivedPlaces(setting, from, to).map(({ text }) => text));
  return topmost(
    placesOf(setting, from),
    (place) => !retired.has(place.text) && !derived.has(place.text) && isUnread(place),
  );
}

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

/** Lossy fields of rows that come back, but never as they were. */
function alwaysOthers(
  setting: Setting,
  contents: readonly JsonObject[],
  from: number,
  over: number,
): readonly Fault[] {
  const { chain } = setting.kind;
  const lens = chain.versions[Math.min(from, over)]?.lens;
  const lossy = new Set(Object.keys(lens?.lossy ?? {}));
  const places = new Map(allOf(placesOf(setting, from)).map((place) => [nameOf(place.text), place]));
  const fields = fieldsAt(lens?.rows ?? [], from < over).filter((text) =>
    lossy.has(text.replaceAll("[]", "")),
  );
  // What repeats a key comes back as the key, whatever stood there.
  const derived = derivedPlaces(setting, from, over);
  const without = (content: JsonObject) =>
    derived.reduce((here, { steps }) => withoutPlace(here, steps) as JsonObject, content);
  return fields.flatMap((text) => {
    const place = places.get(text);
    if (place === undefined) return [];
    const trips = contents.flatMap((content) => {
      const before = valuesIn(without(content), place.steps).filter((value) => !isEmpty(value));
      const back = image(image(content, chain, from, over), chain, over, from);
      const after = valuesIn(without(back), place.steps);
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
