import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { fieldBelow, fieldOf, type Path } from "../../json/path.ts";
import { propertiesOf, smallestOf } from "../../values/smallest.ts";
import type { Outcome } from "./ask.ts";
import type { Place } from "./build.ts";
import { isLoss } from "./cases.ts";
import { changeFinding, type Findings, isWithin, outcomeFinding, viewsOf, wayOf } from "./findings.ts";
import { slices } from "./pace.ts";
import { placeIn, validObject } from "./subject.ts";
import type { Texts } from "./texts.ts";
import { type Pair, type Trip, trips } from "./trip.ts";
import type { Webhook } from "./webhook.ts";

/** A place with a value that says little: empty, zero, false, or null where the schema has `nullable`. */
interface Empty {
  readonly place: Place;
  readonly value: Json;
}

/**
 * Sets each place to its empty value, and sends the objects to the other version and back. That such a value vanishes means
 * nothing to Go; that it is refused, ends in a crash, or takes other values along is reported.
 */
export async function tryEmpty(
  pair: Pair,
  webhook: Webhook,
  texts: Texts,
  findings: Findings,
): Promise<number> {
  const { from } = pair;
  const { pace } = webhook;
  let tried = 0;
  for (const some of slices(emptiesOf(from.schema))) {
    const made: { readonly empty: Empty; readonly object: JsonObject }[] = [];
    for (const empty of some) {
      const { place, value } = empty;
      const valid = await pace.run(validObject(from, place.path, value));
      if ("fault" in valid) continue;
      const adapted = await pace.run(texts.adapted(valid.object, place.path));
      made.push({ empty, object: from.rules.default(adapted) });
    }
    const objects = made.map(({ object }) => object);
    for (const [index, trip] of (await trips(webhook, pair, objects)).entries()) {
      await pace.rest();
      const empty = made[index]?.empty;
      if (empty !== undefined) judge(pair, empty, trip, findings);
    }
    tried += made.length;
  }
  return tried;
}

function judge(pair: Pair, { place, value }: Empty, trip: Trip, findings: Findings): void {
  const { from, to } = pair;
  const { there, back, changes } = trip;
  const versions = wayOf(from, to);
  findings.note(changes, from);
  const views = viewsOf(trip, from, to);
  for (const outcome of [there, back]) {
    if (outcome === undefined || outcome.state === "converted") continue;
    const way = outcome === there ? versions.slice(0, 2) : versions;
    if (isKnown(outcome, place, way, findings)) continue;
    const check = outcome === there ? "conversion" : "round trip";
    const found = outcomeFinding(outcome, place.text, place.path, { check, versions: way, views });
    // Such as "" for a duration: the schema says no more than that it is a text.
    const isText = value === "" && outcome.state === "refused";
    findings.add({ ...found, before: value, ...(isText ? { kind: "looser" } : {}) });
  }
  if (value === "" && changes.some(isLoss)) {
    addUnread(pair, place, trip, findings);
    return;
  }
  for (const change of changes) {
    const at = placeIn(from, change.path);
    if (!isLoss(change) || findings.knows(at, versions)) continue;
    const message = `as soon as ${place.text} is ${JSON.stringify(value)}`;
    findings.add(changeFinding(change, from, { check: "round trip", versions, views }, message));
  }
}

/** Reports an empty text that the webhook does not read, and with which it leaves out others. */
function addUnread(pair: Pair, place: Place, trip: Trip, findings: Findings): void {
  const { from, to } = pair;
  const gone = [...new Set(trip.changes.filter(isLoss).map(({ path }) => placeIn(from, path)))];
  const versions = wayOf(from, to);
  if (gone.every((each) => findings.knows(each, versions))) return;
  findings.add({
    kind: "lost",
    check: "unread value",
    versions,
    place: place.text,
    places: [place.text],
    field: fieldOf(place.path),
    before: "",
    message: `the answer is Success, but the webhook does not read this value; with it ${gone.join(", ")} ${gone.length === 1 ? "is" : "are"} lost`,
    views: viewsOf(trip, from, to),
  });
}

/** Whether a crash near a place is known, or a refusal in the same words. */
function isKnown(
  outcome: Exclude<Outcome, { state: "converted" }>,
  { text }: Place,
  way: readonly string[],
  findings: Findings,
): boolean {
  if (outcome.state === "refused") return findings.knowsOutcome(outcome, way.slice(0, 2));
  return findings.all.some(
    ({ kind, versions, place }) =>
      kind === "crashed" &&
      versions.slice(0, 2).join() === way.slice(0, 2).join() &&
      (isWithin(place, text) || isWithin(text, place)),
  );
}

/** The most places of one version that are set to empty values. */
const most = 20_000;

/** The empty values of all places of a schema: of an object what it requires. */
export function emptiesOf(schema: Json | undefined): readonly Empty[] {
  const found: Empty[] = [];
  const visit = (here: Json | undefined, path: Path, text: string): void => {
    if (!isObject(here) || found.length >= most) return;
    const place = { text, path, schema: here };
    const value = emptyOf(here);
    if (value !== undefined) found.push({ place, value });
    if (here.nullable === true) found.push({ place, value: null });
    for (const [name, below] of Object.entries(propertiesOf(here)))
      visit(below, [...path, name], fieldBelow(text, name));
    visit(here.items, [...path, 0], `${text}[]`);
    visit(here.additionalProperties, [...path, "k"], `${text}.*`);
  };
  for (const [name, below] of Object.entries(propertiesOf(schema)))
    if (!["apiVersion", "kind", "metadata"].includes(name)) visit(below, [name], name);
  return found;
}

/** Undefined where the schema does not describe the value. */
function emptyOf(schema: Json): Json | undefined {
  if (get(schema, "x-kubernetes-preserve-unknown-fields") === true) return undefined;
  const choices = get(schema, "enum");
  if (isArray(choices)) return choices.find((each) => each === "" || each === 0 || each === false);
  switch (get(schema, "type")) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "array":
      return [];
    case "object":
      return smallestOf(schema);
    default:
      return undefined;
  }
}
