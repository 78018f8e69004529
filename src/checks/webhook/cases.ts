import { isNumber, toDouble } from "../../json/exact.ts";
import { isArray, type Json, type JsonObject } from "../../json/json.ts";
import { longerTexts, otherSpelling } from "../../values/leaf.ts";
import { isMap, type Place, valuesAt } from "./build.ts";
import type { Change } from "./changes.ts";
import { isWithin } from "./findings.ts";
import type { Work } from "./pace.ts";
import { faultsOf, merged, placeIn, type SubjectVersion, validObject } from "./subject.ts";
import type { Pair, Trip } from "./trip.ts";

/** An object in which one place is set. */
export interface Case {
  readonly place: Place;
  readonly value: Json;
  readonly object: JsonObject;
}

/** A place that was not tried, and why. */
export interface Untried {
  readonly place: string;
  readonly why: string;
}

/** The objects for places of a version, and the places for which there is none. */
interface Cases {
  readonly cases: readonly Case[];
  readonly untried: readonly Untried[];
}

/** The smallest valid objects, one for each value of each place. */
export function* casesOf(version: SubjectVersion, places: readonly Place[]): Work<Cases> {
  const cases: Case[] = [];
  const untried: Untried[] = [];
  for (const place of places) {
    const found: CasesAt =
      place.closed === undefined ? yield* casesAt(version, place) : { cases: [], why: place.closed };
    cases.push(...found.cases);
    if (found.cases.length === 0 && found.why !== undefined)
      untried.push({ place: place.text, why: found.why });
  }
  return { cases, untried };
}

/** The most longer texts that are tried at one place until one is valid. */
const mostLonger = 6;

/** For each place that has a text, an object with a longer one: what is cut, or printed in lower case, shows with it. */
export function* longerCases(version: SubjectVersion, cases: readonly Case[]): Work<readonly Case[]> {
  const made: Case[] = [];
  for (const { place, value } of cases) {
    const longer = isText(place) ? longerTexts(place.schema).filter((text) => text !== value) : [];
    for (const text of longer.slice(0, mostLonger)) {
      const valid = yield* validObject(version, place.path, text);
      if ("fault" in valid) continue;
      made.push({ place, value: text, object: valid.object });
      break;
    }
  }
  return made;
}

/** For each list of several items, an object with one item in each list beside it: a webhook may read both by one index. */
export function* unevenCases(version: SubjectVersion, cases: readonly Case[]): Work<readonly Case[]> {
  const made: Case[] = [];
  for (const each of cases) {
    if (!isArray(each.value)) continue;
    const others = listsBeside(each.place, cases);
    if (others.length === 0) continue;
    yield;
    const object = others.reduce((here, other) => merged(other.object, here) as JsonObject, each.object);
    if (faultsOf(version, object).length === 0) made.push({ ...each, object });
  }
  return made;
}

/** For each list of the same parent the first case that has one item of it, and of the lists within. */
function listsBeside({ text }: Place, cases: readonly Case[]): readonly Case[] {
  const parent = text.slice(0, text.lastIndexOf(".") + 1);
  const found = new Map<string, Case>();
  for (const each of cases) {
    const below = each.place.text.startsWith(parent) ? each.place.text.slice(parent.length) : "";
    const name = /^([^.[]+)\[\]/.exec(below)?.[1];
    const isOther = name !== undefined && `${parent}${name}` !== text && !isArray(each.value);
    if (isOther && !found.has(name)) found.set(name, each);
  }
  return [...found.values()];
}

/** The objects for one place, or why there is none. */
interface CasesAt {
  readonly cases: readonly Case[];
  readonly why?: string;
}

/** The cases of one place: all values of an enumeration or number; of texts the plainest that is valid. */
function* casesAt(version: SubjectVersion, place: Place): Work<CasesAt> {
  const cases: Case[] = [];
  const values = valuesAt(place);
  let why = values.length === 0 ? whyNone(place) : undefined;
  for (const value of values) {
    if (isText(place) && cases.length > 0) break;
    const made = yield* validObject(version, place.path, value);
    if ("fault" in made) why ??= made.fault;
    else cases.push({ place, value, object: made.object });
  }
  const other = isText(place) ? otherSpelling(place.schema) : undefined;
  const made = other === undefined ? undefined : yield* validObject(version, place.path, other);
  if (other !== undefined && made !== undefined && "object" in made)
    cases.push({ place, value: other, object: made.object });
  return { cases, ...(why === undefined ? {} : { why }) };
}

/** Why a place has no values. A list or map that may not have two items is tried with the places in its item. */
function whyNone({ schema }: Place): string | undefined {
  if (schema.type !== "array" && !isMap(schema)) return "no value is known that its schema admits";
  const most = schema.type === "array" ? schema.maxItems : schema.maxProperties;
  const isShort = isNumber(most) && toDouble(most) < 2;
  return isShort ? undefined : "no two items are known that differ: lists with several items";
}

function isText({ schema }: Place): boolean {
  return schema.enum === undefined && schema.type === "string";
}

/** Whether a change is at the place that was set, above or below it. */
export function isOwn({ path }: Change, place: Place, { from }: Pair): boolean {
  const changed = placeIn(from, path);
  return isWithin(changed, place.text) || isWithin(place.text, changed);
}

/** Whether a change loses what was there. */
export function isLoss({ sort }: Change): boolean {
  return ["lost", "became", "moved", "order"].includes(sort);
}

/** Whether an object comes back without a loss, if it was sent back at all. */
export function isFine({ there, back, changes }: Trip): boolean {
  const isBack = back === undefined || back.state === "converted";
  return there.state === "converted" && isBack && !changes.some(isLoss);
}
