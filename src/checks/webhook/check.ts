import { type Ask, OutOfTime, WebhookDied } from "./ask.ts";
import type { Untried } from "./cases.ts";
import type { Alike, Finding } from "./finding.ts";
import { Findings } from "./findings.ts";
import { folded } from "./fold.ts";
import { slim } from "./slim.ts";
import { Storage } from "./storage.ts";
import type { Subject, SubjectVersion } from "./subject.ts";
import type { Pair } from "./trip.ts";
import { type Checks, checkWay, type Going, leaveAll, type State, stepsOf } from "./way.ts";
import { Webhook } from "./webhook.ts";

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

function deathOf({ message, suspects, desired, isHanging }: WebhookDied, { versions }: Subject): Finding {
  const nameOf = (apiVersion: unknown) =>
    versions.find((each) => each.apiVersion === apiVersion)?.name ?? String(apiVersion);
  const count = suspects.length;
  const shown = count > 10 ? ", of which the first ten are shown," : "";
  const which = count === 1 ? "this object" : `one of ${count} objects${shown}`;
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
