import { compareNumbers, equals, isNumeric } from "./compare.ts";
import { printScalar } from "./print.ts";
import {
  CelError,
  isError,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  typeName,
  Uint,
  type Value,
} from "./values.ts";
import type { Work } from "./work.ts";

/** A list that an expression made. */
export class Items implements ListValue {
  readonly isList = true;
  readonly #items: readonly Value[];

  constructor(items: readonly Value[]) {
    this.#items = items;
  }

  get size(): number {
    return this.#items.length;
  }

  get(index: number): Value {
    return this.#items[index] ?? outOfRange(index, this.size, this.#items[index]);
  }

  equals(other: Value, work: Work): Value {
    if (!isList(other) || other.size !== this.size) return false;
    work.spend(this.size);
    return this.#items.every((item, index) => equals(item, other.get(index), work) !== false);
  }

  add(other: ListValue, work: Work): Value {
    if (this.size === 0) return other;
    return other.size === 0 ? this : joined(this, other, work);
  }

  contains(value: Value, work: Work): Value {
    work.spend(this.size);
    return this.#items.some((item) => equals(value, item, work) === true);
  }
}

// Joining lists costs nothing, but makes reading the result dearer with each level.
const deepest = 100;

/** Two lists one after the other; their items stay where they are. */
class Joined implements ListValue {
  readonly isList = true;
  readonly size: number;
  readonly depth: number;
  readonly #first: ListValue;
  readonly #second: ListValue;

  constructor(first: ListValue, second: ListValue) {
    this.#first = first;
    this.#second = second;
    this.size = first.size + second.size;
    this.depth = 1 + Math.max(depthOf(first), depthOf(second));
  }

  get(index: number): Value {
    const { size } = this.#first;
    return index < size ? this.#first.get(index) : this.#second.get(index - size);
  }

  equals(other: Value, work: Work): Value {
    if (!isList(other) || other.size !== this.size) return false;
    work.spend(this.size);
    for (let index = 0; index < this.size; index++) {
      if (equals(this.get(index), other.get(index), work) === false) return false;
    }
    return true;
  }

  add(other: ListValue, work: Work): Value {
    return other.size === 0 ? this : joined(this, other, work);
  }

  contains(value: Value, work: Work): Value {
    if (this.#first.contains(value, work) === true) return true;
    return this.#second.contains(value, work);
  }
}

function joined(first: ListValue, second: ListValue, work: Work): ListValue {
  if (depthOf(first) < deepest && depthOf(second) < deepest) return new Joined(first, second);
  work.spend(first.size + second.size);
  return new Items([...itemsOf(first), ...itemsOf(second)]);
}

function depthOf(list: ListValue): number {
  return list instanceof Joined ? list.depth : 0;
}

/** The items of any list. */
export function itemsOf(list: ListValue): readonly Value[] {
  return Array.from({ length: list.size }, (_, index) => list.get(index));
}

function outOfRange(index: number, size: number, item: Value | undefined): Value {
  // null is an item as well; only undefined means that there is none.
  return item === null ? null : new CelError(`index '${index}' out of range in list size '${size}'`);
}

/** The number of an index, or why it is not one (cel-go types.IndexOrError). */
export function indexOf(index: Value): number | CelError {
  if (typeof index === "bigint") return Number(index);
  if (typeof index === "number" || index instanceof Uint) {
    const value = index instanceof Uint ? Number(index.value) : index;
    const whole = Number.isSafeInteger(value) ? value : undefined;
    return whole ?? new CelError(`unsupported index value ${printScalar(index)} in list`);
  }
  return isError(index) ? index : new CelError(`unsupported index type '${typeName(index)}' in list`);
}

/** A map that an expression made. */
export class Entries implements MapValue {
  readonly isMap = true;
  readonly #entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    this.#entries = entries;
  }

  /** A text that only equal keys of one type share. */
  static keyOf(key: Value): string {
    return `${typeName(key)}:${printScalar(key)}`;
  }

  static of(entries: Iterable<readonly [Value, Value]>): Entries {
    return new Entries(new Map([...entries].map((entry) => [Entries.keyOf(entry[0]), entry])));
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A number finds an equal key of any numeric type. */
  find(key: Value): Value | undefined {
    const found = this.#entries.get(Entries.keyOf(key));
    if (found !== undefined || !isNumeric(key)) return found?.[1];
    for (const [candidate, value] of this.#entries.values()) {
      if (isNumeric(candidate) && compareNumbers(candidate, key) === 0) return value;
    }
    return undefined;
  }

  keys(): readonly Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  equals(other: Value, work: Work): Value {
    if (!isMap(other) || other.size !== this.size) return false;
    work.spend(this.size);
    for (const [key, value] of this.#entries.values()) {
      const theirs = other.find(key);
      if (theirs === undefined || equals(value, theirs, work) === false) return false;
    }
    return true;
  }
}
