import type { JsonObject } from "../../json/json.ts";
import { counted } from "../../words.ts";
import { type Place, placesOf } from "./build.ts";
import { type Case, casesOf, isFine, longerCases, type Untried, unevenCases } from "./cases.ts";
import { drawn, fullest } from "./draw.ts";
import { tryEdits } from "./edits.ts";
import { tryEmpty } from "./empty.ts";
import { Hidden } from "./hidden.ts";
import { slices } from "./pace.ts";
import { SideEffects, tryPlaces } from "./places.ts";
import { tryStored } from "./stored.ts";
import { faultsOf, type Subject, type SubjectVersion, schemaFaultsOf } from "./subject.ts";
import { type Gone, Texts } from "./texts.ts";
import type { Pair } from "./trip.ts";
import type { Manner, Webhook } from "./webhook.ts";
import { type Setting, tryDamaged, tryObjects, tryWhole } from "./whole.ts";

/** How a kind is checked. */
export interface Checks extends Manner {
  readonly seed: number;
  /** Random objects for each pair of versions. */
  readonly runs: number;
  /** Places that are not reported, with what is below them. */
  readonly ignored: readonly string[];
  /** Further objects of the kind, at any version. */
  readonly examples: readonly JsonObject[];
  /** An older revision of the kind, of whose objects some may still be stored. */
  readonly stored?: Subject;
  readonly onStep?: (step: string) => void;
}

/** What is known so far. */
export interface State extends Setting {
  readonly checks: Checks;
  readonly ways: readonly Going[];
  /** By version and place. */
  readonly untried: Map<string, Map<string, Untried>>;
  /** The places of each version that were set. */
  readonly places: Map<string, Set<string>>;
  readonly schemaFaults: Set<string>;
  /** What the webhook said on ways on which it converts nothing. */
  readonly declined: string[];
  tried: number;
}

/** A way while it is tried. */
export interface Going {
  readonly pair: Pair;
  objects: number;
  /** What is still to be tried. */
  readonly left: Set<string>;
  why?: string;
  /** Whether the webhook refuses all objects. */
  isDeclined?: boolean;
  /** Whether nothing is sent back. */
  isOneWay?: boolean;
}

/** Tries a way, and says what is left of it if it ends early. */
export async function checkWay(state: State, way: Going): Promise<void> {
  const before = state.webhook.counts.objects;
  try {
    await checkPair(state, way);
  } catch (error) {
    if (error instanceof Error) way.why = error.message;
    throw error;
  } finally {
    way.objects = state.webhook.counts.objects - before;
    if (way.objects === 0) leaveAll(state, way);
  }
}

/** What is tried on each way, in this order. */
export function stepsOf({ examples, stored }: Checks): readonly string[] {
  const steps = ["places", "edits", "empty values", "full and random objects"];
  if (stored !== undefined) steps.push("stored objects");
  return examples.length === 0 ? steps : [...steps, "examples"];
}

/** Nothing was tried where nothing was sent. */
export function leaveAll({ checks }: State, way: Going): void {
  way.left.clear();
  for (const step of stepsOf(checks)) way.left.add(step);
  way.why ??= way.pair.from.fault ?? "no valid object of this version is known";
}

async function checkPair(state: State, way: Going): Promise<void> {
  const { webhook, checks, findings } = state;
  const { left } = way;
  const { pace } = webhook;
  tell(state, way, "the smallest object");
  const given = await turned(state, way);
  const refusal = await tryWhole(state, given, new Texts(given, webhook, findings));
  const pair = refusal === undefined ? given : await onExample(state, given);
  const { from } = pair;
  const all = placesOf(from.schema);
  if (pair === given && refusal !== undefined) {
    const first = await pace.run(casesOf(from, all.slice(0, fewPlaces)));
    if (!(await isAnyConverted(webhook, pair, first.cases))) {
      way.why = refusal.sentence;
      // An answer that an API server rejects is not meant as a refusal.
      way.isDeclined = refusal.state === "refused" && refusal.isDeliberate === true;
      // Nothing is to be said of such objects but that there should be none.
      if (!from.isRead && way.isDeclined) left.clear();
      if (way.isDeclined) state.declined.push(refusal.sentence);
      return;
    }
  }
  const texts = new Texts(pair, webhook, findings);
  const converted = await tryAllPlaces(state, way, pair, texts, all);
  tell(state, way, "empty values");
  state.tried += await tryEmpty(pair, webhook, texts, findings);
  left.delete("empty values");
  tell(state, way, "full and random objects and their histories");
  const random: JsonObject[] = [];
  for (const drawing of [fullest(from, converted), drawn(from, converted, checks)])
    for (const object of await pace.run(drawing)) random.push(await pace.run(texts.adapted(object, [])));
  await tryObjects(state, pair, random);
  left.delete("full and random objects");
  const old = checks.stored?.versions.find(({ name }) => name === from.name);
  if (old !== undefined) {
    tell(state, way, "objects of the older revision");
    state.tried += await tryStored(pair, webhook, old, findings);
  }
  left.delete("stored objects");
  const own = checks.examples.filter(({ apiVersion }) => apiVersion === from.apiVersion);
  if (own.length > 0) tell(state, way, counted(own.length, "example"));
  await tryObjects(state, pair, own);
  left.delete("examples");
}

