import { writeJson } from "../../json/exact.ts";
import { isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Carriage } from "../../laws/carriage.ts";
import type { OneSidedDefault } from "../../laws/one-sided-defaults.ts";
import type { Side } from "../../laws/survey.ts";
import type { Unread } from "../../laws/unread.ts";
import { forbiddenRows } from "./forbidden.ts";
import type { KindReport } from "./report.ts";

/** What the versions of a kind cannot express, and what its examples do not use, each as a short list. */
export function surveyLines({ survey }: KindReport): readonly string[] {
  if (survey === undefined) return [];
  if ("fault" in survey) return [`the survey of the versions failed: ${survey.fault}`];
  const unused = survey.unused.filter(({ places }) => places.length > 0);
  return [
    ...survey.sides.flatMap(sideLines),
    ...listed(
      "no example uses",
      unused.map(({ version, places }) => [version, places.join(", ")]),
    ),
  ];
}

/** The same as numbers, one line for each pair of versions. */
export function surveyCounts({ survey }: KindReport): readonly string[] {
  if (survey === undefined) return [];
  if ("fault" in survey) return [`the survey of the versions failed: ${survey.fault}`];
  return survey.sides.flatMap((side) => {
    const counts = [
      [travels(side).length, "cannot be expressed and travel in the complement"],
      [side.untried.length, "have a row that was not tried"],
      [side.invalid.length, "are forbidden after conversion"],
    ] as const;
    const words = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
    return words.length === 0 ? [] : [`values of ${side.of} in ${side.in}: ${words.join(", ")}`];
  });
}

function sideLines(side: Side): readonly string[] {
  return [
    ...listed(
      `values of ${side.of} that ${side.in} cannot express, so they travel in the complement`,
      travels(side),
    ),
    ...listed(
      `fields of ${side.of} with a row that was not tried`,
      side.untried.map((place) => [
        place,
        "no value that was drawn changes what the row writes: add an example with one that does",
      ]),
    ),
    ...listed(
      `defaults of ${side.of} that ${side.in} does not have`,
      side.defaults.map((each) => [each.place, whyOneSided(each, side)]),
    ),
    ...listed(
      `values that ${side.of} admits and ${side.in} forbids after conversion`,
      forbiddenRows(
        side.invalid,
        ({ message, object }) => `${message}  in ${shortened(contentOf(object), 160)}`,
      ),
    ),
  ];
}

/** What travels in the complement, and why: each field once, without what is said of its parent already. */
function travels(side: Side): readonly (readonly [place: string, why: string])[] {
  const { unread, untried } = side;
  const isSaid = ({ place, why }: Carriage) =>
    [...unread.map((each) => each.place), ...untried].some((each) => isWithin(place, each)) ||
    side.carried.some(
      (each) =>
        each.place !== place &&
        isWithin(place, each.place) &&
        why.every((reason) => each.why.includes(reason)),
    );
  return [
    ...unread.map((each) => [each.place, whyUnread(each, side)] as const),
    ...side.carried
      .filter((each) => !isSaid(each))
      .map((each) => [each.place, whyCarried(each, side)] as const),
  ];
}

function whyUnread({ there, reason }: Unread, side: Side): string {
  if (reason !== undefined) return `always; the row says why: ${reason}`;
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
    "no word": `${side.in} has no field for ${always ? "it" : shortened(value)}`,
    "other word": `${shortened(value)} would be converted back to ${shortened(shown)}`,
    "shared word": `one field of ${side.in} stands for it and for others, and may be removed with one of them`,
    order: "its items would be converted back in another order",
    default: `a default of ${side.in} would be converted back to a value that was absent`,
  }[only];
  return `${often}: ${reason}`;
}

const briefly: Readonly<Record<Carriage["why"][number], string>> = {
  "no word": "there is no field for it",
  "other word": "it would be converted back to another value",
  "shared word": "one field stands for it and for others",
  order: "its items would be converted back in another order",
  default: "a default would be converted back",
};

function whyOneSided({ value, field, shown, instead }: OneSidedDefault, side: Side): string {
  if (field === undefined) return `${shortened(value)}: ${side.in} has no field for it`;
  return `${shortened(value)}: in ${side.in}, ${field} is ${shortened(shown)} for it, but ${shortened(instead)} if it is absent`;
}

function isWithin(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}.`) || place.startsWith(`${other}[`);
}

function listed(title: string, rows: readonly (readonly [name: string, words: string])[]): readonly string[] {
  if (rows.length === 0) return [];
  const width = Math.max(...rows.map(([name]) => name.length).filter((length) => length <= widest));
  // The words of a long name stand below it, so that they fit beside the others on a terminal.
  return [
    `${title}:`,
    ...rows.flatMap(([name, words]) =>
      name.length > widest ? [`  ${name}`, `    ${words}`] : [`  ${name.padEnd(width)}  ${words}`],
    ),
  ];
}

/** The longest name that has its words beside it. */
const widest = 44;

/** An object without its identity, which does not matter here. */
function contentOf({ apiVersion: _, kind: __, metadata, ...content }: JsonObject): JsonObject {
  const { name: ___, namespace: ____, ...marks } = isObject(metadata) ? metadata : {};
  return Object.keys(marks).length > 0 ? { metadata: marks, ...content } : content;
}

function shortened(value: Json | undefined, most = 60): string {
  if (value === undefined) return "nothing";
  const text = writeJson(value);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
