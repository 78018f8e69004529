import { equal } from "../json/equal.ts";
import { get, type Json, type JsonObject } from "../json/json.ts";
import { contentSchemaOf } from "./content-schema.ts";
import { contentsOf, type Pair } from "./pair.ts";
import {
  allOf,
  placesBelow,
  type SchemaPlace,
  topmost,
  valuesIn,
  withoutEmpty,
  withoutPlace,
} from "./places.ts";

/** A field whose value has no effect in the other version: only the complement keeps it. */
export interface Unread {
  readonly place: string;
  /** The type of the other version's schema at the same place. */
  readonly there: "nothing" | "another type" | "the same type";
}

/** The fields that no lens reads between two versions, found by removing each from many objects. */
export function unreadFields(pair: Pair): readonly Unread[] {
  const shown = (content: Json) => withoutEmpty(pair.shown(content as JsonObject));
  const images = contentsOf(pair).map((content) => [content, shown(content)] as const);
  const isUnread = ({ steps }: SchemaPlace) => {
    const objectsWithValue = images.filter(([content]) => valuesIn(content, steps).length > 0);
    return (
      objectsWithValue.length > 0 &&
      objectsWithValue.every(([content, image]) => equal(shown(withoutPlace(content, steps)), image))
    );
  };
  const there = new Map(
    allOf(placesBelow(contentSchemaOf(pair.to.entry))).map(({ text, schema }) => [text, typeOf(schema)]),
  );
  return topmost(pair.places, isUnread).map(({ text: place, schema }) => {
    const type = there.get(place);
    if (type === undefined) return { place, there: "nothing" };
    return { place, there: type === typeOf(schema) ? "the same type" : "another type" };
  });
}

/** The type of a schema in words; for a list with the type of its items. */
function typeOf(schema: Json | undefined): string {
  if (get(schema, "x-kubernetes-int-or-string") === true) return "integer or string";
  const type = get(schema, "type");
  return type === "array" ? `array of ${typeOf(get(schema, "items"))}` : String(type ?? "anything");
}
