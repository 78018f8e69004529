import { type Case, isLoss, isOwn } from "./cases.ts";
import type { Change } from "./changes.ts";
import { changeFinding, type Findings, outcomeFinding, viewOf, viewsOf, wayOf } from "./findings.ts";
import { judgeTrip } from "./judge.ts";
import { placeIn } from "./subject.ts";
import type { Gone, Texts } from "./texts.ts";
import { type Pair, type Trip, trips } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/**
 * Sets the places of a version one at a time, and sends each object to the other version and back. Returns the cases that
 * the webhook converts, with their trips.
 */
export async function tryPlaces(
  pair: Pair,
  webhook: Webhook,
  texts: Texts,
  cases: readonly Case[],
  findings: Findings,
): Promise<readonly Gone[]> {
  const { from, to } = pair;
  const objects = cases.map(({ object, place }) => from.rules.default(texts.adapted(object, place.path)));
  const made = await trips(webhook, pair, objects);
  const good: Gone[] = [];
  for (const [index, each] of cases.entries()) {
    const trip = made[index];
    if (trip === undefined) continue;
    const chosen = await betterTrip(pair, webhook, texts, { each, trip });
    if (chosen.trip.there.state === "converted") {
      good.push(chosen);
      judgeTrip(pair, chosen.trip, chosen.each.place, findings);
      continue;
    }
    const { place, object } = chosen.each;
    const facts = {
      check: "conversion",
      versions: [from.name, to.name],
      views: [viewOf(from, object)],
    } as const;
    findings.add(outcomeFinding(chosen.trip.there, place.text, place.path, facts));
  }
  for (const { each, trip } of good)
    for (const change of trip.changes)
      if (isLoss(change) && !isOwn(change, each.place, pair))
        addSideEffect(pair, each, trip, change, findings);
  return good;
}

/** A case with a text that the webhook reads, and its whole trip. */
async function betterTrip(pair: Pair, webhook: Webhook, texts: Texts, gone: Gone): Promise<Gone> {
  const better = await texts.better(gone);
  if (better === gone || better.trip.there.state !== "converted") return better;
  const [trip] = await trips(webhook, pair, [better.trip.object]);
  return trip === undefined ? better : { ...better, trip };
}

/** A value that is lost because another place is set. */
function addSideEffect(
  { from, to }: Pair,
  { place }: Case,
  trip: Trip,
  change: Change,
  findings: Findings,
): void {
  const versions = wayOf(from, to);
  if (findings.knows(placeIn(from, change.path), versions)) return;
  const facts = { check: "round trip", versions, views: viewsOf(trip, from, to) } as const;
  findings.add(changeFinding(change, from, facts, `as soon as ${place.text} is set`));
}
