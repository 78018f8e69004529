import type { JsonObject } from "../../json/json.ts";
import { type Place, placesOf } from "./build.ts";
import { casesOf, isLoss } from "./cases.ts";
import { emptiesOf } from "./empty.ts";
import { type Findings, outcomeFinding, viewsOf, wayOf, wordsOf } from "./findings.ts";
import { slices } from "./pace.ts";
import { faultsOf, placeIn, type SubjectVersion, validObject } from "./subject.ts";
import { type Pair, type Trip, trips } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/** An object in which a place is set. */
interface Placed {
  readonly place: Place;
  readonly object: JsonObject;
}

/**
 * Tries objects that an older revision of the CRD admitted and the present one does not, as an API server reads them from etcd:
 * pruned and defaulted by the present schema of their version, and not validated. What the webhook refuses, crashes on or
 * empties is frozen: no client can read it at the other version, and a controller may never see it. Returns how many values were
 * set.
 */
export async function tryStored(
  pair: Pair,
  webhook: Webhook,
  old: SubjectVersion,
  findings: Findings,
): Promise<number> {
  const { from } = pair;
  const { pace } = webhook;
  const said = new Set<string>();
  let tried = 0;
  const send = async (made: readonly Placed[]) => {
    const stored = made
      .map(({ place, object }) => ({ place, object: from.rules.default(from.rules.prune(object).object) }))
      .filter(({ object }) => faultsOf(from, object).length > 0);
    const objects = stored.map(({ object }) => object);
    for (const [index, trip] of (await trips(webhook, pair, objects)).entries()) {
      await pace.rest();
      const place = stored[index]?.place;
      if (place !== undefined) judge(pair, trip, place, said, findings);
    }
    tried += stored.length;
  };
  if (old.base !== undefined) await send([{ place: { text: "", path: [], schema: {} }, object: old.base }]);
  for (const some of slices(placesOf(old.schema))) await send((await pace.run(casesOf(old, some))).cases);
  for (const some of slices(emptiesOf(old.schema))) {
    const made: Placed[] = [];
    for (const { place, value } of some) {
      const valid = await pace.run(validObject(old, place.path, value));
      if ("object" in valid) made.push({ place, object: valid.object });
    }
    await send(made);
  }
  return tried;
}

function judge(pair: Pair, trip: Trip, place: Place, said: Set<string>, findings: Findings): void {
  const { from, to } = pair;
  const { there, back, changes } = trip;
  const facts = {
    check: "stored object",
    versions: wayOf(from, to),
    views: viewsOf(trip, from, to),
  } as const;
  for (const outcome of [there, back]) {
    if (outcome === undefined || outcome.state === "converted") continue;
    // What is wrong with the smallest object is wrong with all.
    const words = `${outcome.state} ${wordsOf(outcome.sentence)}`;
    if (outcome.state === "refused" && said.has(words)) return;
    said.add(words);
    findings.add({ ...outcomeFinding(outcome, place.text, place.path, facts), kind: "frozen" });
    return;
  }
  const lost = changes.filter(
    (change) => isLoss(change) && !findings.knows(placeIn(from, change.path), facts.versions),
  );
  if (lost.length === 0) return;
  const names = [...new Set(lost.map(({ path }) => placeIn(from, path)))];
  findings.add({
    ...outcomeFinding(
      {
        state: "refused",
        sentence: `the answer is Success, and ${names.join(", ")} ${names.length === 1 ? "is" : "are"} lost`,
      },
      place.text,
      place.path,
      facts,
    ),
    kind: "frozen",
  });
}
