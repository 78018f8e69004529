import { Entries, Items, itemsOf } from "../language/collections.ts";
import { equals } from "../language/compare.ts";
import { CelError, errorOr, isError, isList, isMap, type ListValue, type Value } from "../language/values.ts";
import type { Work } from "../language/work.ts";

// What kube-apiserver makes of lists of type set and map since v1.37 (apiserver/pkg/cel/common/valuesreflect.go,
// addToSetList and addToMapList): a rule that joins them gets values, which no schema reads anew.

/** Whether the items of two lists of the same size are the same set. */
export function equalSets(mine: readonly Value[], theirs: readonly Value[]): Value {
  const keys = setKeys(mine);
  if (!(keys instanceof Set)) return noScalar;
  const seen = new Set<Key>();
  for (const item of theirs) {
    const key = setKey(item);
    if (key === noScalar) return noScalar;
    if (!keys.has(key)) return false;
    seen.add(key);
  }
  return seen.size === keys.size;
}

/** The first items, and those others that are not among them. */
export function joinedSets(mine: readonly Value[], theirs: readonly Value[]): Value {
  const keys = setKeys(mine);
  if (!(keys instanceof Set)) return noScalar;
  const joined = [...mine];
  for (const item of theirs) {
    const key = setKey(item);
    if (key === noScalar) return noScalar;
    if (!keys.has(key)) joined.push(item);
    keys.add(key);
  }
  return new JoinedSet(joined);
}

/** The first items, each replaced by another one with the same keys, and the others. */
export function joinedKeyed(
  mine: readonly Value[],
  theirs: readonly Value[],
  names: readonly string[],
): Value {
  const joined = [...mine];
  const places = new Map(mine.map((item, index) => [keyOf(item, names), index]));
  for (const item of theirs) {
    const place = places.get(keyOf(item, names));
    if (place === undefined) {
      places.set(keyOf(item, names), joined.length);
      joined.push(item);
    } else joined[place] = item;
  }
  return new JoinedKeyed(joined, names);
}

class JoinedSet extends Items {
  override equals(other: Value, work: Work): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    work.spend(this.size);
    return equalSets(itemsOf(this), itemsOf(other));
  }

  override add(other: ListValue, work: Work): Value {
    work.spend(this.size + other.size);
    return joinedSets(itemsOf(this), itemsOf(other));
  }
}

class JoinedKeyed extends Items {
  readonly #names: readonly string[];

  constructor(items: readonly Value[], names: readonly string[]) {
    super(items);
    this.#names = names;
  }

  override equals(other: Value, work: Work): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    work.spend(this.size);
    return equalKeyed(itemsOf(this), itemsOf(other), this.#names, work);
  }

  override add(other: ListValue, work: Work): Value {
    work.spend(this.size + other.size);
    return joinedKeyed(itemsOf(this), itemsOf(other), this.#names);
  }
}

function equalKeyed(
  mine: readonly Value[],
  theirs: readonly Value[],
  names: readonly string[],
  work: Work,
): Value {
  const known = new Map(mine.map((item) => [keyOf(item, names), item]));
  const seen = new Set<string>();
  for (const item of theirs) {
    const key = keyOf(item, names);
    const own = known.get(key);
    if (own === undefined) return false;
    const verdict = equals(own, item, work);
    if (verdict !== true) return verdict;
    seen.add(key);
  }
  return seen.size === known.size;
}

const noScalar = new CelError("listSet operations are only supported on lists of scalar values");

/** A text that only equal items share; an item that cannot be read has a key of its own each time, so that it equals nothing. */
type Key = string | CelError;

function setKeys(items: readonly Value[]): Set<Key> | CelError {
  const keys = new Set(items.map(setKey));
  return keys.has(noScalar) ? noScalar : keys;
}

function setKey(item: Value): Key {
  if (isList(item) || isMap(item)) return noScalar;
  return isError(item) ? new CelError(item.message) : Entries.keyOf(item);
}

/** A text that only items with the same keys share; one that has no fields has no keys. */
function keyOf(item: Value, names: readonly string[]): string {
  const keys = names.map((name) => (isMap(item) ? item.find(name) : undefined));
  return JSON.stringify(keys.map((key) => (key === undefined || isError(key) ? null : Entries.keyOf(key))));
}
