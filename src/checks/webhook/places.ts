import type { JsonObject } from "../../json/json.ts";
import { type Case, isLoss, isOwn, type Untried } from "./cases.ts";
import type { Change } from "./changes.ts";
import { changeFinding, type Findings, outcomeFinding, viewOf, viewsOf, wayOf } from "./findings.ts";
import { judgeTrip } from "./judge.ts";
import { placeIn } from "./subject.ts";
import type { Gone, Texts } from "./texts.ts";
import { type Pair, trips } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/**
 * Sets the places of a version one at a time, and sends each object to the other version and back. Returns the cases that
 * the webhook converts, with their trips, and the places of which nothing can be said for want of another text.
 */
export async function tryPlaces(
  pair: Pair,
  webhook: Webhook,
  texts: Texts,
  cases: readonly Case[],
  findings: Findings,
  effects: SideEffects,
): Promise<{ readonly good: readonly Gone[]; readonly untried: readonly Untried[] }> {
  const { from, to } = pair;
  const untried: Untried[] = [];
  const objects: JsonObject[] = [];
  for (const { object, place } of cases)
    objects.push(from.rules.default(await webhook.pace.run(texts.adapted(object, place.path))));
  const made = await trips(webhook, pair, objects);
  const good: Gone[] = [];
  for (const [index, each] of cases.entries()) {
    const trip = made[index];
    if (trip === undefined) continue;
    await webhook.pace.rest();
    const chosen = await betterTrip(pair, webhook, texts, { each, trip });
    if (chosen.trip.there.state === "converted") {
      good.push(chosen);
      judgeTrip(pair, chosen.trip, chosen.each.place, findings);
      continue;
    }
    const { place, object } = chosen.each;
    if (texts.isCut(chosen.trip.there)) {
      const why = `refused on the way to ${to.name} with this text, and no other one was tried: ${chosen.trip.there.sentence}`;
      untried.push({ place: place.text, why });
      continue;
    }
    const facts = {
      check: "conversion",
      versions: [from.name, to.name],
      views: [viewOf(from, object)],
    } as const;
    findings.add(outcomeFinding(chosen.trip.there, place.text, place.path, facts));
  }
  for (const gone of good) effects.note(pair, gone);
  return { good, untried };
}

/** A case with a text that the webhook reads, and its whole trip. */
async function betterTrip(pair: Pair, webhook: Webhook, texts: Texts, gone: Gone): Promise<Gone> {
  const better = await texts.better(gone);
  if (better === gone || better.trip.there.state !== "converted") return better;
  const [trip] = await trips(webhook, pair, [better.trip.object]);
  return trip === undefined ? better : { ...better, trip };
}

/** Values that are lost because another place is set, the first of each place. */
export class SideEffects {
  readonly #found = new Map<string, { readonly gone: Gone; readonly change: Change }>();

  note(pair: Pair, gone: Gone): void {
    for (const change of gone.trip.changes) {
      if (!isLoss(change) || isOwn(change, gone.each.place, pair)) continue;
      const place = placeIn(pair.from, change.path);
      if (!this.#found.has(place)) this.#found.set(place, { gone, change });
    }
  }

  /** Reports those that are not known by then to be lost by themselves. */
  report({ from, to }: Pair, findings: Findings): void {
    const versions = wayOf(from, to);
    for (const [lost, { gone, change }] of this.#found) {
      if (findings.knows(lost, versions)) continue;
      const facts = { check: "round trip", versions, views: viewsOf(gone.trip, from, to) } as const;
      findings.add(changeFinding(change, from, facts, `as soon as ${gone.each.place.text} is set`));
    }
  }
}
