import { compareQuantities, parseQuantity } from "../../apimachinery/quantity.ts";
import { parseDuration, parseMoment } from "../../go/time.ts";
import { equal } from "../../json/equal.ts";
import { isNumber, toDecimal } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import { schemaBelow } from "../../values/smallest.ts";
import { entriesOf, isMap } from "./build.ts";

/**
 * What became of a place: a value is `lost`, `became` another one, or was `added`; it `moved` to another place; items have
 * another `order`; a `zero` value appeared or vanished; a value was `reprinted`, such as `1024Mi` as `1Gi`.
 */
type ChangeSort = "lost" | "became" | "moved" | "added" | "order" | "zero" | "reprinted";

/** One place that differs between two objects. */
export interface Change {
  readonly sort: ChangeSort;
  /** Into the object before; for an added value into the one after. */
  readonly path: Path;
  readonly before?: Json;
  readonly after?: Json;
  /** Where a value that moved stands now. */
  readonly to?: Path;
}

/** All differences of two objects' content and marks: identity, and what an API server keeps by itself, are left out. */
export function changesOf(
  before: JsonObject,
  after: JsonObject,
  schema: Json | undefined,
): readonly Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const content = [...names]
    .filter((name) => !["apiVersion", "kind", "metadata"].includes(name))
    .flatMap((name) => differences(before[name], after[name], get(schema, "properties", name), [name]));
  const marks = ["labels", "annotations"].flatMap((name) =>
    differences(get(before, "metadata", name), get(after, "metadata", name), undefined, ["metadata", name]),
  );
  // An annotation that a webhook adds is where it stores what a version cannot express.
  return [...withMoved(content), ...marks.filter(({ sort }) => sort !== "added" && sort !== "zero")];
}

/** A value that is lost while all of it appears elsewhere in the same object has moved. */
function withMoved(changes: readonly Change[]): readonly Change[] {
  const added = changes.filter(({ sort }) => sort === "added");
  const taken = new Set<Change>();
  const made = changes.map((change): Change => {
    if (change.sort !== "lost") return change;
    const other = added.find((each) => !taken.has(each) && isSameElsewhere(change, each));
    if (other === undefined) return change;
    taken.add(other);
    return {
      ...change,
      sort: "moved",
      to: [...other.path, ...pathOf(change.before ?? null, other.after ?? null)],
    };
  });
  return made.filter((each) => !taken.has(each));
}

/** Whether an added value contains one that is lost. Flags are all alike, so that only those of one name are compared. */
function isSameElsewhere({ path, before = null }: Change, { path: other, after = null }: Change): boolean {
  const [leaves, others] = [leavesIn(before), leavesIn(after)];
  const isFlags = leaves.every((leaf) => leaf === "true" || leaf === "false");
  const isThere = leaves.length > 0 && leaves.every((leaf) => others.includes(leaf));
  return isThere && (!isFlags || path.at(-1) === other.at(-1));
}

/** The way to a value within another one; empty if it is not there as a whole. */
function pathOf(value: Json, inside: Json): Path {
  for (const [step, each] of entriesOf(inside)) {
    const rest = pathOf(value, each);
    if (rest.length > 0 || equal(each, value)) return [step, ...rest];
  }
  return [];
}

/** All texts, numbers and flags of a value, as JSON. */
function leavesIn(value: Json): readonly string[] {
  if (isArray(value)) return value.flatMap(leavesIn);
  return isObject(value) ? Object.values(value).flatMap(leavesIn) : [JSON.stringify(value)];
}

/** Whether Go would print a value for a field that was not set: absent, null, empty, 0, false, `0s`. */
export function isZero(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true;
  // A zero duration and a zero quantity, as Go prints them.
  if (value === "0s" || value === "0") return true;
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.values(value).every(isZero);
}

