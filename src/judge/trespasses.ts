import { equal } from "../json/equal.ts";
import { get, isArray, isObject, type Json } from "../json/json.ts";
import { fieldOf, type Path } from "../json/path.ts";
import { type Difference, differencesOf, partsOf } from "./differences.ts";

/**
 * A version of an object before and after a write at another version, and what the lens alone makes of what that other version showed
 * and shows: a three-way merge.
 */
export interface Merge {
  /** What the version had. */
  readonly ours: Json | undefined;
  /** What the lens alone made of the other version before the write. */
  readonly base: Json | undefined;
  /** What it makes of what was written. */
  readonly theirs: Json | undefined;
  /** What the version has now. */
  readonly result: Json | undefined;
}

/** Fields of a version that are mapped together, as steps; `[]` stands for any item of a list and any entry of a map. */
type FieldGroup = readonly (readonly string[])[];

/** The fields that some rows map together, in the judged version and in the writer's. */
export interface RowFields {
  readonly here: FieldGroup;
  readonly there: FieldGroup;
}

/** What the judge knows of a version. */
export interface Rules {
  /** Its OpenAPI schema. */
  readonly schema: Json | undefined;
  readonly groups: readonly RowFields[];
  /**
   * The fields by which the author of the kind says that the items of a list are known, by the list's path without `[]`. None
   * for a list whose first item is a field of the writer's version: it is known by its place.
   */
  readonly listKeys?: Readonly<Record<string, readonly string[]>>;
  /** What the lens alone makes of the writer's defaults: to remove a default says nothing (docs/reference/limits.md). */
  readonly filled?: Json;
  /** What it makes of what the writer had, with its defaults: to write a default says nothing either. */
  readonly defaulted?: Json;
  /** Whether the lens makes one item of several that the writer has: then none says where it stands (docs/reference/limits.md). */
  readonly hasMerged?: boolean;
  /** What the writer had, and what it wrote, where that is known. */
  readonly wrote?: { readonly before: Json; readonly after: Json };
}

/** A change that a write may not make. */
export interface Trespass extends Difference {
  readonly path: Path;
  /** `lost`: what the write did not touch has changed. `contradicted`: what it changed has not become what the lens says. */
  readonly how: "lost" | "contradicted";
}

/**
 * The changes that a write may not make: of what the lens alone shows as unchanged, unless it is mapped together with something that
 * changed; and those that are missing, of what the lens shows as changed. As fine as server-side apply: by field, and by key. The judge
 * knows an item of a list without keys where it resembles what the lens shows of it, and leaves the other items alone.
 */
export function trespassesOf(merge: Merge, { schema, ...rules }: Rules): readonly Trespass[] {
  return within(merge, schema, { path: [], place: [], scopes: [{ place: [], merge }], rules });
}

/** Where the judge looks, and the items around it. */
interface Spot {
  readonly path: Path;
  readonly place: readonly string[];
  readonly scopes: readonly { readonly place: readonly string[]; readonly merge: Merge }[];
  readonly rules: Omit<Rules, "schema">;
}

function within(merge: Merge, schema: Json | undefined, spot: Spot): readonly Trespass[] {
  const { ours, base, theirs, result } = merge;
  if (equal(base, theirs)) return equal(ours, result) ? [] : lost(merge, schema, spot);
  const sides = [ours, base, theirs, result];
  const lists = sides.map((side) => side ?? []);
  const keys = get(schema, "x-kubernetes-list-map-keys");
  if (lists.every(isArray) && sides.some(isArray))
    return isArray(keys) && areKeysKept(lists as unknown as Lists, schema)
      ? [...inParts(mergeOf(lists), schema, spot), ...inOrder(lists as unknown as Lists, schema, spot)]
      : sides.every(isArray)
        ? [...inItems(sides as unknown as Lists, schema, spot), ...inScalars(sides as unknown as Lists, spot)]
        : [];
  // Without a field that it requires the rest of an object would be invalid, so it goes with it (docs/explanation/conversion.md).
  const required = get(schema, "required");
  if (theirs === undefined && result === undefined && isArray(required))
    if (required.some((name) => get(base, String(name)) !== undefined)) return [];
  const isGranular = sides.every((side) => side === undefined || (isObject(side) && !isNothing(side)));
  if (isGranular && sides.some(isObject) && get(schema, "x-kubernetes-map-type") !== "atomic")
    return inParts(merge, schema, spot);
  return sides.some((side) => isObject(side) || isArray(side) || side === null)
    ? []
    : contradicted(merge, schema, spot);
}

