import { get, isObject, type JsonObject } from "../../json/json.ts";
import type { Failure } from "./ask.ts";
import type { Place } from "./build.ts";
import { isLoss } from "./cases.ts";
import { tryEdits } from "./edits.ts";
import { changeFinding, type Findings, outcomeFinding, viewOf, viewsOf, wayOf, wordsOf } from "./findings.ts";
import { judgeTrip } from "./judge.ts";
import { shrunk } from "./shrink.ts";
import { faultsOf, placeIn, type Subject } from "./subject.ts";
import type { Texts } from "./texts.ts";
import { type Pair, type Trip, trips } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/** What is asked about what, and where findings go. */
export interface Setting {
  readonly subject: Subject;
  readonly webhook: Webhook;
  readonly findings: Findings;
}

/** The place that is the whole object. */
const whole: Place = { text: "", path: [], schema: {} };

/**
 * Tries the smallest object, parts of it as server-side apply sends them, its labels and annotations, and both versions of
 * ConversionReview. Returns what the webhook says if not even the smallest object is converted.
 */
export async function tryWhole(setting: Setting, pair: Pair, texts: Texts): Promise<Failure | undefined> {
  const { webhook, findings } = setting;
  const { from, to } = pair;
  const { base } = from;
  if (base === undefined) return undefined;
  const [first] = await trips(webhook, pair, [from.rules.default(base)]);
  if (first === undefined) return undefined;
  const { trip } = await texts.better({ each: { place: whole, value: null, object: base }, trip: first });
  if (trip.there.state !== "converted") {
    const facts = {
      check: "conversion",
      versions: [from.name, to.name],
      views: [viewOf(from, trip.object)],
    } as const;
    findings.add(outcomeFinding(trip.there, "", [], facts));
    return trip.there;
  }
  const marked = withMarks(trip.object);
  for (const each of await trips(webhook, pair, [trip.object, marked]))
    judgeTrip(pair, each, undefined, findings);
  await tryParts(setting, pair, trip.object);
  await tryOldReview(setting, pair, trip.object);
  return undefined;
}

function withMarks(object: JsonObject): JsonObject {
  const marks = { "example.com/mark": "a" };
  const metadata = typeof object.metadata === "object" ? object.metadata : {};
  return { ...object, metadata: { ...metadata, labels: marks, annotations: marks } };
}

/** Server-side apply has an API server convert parts of objects, with the fields of one manager alone. */
async function tryParts(
  { webhook, findings }: Setting,
  { from, to }: Pair,
  object: JsonObject,
): Promise<void> {
  const { apiVersion = "", kind = "", metadata = {}, status } = object;
  const identity = { apiVersion, kind, metadata };
  const parts: readonly JsonObject[] = [
    identity,
    { ...identity, spec: {} },
    { ...identity, status: status ?? {} },
  ];
  for (const part of parts) {
    const outcome = await webhook.convert(part, to.apiVersion);
    if (outcome.state === "converted") continue;
    const facts = {
      check: "partial object",
      versions: [from.name, to.name],
      views: [viewOf(from, part)],
    } as const;
    findings.add(outcomeFinding(outcome, "", [], facts));
  }
}

/** The most objects whose annotations are damaged. */
const mostDamaged = 3;

/**
 * Damages the annotations that the webhook added: any client may. The webhook may ignore or refuse them, but must not
 * crash.
 */
export async function tryDamaged(
  { webhook, findings }: Setting,
  { from, to }: Pair,
  made: readonly Trip[],
): Promise<void> {
  const marked = made.filter(({ bare }) => bare !== undefined).slice(0, mostDamaged);
  for (const { object, view } of marked) {
    if (view === undefined) continue;
    for (const [name, damaged] of damagedViews(object, view)) {
      const outcome = await webhook.convert(damaged, from.apiVersion);
      if (outcome.state !== "crashed") continue;
      const facts = { check: "damaged annotation", versions: [to.name, from.name] } as const;
      const path = ["metadata", "annotations", name];
      findings.add(
        outcomeFinding(outcome, placeIn(to, path), path, { ...facts, views: [viewOf(to, damaged)] }),
      );
    }
  }
}

