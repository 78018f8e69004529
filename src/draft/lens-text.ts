import type { Json, JsonObject } from "../json/json.ts";
import { counted } from "../words.ts";
import type { Change } from "./change.ts";
import { choicesOf, pairsOfChoices } from "./choices.ts";
import { type Comparison, compareSchemas, innerOf, type VersionNames } from "./compare.ts";
import { everywhere, oneLine, pathOf, placeIn } from "./everywhere.ts";
import { elementOf, type Field, hasFields, isNeeded, leavesIn, schemaAt } from "./fields.ts";
import { lensName } from "./kind-text.ts";
import { type Row, rowsOf } from "./rows.ts";
import { inWords, type Tally, tallyOf } from "./tally.ts";
import { warningsOf } from "./warnings.ts";

/** The draft of a lens: the text of its file, how much it maps, and what its author should know first. */
interface DraftLens {
  readonly text: string;
  readonly tally: Tally;
  readonly warnings: readonly string[];
  /** The paths of fields of each version that differ in the other one, and of the objects around them. */
  readonly changed: Readonly<Record<"older" | "newer", ReadonlySet<string>>>;
}

/** The report names so many places in a sentence; the file names all. */
const mostPlaces = 3;

/** Drafts the lens from one version to the next newer one, which may be the hub, from their schemas without identity and metadata. */
export function draftLens(
  older: JsonObject,
  newer: JsonObject,
  names: VersionNames,
  isHub: boolean,
): DraftLens {
  const comparison = compareSchemas(older, newer, names);
  const tally = tallyOf(comparison);
  const unseen =
    tally.all > 0 && tally.passing + tally.rows === 0
      ? [`clients of ${names.newer} see nothing of objects made at ${names.older} until the lens has rows`]
      : [];
  const warnings = (most: number) => [...unseen, ...warningsOf(comparison, names, isHub, most)];
  return {
    tally,
    warnings: warnings(mostPlaces),
    changed: { older: changedIn(comparison, "older"), newer: changedIn(comparison, "newer") },
    text: textOf(comparison, names, tally, warnings(Number.POSITIVE_INFINITY)),
  };
}

function changedIn(comparison: Comparison, side: "older" | "newer"): ReadonlySet<string> {
  const paths = everywhere(
    comparison,
    ({ proposals, unlike, narrowed }, place) =>
      [
        ...proposals.map((each) => each[side]),
        ...[...unlike, ...narrowed].map((pair) => pair[side === "older" ? 0 : 1]),
      ].map((field) => pathOf(field, place).replaceAll(/\[\]|\.\*/g, "")),
    side,
  );
  const around = (path: string) => path.split(".").map((_, at, steps) => steps.slice(0, at + 1).join("."));
  return new Set(paths.flatMap(around));
}

function textOf(
  comparison: Comparison,
  names: VersionNames,
  tally: Tally,
  warnings: readonly string[],
): string {
  const { older, newer } = names;
  const rows = rowsOf(comparison);
  const written = rows.filter(isWritable);
  const code = written.flatMap((row) => rowLines(row, "  "));
  const words = new Set(["lens", ...written.flatMap(wordsOf)]);
  const comments = rows.filter((row) => !isWritable(row)).map(commentOf);
  return [
    `import { ${[...words].toSorted().join(", ")} } from "antechamber";`,
    "",
    "/**",
    ` * Draft of the lens from ${older} to ${newer}, by \`antechamber import\`.`,
    ` * ${inWords(tally)}.`,
    " * Read each row, decide about the comments below, and delete what is done.",
    " */",
    ...(code.length === 0
      ? [`export const ${lensName(older)} = lens();`]
      : [`export const ${lensName(older)} = lens(`, ...code, ");"]),
    ...section("First of all:", warnings),
    ...section("Rows that need functions of your own: see docs/reference/kinds.md, Lenses.", comments),
    ...section(
      "Guesses, on weak evidence: move those that are right into the lens.",
      everywhere(comparison, guessesOf(names)),
    ),
    ...section(
      `Fewer choices in ${newer}. With such a row other choices stay in ${older}; several may get the same word, and ? stands for what nothing says. Where ${newer} requires the field, it gets the word after ??: choose it.`,
      everywhere(comparison, ({ narrowed, schemas }, place) =>
        narrowed.map(
          ([from, to]) =>
            `${place === "" ? "" : `in ${place}: `}${tableOf(from, to, isNeeded(schemas.newer, to.path))}`,
        ),
      ),
    ),
    ...section(
      "Different types at one path. Without a row, each version keeps its own value.",
      everywhere(comparison, unlikeOf),
    ),
    ...section(
      `Only in ${older}, as far as names and descriptions show. Without a row, values travel along and clients of ${older} get them back.`,
      everywhere(comparison, ({ onlyOlder, schemas }, place) =>
        onlyOlder.map((field) => lineOf(field, place, schemas.older, schemas.newer)),
      ),
    ),
    ...section(
      `Only in ${newer}. Without a row, values travel along and clients of ${newer} get them back.`,
      everywhere(
        comparison,
        ({ onlyNewer, schemas }, place) =>
          onlyNewer.map((field) => lineOf(field, place, schemas.newer, schemas.older)),
        "newer",
      ),
    ),
    "",
  ].join("\n");
}