/** A scalar that the write changed, and that is neither what the lens says now nor a default in its place. */
function contradicted(
  { base, theirs, result }: Merge,
  schema: Json | undefined,
  { path, place, rules }: Spot,
): readonly Trespass[] {
  const isDefault = (value: Json | undefined) => equal(value, get(schema, "default"));
  const isSame =
    equal(theirs, result) ||
    (theirs === undefined && (isDefault(result) || equal(base, at(rules.filled, place)))) ||
    (result === undefined && (isDefault(theirs) || equal(theirs, at(rules.defaulted, place))));
  return isSame
    ? []
    : [{ how: "contradicted", field: fieldOf(path), path, expected: theirs, actual: result }];
}

function lost({ ours, result }: Merge, schema: Json | undefined, spot: Spot): readonly Trespass[] {
  return differencesOf(ours, result, { schema }).flatMap(({ path = [], expected, actual }) => {
    const place = [...spot.place, ...placeOf(path, schema)];
    // An empty list or map says nothing, and does not come back beside a field that the writer changed (docs/reference/limits.md).
    const isEmptied = spot.path.length > 0 && isNothing(expected) && actual === undefined;
    if (isEmptied || isMappedWithChange(spot, place)) return [];
    const whole = [...spot.path, ...path];
    return [{ how: "lost", field: fieldOf(whole), path: whole, expected, actual }];
  });
}

/** The steps of a path as a schema has them. */
function placeOf([step, ...rest]: Path, schema: Json | undefined): readonly string[] {
  if (step === undefined) return [];
  const field = get(schema, "properties", String(step));
  if (field !== undefined) return [String(step), ...placeOf(rest, field)];
  const below = get(schema, "items") ?? get(schema, "additionalProperties");
  return [isObject(below) ? "[]" : String(step), ...placeOf(rest, below)];
}

/**
 * Whether a place is mapped together with a field that the lens shows as changed: in the same item, where both are in one. Or with one
 * that the writer changed although the lens shows nothing of it.
 */
function isMappedWithChange({ rules: { groups, wrote }, scopes }: Spot, place: readonly string[]): boolean {
  const isWritten = (field: readonly string[]) =>
    wrote !== undefined && !field.includes("[]") && !equal(at(wrote.before, field), at(wrote.after, field));
  return groups.some(
    ({ here, there }) =>
      here.some((field) => overlaps(field, place)) &&
      (here.some((field) => isChanged(field, scopes)) || there.some(isWritten)),
  );
}

function isChanged(field: readonly string[], scopes: Spot["scopes"]): boolean {
  const scope = scopes.findLast(({ place }) => place.every((step, at) => field[at] === step));
  if (scope === undefined) return false;
  const rest = field.slice(scope.place.length);
  const item = rest.indexOf("[]");
  const steps = item < 0 ? rest : rest.slice(0, item);
  const { base, theirs } = scope.merge;
  return !equal(at(base, steps), at(theirs, steps));
}

function at(value: Json | undefined, steps: readonly string[]): Json | undefined {
  return steps.reduce<Json | undefined>((here, step) => get(here, step), value);
}

function overlaps(one: readonly string[], other: readonly string[]): boolean {
  return one.every((step, index) => index >= other.length || other[index] === step);
}

function inParts(merge: Merge, schema: Json | undefined, spot: Spot): readonly Trespass[] {
  const parts = partsOf([merge.ours, merge.base, merge.theirs, merge.result], schema) ?? [];
  return parts.flatMap(({ step, place, values, schema: inner }) => {
    const each = mergeOf(values);
    const here = {
      ...spot,
      path: [...spot.path, step],
      place: [...spot.place, place],
      scopes: place === "[]" ? [...spot.scopes, { place: [...spot.place, place], merge: each }] : spot.scopes,
    };
    if (place === "[]") return inItem(each, inner, here, isArray(merge.ours ?? merge.theirs ?? merge.result));
    return within(each, inner, here);
  });
}

/** An item that was removed is gone with all that the writer could not see of it; a new one may have what an earlier one had. */
function inItem(merge: Merge, schema: Json | undefined, spot: Spot, isKeyed: boolean): readonly Trespass[] {
  const { ours, base, theirs, result } = merge;
  if (ours === undefined && base === undefined) return [];
  if (base === undefined || theirs !== undefined) return within(merge, schema, spot);
  // Of a map some fields of an entry may stay as those of an object do, or go with it as those of an item do.
  if (result === undefined || !isKeyed) return [];
  return [
    { how: "contradicted", field: fieldOf(spot.path), path: spot.path, expected: undefined, actual: result },
  ];
}