function differences(
  before: Json | undefined,
  after: Json | undefined,
  schema: Json | undefined,
  path: Path,
): readonly Change[] {
  if (equal(before, after)) return [];
  const change = (sort: ChangeSort): readonly Change[] => [
    {
      sort,
      path,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
  const isUnset = (value: Json | undefined) => isZero(value) && !hasEntries(value, schema);
  if (isUnset(before) && isUnset(after)) return change("zero");
  if (isObject(before) && isObject(after)) return inObjects(before, after, schema, path);
  if (isArray(before) && isArray(after)) return inLists(before, after, schema, path);
  if (isUnset(before)) return change("added");
  if (isAbsent(after)) return change("lost");
  return change(isReprinted(before, after) ? "reprinted" : "became");
}

/** Whether a value has an entry of a map. Go prints all of them, whatever their values are. */
function hasEntries(value: Json | undefined, schema: Json | undefined): boolean {
  if (isObject(value) && isMap(schema)) return Object.keys(value).length > 0;
  return entriesOf(value).some(([step, inner]) => hasEntries(inner, schemaBelow(schema, step)));
}

/** Whether nothing stands there any more. `""` and 0 are values that a reader takes for set. */
function isAbsent(value: Json | undefined): boolean {
  return value === undefined || value === null || ((isObject(value) || isArray(value)) && isZero(value));
}

function inObjects(
  before: JsonObject,
  after: JsonObject,
  schema: Json | undefined,
  path: Path,
): readonly Change[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const inner = [...path, name];
    const [had, has] = [before, after].map((each) => Object.hasOwn(each, name));
    // An entry of a map says something by its name, even if its value is zero.
    const [old = null, made = null] = [get(before, name), get(after, name)];
    if (isMap(schema) && had && !has && isZero(old)) return [{ sort: "lost", path: inner, before: old }];
    if (isMap(schema) && has && !had && isZero(made)) return [{ sort: "added", path: inner, after: made }];
    return differences(get(before, name), get(after, name), schemaBelow(schema, name), inner);
  });
}

function inLists(
  before: readonly Json[],
  after: readonly Json[],
  schema: Json | undefined,
  path: Path,
): readonly Change[] {
  const items = get(schema, "items");
  const names = namesOf(before, schema);
  const others = namesOf(after, schema);
  if (names === undefined || others === undefined || isPermuted(before, after))
    return byIndex(before, after, items, path);
  const changed = before.flatMap((item, index) => {
    const at = others.indexOf(names[index] ?? "");
    return differences(item, at < 0 ? undefined : after[at], items, [...path, index]);
  });
  const added = after.flatMap((item, index) =>
    names.includes(others[index] ?? "") ? [] : differences(undefined, item, items, [...path, index]),
  );
  const kept = others.filter((name) => names.includes(name));
  const isMoved = !equal(
    kept,
    names.filter((name) => others.includes(name)),
  );
  return [...changed, ...added, ...(isMoved ? [{ sort: "order", path, before, after } as const] : [])];
}

function byIndex(
  before: readonly Json[],
  after: readonly Json[],
  items: Json | undefined,
  path: Path,
): readonly Change[] {
  if (isPermuted(before, after)) return [{ sort: "order", path, before, after }];
  return Array.from({ length: Math.max(before.length, after.length) }).flatMap((_, index) =>
    differences(before[index], after[index], items, [...path, index]),
  );
}

function isPermuted(before: readonly Json[], after: readonly Json[]): boolean {
  const sorted = (list: readonly Json[]) => list.map((item) => JSON.stringify(item)).toSorted();
  return before.length === after.length && !equal(before, after) && equal(sorted(before), sorted(after));
}

/** The items of a keyed list by their keys, zero values as Go has them; undefined for another list, or where keys are repeated. */
function namesOf(list: readonly Json[], schema: Json | undefined): readonly string[] | undefined {
  const keys = get(schema, "x-kubernetes-list-map-keys");
  if (!isArray(keys)) return undefined;
  const names = list.map((item) =>
    JSON.stringify(keys.map((key) => get(item, String(key))).map((value) => (isZero(value) ? null : value))),
  );
  return new Set(names).size === names.length ? names : undefined;
}

/** Whether two values are two prints of one: a quantity, a duration, a time, a number as text. */
export function isReprinted(before: Json | undefined, after: Json | undefined): boolean {
  const [a, b] = [textOf(before), textOf(after)];
  if (a === undefined || b === undefined) return false;
  if (a === b) return true;
  const durations = [parseDuration(a), parseDuration(b)];
  if (durations[0] !== undefined && durations[0] === durations[1]) return true;
  const [from, to] = [parseMoment(a), parseMoment(b)];
  // metav1.Time has whole seconds.
  if (from !== undefined && to !== undefined) return from.seconds === to.seconds;
  const [less, more] = [parseQuantity(a), parseQuantity(b)];
  return less !== undefined && more !== undefined && compareQuantities(less, more) === 0;
}

function textOf(value: Json | undefined): string | undefined {
  return isNumber(value) ? toDecimal(value) : typeof value === "string" ? value : undefined;
}
