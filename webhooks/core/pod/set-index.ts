import { isObject, type Json, type JsonObject, type Lister, own } from "antechamber";
import type { Selector } from "antechamber/apimachinery";
import { compareBytes } from "antechamber/go";
import { stringAt } from "../../kruise/shared/read.ts";

/** What the index needs to know of a SidecarSet or an InjectionPolicy. */
export interface Indexed {
  readonly name: string;
  readonly isPaused: boolean;
  /** The labels that it requires of a pod. */
  readonly selector: Selector;
  /** The namespaces to which it is bound by name: bound ones are injected first. */
  readonly boundTo?: readonly string[];
  /** A pod must have one of these. */
  readonly oneOf?: readonly Key[];
}

/** A label or annotation, whatever its value. */
export interface Key {
  readonly map: "labels" | "annotations";
  readonly key: string;
}

/**
 * An index of all SidecarSets, or all InjectionPolicies, by what they require of a pod. Each is stored under the label that
 * the fewest of them require, and those bound to a namespace are stored apart: a pod costs about the same with ten and with
 * ten thousand.
 */
export class SetIndex<Item extends Indexed> {
  readonly #prepare: (object: JsonObject) => Item;
  readonly #sets = new Map<string, Item>();
  readonly #unbound = new LabelIndex<Item>();
  readonly #bound = new Map<string, LabelIndex<Item>>();

  constructor(prepare: (object: JsonObject) => Item) {
    this.#prepare = prepare;
  }

