import { type Finding, findingKinds, type KindFindings, notes } from "../../checks/index.ts";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import { counted } from "../../words.ts";
import type { WebhookKind } from "./report.ts";

/** The words before findings of a kind. */
export const titles: Readonly<Record<Finding["kind"], string>> = {
  crashed: "crashed",
  refused: "refused",
  differs: "differs between two answers",
  lost: "lost",
  became: "became",
  moved: "moved, not read back",
  hidden: "hidden",
  frozen: "frozen",
  added: "added",
  "kept by annotations": "kept only while annotations stay",
  looser: "the schema admits what the webhook does not read",
  invalid: "not valid at the other version",
};

/** The findings of a kind, the gravest first. */
export function inOrder({ findings }: KindFindings): readonly Finding[] {
  return findings.toSorted((a, b) => findingKinds.indexOf(a.kind) - findingKinds.indexOf(b.kind));
}

/** The place of a finding, and how many places it stands for. */
export function placeOf({ place, places }: Finding): string {
  const name = place === "" ? "the whole object" : place;
  return places.length > 1 ? `${name} (${places.length} places)` : name;
}

/** What happened, in one sentence without the place. */
export function sentenceOf(finding: Finding): string {
  const { kind, check, message } = finding;
  const change = changeOf(finding);
  const where = check === "conversion" || check === "round trip" ? "" : check;
  return [where, change, message].filter((each) => each !== undefined && each !== "").join(": ") || kind;
}

function changeOf({ kind, before, after, field, place }: Finding): string | undefined {
  const what = comparisonOf(kind, before, after);
  // The place is said before the sentence.
  return what === undefined || field === place ? what : `${field}: ${what}`;
}

function comparisonOf(
  kind: Finding["kind"],
  before: Json | undefined,
  after: Json | undefined,
): string | undefined {
  switch (kind) {
    case "lost":
    case "kept by annotations":
      return before === undefined ? undefined : `${short(before)} is gone`;
    case "became":
      return `${short(before)} became ${short(after)}`;
    case "added":
      return `${short(after)} appears`;
    case "moved":
    case "hidden":
    case "looser":
      return short(before);
    default:
      return undefined;
  }
}

/** A value in one line, cut where it is long. */
function short(value: Json | undefined): string {
  const text = value === undefined ? "(absent)" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** An object for a reader: of the metadata the name, labels and annotations. */
export function readable(object: JsonObject): JsonObject {
  const { apiVersion = "", kind = "", metadata, ...rest } = object;
  const { name, namespace, labels, annotations } = isObject(metadata) ? metadata : {};
  const marks = { name, namespace, labels, annotations };
  const shown = Object.entries(marks).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  const status = rest.status === undefined ? {} : { status: rest.status };
  const { status: _, ...content } = rest;
  return { apiVersion, kind, metadata: Object.fromEntries(shown), ...content, ...status };
}

/** The findings of a kind that are more than notes. */
export function faultsOf({ findings }: KindFindings): readonly Finding[] {
  return findings.filter(({ kind }) => !notes.has(kind));
}

/** Whether everything was tried that was to be tried. */
export function isComplete({ ways }: KindFindings): boolean {
  return ways.every(({ left }) => left.length === 0);
}

/** What is to be said of a kind before all else. Not tried is not passed. */
export function verdictOf(kind: WebhookKind): string {
  const faults = faultsOf(kind);
  const known = kind.known?.length ?? 0;
  const none = known === 0 ? "nothing is lost" : `nothing new; ${counted(known, "known finding")}`;
  const found =
    faults.length === 0
      ? none
      : `${counted(faults.length, known === 0 ? "finding" : "new finding")}${known === 0 ? "" : `, ${known} known`}`;
  const kept = keptOf(kind);
  const depends =
    kept === 0
      ? ""
      : `; ${counted(kept, "place")} ${kept === 1 ? "is" : "are"} kept only while annotations stay`;
  if (isComplete(kind)) return `${found}${depends}`;
  if (faults.length > 0) return `${found}, and not all was tried${depends}`;
  return wasTried(kind) ? "not all was tried; nothing was lost in what was" : "not tried";
}

/** How many places are lost as soon as a client drops the annotations that the webhook adds. */
export function keptOf({ findings }: KindFindings): number {
  const kept = findings.filter(({ kind }) => kind === "kept by annotations");
  return new Set(kept.flatMap(({ versions, places }) => places.map((place) => `${versions[0]} ${place}`)))
    .size;
}

function wasTried({ ways, unconverted }: KindFindings): boolean {
  return unconverted === undefined && ways.some(({ objects }) => objects > 0);
}

/** What was not tried of a kind, and why: a line for the kind, or for each way. */
export function leftOf(kind: KindFindings): readonly string[] {
  const { kind: name, ways, unconverted, unreachable } = kind;
  if (unconverted !== undefined) return [`${name}: this webhook does not convert it: ${unconverted}`];
  if (unreachable !== undefined) return [`${name}: the webhook cannot be reached: ${unreachable}`];
  return ways.flatMap(({ from, to, objects, left, why }) => {
    if (left.length === 0) return [];
    const what = objects === 0 ? "no object was sent" : left.join(", ");
    return [`${name} ${from} → ${to}: ${what}${why === undefined ? "" : ` (${why})`}`];
  });
}

/** What a run cost, and what was not looked at. */
export function figuresOf(kind: KindFindings): string {
  const { tried, objects, reviews, wall, median, longest } = kind;
  if (reviews === 0) return "no object was sent";
  const rate = wall === 0 ? 0 : Math.round((objects / wall) * 1000);
  return `${counted(tried, "value")} set, ${counted(objects, "object")} in ${counted(reviews, "review")}, ${counted(rate, "object")} a second; one object took ${median.toFixed(1)} ms (median), ${longest.toFixed(1)} ms (longest)`;
}

/** What else there is to say of a kind. */
export function remarksOf(kind: WebhookKind): readonly string[] {
  const { alike, untried, schemaFaults, unserved, ended } = kind;
  const closed = untried.flatMap(({ version, places }) =>
    places.map(({ place, why }) => `not tried: ${version} ${place}: ${why}`),
  );
  return [
    ...(kind.stale ?? []).map((line) => `no longer found, take it out of the baseline: ${line}`),
    ...(ended === undefined ? [] : [`ended early: ${ended}`]),
    ...unserved,
    ...schemaFaults.map((fault) => `an API server of v1.36 rejects objects with the field: ${fault}`),
    ...closed,
    ...(alike.zero.length === 0
      ? []
      : [
          `zero values that appear or vanish, which mean the same to Go: ${counted(alike.zero.length, "place")} (-o json lists them)`,
        ]),
    ...(alike.reprinted.length === 0
      ? []
      : [
          `values that are printed otherwise, such as 1024Mi as 1Gi: ${counted(alike.reprinted.length, "place")} (-o json lists them)`,
        ]),
  ];
}
