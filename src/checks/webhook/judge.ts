import type { JsonObject } from "../../json/json.ts";
import type { Place } from "./build.ts";
import { isLoss, isOwn } from "./cases.ts";
import type { Change } from "./changes.ts";
import {
  changeFinding,
  checkOf,
  type Findings,
  isWithin,
  outcomeFinding,
  referenceAt,
  viewOf,
  viewsOf,
  wayOf,
} from "./findings.ts";
import { faultsOf, placeIn } from "./subject.ts";
import type { Pair, Trip } from "./trip.ts";

/** Reports what one trip shows: the place that was set, annotations, repetition, the result's validity. */
export function judgeTrip(pair: Pair, trip: Trip, place: Place | undefined, findings: Findings): void {
  const { from, to } = pair;
  const versions = wayOf(from, to);
  const { there, view, again, back, changes, bare } = trip;
  findings.note(changes, from);
  const text = place?.text ?? "";
  if (back !== undefined && back.state !== "converted")
    findings.add(
      outcomeFinding(back, text, place?.path ?? [], {
        check: "round trip",
        versions,
        views: viewsOf(trip, from, to),
      }),
    );
  // A client can write back without annotations what is valid then.
  if (bare !== undefined && bare.back.state !== "converted" && faultsOf(to, bare.view).length === 0) {
    const facts = { check: checkOf(true), versions, views: viewsOf(trip, from, to, true) };
    findings.add(outcomeFinding(bare.back, text, place?.path ?? [], facts));
  }
  if (there.state === "converted" && again !== undefined) judgeAgain(pair, trip, text, findings);
  for (const isBare of [false, true]) {
    const these = isBare ? (bare?.changes ?? []) : changes;
    const facts = { check: checkOf(isBare), versions, views: viewsOf(trip, from, to, isBare) };
    for (const change of these) {
      if (change.sort === "zero" || change.sort === "reprinted") continue;
      if (place !== undefined && change.sort !== "added" && !isOwn(change, place, pair)) continue;
      // An added value is most often a default; one that stands in every object is reported once.
      const at = place !== undefined && isOwn(change, place, pair) ? atPlace(change, place, from) : undefined;
      const finding = { ...changeFinding(change, from, facts), ...at };
      if (!isBare) findings.add(finding);
      else if (isLoss(change) && !changes.some((each) => isLoss(each) && samePath(each, change)))
        findings.add({ ...finding, kind: "kept by annotations" });
    }
  }
  if (view !== undefined) judgeResult(pair, view, trip, findings);
}

/** A loss that takes the parent along is reported at the place that was set. */
function atPlace({ path }: Change, place: Place, from: Pair["from"]) {
  return isWithin(place.text, placeIn(from, path))
    ? { place: place.text, places: [place.text], ...referenceAt(from, place.path) }
    : {};
}

function samePath(a: Change, b: Change): boolean {
  return JSON.stringify(a.path) === JSON.stringify(b.path);
}

function judgeAgain(
  { from, to }: Pair,
  { object, there, again }: Trip,
  text: string,
  findings: Findings,
): void {
  if (there.state !== "converted" || again === undefined) return;
  const [first, second] = [
    JSON.stringify(there.answer),
    again.state === "converted" ? JSON.stringify(again.answer) : again.sentence,
  ];
  if (first === second) return;
  findings.add({
    kind: "differs",
    check: "same request twice",
    versions: [from.name, to.name],
    place: text,
    places: [text],
    field: text,
    before: there.answer,
    ...(again.state === "converted" ? { after: again.answer } : { message: again.sentence }),
    views: [viewOf(from, object)],
  });
}

function judgeResult({ from, to }: Pair, view: JsonObject, { object }: Trip, findings: Findings): void {
  for (const { path = [], field, message } of faultsOf(to, to.rules.default(view))) {
    const place = placeIn(to, path);
    findings.add({
      kind: "invalid",
      check: "conversion",
      versions: [from.name, to.name],
      place,
      places: [place],
      field,
      message,
      views: [viewOf(from, object), viewOf(to, view)],
    });
  }
}
