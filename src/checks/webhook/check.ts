import type { JsonObject } from "../../json/json.ts";
import { type Ask, OutOfTime, WebhookDied } from "./ask.ts";
import { type Case, casesOf, type Untried } from "./cases.ts";
import { drawn, fullest } from "./draw.ts";
import { tryEdits } from "./edits.ts";
import { tryEmpty } from "./empty.ts";
import type { Alike, Finding } from "./finding.ts";
import { Findings } from "./findings.ts";
import { folded } from "./fold.ts";
import { tryPlaces } from "./places.ts";
import { Storage } from "./storage.ts";
import { faultsOf, type Subject, type SubjectVersion, schemaFaultsOf } from "./subject.ts";
import { Texts } from "./texts.ts";
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
  readonly onStep?: (step: string) => void;
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
  /** Places that were set, over all pairs of versions. */
  readonly tried: number;
  readonly objects: number;
  readonly reviews: number;
  /** Milliseconds in which the webhook was waited for. */
  readonly milliseconds: number;
  /** Milliseconds for a review of one object: the median, and the longest. */
  readonly median: number;
  readonly longest: number;
  /** Why it ended early, if it did. */
  readonly ended?: string;
}

/** Checks the conversion of a kind between all its versions. Rejects only for a fault of its own. */
export async function checkKind(subject: Subject, ask: Ask, checks: Checks): Promise<KindFindings> {
  const webhook = new Webhook(ask, checks);
  const findings = new Findings(checks.ignored);
  const state: State = {
    subject,
    webhook,
    findings,
    checks,
    untried: new Map(),
    places: new Map(),
    schemaFaults: new Set(),
    tried: 0,
  };
  const ended = await untilTheEnd(state);
  const { objects, reviews, milliseconds, times } = webhook.counts;
  const sorted = times.toSorted((a, b) => a - b);
  return {
    kind: subject.name,
    versions: subject.versions.map(({ name }) => name),
    findings: folded(
      state.tried > 0 ? findings.all : withoutPairs(findings.all, pairsOf(subject.versions).length),
      state.places,
    ),
    alike: findings.alike,
    untried: [...state.untried].map(([version, places]) => ({ version, places })),
    schemaFaults: [...state.schemaFaults],
    tried: state.tried,
    objects,
    reviews,
    milliseconds,
    median: sorted[sorted.length >> 1] ?? 0,
    longest: sorted.at(-1) ?? 0,
    ...(ended === undefined ? {} : { ended }),
  };
}

/** What is known so far. */
interface State extends Setting {
  readonly checks: Checks;
  readonly untried: Map<string, readonly Untried[]>;
  /** The places of each version that were set. */
  readonly places: Map<string, ReadonlySet<string>>;
  readonly schemaFaults: Set<string>;
  tried: number;
}

function pairsOf(versions: readonly SubjectVersion[]): readonly Pair[] {
  const storage = new Storage();
  return versions.flatMap((from) =>
    versions.filter((to) => to !== from).map((to) => ({ from, to, storage })),
  );
}

/** If no pair of versions is converted at all, that is one finding. */
function withoutPairs(findings: readonly Finding[], pairs: number): readonly Finding[] {
  const isWhole = ({ kind, check, place }: Finding) =>
    kind === "refused" && check === "conversion" && place === "";
  const refused = findings.filter(isWhole);
  const [first] = refused;
  if (first === undefined || pairs < 2 || refused.length < pairs) return findings;
  const message = `no version is converted to another: ${first.message}`;
  return [{ ...first, message }, ...findings.filter((each) => !isWhole(each))];
}

/** Runs the checks until they are done, the time is over, or the webhook has died, which is a finding. */
async function untilTheEnd(state: State): Promise<string | undefined> {
  try {
    for (const pair of pairsOf(state.subject.versions)) await checkPair(state, pair);
    return undefined;
  } catch (error) {
    if (error instanceof OutOfTime) return error.message;
    // What never answered did not die.
    if (!(error instanceof WebhookDied) || state.webhook.counts.reviews <= 1) throw error;
    state.findings.add(deathOf(error, state.subject));
    return `the webhook can no longer be reached: ${error.message}`;
  }
}

function deathOf({ message, suspects, desired }: WebhookDied, { versions }: Subject): Finding {
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
    message: `${which} ended the process: ${message}`,
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

async function checkPair(state: State, given: Pair): Promise<void> {
  const { subject, webhook, checks, findings } = state;
  const step = (what: string) =>
    checks.onStep?.(`${subject.name} ${given.from.name} → ${given.to.name}: ${what}`);
  step("the smallest object");
  const isConverted = await tryWhole(state, given, new Texts(given, webhook, findings));
  const pair = isConverted ? given : await onExample(state, given);
  const { from, to } = pair;
  const { cases, untried } = casesOf(from);
  if (pair === given && !isConverted && !(await isAnyConverted(webhook, pair, cases))) return;
  const texts = new Texts(pair, webhook, findings);
  state.untried.set(from.name, untried);
  state.tried += cases.length;
  for (const { object } of cases)
    for (const fault of schemaFaultsOf(from, object)) state.schemaFaults.add(`${from.name}: ${fault}`);
  state.places.set(from.name, new Set(cases.map(({ place }) => place.text)));
  step(`${cases.length} places, one at a time`);
  const good = await tryPlaces(pair, webhook, texts, cases, findings);
  step("empty values");
  state.tried += await tryEmpty(pair, webhook, texts, findings);
  step("edits");
  await tryDamaged(
    state,
    pair,
    good.map(({ trip }) => trip),
  );
  // Of answers that differ by themselves nothing can be said after an edit.
  if (!findings.differ(from.name, to.name))
    await tryEdits(
      pair,
      webhook,
      good.map(({ trip }) => trip),
      findings,
    );
  step("full and random objects and their histories");
  const converted = good.map(({ each }) => each);
  const random = [...fullest(from, converted), ...drawn(from, converted, checks)];
  await tryObjects(
    state,
    pair,
    random.map((object) => texts.adapted(object, [])),
  );
  const own = checks.examples.filter(({ apiVersion }) => apiVersion === from.apiVersion);
  step(`${own.length} examples`);
  await tryObjects(state, pair, own);
}