  /** Adds an object, or replaces the one of the same name. */
  put(object: JsonObject): void {
    const set = this.#prepare(object);
    this.remove(set.name);
    this.#sets.set(set.name, set);
    for (const labels of this.#indexesOf(set)) labels.add(set);
  }

  /** Removes the object of a name. */
  remove(name: string): void {
    const set = this.#sets.get(name);
    if (set === undefined) return;
    this.#sets.delete(name);
    for (const labels of this.#indexesOf(set)) labels.remove(set);
    for (const namespace of set.boundTo ?? []) {
      if (this.#bound.get(namespace)?.isEmpty()) this.#bound.delete(namespace);
    }
  }

  /** All objects, by name. */
  all(): readonly Item[] {
    return [...this.#sets.values()].sort(byName);
  }

  /**
   * Those that may match, in injection order: first those bound to the namespace, then the others, each by name.
   */
  candidates(labels: Json | undefined, namespace: string, annotations?: Json): readonly Item[] {
    const bound = this.#bound.get(namespace)?.candidates(labels, annotations) ?? [];
    return [...bound.sort(byName), ...this.#unbound.candidates(labels, annotations).sort(byName)];
  }

  #indexesOf(set: Item): readonly LabelIndex<Item>[] {
    if (set.isPaused) return [];
    return set.boundTo === undefined
      ? [this.#unbound]
      : [...new Set(set.boundTo)].map((namespace) => {
          const labels = this.#bound.get(namespace) ?? new LabelIndex<Item>();
          this.#bound.set(namespace, labels);
          return labels;
        });
  }
}

/** Orders by name. */
function byName(a: Indexed, b: Indexed): number {
  return compareBytes(a.name, b.name);
}

/** A function that makes the index of a lister's objects, which follows the lister; one for each lister. */
export function indexing<Item extends Indexed>(
  prepare: (object: JsonObject) => Item,
): (lister: Lister) => SetIndex<Item> {
  const indexes = new WeakMap<Lister, SetIndex<Item>>();
  return (lister) => {
    const known = indexes.get(lister);
    if (known !== undefined) return known;
    const index = new SetIndex(prepare);
    indexes.set(lister, index);
    lister.onChange(({ before, after }) => {
      if (after !== undefined) index.put(after);
      else index.remove(stringAt(own(before, "metadata"), "name"));
    });
    return index;
  };
}

type Buckets<Item> = Map<string, Set<Item>>;

/** One of the buckets in which an object is stored. */
interface Bucket<Item> {
  readonly map: Buckets<Item>;
  readonly key: string;
}

/** Objects by one label that each of them requires. */
class LabelIndex<Item extends Indexed> {
  readonly #byValue = new Map<string, Buckets<Item>>();
  readonly #byKey: Buckets<Item> = new Map();
  readonly #byAnnotation: Buckets<Item> = new Map();
  /** Those that require no label to exist, under the empty key. */
  readonly #others: Buckets<Item> = new Map();
  /** How many require a label's value: the rarest one narrows the search most. */
  readonly #required = new Map<string, Map<string, number>>();
  readonly #buckets = new Map<Item, readonly Bucket<Item>[]>();
  /** Whether an object may be found twice. */
  #hasSeveral = false;

  add(set: Item): void {
    this.#count(set, 1);
    const buckets = this.#bucketsFor(set);
    this.#buckets.set(set, buckets);
    this.#hasSeveral ||= set.oneOf !== undefined;
    for (const { map, key } of buckets) getOrAdd(map, key, () => new Set()).add(set);
  }

  remove(set: Item): void {
    this.#count(set, -1);
    for (const { map, key } of this.#buckets.get(set) ?? []) {
      map.get(key)?.delete(set);
      // Empty buckets are dropped, since label values may come and go every minute.
      if (map.get(key)?.size === 0) map.delete(key);
    }
    this.#buckets.delete(set);
    if (this.#buckets.size === 0) this.#byValue.clear();
  }

  isEmpty(): boolean {
    return this.#buckets.size === 0;
  }

  candidates(labels: Json | undefined, annotations: Json | undefined): Item[] {
    const found = [...(this.#others.get("") ?? [])];
    if (isObject(labels)) {
      for (const [key, value] of Object.entries(labels)) {
        const equal = typeof value === "string" ? this.#byValue.get(key)?.get(value) : undefined;
        for (const set of equal ?? []) found.push(set);
        for (const set of this.#byKey.get(key) ?? []) found.push(set);
      }
    }
    if (!this.#hasSeveral) return found;
    for (const key of isObject(annotations) ? Object.keys(annotations) : []) {
      for (const set of this.#byAnnotation.get(key) ?? []) found.push(set);
    }
    return unique(found);
  }

  #bucketsFor({ selector, oneOf }: Item): readonly Bucket<Item>[] {
    const [rarest] = selector.requirements
      .filter(({ operator }) => operator === "In")
      .map(({ key, values }) => ({ key, values, count: this.#countOf(key, values) }))
      .sort((a, b) => a.count - b.count);
    if (rarest !== undefined) {
      const map = getOrAdd(this.#byValue, rarest.key, (): Buckets<Item> => new Map());
      return [...new Set(rarest.values)].map((key) => ({ map, key }));
    }
    const needed = selector.requirements.find(({ operator }) => operator === "Exists");
    if (needed === undefined && oneOf !== undefined) {
      return oneOf.map(({ map, key }) => ({ map: map === "labels" ? this.#byKey : this.#byAnnotation, key }));
    }
    return [needed === undefined ? { map: this.#others, key: "" } : { map: this.#byKey, key: needed.key }];
  }

  #countOf(key: string, values: readonly string[]): number {
    return values.reduce((sum, value) => sum + (this.#required.get(key)?.get(value) ?? 0), 0);
  }

  #count({ selector }: Item, by: 1 | -1): void {
    for (const { key, operator, values } of selector.requirements) {
      if (operator !== "In") continue;
      const counts = getOrAdd(this.#required, key, () => new Map<string, number>());
      for (const value of values) {
        const count = (counts.get(value) ?? 0) + by;
        if (count > 0) counts.set(value, count);
        else counts.delete(value);
      }
      if (counts.size === 0) this.#required.delete(key);
    }
  }
}

/** An object that requires one of several keys is in several buckets. */
function unique<Item>(found: Item[]): Item[] {
  return found.length < 2 ? found : [...new Set(found)];
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
