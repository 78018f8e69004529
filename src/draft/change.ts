import type { DurationUnit } from "../conversion/codecs/units.ts";
import { isArray, type Json, type JsonObject } from "../json/json.ts";
import { areOpposite } from "../values/opposites.ts";
import { wordsOfName } from "../values/words.ts";
import { elementOf, type Field, fieldsOf, hasFields, type Sort, sortOf } from "./fields.ts";

/** How the value of a field differs between two versions, where a lens cannot copy it. */
export type Change =
  | { readonly to: "duration"; readonly unit: DurationUnit; readonly newerIs: "text" | "number" }
  | { readonly to: "choices"; readonly pairs: readonly (readonly [older: string, newer: string])[] }
  | { readonly to: "opposite" }
  | { readonly to: "list"; readonly listIs: "older" | "newer" }
  | { readonly to: "first"; readonly listIs: "older" | "newer" }
  | { readonly to: "items"; readonly field: string; readonly objectsAre: "older" | "newer" }
  | {
      readonly to: "number";
      readonly codec: "textToInteger" | "textToNumber";
      readonly newerIs: "text" | "number";
    }
  | {
      readonly to: "keyed";
      readonly key: string;
      /** Whether the map's objects have the key as well. */
      readonly isKept: boolean;
      readonly listIs: "older" | "newer";
    };

/** Whether values pass between two fields as they are, how they change, or that they have nothing to do with each other. */
export type Passage = "as it is" | Change | undefined;

/** How values get from an older field to a newer one. */
export function passageOf(older: Field, newer: Field): Passage {
  if (passes(older, newer))
    return oppositeOf(older, newer) ?? choicesOf(older.schema, newer.schema) ?? "as it is";
  return (
    durationOf(older, newer) ??
    keyedOf(older, newer) ??
    firstOf(older, newer) ??
    itemsOf(older, newer) ??
    listOf(older, newer)
  );
}

/** Changes that schemas allow and do not show: a row for one is a guess, even at the same path. */
export function likelyPassageOf(older: Field, newer: Field): Change | undefined {
  const sorts = [older.sort, newer.sort];
  const [text, count] = sorts[0] === "string" ? [older, newer] : [newer, older];
  if (text.sort !== "string" || (count.sort !== "integer" && count.sort !== "number")) return undefined;
  const codec = count.sort === "integer" ? "textToInteger" : "textToNumber";
  return { to: "number", codec, newerIs: text === newer ? "text" : "number" };
}

/** A list of objects that is an object in the other version. */
function firstOf(older: Field, newer: Field): Change | undefined {
  const isPair = (list: Field, one: Field) =>
    list.sort === "list" && hasFields(elementOf(list)) && one.sort === "object" && hasFields(one.schema);
  if (isPair(older, newer)) return { to: "first", listIs: "older" };
  return isPair(newer, older) ? { to: "first", listIs: "newer" } : undefined;
}

/** A list of values, and a list of objects that have the value in a field: `secrets` and `secrets[].name`. */
function itemsOf(older: Field, newer: Field): Change | undefined {
  if (older.sort !== "list" || newer.sort !== "list") return undefined;
  const fieldIn = (values: Field, objects: Field) => {
    const [value, object] = [elementOf(values), elementOf(objects)];
    if (value === undefined || hasFields(value) || !hasFields(object)) return undefined;
    const fields = fieldsOf(object).filter(({ path, sort }) => path.length === 1 && sort === sortOf(value));
    const names = fields.map(({ path }) => path[0] ?? "");
    return (
      itemNames.find((name) => names.includes(name)) ?? (fieldsOf(object).length === 1 ? names[0] : undefined)
    );
  };
  const [up, down] = [fieldIn(older, newer), fieldIn(newer, older)];
  if (up !== undefined) return { to: "items", field: up, objectsAre: "newer" };
  return down === undefined ? undefined : { to: "items", field: down, objectsAre: "older" };
}

const itemNames = ["name", "id", "key", "value"];

/** Whether the values of two fields have the same type. Objects in lists and maps are compared field by field later. */
function passes(older: Field, newer: Field): boolean {
  const [a, b] = [older.sort, newer.sort];
  if (a === "any" || b === "any") return true;
  if (a !== b) return alike(a, b, ["integer", "number"]) || alike(a, b, ["map", "object"]);
  const [below, above] = [elementOf(older), elementOf(newer)];
  if (below === undefined || above === undefined) return below === above || a === "map";
  if (hasFields(below) || hasFields(above)) return hasFields(below) && hasFields(above);
  return passes(elementField(below), elementField(above));
}