function tell({ subject, checks }: State, { pair: { from, to } }: Going, what: string): void {
  checks.onStep?.(`${subject.name} ${from.name} → ${to.name}: ${what}`);
}

/** The pair, of which objects are not sent back if the webhook does not convert to a version that no client can ask for. */
async function turned({ webhook }: State, way: Going): Promise<Pair> {
  const { from, to } = way.pair;
  if (from.isRead || from.base === undefined) return way.pair;
  const there = await webhook.convert(from.rules.default(from.base), to.apiVersion);
  if (there.state !== "converted") return way.pair;
  const back = await webhook.convert(there.object, from.apiVersion);
  way.isOneWay = back.state === "refused";
  return { ...way.pair, isOneWay: way.isOneWay };
}

/** The pair with an example in place of the smallest object, if the webhook refuses that one and converts the example. */
async function onExample({ webhook, checks }: State, pair: Pair): Promise<Pair> {
  const { from, to } = pair;
  for (const base of checks.examples) {
    if (base.apiVersion !== from.apiVersion || faultsOf(from, base).length > 0) continue;
    if ((await webhook.convert(base, to.apiVersion)).state === "converted")
      return { ...pair, from: { ...from, base } };
  }
  return pair;
}

/** Whether one of a few objects is converted, although the smallest one is not. */
async function isAnyConverted(webhook: Webhook, { to }: Pair, cases: readonly Case[]): Promise<boolean> {
  for (const { object } of cases.slice(0, 20))
    if ((await webhook.convert(object, to.apiVersion)).state === "converted") return true;
  return false;
}

/**
 * Tries all places, and edits of what they became, a few hundred at a time: the objects of a large schema do not fit into
 * memory together. Returns the cases of which larger objects are drawn.
 */
async function tryAllPlaces(
  state: State,
  way: Going,
  pair: Pair,
  texts: Texts,
  all: readonly Place[],
): Promise<readonly Case[]> {
  const { webhook, findings, places } = state;
  const { left } = way;
  const { from, to } = pair;
  const known = places.get(from.name) ?? new Set<string>();
  places.set(from.name, known);
  const effects = new SideEffects();
  const hidden = new Hidden(pair);
  let converted: readonly Case[] = [];
  let done = 0;
  left.delete("places");
  for (const some of slices(all)) {
    const rest = `${all.length - done} of ${all.length} places`;
    left.add(rest);
    const made = await webhook.pace.run(casesOf(from, some));
    noteUntried(state, from, made.untried);
    for (const { object, place } of made.cases) {
      for (const fault of schemaFaultsOf(from, object)) state.schemaFaults.add(`${from.name}: ${fault}`);
      known.add(place.text);
      await webhook.pace.rest();
    }
    tell(state, way, `${counted(all.length, "place")}, one at a time${done === 0 ? "" : ` (${done} done)`}`);
    const { good, untried: cut } = await tryPlaces(pair, webhook, texts, made.cases, findings, effects);
    noteUntried(state, from, cut);
    const read = readCases(made.cases, good);
    const longer = await webhook.pace.run(longerCases(from, read));
    const uneven = await webhook.pace.run(unevenCases(from, read));
    await tryPlaces(pair, webhook, texts, [...longer, ...uneven], findings, effects);
    state.tried += made.cases.length + longer.length + uneven.length;
    left.delete(rest);
    for (const each of good) hidden.note(each);
    const trips = good.map(({ trip }) => trip);
    if (done === 0) await tryDamaged(state, pair, trips);
    // After an edit nothing can be said of answers that differ by themselves.
    if (!findings.differ(from.name, to.name)) await tryEdits(pair, webhook, trips, findings);
    converted = [...converted, ...good.map(({ each }) => each)];
    while (converted.length > mostDrawn) converted = converted.filter((_, index) => index % 2 === 0);
    done += some.length;
  }
  left.delete("edits");
  effects.report(pair, findings);
  hidden.report(findings);
  return converted;
}

/** The cases of which the value came back. Where another one was found that does, a longer text would be refused, too. */
function readCases(cases: readonly Case[], good: readonly Gone[]): readonly Case[] {
  const isDrawn = ({ place, value }: Case) =>
    cases.some((each) => each.place === place && each.value === value);
  return good.flatMap(({ each, trip }) => (isFine(trip) && isDrawn(each) ? [each] : []));
}

function noteUntried({ untried }: State, { name }: SubjectVersion, places: readonly Untried[]): void {
  const known = untried.get(name) ?? new Map<string, Untried>();
  untried.set(name, known);
  for (const each of places) known.set(each.place, each);
}

/** How many places are tried to find out whether anything is converted at all. */
const fewPlaces = 20;

/** The most cases of which objects are drawn. */
const mostDrawn = 5_000;
