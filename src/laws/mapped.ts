import fc from "fast-check";
import type { AnyRow } from "../conversion/lens.ts";
import { fieldsOfRow } from "../conversion/row-fields.ts";
import { image } from "../conversion/version-chain.ts";
import { parseDuration } from "../go/time.ts";
import { equal } from "../json/equal.ts";
import { isNumber, toDouble } from "../json/exact.ts";
import { isArray, type Json, type JsonObject } from "../json/json.ts";
import { bareOf, contentOf } from "./bare.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { contentsAt } from "./faithful.ts";
import type { Claim, Counterexample, Law } from "./law.ts";
import { leafRowsOf } from "./leaf-rows.ts";
import { changesOf } from "./lens-change.ts";
import { likeness, nameOfField } from "./likeness.ts";
import {
  allOf,
  isEmpty,
  placesBelow,
  type SchemaPlace,
  topmost,
  valuesIn,
  withoutEmpty,
  withoutPlace,
} from "./places.ts";
import { type Setting, versionAt, wayOf } from "./setting.ts";
import { textOf } from "./suggestions.ts";
import { isNamed } from "./unread.ts";

/** What both versions have a field for has a row that maps it, both ways. */
export const mapped: Law = {
  name: "Mapped",
  statement:
    "A lens loses nothing that both versions have a field for: no row is forgotten, no two rows are crossed or in other units than their names say, what a row maps comes back, some of it as it was, and no value of a row is left without a counterpart while the other field has values to spare.",
  claims: (setting) =>
    setting.spokes.flatMap((older) => [
      claimOf(setting, older, "no two rows are crossed", () => crossedRows(setting, older)),
      claimOf(setting, older, "units of names agree with values", () => otherUnits(setting, older)),
      claimOf(setting, older, "values of a row have counterparts", () => leftOver(setting, older)),
      claimOf(setting, older, "no row is forgotten", (samples) => forgotten(setting, older, samples)),
      claimOf(setting, older, "what a row maps comes back", (samples) => [
        ...oneWay(setting, samples.older, older, older + 1),
        ...oneWay(setting, samples.newer, older + 1, older),
      ]),
      claimOf(setting, older, "even a lossy row brings some value back as it was", (samples) => [
        ...alwaysOthers(setting, samples.older, older, older + 1),
        ...alwaysOthers(setting, samples.newer, older + 1, older),
      ]),
    ]),
};

/** What is wrong with a row, or with two fields that should have one. */
type Fault = Pick<Counterexample, "field" | "expected" | "actual"> & { readonly hint: string };

/** Contents of both versions of a lens. */
interface Samples {
  readonly older: readonly JsonObject[];
  readonly newer: readonly JsonObject[];
}

