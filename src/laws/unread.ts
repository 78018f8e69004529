import { type FieldSteps, fieldsOfRow } from "../conversion/row-fields.ts";
import { image } from "../conversion/version-chain.ts";
import { equal } from "../json/equal.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { contentsOf, type Pair } from "./pair.ts";
import {
  allOf,
  isEmpty,
  placesBelow,
  type SchemaPlace,
  topmost,
  valuesIn,
  withoutEmpty,
  withoutPlace,
} from "./places.ts";
import { textOf } from "./suggestions.ts";

/** A field whose value has no effect in the other version: only the complement keeps it. */
export interface Unread {
  readonly place: string;
  /** The type of the other version's schema at the same place. */
  readonly there: "nothing" | "another type" | "the same type";
  /** Why its row is lossy, if a row says so: such as that it is a constant. */
  readonly reason?: string;
}

/** What drawn objects show of the fields that have no effect in the other version. */
interface Unreads {
  /** Fields that no lens reads. */
  readonly unread: readonly Unread[];
  /** Fields that a row maps, of which no drawn value is one that its codec takes. */
  readonly untried: readonly string[];
}

/** The fields that have no effect between two versions, found by removing each from many objects. */
export function unreadFields(pair: Pair): Unreads {
  const { places, kind, from, to } = pair;
  const [at, over] = [kind.versions.indexOf(from), kind.versions.indexOf(to)];
  const neighbour = at < over ? at + 1 : at - 1;
  const nearby = (content: JsonObject) => image(content, kind.chain, at, neighbour);
  const contents = contentsOf(pair);
  const isUntouched = isWithoutEffect(contents, nearby);
  const { rows = [], lossy: reasons = {} } = kind.chain.versions[Math.min(at, neighbour)]?.lens ?? {};
  const mappedHere = rows.flatMap((row) => fieldsOfRow(row)[at < over ? "older" : "newer"]);
  const isUnread = isWithoutEffect(contents, pair.shown);
  // What rows map is judged field by field, not with the object around it.
  const found = topmost(places, (place) => !isAbove(place.text, mappedHere) && isUnread(place));
  const reasonOf = ({ text }: SchemaPlace) => reasons[text.replaceAll(/\[\]|\.\*/g, "")];
  const isUntried = (place: SchemaPlace) =>
    reasonOf(place) === undefined && isNamed(place.text, mappedHere) && isUntouched(place);
  const there = new Map(
    allOf(placesBelow(contentSchemaOf(to.entry))).map(({ text, schema }) => [text, typeOf(schema)]),
  );
  return {
    unread: found
      .filter((place) => !isUntried(place))
      .map((unread): Unread => {
        const { text: place, schema } = unread;
        const type = there.get(place);
        const reason = reasonOf(unread);
        const known = type === typeOf(schema) ? "the same type" : "another type";
        return {
          place,
          there: type === undefined ? "nothing" : known,
          ...(reason === undefined ? {} : { reason }),
        };
      }),
    untried: found.filter(isUntried).map(({ text }) => text),
  };
}

/** Whether each object with a value at a place is converted as it is without that value. */
export function isWithoutEffect(
  contents: readonly JsonObject[],
  convert: (content: JsonObject) => JsonObject,
): (place: SchemaPlace) => boolean {
  const images = contents.map((content) => [content, convert(content)] as const);
  return ({ steps }) => {
    let isHeld = false;
    // Most fields have an effect in the first object that has them: the others need not be looked at.
    for (const [content, image] of images) {
      const values = valuesIn(content, steps).filter((value) => value !== null);
      if (values.length === 0) continue;
      isHeld = true;
      // An empty list or object is all that a field without fields can hold. Of others the containers around them do not matter.
      const as = values.every((value) => isEmpty(withoutEmpty(value))) ? (each: Json) => each : withoutEmpty;
      if (!equal(as(convert(withoutPlace(content, steps) as JsonObject)), as(image))) return false;
    }
    return isHeld;
  };
}

/** Whether one of some fields of rows is a place or stands below it; rows write the values of a map like items of a list. */
export function isNamed(place: string, fields: readonly FieldSteps[]): boolean {
  const name = place.replaceAll(".*", "[]");
  return fields.map(textOf).some((field) => isWithin(field, name));
}

/** Whether fields of rows stand below a place, and none is the place itself. */
function isAbove(place: string, fields: readonly FieldSteps[]): boolean {
  const name = place.replaceAll(".*", "[]");
  return isNamed(place, fields) && !fields.map(textOf).includes(name);
}

function isWithin(field: string, name: string): boolean {
  return field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);
}

/** The type of a schema in words; for a list with the type of its items. */
function typeOf(schema: Json | undefined): string {
  if (get(schema, "x-kubernetes-int-or-string") === true) return "integer or string";
  const type = get(schema, "type");
  return type === "array" ? `array of ${typeOf(get(schema, "items"))}` : String(type ?? "anything");
}
