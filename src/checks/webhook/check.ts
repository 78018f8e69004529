import type { JsonObject } from "../../json/json.ts";
import { type Ask, OutOfTime, WebhookDied } from "./ask.ts";
import { type Place, placesOf } from "./build.ts";
import { type Case, casesOf, isFine, longerCases, type Untried, unevenCases } from "./cases.ts";
import { drawn, fullest } from "./draw.ts";
import { tryEdits } from "./edits.ts";
import { tryEmpty } from "./empty.ts";
import type { Alike, Finding } from "./finding.ts";
import { Findings } from "./findings.ts";
import { folded } from "./fold.ts";
import { Hidden } from "./hidden.ts";
import { slices } from "./pace.ts";
import { SideEffects, tryPlaces } from "./places.ts";
import { slim } from "./slim.ts";
import { Storage } from "./storage.ts";
import { tryStored } from "./stored.ts";
import { faultsOf, type Subject, type SubjectVersion, schemaFaultsOf } from "./subject.ts";
import { type Gone, Texts } from "./texts.ts";
import type { Pair } from "./trip.ts";
import { type Manner, Webhook } from "./webhook.ts";
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

/** One way between two versions of a kind. */
interface Way {
  readonly from: string;
  readonly to: string;
  /** How many objects were sent to the webhook for it. */
  readonly objects: number;
  /** What was not tried; empty if all was. */
  readonly left: readonly string[];
  /** Why it was not. */
  readonly why?: string;
}

/** What was found on a kind. */
export interface KindFindings {
  readonly kind: string;
  readonly versions: readonly string[];
  readonly findings: readonly Finding[];
  readonly alike: Alike;
  readonly untried: readonly { readonly version: string; readonly places: readonly Untried[] }[];
  /** What is wrong with the schemas, so that an API server rejects objects whatever their values are. */
  readonly schemaFaults: readonly string[];
  readonly ways: readonly Way[];
  /** What is to be said of versions that are not served. */
  readonly unserved: readonly string[];
  /** What the webhook says where it converts no version, and the CRD does not say that it would. */
  readonly unconverted?: string;
  /** Places that were set, over all pairs of versions. */
  readonly tried: number;
  readonly objects: number;
  readonly reviews: number;
  /** Milliseconds in which the webhook was waited for. */
  readonly milliseconds: number;
  /** Milliseconds that the checks took. */
  readonly wall: number;
  /** Milliseconds for a review of one object: the median, and the longest. */
  readonly median: number;
  readonly longest: number;
  /** Why it ended early, if it did. */
  readonly ended?: string;
  /** Why the webhook was not reached, not even once. */
  readonly unreachable?: string;
}

/** Checks the conversion of a kind between all its versions. Rejects only for a fault of its own. */
export async function checkKind(subject: Subject, ask: Ask, checks: Checks): Promise<KindFindings> {
  const begun = checks.clock();
  const webhook = new Webhook(ask, checks);
  const findings = new Findings(checks.ignored);
  const state: State = {
    subject,
    webhook,
    findings,
    checks,
    ways: pairsOf(subject.versions).map((pair) => ({ pair, objects: 0, left: new Set(stepsOf(checks)) })),
    untried: new Map(),
    places: new Map(),
    schemaFaults: new Set(),
    declined: [],
    tried: 0,
  };
  const end = await untilTheEnd(state);
  // Where nothing at all was converted, nothing has passed.
  if (state.tried === 0) for (const way of state.ways) if (way.left.size === 0) leaveAll(state, way);
  const { objects, reviews, milliseconds, times } = webhook.counts;
  const sorted = times.toSorted((a, b) => a - b);
  const { declined, ways } = state;
  const asked = ways.filter((way) => way.objects > 0);
  const [unconverted] = !subject.isNamed && declined.length === asked.length ? declined : [];
  return {
    kind: subject.name,
    versions: subject.versions.map(({ name }) => name),
    findings: folded(findingsOf(state, unconverted !== undefined), state.places, findings.edited).map(
      (each) => slim(each, subject.versions),
    ),
    alike: findings.alike,
    untried: [...state.untried].map(([version, places]) => ({ version, places: [...places.values()] })),
    schemaFaults: [...state.schemaFaults],
    ways: ways.map(wayOf),
    unserved: unservedOf(state),
    ...(unconverted === undefined ? {} : { unconverted }),
    tried: state.tried,
    objects,
    reviews,
    milliseconds,
    wall: checks.clock() - begun,
    median: sorted[sorted.length >> 1] ?? 0,
    longest: sorted.at(-1) ?? 0,
    ...end,
  };
}