/** A list of comments with a title; nothing if it is empty. */
function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", `// ${title}`, ...lines.map((line) => `//   ${line}`)];
}

/** What the rows of a lens import. */
function wordsOf({ change, inner, isOne }: Row): readonly string[] {
  if (inner !== undefined) return [isOne ? "within" : "each", ...inner.flatMap(wordsOf)];
  const codec = change === undefined ? undefined : codecOf(change);
  return ["move", ...(codec?.words ?? []), ...(codec?.isReversed ? ["reverse"] : [])];
}

/** No codec makes a list of a map and changes its objects at once. */
function isWritable({ change, inner = [] }: Row): boolean {
  return (change === undefined || change.to === "first" || inner.length === 0) && inner.every(isWritable);
}

/** A row with its reason above it; the rows of its items below it. */
function rowLines({ older, newer, reason, change, inner, isOne }: Row, indent: string): readonly string[] {
  const comment = `${indent}// ${oneLine(reason)}`;
  if (inner === undefined) return [comment, `${indent}${moveOf(older, newer, change)},`];
  const rows = inner.flatMap((row) => rowLines(row, `${indent}  `));
  return [
    comment,
    `${indent}${isOne ? "within" : "each"}(`,
    ...pathsOf(older, newer, change).map((path) => `${indent}  ${path},`),
    ...rows,
    `${indent}),`,
  ];
}

function moveOf(older: readonly string[], newer: readonly string[], change?: Change): string {
  const codec = change === undefined ? undefined : codecText(change);
  return `move(${[...pathsOf(older, newer, change), ...(codec === undefined ? [] : [codec])].join(", ")})`;
}

/** The paths of a row as they are written. */
function pathsOf(older: readonly string[], newer: readonly string[], change?: Change): readonly string[] {
  const listIs = change?.to === "first" ? change.listIs : undefined;
  return [quoted(older, listIs === "older"), quoted(newer, listIs === "newer")];
}

/** A path: names separated by dots, or a list of names if one of them has dots itself. */
function quoted(path: readonly string[], isFirst = false): string {
  const isPlain = path.every((name) => name !== "" && !name.includes("."));
  if (isPlain) return literal(`${path.join(".")}${isFirst ? "[0]" : ""}`);
  return `[${[...path, ...(isFirst ? ["[0]"] : [])].map(literal).join(", ")}]`;
}

function literal(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, escaped);
}

function codecText(change: Change): string | undefined {
  const codec = codecOf(change);
  return codec?.isReversed ? `reverse(${codec.text})` : codec?.text;
}

interface CodecText {
  readonly text: string;
  /** What it imports. */
  readonly words: readonly string[];
  readonly isReversed: boolean;
}