/** Whether the lens shows items under keys of ours. Where the other version lacks a part of a key, another item is none of ours. */
function areKeysKept([ours, base]: Lists, schema: Json | undefined): boolean {
  const [own, shown] = [ours, base].map((list) => partsOf([list], schema)?.map(({ step }) => step));
  return own === undefined || shown === undefined || shown.every((name) => own.includes(name));
}

/** The order of the items that all have: ours where the writer left it, else the writer's. */
function inOrder(lists: Lists, schema: Json | undefined, spot: Spot): readonly Trespass[] {
  if (spot.rules.hasMerged) return [];
  const items = lists.map(
    (list) => new Map((partsOf([list], schema) ?? []).map((each) => [each.step, each])),
  );
  const isPlaced = (name: string | number) => {
    const sides = items.map((each) => each.get(name)?.values[0]);
    return !sides.includes(undefined) && !isOther(mergeOf(sides));
  };
  const [ours, base, theirs, result] = items.map((own) => [...own.keys()].filter(isPlaced));
  const isLeft = equal(base, theirs);
  const expected = isLeft ? ours : theirs;
  if (expected === undefined || result === undefined || equal(expected, result)) return [];
  const how = isLeft ? "lost" : "contradicted";
  return [{ how, field: `${fieldOf(spot.path)}: the order`, path: spot.path, expected, actual: result }];
}

/** Whether an item has changed that the lens shows as unchanged. Its content is judged elsewhere, and it has no place of ours. */
function isOther({ ours, base, theirs, result }: Merge): boolean {
  return equal(base, theirs) && !equal(ours, result);
}

type Lists = readonly [
  ours: readonly Json[],
  base: readonly Json[],
  theirs: readonly Json[],
  result: readonly Json[],
];

/** Items that the write did not touch, wherever they stand now, and the one item that it changed in place. */
function inItems(
  [ours, base, theirs, result]: Lists,
  schema: Json | undefined,
  spot: Spot,
): readonly Trespass[] {
  const items = get(schema, "items");
  const declared = get(schema, "x-kubernetes-list-map-keys");
  const named = spot.rules.listKeys?.[spot.place.filter((step) => step !== "[]").join(".")];
  const keys = isArray(declared) ? declared.map(String) : (named ?? obviousKeys);
  if (keys.length === 0) return inFirst([ours, base, theirs, result], items, spot);
  if (!areParallel(ours, base)) return [];
  const found = (path: Path, expected: Json | undefined, actual: Json | undefined): readonly Trespass[] => {
    const whole = [...spot.path, ...path];
    return [{ how: "lost", field: fieldOf(whole), path: whole, expected, actual }];
  };
  if (!areParallel(result, theirs)) {
    // An item that the writer removed, and nothing like it wrote, may not come back.
    const back = ours.find(
      (item, index) =>
        result.some((each) => equal(each, item)) &&
        ours.every((each, other) => other === index || !equal(each, item)) &&
        !theirs.some((each) => isLike(each, base[index])),
    );
    return back === undefined ? [] : found([], theirs as Json, back);
  }
  const unchanged = theirs.flatMap((item, now) => {
    const [then, ...others] = placesOf(base, item);
    if (then === undefined || others.length > 0 || placesOf(theirs, item).length > 1) return [];
    return differencesOf(ours[then], result[now], { schema: items }).flatMap(
      ({ path = [], expected, actual }) => found([now, ...path], expected, actual),
    );
  });
  if (unchanged.length > 0 || theirs.length !== base.length) return unchanged;
  const [only, ...others] = [...theirs.keys()].filter((index) => !equal(base[index], theirs[index]));
  if (only === undefined || others.length > 0) return [];
  // An item of which more than half was changed is a new one, and has nothing that the old one had (docs/reference/limits.md).
  const isNew = isReplaced(base[only], theirs[only]);
  // Unless a field identifies it (docs/explanation/conversion.md); what is left of it may be little.
  if (isNew && isNamed(base, theirs, only, keys)) return [];
  if (!isNew && !isRecognised(base[only], theirs[only], keys)) return [];
  const then = isNew ? [undefined, undefined] : [ours[only], base[only]];
  return inItemAt(only, mergeOf([...then, theirs[only], result[only]]), items, spot);
}

