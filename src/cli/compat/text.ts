import type { CrdFinding as Finding } from "../../checks/index.ts";
import { contentOf, shortened } from "../../checks/index.ts";
import { isObject, type JsonObject } from "../../json/json.ts";
import { type Line, printed, type Style } from "../../offline/lines.ts";
import { counted } from "../../words.ts";
import { placeLines, unseenSentence } from "../deletion-text.ts";
import type { CompatReport, DeletedObjects, KindReport } from "./report.ts";

/** A report for people: what changes for clients and stored objects, worst first, each with an object that shows it. */
export function textOf(report: CompatReport, style: Style): string {
  return printed([...report.kinds.flatMap(kindLines), summaryLine(report)], style);
}

function summaryLine({ counts, kinds }: CompatReport): Line {
  const { breaking, risky, safe } = counts;
  const text = `${kinds.length} ${kinds.length === 1 ? "kind" : "kinds"}: ${breaking} breaking, ${risky} risky, ${safe} safe`;
  return { text, tone: breaking > 0 ? "bad" : "good" };
}

function kindLines(kind: KindReport): readonly Line[] {
  const lines = [
    ...wholeKindLines(kind),
    ...storedObjectLines(kind),
    ...sorted(folded(kind.findings)).flatMap(findingLines),
    ...unshownLines(kind),
  ];
  return lines.length === 0 ? [] : [{ text: kind.name }, ...lines, { text: "" }];
}

function wholeKindLines({ only, refusedCrd }: KindReport): readonly Line[] {
  const removed = {
    text: "  breaking  the kind is removed: its objects can no longer be read",
    tone: "bad",
  } as const;
  const added = { text: "  safe      the kind is new" };
  const refused = refusedCrd.flatMap((sentence): readonly Line[] => [
    { text: "  breaking  the API server refuses this CRD as an update of the old one", tone: "bad" },
    { text: `            ${sentence}` },
  ]);
  return [...(only === "old" ? [removed] : only === "new" ? [added] : []), ...refused];
}

function storedObjectLines({ stored }: KindReport): readonly Line[] {
  const deleted = (stored?.deletes ?? []).flatMap((each): readonly Line[] => [
    { text: `  breaking  ${deletedSentence(each)}:`, tone: "bad" },
    ...placeLines(each.places).map((text) => ({ text: `            ${text}` })),
  ]);
  const unseen = (stored?.unseen ?? []).map((version) => ({
    text: `  unknown   ${unseenSentence(version)}`,
  }));
  return [...deleted, ...unseen];
}

/** How many stored objects lose values, and with which write. */
export function deletedSentence({ stored, at, objects }: DeletedObjects): string {
  const count = `${counted(objects, "object")} stored as ${stored} ${objects === 1 ? "loses" : "lose"} values`;
  return `${count} with the first write at ${at.join(" or ")}, if only of a label`;
}

const order = ["breaking", "risky", "safe"] as const;

function sorted(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => order.indexOf(a.class) - order.indexOf(b.class));
}

/** Findings that are alike in several versions, as one. */
function folded(findings: readonly Finding[]): readonly Finding[] {
  const alike = ({ version: _, object: { apiVersion: __, ...object }, old: ___, ...rest }: Finding) =>
    JSON.stringify([rest, object]);
  return [...Map.groupBy(findings, alike).values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [{ ...first, version: [first, ...more].map((each) => each.version).join(", ") }],
  );
}

function findingLines(finding: Finding): readonly Line[] {
  const { class: sort, version } = finding;
  const head = `  ${sort.padEnd(8)}  ${version} ${sentenceOf(finding)}`;
  return [
    sort === "breaking" ? { text: head, tone: "bad" } : { text: head },
    ...detailsOf(finding).map((text) => ({ text: `            ${text}` })),
  ];
}

/** Why, with which object, and what becomes of objects that are stored. */
export function detailsOf(finding: Finding): readonly string[] {
  const { because, object, old } = finding;
  return [
    ...because.slice(0, mostReasons),
    ...(because.length > mostReasons ? [`and ${because.length - mostReasons} more differences`] : []),
    ...(old === undefined ? [] : [`before  ${objectText(old)}`]),
    `${old === undefined ? "object" : "after "}  ${objectText(object)}`,
    ...storedLines(finding),
  ];
}

const mostReasons = 3;

/** A finding in one sentence. */
export function sentenceOf({ version, effect, field, place, message, before, after }: Finding): string {
  const where = field || place || "the object";
  switch (effect) {
    case "refused":
      return `${where}: is now refused: ${message}`;
    case "pruned":
      return `${where}: ${shortened(before)} is now dropped without an error`;
    case "defaulted":
      return `${where}: ${shortened(before)} is now ${shortened(after)}`;
    case "kept":
      return `${where}: ${shortened(after)} is now stored, and was dropped before`;
    case "accepted":
      return `${where}: is now accepted; it was refused before: ${message}`;
    case "refused update":
      return `${where}: the update is now refused: ${message}`;
    case "accepted update":
      return `${where}: the update is now accepted; it was refused before: ${message}`;
    case "unserved":
      return `is not served any more: ${message}`;
    case "read otherwise":
      return `${where}: ${shortened(before)} is now read as ${shortened(after)}`;
    case "destroyed":
      return `${where}: ${shortened(before)} is deleted by the first write at ${version.split(" → ").at(-1)}, if only of a label`;
    case "mistyped":
      return `${where}: typed clients of that version cannot decode it, nor any list that has it: ${message}`;
  }
}

function storedLines({ stored }: Finding): readonly string[] {
  if (stored === undefined) return [];
  const { update, status, message, breaksLists } = stored;
  const lists = breaksLists === true ? [`stored  ${brokenLists}`] : [];
  if (update === "accepted" && status !== "refused")
    return [
      "stored  such objects stay writable: an update of something else (a label) is accepted",
      ...lists,
    ];
  const what = update === "refused" ? "no update of such an object succeeds" : "the status cannot be written";
  return [`stored  ${what}: ${message}`, ...lists];
}

const brokenLists =
  "clients with types of the new schema cannot decode such an object, nor any list that has it";

/** The content of an object in one line; its metadata only where it is unusual. */
function objectText(object: JsonObject): string {
  const { name, namespace: _, ...more } = isObject(object.metadata) ? object.metadata : {};
  const isUsual = name === "one" && Object.keys(more).length === 0;
  const metadata = isUsual || !isObject(object.metadata) ? {} : { metadata: object.metadata };
  return shortened({ ...metadata, ...contentOf(object) }, mostObject);
}

const mostObject = 600;

function unshownLines({ unshown }: KindReport): readonly Line[] {
  if (unshown.length === 0) return [];
  const shown = unshown.slice(0, mostUnshown);
  const more = unshown.length - shown.length;
  return [
    { text: "  no object found that shows these differences:" },
    ...shown.map(({ version, difference }) => ({ text: `            ${version} ${difference}`.trimEnd() })),
    ...(more > 0 ? [{ text: `            and ${more} more; -o json lists them all` }] : []),
  ];
}

const mostUnshown = 20;