/** The codec for a change, of those that the package has; undefined where the paths say it all. */
function codecOf(change: Change): CodecText | undefined {
  switch (change.to) {
    case "duration":
      return call("durationTo", [literal(change.unit)], change.newerIs === "text");
    case "choices":
      return call(
        "table",
        change.pairs.map((pair) => `[${pair.map(literal).join(", ")}]`),
      );
    case "opposite":
      return call("table", ["[true, false]", "[false, true]"]);
    case "list":
      return call("oneToList", [], change.listIs === "older");
    case "keyed":
      return call(
        "mapToList",
        [literal(change.key), ...(change.isKept ? ["{ isKept: true }"] : [])],
        change.listIs === "older",
      );
    case "items":
      return call("toItems", [literal(change.field)], change.objectsAre === "older");
    case "number":
      return { text: change.codec, words: [change.codec], isReversed: change.newerIs === "text" };
    case "first":
      return undefined;
  }
}

function call(name: string, args: readonly string[], isReversed = false): CodecText {
  return { text: `${name}(${args.join(", ")})`, words: [name], isReversed };
}

/** A row that cannot be written, as a comment. */
function commentOf({ older, newer, reason, change }: Row): string {
  return `${moveOf(older, newer, change)}, // ${oneLine(reason)}; but its objects differ as well`;
}

/** The guesses; below one at objects also the rows for what differs in them, which hold only if it is right. */
function guessesOf(names: VersionNames, isBelow = false) {
  return ({ proposals }: Comparison, place: string): readonly string[] =>
    proposals
      .filter(({ isCertain }) => isBelow || !isCertain)
      .flatMap(({ older, newer, passage, reason, isCertain }) => {
        const row = moveOf(older.path, newer.path, passage === "as it is" ? undefined : passage);
        const inner = isCertain ? [] : innerOf(older, newer, names);
        return [
          `${place === "" ? "" : `in ${place}: `}${row}, // ${oneLine(reason)}`,
          ...inner.flatMap(({ below }) =>
            everywhere(below, guessesOf(names, true), "older", placeIn(older, place)),
          ),
        ];
      });
}

/** The row for fewer choices. An object without a field that it must have is denied, whatever default its schema has. */
function tableOf(older: Field, newer: Field, isRequired: boolean): string {
  const written = (choices: readonly (Json | undefined)[]) =>
    choices.map((each) => (each === undefined ? "?" : JSON.stringify(each))).join(", ");
  const pairs = pairsOfChoices(older, newer).map((pair) => `[${written(pair)}]`);
  const codec =
    pairs.length === 0 ? `only(${written(choicesOf(newer) ?? [])})` : `table(${pairs.join(", ")})`;
  const other = `{ up: (it) => ${codec}.up(it) ?? ${written((choicesOf(newer) ?? []).slice(0, 1))}, down: (it) => it }, { lossy: "others are one here" }`;
  const one = isRequired && pairs.length === 0 ? other : codec;
  const whole = elementOf(older) === undefined ? one : `eachValue(${codec})`;
  return oneLine(`move(${quoted(older.path)}, ${quoted(newer.path)}, ${whole})`);
}

function unlikeOf({ unlike }: Comparison, place: string): readonly string[] {
  return unlike.map(([older, newer]) => `${pathOf(older, place)}  ${typeOf(older)} becomes ${typeOf(newer)}`);
}

function lineOf(field: Field, place: string, schema: JsonObject, other: JsonObject): string {
  const required = isNeeded(schema, field.path) ? ", required" : "";
  const object = hasFields(schemaAt(other, field.path))
    ? ", but an object in the other version: a row for it needs functions of your own"
    : "";
  return `${pathOf(field, place)}  ${typeOf(field)}${required}${object}${summaryOf(field)}`;
}

function typeOf(field: Field): string {
  const element = elementOf(field);
  const type = typeof element?.type === "string" ? `${field.sort} of ${element.type}s` : field.sort;
  return hasFields(element) ? `${type} with ${counted(leavesIn(field), "field")}` : type;
}

/** The first sentence of a description. */
function summaryOf({ schema: { description } }: Field): string {
  if (typeof description !== "string") return "";
  const [sentence = ""] = oneLine(description).split(/(?<=\.)\s/);
  return `  ${sentence.length > 100 ? `${sentence.slice(0, 99).toWellFormed()}…` : sentence}`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