/**
 * Scalars of a list that the lens never shows, where it shows the others in the same words, and the writer left all that it saw.
 */
function inScalars([ours, base, theirs, result]: Lists, { path }: Spot): readonly Trespass[] {
  const lists = [ours, base, theirs];
  const areWords = lists.every((list) => new Set(list).size === list.length && !list.some(isCompound));
  if (!areWords || !base.every((word) => ours.includes(word) && theirs.includes(word))) return [];
  const gone = ours.find((word) => !base.includes(word) && !result.includes(word));
  if (gone === undefined) return [];
  return [{ how: "lost", field: fieldOf(path), path, expected: ours as Json, actual: result as Json }];
}

function isCompound(value: Json): boolean {
  return typeof value === "object";
}

/** Whether a scalar field, which all items have distinct, says that an item is the one that stood in its place. */
function isNamed(
  base: readonly Json[],
  theirs: readonly Json[],
  index: number,
  keys: readonly string[],
): boolean {
  return keys.some((key) => {
    const names = [base, theirs].map((list) => list.map((item) => get(item, key)));
    const areDistinct = names.every(
      (all) => new Set(all).size === all.length && all.every((name) => typeof name === "string"),
    );
    return areDistinct && names[0]?.[index] === names[1]?.[index];
  });
}

function inItemAt(index: number, merge: Merge, items: Json | undefined, spot: Spot): readonly Trespass[] {
  const place = [...spot.place, "[]"];
  return within(merge, items, {
    ...spot,
    path: [...spot.path, index],
    place,
    scopes: [...spot.scopes, { place, merge }],
  });
}

/** The first item as an object would be, and the others, which the writer never sees, as they were. */
function inFirst(lists: Lists, items: Json | undefined, spot: Spot): readonly Trespass[] {
  const [ours, , theirs, result] = lists;
  // A list of values that are no objects is one word.
  if (!lists.every((list) => list.length > 0 && list.every(isObject))) return [];
  const others = differencesOf(ours.slice(1), [...result.slice(1)], { schema: items });
  if (theirs.length === 1 && others.length > 0)
    return [
      {
        how: "lost",
        field: fieldOf(spot.path),
        path: spot.path,
        expected: ours as Json,
        actual: result as Json,
      },
    ];
  return inItemAt(0, mergeOf(lists.map(([first]) => first)), items, spot);
}

function placesOf(list: readonly Json[], item: Json): readonly number[] {
  return list.flatMap((other, index) => (equal(other, item) ? [index] : []));
}

/** Whether items at one place are one item, one with more than the lens shows: they agree in some field. */
export function areParallel(items: readonly Json[], shown: readonly Json[]): boolean {
  if (items.length !== shown.length) return false;
  return items.every((item, index) => {
    const other = shown[index];
    // One item that equals what the lens shows of another one: there are twins, in another order.
    if (!equal(item, other) && shown.some((each) => equal(item, each))) return false;
    if (!isObject(item) || !isObject(other)) return equal(item, other);
    return (
      Object.keys(other).length === 0 ||
      Object.keys(other).some((name) => equal(get(item, name), other[name]))
    );
  });
}

/** The names of fields by which people recognise an item of a list that declares no keys. */
export const obviousKeys = ["name", "id", "key", "type"] as const;

function isRecognised(then: Json | undefined, now: Json | undefined, keys: readonly string[]): boolean {
  return keys.every((key) => equal(get(then, key), get(now, key))) && isLike(then, now);
}

/** Whether less than half of an item's fields are the same in another one. */
function isReplaced(then: Json | undefined, now: Json | undefined): boolean {
  if (!isObject(then) || !isObject(now)) return false;
  const names = Object.keys(then);
  return 2 * names.filter((name) => equal(get(then, name), get(now, name))).length < names.length;
}

/** Whether two items have at least half of their fields in common. */
function isLike(one: Json | undefined, other: Json | undefined): boolean {
  if (!isObject(one) || !isObject(other)) return equal(one, other);
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return 2 * names.filter((name) => equal(get(one, name), get(other, name))).length >= names.length;
}

/** Whether a value says nothing: it is absent, null, or an empty list or map. */
function isNothing(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function mergeOf([ours, base, theirs, result]: readonly (Json | undefined)[]): Merge {
  return { ours, base, theirs, result };
}
