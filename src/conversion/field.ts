import { equal } from "../json/equal.ts";
import { isNumber, toDouble } from "../json/exact.ts";
import {
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  own,
  set,
  valuesIn,
} from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { keyName } from "./keyed-list.ts";
import { isScalar } from "./leaf.ts";
import type { FieldSteps, GroupedObject } from "./row-groups.ts";
import { admits, below, type Shape } from "./shape.ts";
import { image, type VersionChain, versionAt } from "./version-chain.ts";

/**
 * The field of a spoke that shows the value at a path of a hub object: the one that changes when the value does. Where
 * several change, the one of the same path, else the innermost field that holds them all. Undefined where the spoke has no
 * field for it.
 */
export function fieldInSpoke(
  object: JsonObject,
  path: Path,
  chain: VersionChain,
  spoke: number,
): Path | undefined {
  const hub = chain.versions.length - 1;
  // Top-level fields, spec and status, are the same in every version.
  if (path.length < 2) return path;
  const shown = image(object, chain, hub, spoke);
  for (const other of othersAt(object, path, versionAt(chain, hub).shape)) {
    const changed = replaced(object, path, other);
    const showing = isObject(changed) ? image(changed, chain, hub, spoke) : shown;
    const places = differences(shown, showing, sortOf(other));
    const place = places.find((each) => equal(each, path)) ?? commonOf(places);
    if (place.length >= 2) return place;
  }
  return undefined;
}

/** The limit of values that are converted to find fields: enough for all causes of an object of usual size. */
const mostValues = 500_000;

/**
 * The same for many paths of one object, as its client `written` it: items with keys stand where the client has them. Each
 * takes some conversions of the whole object, and a large object may have as many faults as items. Beyond the limit, a path
 * gets the field of one that differs only in its indexes, or undefined if none was looked up.
 */
export function fieldsInSpoke(
  object: JsonObject,
  chain: VersionChain,
  spoke: number,
  written: JsonObject = {},
): (path: Path) => Path | undefined {
  const size = valuesIn(object);
  const found = new Map<string, { readonly path: Path; readonly field: Path | undefined }>();
  let values = 0;
  return (path) => {
    const pattern = JSON.stringify(path.map((step) => (typeof step === "number" ? 0 : step)));
    const like = found.get(pattern);
    if (values > mostValues) return like?.field && movedLike(like.field, like.path, path);
    values += size;
    const shown = fieldInSpoke(object, path, chain, spoke);
    const field = shown && asWritten(shown, object, chain, spoke, written);
    if (like === undefined) found.set(pattern, { path, field });
    return field;
  };
}

/**
 * The fields of the other version that rows map together with the one at a path: with the indexes of its lists, and `[0]`
 * where a row names the first item.
 */
export function fieldsMappedWith(
  path: Path,
  { groups, lists }: GroupedObject,
  above: Path = [],
): readonly Path[] {
  const leadsTo = (steps: FieldSteps) => steps.every((step, at) => at >= path.length || step === path[at]);
  const own = groups.flatMap(({ here, there }) => (here.some(leadsTo) ? there : []));
  const inItems = lists.flatMap(({ here, there, items }) => {
    const [index, ...rest] = path.slice(here.length);
    return index !== undefined && leadsTo(here)
      ? fieldsMappedWith(rest, items, [...above, ...there, index])
      : [];
  });
  return [...own.map((each) => [...above, ...each.path]), ...inItems];
}

/** A field with the indexes of the items that a client wrote, which may stand in another order than a lens shows them. */
function asWritten(
  field: Path,
  object: JsonObject,
  chain: VersionChain,
  spoke: number,
  written: JsonObject,
): Path {
  if (!field.some((step) => typeof step === "number")) return field;
  let shown: Json | undefined = image(object, chain, chain.versions.length - 1, spoke);
  let wrote: Json | undefined = written;
  let shape: Shape | undefined = versionAt(chain, spoke).shape;
  return field.map((step) => {
    const index = typeof step === "number" ? placeOfItem(shown, wrote, step, shape?.keys) : step;
    [shown, wrote] = [childOf(shown, step), childOf(wrote, index)];
    shape = typeof step === "number" ? shape?.items : shape && below(shape, step);
    return index;
  });
}

/** Where in another list the item with the same key is; the same index where there is none. */
function placeOfItem(
  list: Json | undefined,
  other: Json | undefined,
  index: number,
  keys: readonly string[] | undefined,
): number {
  if (keys === undefined || !isArray(other)) return index;
  const [name, ...names] = [childOf(list, index), ...other].map((item) =>
    isObject(item) ? keyName(item, keys) : undefined,
  );
  const at = name === undefined ? -1 : names.indexOf(name);
  return at < 0 ? index : at;
}

/** A field with the indexes of another path; cut before the first index where its indexes are not those of its path. */
function movedLike(field: Path, path: Path, other: Path): Path {
  const isNumber = (step: string | number) => typeof step === "number";
  const first = field.findIndex(isNumber);
  if (first < 0) return field;
  if (!equal(field.filter(isNumber), path.filter(isNumber))) return field.slice(0, first);
  const indexes = other.filter(isNumber).values();
  return field.map((step) => (isNumber(step) ? (indexes.next().value ?? step) : step));
}

/** Other values for a path: of the same type, of the type that the schema demands, or none. */
function othersAt(object: JsonObject, path: Path, root: Shape): readonly (Json | undefined)[] {
  let value: Json | undefined = object;
  let shape: Shape | undefined = root;
  for (const step of path) {
    value = childOf(value, step);
    shape = typeof step === "number" ? shape?.items : below(shape, step);
  }
  const samples = shape === undefined ? [] : someValues.filter((each) => admits(shape, each));
  const others = [...variantsOf(value), ...samples].filter(
    (each) => value === undefined || !equal(each, value),
  );
  // Removing an item would move all items behind it.
  return value === undefined || typeof path.at(-1) === "number" ? others : [...others, undefined];
}

function variantsOf(value: Json | undefined): readonly Json[] {
  if (typeof value === "string") return [`${value}x`];
  if (typeof value === "boolean") return [!value];
  return isNumber(value) ? [toDouble(value) + 1, toDouble(value) / 2] : [];
}

/** A value of each type, and strings that codecs of percentages, durations and numbers accept. */
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

/**
 * The paths at which two values differ, each as long as possible, given the sort of the value that was put into the hub's
 * object. Where that was an empty object, one that is empty now differs as a whole: it shows the object, not only the member
 * that is gone. Where it was a scalar, objects around its field may have been made for it.
 */
function differences(
  a: Json | undefined,
  b: Json | undefined,
  put: ReturnType<typeof sortOf>,
): readonly Path[] {
  if (a === b) return [];
  if (put === "scalar" && a === undefined && isObject(b)) return differences({}, b, put);
  const steps = put === "object" && isEmptyNow(a, b) ? undefined : stepsInto(a, b);
  if (steps === undefined) return a !== undefined && b !== undefined && equal(a, b) ? [] : [[]];
  const within = steps.map((step) => ({
    step,
    places: differences(childOf(a, step), childOf(b, step), put),
  }));
  return within.flatMap(({ step, places }) => places.map((place) => [step, ...place]));
}

function sortOf(value: Json | undefined): "object" | "scalar" | "other" {
  if (isObject(value)) return "object";
  return value !== undefined && isScalar(value) ? "scalar" : "other";
}

function isEmptyNow(before: Json | undefined, after: Json | undefined): boolean {
  return isObject(before) && isObject(after) && !hasNoFields(before) && hasNoFields(after);
}

/** The longest path that all of them begin with. */
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
