import { writeJson } from "../../json/exact.ts";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Carriage } from "../../laws/carriage.ts";
import type { OneSidedDefault } from "../../laws/one-sided-defaults.ts";
import type { Side } from "../../laws/survey.ts";
import type { Unread } from "../../laws/unread.ts";
import type { KindReport } from "./report.ts";

/** What a kind's versions do not say of each other, and what its examples do not show, each as a short list. */
export function surveyLines({ survey }: KindReport): readonly string[] {
  if (survey === undefined) return [];
  if ("fault" in survey) return [`what versions cannot say of each other was not found out: ${survey.fault}`];
  const unused = survey.unused.filter(({ places }) => places.length > 0);
  return [
    ...survey.sides.flatMap(sideLines),
    ...listed(
      "no example uses",
      unused.map(({ version, places }) => [version, places.join(", ")]),
    ),
  ];
}

function sideLines(side: Side): readonly string[] {
  const travels = [
    ...side.unread.map((each) => [each.place, whyUnread(each, side)] as const),
    ...side.carried
      .filter(({ place }) => !side.unread.some((each) => isWithin(place, each.place)))
      .map((each) => [each.place, whyCarried(each, side)] as const),
  ];
  return [
    ...listed(`${side.in} cannot say of ${side.of}, so it travels in the complement`, travels),
    ...listed(
      `defaults of ${side.of} that ${side.in} does not have`,
      side.defaults.map((each) => [each.place, whyOneSided(each, side)]),
    ),
    ...listed(
      `${side.of} admits what ${side.in} forbids once it is converted`,
      side.invalid.map(({ field, message, object }) => [
        field,
        `${message}  of ${said(contentOf(object), 160)}`,
      ]),
    ),
  ];
}

function whyUnread({ there }: Unread, side: Side): string {
  switch (there) {
    case "nothing":
      return `always: no lens reads it, and ${side.in} has no such field`;
    case "another type":
      return `always: no lens reads it, and ${side.in} has a field of that name with another type`;
    case "the same type":
      return `always: no lens reads it, though ${side.in} has a field of that name and type`;
  }
}

function whyCarried({ why, always, value, shown }: Carriage, side: Side): string {
  const often = always ? "always" : "sometimes";
  const [only, ...more] = why;
  if (only === undefined || more.length > 0)
    return `${often}: ${why.map((each) => briefly[each]).join(", or ")}`;
  const reason = {
    "no word": `${side.in} has no word for ${always ? "it" : said(value)}`,
    "other word": `${said(value)} would come back as ${said(shown)}`,
    "shared word": `${side.in} says it in one word with others`,
    order: "its items would come back in another order",
    default: `a default of ${side.in} would come back where nothing was said`,
  }[only];
  return `${often}: ${reason}`;
}

const briefly: Readonly<Record<Carriage["why"][number], string>> = {
  "no word": "there is no word for it",
  "other word": "another value would come back",
  "shared word": "it is said in one word with others",
  order: "its items would come back in another order",
  default: "a default would come back",
};

function whyOneSided({ value, field, shown, instead }: OneSidedDefault, side: Side): string {
  if (field === undefined) return `${said(value)}: ${side.in} has no word for it`;
  return `${said(value)}: ${side.in} shows ${said(shown)} in ${field} for it, but ${said(instead)} where nothing is said`;
}

function isWithin(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}.`) || place.startsWith(`${other}[`);
}

function listed(title: string, rows: readonly (readonly [name: string, words: string])[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([name]) => name.length));
  return [`${title}:`, ...rows.map(([name, words]) => `  ${name.padEnd(width)}  ${words}`)];
}

/** An object without its identity: which one it is stands above. */
function contentOf({ apiVersion: _, kind: __, metadata, ...content }: JsonObject): JsonObject {
  const { name: ___, namespace: ____, ...marks } = isObject(metadata) ? metadata : {};
  return Object.keys(marks).length > 0 ? { metadata: marks, ...content } : content;
}

function said(value: Json | undefined, most = 60): string {
  if (value === undefined) return "nothing";
  const text = writeJson(value);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
