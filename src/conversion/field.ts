import { equal } from "../json/equal.ts";
import { isNumber, toDouble } from "../json/exact.ts";
import { isArray, isObject, type Json, type JsonObject, own, set } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { image, type Ladder, rungAt } from "./ladder.ts";
import { admits, below, type Shape } from "./shape.ts";

/**
 * The field of a spoke that says what stands at a path of a hub object: the one that shows something else when that
 * value is another; where several do, the one of the same name, else the field that holds them all. Undefined where the spoke has no word for it.
 */
export function fieldInSpoke(
  object: JsonObject,
  path: Path,
  ladder: Ladder,
  spoke: number,
): Path | undefined {
  const hub = ladder.rungs.length - 1;
  // What holds everything is called the same in every version: spec, status.
  if (path.length < 2) return path;
  const shown = image(object, ladder, hub, spoke);
  for (const other of othersAt(object, path, rungAt(ladder.rungs, hub).shape)) {
    const changed = replaced(object, path, other);
    const showing = isObject(changed) ? image(changed, ladder, hub, spoke) : shown;
    const places = differences(shown, showing);
    const place = places.find((each) => equal(each, path)) ?? commonOf(places);
    if (place.length >= 2) return place;
  }
  return undefined;
}

/** What else could stand at a place: something of the same type, something of the type that belongs there, or nothing. */
function othersAt(object: JsonObject, place: Path, root: Shape): readonly (Json | undefined)[] {
  let value: Json | undefined = object;
  let shape: Shape | undefined = root;
  for (const step of place) {
    value = typeof step === "number" ? (isArray(value) ? value[step] : undefined) : own(value, step);
    shape = typeof step === "number" ? shape?.items : below(shape, step);
  }
  const samples = shape === undefined ? [] : someValues.filter((each) => admits(shape, each));
  const others = [...variantsOf(value), ...samples].filter(
    (each) => value === undefined || !equal(each, value),
  );
  // An item that is taken out moves all that come after it.
  return value === undefined || typeof place.at(-1) === "number" ? others : [...others, undefined];
}

function variantsOf(value: Json | undefined): readonly Json[] {
  if (typeof value === "string") return [`${value}x`];
  if (typeof value === "boolean") return [!value];
  return isNumber(value) ? [toDouble(value) + 1, toDouble(value) / 2] : [];
}

/** Something of each type, and texts that codecs of percentages, durations and numbers read. */
const someValues: readonly Exclude<Json, null>[] = ["x", "10s", "10%", "1", 1, 0.5, true, {}, []];

function replaced(value: Json | undefined, path: Path, other: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return other;
  if (typeof step === "number") {
    if (!isArray(value)) return value;
    return value.map((item, index) => (index === step ? (replaced(item, rest, other) ?? item) : item));
  }
  const holder = isObject(value) ? value : {};
  return set(holder, step, replaced(own(holder, step), rest, other));
}

/** Where two values differ, each place as deep as it can be told. */
function differences(a: Json | undefined, b: Json | undefined): readonly Path[] {
  if (a === b) return [];
  const steps = stepsInto(a, b);
  if (steps === undefined) return a !== undefined && b !== undefined && equal(a, b) ? [] : [[]];
  const within = steps.map((step) => ({ step, places: differences(childOf(a, step), childOf(b, step)) }));
  return within.flatMap(({ step, places }) => places.map((place) => [step, ...place]));
}

/** The place that holds all of them. */
function commonOf([first = [], ...others]: readonly Path[]): Path {
  const end = first.findIndex((step, index) => others.some((other) => other[index] !== step));
  return end < 0 ? first : first.slice(0, end);
}

function stepsInto(a: Json | undefined, b: Json | undefined): Path | undefined {
  if (isObject(a) && isObject(b)) return [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return isArray(a) && isArray(b) && a.length === b.length ? [...a.keys()] : undefined;
}

function childOf(value: Json | undefined, step: string | number): Json | undefined {
  return typeof step === "number" ? (isArray(value) ? value[step] : undefined) : own(value, step);
}