function alike(a: Sort, b: Sort, sorts: readonly Sort[]): boolean {
  return sorts.includes(a) && sorts.includes(b);
}

function elementField(schema: JsonObject): Field {
  return { path: [], schema, sort: sortOf(schema) };
}

/** A switch that turns off what the other version's turns on: `disableCache` and `enableCache`. */
function oppositeOf(older: Field, newer: Field): Change | undefined {
  if (older.sort !== "boolean" || newer.sort !== "boolean") return undefined;
  return areOpposite(older.path.at(-1) ?? "", newer.path.at(-1) ?? "") ? { to: "opposite" } : undefined;
}

/** Two enums of which the values differ in writing alone, `rsa` and `RSA`. */
function choicesOf(older: JsonObject, newer: JsonObject): Change | undefined {
  const [from, to] = [textsOf(older.enum), textsOf(newer.enum)];
  if (from === undefined || to === undefined || from.some((each) => to.includes(each))) return undefined;
  const pairs = from.flatMap((each) => {
    const same = to.find((other) => bare(other) === bare(each));
    return same === undefined ? [] : [[each, same] as const];
  });
  return pairs.length === 0 ? undefined : { to: "choices", pairs };
}

function textsOf(choices: Json | undefined): readonly string[] | undefined {
  if (!isArray(choices)) return undefined;
  return choices.every((each) => typeof each === "string") ? choices : undefined;
}

function bare(choice: string): string {
  return choice.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

/** A duration such as `1h30m` and a number whose name ends with a unit: `timeout` and `timeoutSeconds`. */
function durationOf(older: Field, newer: Field): Change | undefined {
  const isText = ({ sort }: Field) => sort === "string";
  const isCount = ({ sort }: Field) => sort === "integer" || sort === "number";
  const newerIs =
    isText(older) && isCount(newer) ? "number" : isCount(older) && isText(newer) ? "text" : undefined;
  if (newerIs === undefined) return undefined;
  const count = newerIs === "number" ? newer : older;
  const unit = units.get(wordsOfName(count.path.at(-1) ?? "").at(-1) ?? "");
  return unit === undefined ? undefined : { to: "duration", unit, newerIs };
}

/** The words for units of time at the end of a name, in the singular. */
export const units: ReadonlyMap<string, DurationUnit> = new Map([
  ["nanosecond", "ns"],
  ["microsecond", "us"],
  ["millisecond", "ms"],
  ["second", "s"],
  ["minute", "m"],
  ["hour", "h"],
  ["day", "d"],
]);

/**
 * A map of objects, and a list of the same objects in which a field of each is the key of the map. The map's objects may have it too
 * if the schema of the list says that it is the key: any other name in both may be something else.
 */
function keyedOf(older: Field, newer: Field): Change | undefined {
  const listIs =
    older.sort === "list" && newer.sort === "map"
      ? "older"
      : older.sort === "map" && newer.sort === "list"
        ? "newer"
        : undefined;
  if (listIs === undefined) return undefined;
  const [items, values] = [older, newer].map(elementOf);
  const [item, value] = listIs === "older" ? [items, values] : [values, items];
  if (!hasFields(item) || !hasFields(value)) return undefined;
  const names = new Set(fieldsOf(value).map(({ path }) => path[0]));
  const keys = Object.keys(item.properties as JsonObject).filter((name) => !names.has(name));
  const listKeys = (listIs === "older" ? older : newer).schema["x-kubernetes-list-map-keys"];
  const known = isArray(listKeys) && listKeys.length === 1 ? listKeys.map(String) : [];
  const key = [...known, "name", "key", "id", "type"].find((each) => keys.includes(each));
  if (key !== undefined) return { to: "keyed", key, isKept: false, listIs };
  const [both] = known.filter((each) => names.has(each));
  return both === undefined ? undefined : { to: "keyed", key: both, isKept: true, listIs };
}

/** A value, and a list of such values: `organization` and `organizations`. */
function listOf(older: Field, newer: Field): Change | undefined {
  const isItem = (list: Field, one: Field) => {
    const element = elementOf(list);
    return (
      list.sort === "list" &&
      element !== undefined &&
      !hasFields(element) &&
      sortOf(element) === one.sort &&
      one.sort !== "list" &&
      one.sort !== "any"
    );
  };
  if (isItem(newer, older)) return { to: "list", listIs: "newer" };
  return isItem(older, newer) ? { to: "list", listIs: "older" } : undefined;
}
