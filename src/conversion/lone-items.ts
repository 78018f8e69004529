import { isArray, type Json, type JsonObject, own } from "../json/json.ts";
import type { Shape } from "./shape.ts";

// Of a list without keys a lens may hide some items, and change what others say. Which of ours came back is then a guess, by
// what they have in common. The lens knows: of an item that stands alone in the list it shows that item, or nothing.

/**
 * What comes back of each item of a list, if that item is all that an object holds: a list for each item. Undefined for more
 * items than are worth so many round trips, and for a lens that throws on such an object.
 */
export type LoneItems = (list: Shape, items: readonly Json[]) => readonly (readonly Json[])[] | undefined;

/** Shows items of the lists of a shape alone, given what makes an object's round trip through the other version. */
export function loneItemsOf(shape: Shape, roundTrip: (content: JsonObject) => JsonObject): LoneItems {
  let paths: ReadonlyMap<Shape, Steps> | undefined;
  return (list, items) => {
    if (items.length > mostItems) return undefined;
    paths ??= pathsOfLists(shape);
    const steps = paths.get(list);
    return steps && shownAlone(items, steps, roundTrip);
  };
}

function shownAlone(
  items: readonly Json[],
  steps: Steps,
  roundTrip: (content: JsonObject) => JsonObject,
): readonly (readonly Json[])[] | undefined {
  try {
    return items.map((item) => listAt(roundTrip(objectWith(item, steps)), steps));
  } catch {
    // A lens may count on fields that the schema requires, and that an object of one item does not have.
    return undefined;
  }
}

const mostItems = 256;

/** The way from an object down to a list: fields, and the items of lists. */
type Steps = readonly (string | typeof anyItem)[];

const anyItem = Symbol("any item");

/** Stands for the key of a map, which may have any. */
const anyKey = "any";

/** The lists in a shape that may hold objects, and the way to each. */
function pathsOfLists(shape: Shape): ReadonlyMap<Shape, Steps> {
  const paths = new Map<Shape, Steps>();
  const visit = (here: Shape, steps: Steps): void => {
    if (paths.has(here)) return;
    if (here.items !== undefined) {
      paths.set(here, steps);
      visit(here.items, [...steps, anyItem]);
    }
    for (const [name, below] of here.properties) visit(below, [...steps, name]);
    if (here.additional !== undefined) visit(here.additional, [...steps, anyKey]);
  };
  visit(shape, []);
  return paths;
}

function objectWith(item: Json, steps: Steps): JsonObject {
  return steps.reduceRight<Json>(
    (inner, step) => (step === anyItem ? [inner] : { [step]: inner }),
    [item],
  ) as JsonObject;
}

function listAt(object: JsonObject, steps: Steps): readonly Json[] {
  const list = steps.reduce<Json | undefined>(
    (here, step) => (step === anyItem ? (isArray(here) ? here[0] : undefined) : own(here, step)),
    object,
  );
  return isArray(list) ? list : [];
}