/** What is known so far. */
interface State extends Setting {
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
interface Going {
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

/** What is tried on each way, in this order. */
function stepsOf({ examples, stored }: Checks): readonly string[] {
  const steps = ["places", "edits", "empty values", "full and random objects"];
  if (stored !== undefined) steps.push("stored objects");
  return examples.length === 0 ? steps : [...steps, "examples"];
}

function wayOf({ pair: { from, to }, objects, left, why }: Going): Way {
  const way = { from: from.name, to: to.name, objects, left: [...left] };
  return why === undefined ? way : { ...way, why };
}

function pairsOf(versions: readonly SubjectVersion[]): readonly Pair[] {
  const storage = new Storage();
  return versions.flatMap((from) =>
    versions.filter((to) => to !== from && to.isRead).map((to) => ({ from, to, storage })),
  );
}

/** If no version is converted to another, that is one finding; none if the CRD does not say that this webhook converts it. */
function findingsOf({ subject, findings, ways, tried }: State, isUnconverted: boolean): readonly Finding[] {
  const isWhole = ({ kind, check, place }: Finding) =>
    kind === "refused" && check === "conversion" && place === "";
  const unread = new Set(declinedOf(subject, ways));
  const all = findings.all.filter((each) => !isWhole(each) || !unread.has(each.versions[0] ?? ""));
  const refused = all.filter(isWhole);
  const rest = all.filter((each) => !isWhole(each));
  if (isUnconverted) return rest;
  const [first] = refused;
  if (tried > 0 || first === undefined || ways.length < 2 || refused.length < ways.length) return all;
  return [{ ...first, message: `no version is converted to another: ${first.message}`, views: [] }, ...rest];
}

/** The versions neither served nor stored of which the webhook refuses all objects. */
function declinedOf({ versions }: Subject, ways: readonly Going[]): readonly string[] {
  const isDeclined = (name: string) =>
    ways.every((way) => way.pair.from.name !== name || way.isDeclined === true);
  return versions.filter(({ name, isRead }) => !isRead && isDeclined(name)).map(({ name }) => name);
}

/** What is to be said of versions that are neither served nor stored, where the webhook does not convert them. */
function unservedOf({ subject, ways }: State): readonly string[] {
  const declined = declinedOf(subject, ways).map((name) => {
    const why = ways.find(({ pair }) => pair.from.name === name)?.why ?? "";
    return `${name} is not served, and the webhook refuses all its objects (${why}): if any are still stored, nothing can read them`;
  });
  const oneWay = new Set(ways.filter(({ isOneWay }) => isOneWay).map(({ pair }) => pair.from.name));
  return [
    ...declined,
    ...[...oneWay].map(
      (name) => `${name} is not served, and the webhook converts no object to it: no round trips from it`,
    ),
  ];
}

/** Runs the checks until they are done, the time is over, or the webhook has died, which is a finding. */
async function untilTheEnd(state: State): Promise<Pick<KindFindings, "ended" | "unreachable">> {
  let ended: string | undefined;
  try {
    for (const [index, way] of state.ways.entries()) {
      const { pace } = state.webhook;
      const early = await pace.share(state.ways.length - index, () => checkWay(state, way));
      ended ??= early?.message;
    }
  } catch (error) {
    if (error instanceof OutOfTime) ended = error.message;
    else if (!(error instanceof WebhookDied)) throw error;
    else if (!state.webhook.counts.wasAnswered) return { unreachable: error.message };
    else {
      state.findings.add(deathOf(error, state.subject));
      const what = error.isHanging ? "no longer answers" : "can no longer be reached";
      ended = `the webhook ${what}: ${error.message}`;
    }
  }
  if (ended === undefined) return {};
  for (const way of state.ways) if (way.left.size > 0) way.why ??= ended;
  return { ended };
}

/** Tries a way, and says what is left of it if it ends early. */
async function checkWay(state: State, way: Going): Promise<void> {
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

/** Nothing was tried where nothing was sent. */
function leaveAll({ checks }: State, way: Going): void {
  way.left.clear();
  for (const step of stepsOf(checks)) way.left.add(step);
  way.why ??= way.pair.from.fault ?? "no valid object of this version is known";
}

function deathOf({ message, suspects, desired, isHanging }: WebhookDied, { versions }: Subject): Finding {
  const nameOf = (apiVersion: unknown) =>
    versions.find((each) => each.apiVersion === apiVersion)?.name ?? String(apiVersion);
  const count = suspects.length;
  const which = count === 1 ? "this object" : `one of ${count} objects, of which the first ten are shown,`;
  return {
    kind: "crashed",
    check: "conversion",
    versions: [nameOf(suspects[0]?.apiVersion), nameOf(desired)],
    place: "",
    places: [],
    field: "",
    message: `${which} ${isHanging ? "left it without any further answer" : "ended the process"}: ${message}`,
    views: suspects.slice(0, 10).map((object) => ({ what: nameOf(object.apiVersion), object })),
  };
}

/** Whether one of a few objects is converted, although the smallest one is not. */
async function isAnyConverted(webhook: Webhook, { to }: Pair, cases: readonly Case[]): Promise<boolean> {
  for (const { object } of cases.slice(0, 20))
    if ((await webhook.convert(object, to.apiVersion)).state === "converted") return true;
  return false;
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

async function checkPair(state: State, way: Going): Promise<void> {
  const { subject, webhook, checks, findings } = state;
  const { left } = way;
  const { pace } = webhook;
  const step = (what: string) =>
    checks.onStep?.(`${subject.name} ${way.pair.from.name} → ${way.pair.to.name}: ${what}`);
  step("the smallest object");
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
  const converted = await tryAllPlaces(state, way, { pair, texts, all, step });
  step("empty values");
  state.tried += await tryEmpty(pair, webhook, texts, findings);
  left.delete("empty values");
  step("full and random objects and their histories");
  const random: JsonObject[] = [];
  for (const drawing of [fullest(from, converted), drawn(from, converted, checks)])
    for (const object of await pace.run(drawing)) random.push(await pace.run(texts.adapted(object, [])));
  await tryObjects(state, pair, random);
  left.delete("full and random objects");
  const old = checks.stored?.versions.find(({ name }) => name === from.name);
  if (old !== undefined) {
    step("objects of the older revision");
    state.tried += await tryStored(pair, webhook, old, findings);
  }
  left.delete("stored objects");
  const own = checks.examples.filter(({ apiVersion }) => apiVersion === from.apiVersion);
  step(`${own.length} examples`);
  await tryObjects(state, pair, own);
  left.delete("examples");
}

/** How many places are tried to find out whether anything is converted at all. */
const fewPlaces = 20;

/** The most cases of which objects are drawn. */
const mostDrawn = 5_000;

/**
 * Tries all places, and edits of what they became, a few hundred at a time: the objects of a large schema do not fit into
 * memory together. Returns the cases of which larger objects are drawn.
 */
async function tryAllPlaces(
  state: State,
  { left }: Going,
  {
    pair,
    texts,
    all,
    step,
  }: {
    readonly pair: Pair;
    readonly texts: Texts;
    readonly all: readonly Place[];
    readonly step: (what: string) => void;
  },
): Promise<readonly Case[]> {
  const { webhook, findings, places } = state;
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
    step(`${all.length} places, one at a time (${done} done)`);
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
    // Of answers that differ by themselves nothing can be said after an edit.
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