function claimOf(
  setting: Setting,
  older: number,
  says: string,
  find: (samples: Samples) => readonly Fault[],
): Claim {
  const versions = wayOf(setting, older, older + 1);
  const check: Claim["check"] = (runs, seed) => {
    const at = (version: number) => samplesAt(setting, version, runs, seed);
    const [fault] = find({
      get older() {
        return at(older);
      },
      get newer() {
        return at(older + 1);
      },
    });
    if (fault === undefined) return { runs };
    return { runs, counterexample: { claim: says, versions, object: {}, steps: [], ...fault } };
  };
  return { says, versions, check };
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

/** The rows of a lens that map one field to one. */
function moves({ kind }: Setting, older: number) {
  return leafRowsOf(kind.chain.versions[older]?.lens?.rows ?? []).flatMap((each) => {
    const [from, ...others] = each.older;
    const [to, ...more] = each.newer;
    if (from === undefined || to === undefined || others.length + more.length > 0) return [];
    return [{ row: each.row, from: textOf(from), to: textOf(to) }];
  });
}

/** Pairs of rows of which each maps a field to the field that is named like the other's. */
function crossedRows(setting: Setting, older: number): readonly Fault[] {
  const all = moves(setting, older);
  return all.flatMap((one, index) =>
    all.slice(index + 1).flatMap((other): Fault[] => {
      const [a, b, x, y] = [one.from, other.from, one.to, other.to].map(nameOfField) as [
        string,
        string,
        string,
        string,
      ];
      if (a === b || x === y) return [];
      const [crossed, straight] = [likeness(a, y) + likeness(b, x), likeness(a, x) + likeness(b, y)];
      if (crossed <= straight || likeness(a, y) === 0 || likeness(b, x) === 0) return [];
      const hint = `${other.from} maps to ${other.to}; by their names the two rows should exchange their newer fields`;
      return [{ field: one.from, expected: `maps to ${other.to}`, actual: `maps to ${one.to}`, hint }];
    }),
  );
}

/** Rows that convert a time into another one than the units in the names of their fields say. */
function otherUnits(setting: Setting, older: number): readonly Fault[] {
  return moves(setting, older).flatMap(({ row, from, to }): Fault[] => {
    const [name = "", target = ""] = [Object.keys(row.older)[0], Object.keys(row.newer)[0]];
    const [units, others] = [unitOf(from), unitOf(to)];
    // A week, which all units divide.
    const given = units === undefined ? "168h0m0s" : week / units;
    const shown = row.up({ [name]: given })[target];
    const seconds = secondsOf(shown, others);
    if ((units ?? others) === undefined || seconds === undefined || seconds === week) return [];
    const hint = `${from} of ${JSON.stringify(given)} is ${to} of ${JSON.stringify(shown)}: look at the unit of the codec`;
    return [{ field: from, expected: `the same time in ${to}`, actual: shown, hint }];
  });
}

const week = 604_800;

const secondsIn: readonly (readonly [name: RegExp, seconds: number])[] = [
  [/millis(econds)?$/i, 0.001],
  [/(?<!nano|micro|milli)seconds$/i, 1],
  [/minutes$/i, 60],
  [/hours$/i, 3600],
  [/days$/i, 86_400],
];

/** The seconds in the unit that the name of a field ends with. */
function unitOf(field: string): number | undefined {
  return secondsIn.find(([name]) => name.test(nameOfField(field)))?.[1];
}

function secondsOf(value: Json | undefined, unit: number | undefined): number | undefined {
  if (unit !== undefined) return isNumber(value) ? toDouble(value) * unit : undefined;
  const nanoseconds = typeof value === "string" ? parseDuration(value) : undefined;
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e9;
}

/** Values of a row's field without a counterpart, although the other field has values to spare. */
function leftOver(setting: Setting, older: number): readonly Fault[] {
  const [schemas, others] = [older, older + 1].map((version) => schemasAt(setting, version));
  return moves(setting, older).flatMap(({ row, from, to }): Fault[] => {
    const [[name] = [], [target] = []] = [Object.keys(row.older), Object.keys(row.newer)];
    if (row.lossy !== undefined || name === undefined || target === undefined) return [];
    const left = without(choicesOf(schemas?.get(from)), (value) => row.up({ [name]: value })[target]);
    const spare = without(choicesOf(others?.get(to)), (value) => row.down({ [target]: value })[name]);
    const [value] = left ?? [];
    const [other] = spare ?? [];
    const isText = (schema: JsonObject | undefined) => schema?.type === "string" && schema.enum === undefined;
    if (value !== undefined && (other !== undefined || isText(others?.get(to))))
      return [unmapped(from, value, to, other)];
    return other !== undefined && isText(schemas?.get(from)) ? [unmapped(to, other, from, undefined)] : [];
  });
}

function unmapped(field: string, value: Json, to: string, spare: Json | undefined): Fault {
  const other = spare === undefined ? "some value" : `perhaps ${JSON.stringify(spare)}`;
  const hint = `the row has no counterpart for ${JSON.stringify(value)}; ${to} can hold ${other}`;
  return { field, expected: `a counterpart in ${to} for ${JSON.stringify(value)}`, actual: "none", hint };
}

/** All values of a field that has few: of an enum or a boolean. */
function choicesOf(schema: JsonObject | undefined): readonly Json[] | undefined {
  if (isArray(schema?.enum)) return schema.enum;
  return schema?.type === "boolean" ? [true, false] : undefined;
}

function without(
  values: readonly Json[] | undefined,
  counterpart: (value: Json) => Json | undefined,
): readonly Json[] | undefined {
  return values?.filter((value) => value !== null && counterpart(value) === undefined);
}

/** Two fields that no lens reads, one of each version, that are named alike. */
function forgotten(setting: Setting, older: number, samples: Samples): readonly Fault[] {
  const from = unreadAt(setting, samples.older, older, older + 1);
  if (from.length === 0) return [];
  const to = unreadAt(setting, samples.newer, older + 1, older);
  const rows = (setting.kind.chain.versions[older]?.lens?.rows ?? []).map(fieldsOfRow);
  // A row of which no drawn value is one that its codec takes is not forgotten; the survey lists it.
  const isMapped = (one: SchemaPlace, other: SchemaPlace) =>
    rows.some((row) => isNamed(one.text, row.older) && isNamed(other.text, row.newer));
  return from.flatMap((one) =>
    to
      .filter((other) => mayBeSame(one, other) && !isMapped(one, other))
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
  const isListed = [one, other].map(({ schema }) => schema.type === "array");
  const isMap = [one, other].some(({ schema }) => schema.type === "object");
  const share = likeness(one.text, other.text);
  return share === 1 || (share >= 0.5 && (isMap || isListed[0] === isListed[1]));
}

function unreadAt(
  setting: Setting,
  contents: readonly JsonObject[],
  from: number,
  to: number,
): readonly SchemaPlace[] {
  const { kind } = setting;
  const imageOf = (content: Json) => withoutEmpty(image(content as JsonObject, kind.chain, from, to));
  const images = contents.map((content) => [content, imageOf(content)] as const);
  const retired = new Set(Object.keys(kind.definition.versions[from]?.retired ?? {}));
  const isUnread = ({ text, steps }: SchemaPlace) => {
    const holders = images.filter(([content]) => valuesIn(content, steps).length > 0);
    if (holders.length === 0 || retired.has(text)) return false;
    return holders.every(([content, shown]) => equal(imageOf(withoutPlace(content, steps)), shown));
  };
  return topmost(placesOf(setting, from), isUnread);
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
  return fields.flatMap((text) => {
    const place = places.get(text);
    if (place === undefined) return [];
    const trips = contents.flatMap((content) => {
      const before = valuesIn(content, place.steps).filter((value) => !isEmpty(value));
      const back = image(image(content, chain, from, over), chain, over, from);
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

/** A place as rows name it, which write values of a map like items of a list. */
function nameOf(text: string): string {
  return text.replaceAll(".*", "[]");
}

function placesOf(setting: Setting, version: number): readonly SchemaPlace[] {
  return placesBelow(contentSchemaOf(versionAt(setting, version).entry));
}

function schemasAt(setting: Setting, version: number): ReadonlyMap<string, JsonObject> {
  return new Map(allOf(placesOf(setting, version)).map(({ text, schema }) => [nameOf(text), schema]));
}
