import { get, isObject, type JsonObject } from "../json/json.ts";
import { choicesOf } from "./choices.ts";
import { type Comparison, openAbove, type VersionNames } from "./compare.ts";
import { everywhere, oneLine, pathOf } from "./everywhere.ts";
import { commonHead, fieldsIn, fieldsOf, hasFields, isNeeded } from "./fields.ts";

/**
 * What an author should know of a draft before its rows: a sentence for each sort of surprise, with at most so many places. Writes at
 * any version are validated as objects of the hub, if the newer version is that.
 */
export function warningsOf(
  comparison: Comparison,
  { older, newer }: VersionNames,
  isHub: boolean,
  most: number,
): readonly string[] {
  const [openInOlder, openInNewer] = [opened(comparison, "newer"), opened(comparison, "older")];
  const verdict = isHub ? "denied" : "invalid there";
  const said = (places: readonly string[], sentence: (listed: string, count: number) => string) =>
    places.length === 0 ? [] : [sentence(listed(places, most), places.length)];
  const taken = (version: string, other: string, { places, fields }: Opened) =>
    said(
      places,
      (list) =>
        `${version} takes any fields in ${list}: ${fields} ${fields === 1 ? "field" : "fields"} of ${other} ${fields === 1 ? "passes" : "pass"} by name, unchecked`,
    );
  return [
    ...taken(older, newer, openInOlder),
    ...taken(newer, older, openInNewer),
    ...said(
      everywhere(comparison, fewerChoices, "newer"),
      (list) =>
        `${newer} has fewer choices: ${list}. Objects made at ${older} with another one are ${verdict} until a row with a table maps it`,
    ),
    ...(["newer", "older"] as const).flatMap((side) => {
      const [own, other] = side === "newer" ? [newer, older] : [older, newer];
      const end = (without: string) =>
        side === "newer"
          ? `Objects made at ${older}${without} are ${verdict}`
          : `Clients of ${older} cannot change objects made at ${newer}${without}`;
      return [
        ...said(
          everywhere(comparison, unfilled(side), side),
          (list, count) =>
            `${own} requires ${list}, which nothing in ${other} fills. ${end("")} until a row fills ${count === 1 ? "it" : "them"}, or a default in ${own}.yaml`,
        ),
        ...said(
          everywhere(comparison, alsoRequired(side), side),
          (list, count) =>
            `${own} requires ${list}, which ${count === 1 ? "is" : "are"} optional in ${other}. ${end(" without")}; a default in ${own}.yaml mends that`,
        ),
      ];
    }),
  ];
}

function listed(places: readonly string[], most: number): string {
  const left = places.length - most;
  return `${places.slice(0, most).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Objects of one version that take any fields, and how many fields of the other one lie below them. */
interface Opened {
  readonly places: readonly string[];
  readonly fields: number;
}

function opened(comparison: Comparison, side: "older" | "newer"): Opened {
  const other = side === "older" ? "newer" : "older";
  const found = everywhere(
    comparison,
    ({ open, schemas }, place) =>
      open[side].flatMap((field) => {
        const at = openAbove(schemas[other], field.path);
        return at === undefined ? [] : [pathOf(at, place)];
      }),
    other,
  );
  const places = [...new Set(found)].map((each) => (each === "" ? "the whole object" : each));
  return { places, fields: found.length };
}

/** Fields of which the newer version has fewer choices: those that it lacks, or those that it has where the older one takes any value. */
function fewerChoices({ narrowed }: Comparison, place: string): readonly string[] {
  return narrowed.map(([older, newer]) => {
    const [from, to] = [choicesOf(older), choicesOf(newer) ?? []];
    const [word, choices] =
      from === undefined ? ["only", to] : ["not", from.filter((each) => !to.includes(each))];
    const more = choices.length > mostChoices ? ", …" : "";
    return `${pathOf(older, place)} (${word} ${choices
      .slice(0, mostChoices)
      .map((each) => oneLine(JSON.stringify(each)))
      .join(", ")}${more})`;
  });
}

const mostChoices = 4;

/** Fields of both versions that an object of one alone must have. */
function alsoRequired(side: "older" | "newer") {
  const other = side === "older" ? "newer" : "older";
  return ({ schemas, proposals }: Comparison, place: string): readonly string[] => {
    const moved = proposals.flatMap((each) => {
      const [a, b] = [each.older.path, each.newer.path];
      const head = Math.min(commonHead(a, b), a.length - 1, b.length - 1);
      const isRequiredBy = (version: typeof side) => isNeeded(schemas[version], each[version].path, head);
      const isFilled = [each.older, each.newer].some(({ schema }) => schema.default !== undefined);
      const isOne = isRequiredBy(side) && !isRequiredBy(other);
      return each.isCertain && isOne && !isFilled ? [each[side].path] : [];
    });
    const all = [...requiredAt(schemas[side], schemas[other]), ...moved];
    return [...new Set(all.map((path) => pathOf({ path }, place)))];
  };
}

/** Those at the same path. */
function requiredAt(
  schema: JsonObject,
  other: JsonObject,
  path: readonly string[] = [],
): readonly (readonly string[])[] {
  return Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, field]) => {
    const counterpart = get(other, "properties", name);
    if (!isObject(field) || !isObject(counterpart)) return [];
    const isOne = isNeeded(schema, [name]) && !isNeeded(other, [name]);
    const isFilled = field.default !== undefined || counterpart.default !== undefined;
    const here = [...path, name];
    return [...(isOne && !isFilled ? [here] : []), ...requiredAt(field, counterpart, here)];
  });
}

/** The topmost fields of one version that an object must have, and that nothing in the other version fills. */
const unfilled =
  (side: "older" | "newer") =>
  ({ schemas, proposals, unlike, onlyOlder, onlyNewer }: Comparison, place: string): readonly string[] => {
    const guesses = proposals.filter(({ isCertain }) => !isCertain).map((each) => each[side]);
    const others = unlike.map(([older, newer]) => (side === "older" ? older : newer));
    const only = side === "older" ? onlyOlder : onlyNewer;
    const empty = new Set(
      [...guesses, ...others, ...only].flatMap(fieldsIn).map(({ path }) => path.join("\0")),
    );
    const isEmpty = (schema: JsonObject, path: readonly string[]) =>
      hasFields(schema)
        ? fieldsOf(schema, path).every((field) => empty.has(field.path.join("\0")))
        : empty.has(path.join("\0"));
    const below = (schema: JsonObject, path: readonly string[]): readonly (readonly string[])[] =>
      Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, field]) => {
        const here = [...path, name];
        if (!isObject(field)) return [];
        if (!isEmpty(field, here)) return hasFields(field) ? below(field, here) : [];
        return isNeeded(schema, [name]) && field.default === undefined ? [here] : [];
      });
    return below(schemas[side], []).map((path) => pathOf({ path }, place));
  };