/** A view with each annotation that its object does not have replaced by texts that it cannot be. */
function damagedViews(object: JsonObject, view: JsonObject): readonly (readonly [string, JsonObject])[] {
  const annotations = get(view, "metadata", "annotations");
  if (!isObject(annotations) || !isObject(view.metadata)) return [];
  const { metadata } = view;
  const added = Object.keys(annotations).filter(
    (name) => get(object, "metadata", "annotations", name) === undefined,
  );
  return added.flatMap((name) =>
    ["null", "", "{}", "[]", "[null]", "{"].map((text) => {
      const changed = { ...metadata, annotations: { ...annotations, [name]: text } };
      return [name, { ...view, metadata: changed }] as const;
    }),
  );
}

/** A CRD that lists v1beta1 of ConversionReview promises that its webhook reads that, too. */
async function tryOldReview(
  { subject, webhook, findings }: Setting,
  { from, to }: Pair,
  object: JsonObject,
): Promise<void> {
  if (!subject.reviews?.includes("v1beta1")) return;
  const outcome = await webhook.convert(object, to.apiVersion, "v1beta1");
  if (outcome.state === "converted") return;
  const facts = {
    check: "review v1beta1",
    versions: [from.name, to.name],
    views: [viewOf(from, object)],
  } as const;
  findings.add(outcomeFinding(outcome, "", [], facts));
}

/**
 * Tries whole objects, random ones or examples: round trips, edits, and round trips and edits of what came of them. Only what
 * is not known yet is reported, with the smallest object that shows it.
 */
export async function tryObjects(
  setting: Setting,
  pair: Pair,
  objects: readonly JsonObject[],
): Promise<void> {
  const { webhook, findings } = setting;
  const { from } = pair;
  const made = await trips(
    webhook,
    pair,
    objects.map((object) => from.rules.default(object)),
  );
  for (const trip of made) await judgeObject(setting, pair, trip);
  const whole = made.filter(({ changes }) => !changes.some(isLoss));
  const written = await tryEdits(pair, webhook, whole, findings, { most: 2, isWhole: true });
  const later = await trips(webhook, pair, written);
  for (const trip of later) await judgeObject(setting, pair, trip);
  await tryEdits(pair, webhook, later, findings, { most: 2, isWhole: true });
}

/** The most findings that one object can show. */
const mostTroubles = 20;

async function judgeObject(setting: Setting, pair: Pair, trip: Trip): Promise<void> {
  for (let count = 0; count < mostTroubles; count++) {
    const trouble = newTrouble(trip, pair, setting.findings);
    if (trouble === undefined) return;
    await judgeTrouble(setting, pair, trip, trouble);
    // Where the smallest object does not show it, it would be found again and again.
    if (newTrouble(trip, pair, setting.findings) === trouble) return;
  }
}

/** Reports what an object shows, with the smallest one that shows the same. */
async function judgeTrouble(setting: Setting, pair: Pair, trip: Trip, trouble: string): Promise<void> {
  const { webhook, findings } = setting;
  const { from, to } = pair;
  const versions = wayOf(from, to);
  const isSmaller = async (object: JsonObject) => {
    if (faultsOf(from, object).length > 0) return false;
    const [other] = await trips(webhook, pair, [object]);
    return other !== undefined && newTrouble(other, pair, findings) === trouble;
  };
  const object = await shrunk(trip.object, isSmaller, webhook.pace);
  const [smallest = trip] = await trips(webhook, pair, [object]);
  if (smallest.there.state !== "converted") {
    const facts = {
      check: "conversion",
      versions: versions.slice(0, 2),
      views: [viewOf(from, object)],
    } as const;
    findings.add(outcomeFinding(smallest.there, "", [], facts));
    return;
  }
  const views = viewsOf(smallest, from, to);
  if (smallest.back !== undefined && smallest.back.state !== "converted")
    findings.add(outcomeFinding(smallest.back, "", [], { check: "round trip", versions, views }));
  for (const change of smallest.changes)
    if (isLoss(change) && !findings.knows(placeIn(from, change.path), versions))
      findings.add(changeFinding(change, from, { check: "round trip", versions, views }));
}

/** What a trip shows that is not known yet: the first place, or what the webhook says. */
function newTrouble(
  { there, back, changes }: Trip,
  { from, to }: Pair,
  findings: Findings,
): string | undefined {
  for (const outcome of [there, back])
    if (outcome !== undefined && outcome.state !== "converted")
      return findings.knowsOutcome(outcome, [from.name, to.name]) ? undefined : wordsOf(outcome.sentence);
  return changes
    .filter(isLoss)
    .map(({ path }) => placeIn(from, path))
    .find((place) => !findings.knows(place, wayOf(from, to)));
}
