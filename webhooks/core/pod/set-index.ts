import { compareBytes, isObject, type Json, type JsonObject, type Lister, own } from "antechamber";
import { stringAt } from "../../kruise/shared/read.ts";
import { type PreparedSet, prepare } from "./sets.ts";

/**
 * An index of all SidecarSets by what they require of a pod. Each is stored under the label that the fewest of them
 * require, and those bound to a namespace are stored apart: a pod costs about the same with ten and with ten thousand.
 */
export class SetIndex {
  readonly #sets = new Map<string, PreparedSet>();
  readonly #unbound = new LabelIndex();
  readonly #bound = new Map<string, LabelIndex>();

  /** Adds a SidecarSet, or replaces the one of the same name. */
  put(object: JsonObject): void {
    const set = prepare(object);
    this.remove(set.name);
    this.#sets.set(set.name, set);
    for (const labels of this.#indexesOf(set)) labels.add(set);
  }

  /** Removes the SidecarSet of a name. */
  remove(name: string): void {
    const set = this.#sets.get(name);
    if (set === undefined) return;
    this.#sets.delete(name);
    for (const labels of this.#indexesOf(set)) labels.remove(set);
    for (const namespace of set.boundTo ?? []) {
      if (this.#bound.get(namespace)?.isEmpty()) this.#bound.delete(namespace);
    }
  }

  /** All SidecarSets, by name. */
  all(): readonly PreparedSet[] {
    return [...this.#sets.values()].sort(byName);
  }

  /**
   * The SidecarSets that may match, in injection order: first those bound to the namespace, then the others, each by
   * name.
   */
  candidates(labels: Json | undefined, namespace: string): readonly PreparedSet[] {
    const bound = this.#bound.get(namespace)?.candidates(labels) ?? [];
    return [...bound.sort(byName), ...this.#unbound.candidates(labels).sort(byName)];
  }

  #indexesOf(set: PreparedSet): readonly LabelIndex[] {
    if (set.isPaused) return [];
    return set.boundTo === undefined
      ? [this.#unbound]
      : [...new Set(set.boundTo)].map((namespace) => {
          const labels = this.#bound.get(namespace) ?? new LabelIndex();
          this.#bound.set(namespace, labels);
          return labels;
        });
  }
}

/** Orders SidecarSets by name. */
export function byName(a: PreparedSet, b: PreparedSet): number {
  return compareBytes(a.name, b.name);
}

/** The index of a lister's objects, which follows the lister; one for each lister. */
export function indexOf(lister: Lister): SetIndex {
  const known = indexes.get(lister);
  if (known !== undefined) return known;
  const index = new SetIndex();
  indexes.set(lister, index);
  lister.onChange(({ before, after }) => {
    if (after !== undefined) index.put(after);
    else index.remove(stringAt(own(before, "metadata"), "name"));
  });
  return index;
}

const indexes = new WeakMap<Lister, SetIndex>();

type Buckets = Map<string, Set<PreparedSet>>;

/** One of the buckets in which a SidecarSet is stored. */
interface Bucket {
  readonly map: Buckets;
  readonly key: string;
}

/** SidecarSets by one label that each of them requires. */
class LabelIndex {
  readonly #byValue = new Map<string, Buckets>();
  readonly #byKey: Buckets = new Map();
  /** Those that require no label to exist, under the empty key. */
  readonly #others: Buckets = new Map();
  /** How many sets require a label's value: the rarest one narrows the search most. */
  readonly #required = new Map<string, Map<string, number>>();
  readonly #buckets = new Map<PreparedSet, readonly Bucket[]>();

  add(set: PreparedSet): void {
    this.#count(set, 1);
    const buckets = this.#bucketsFor(set);
    this.#buckets.set(set, buckets);
    for (const { map, key } of buckets) getOrAdd(map, key, () => new Set()).add(set);
  }

  remove(set: PreparedSet): void {
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

  candidates(labels: Json | undefined): PreparedSet[] {
    const found = [...(this.#others.get("") ?? [])];
    if (!isObject(labels)) return found;
    for (const [key, value] of Object.entries(labels)) {
      const equal = typeof value === "string" ? this.#byValue.get(key)?.get(value) : undefined;
      for (const set of equal ?? []) found.push(set);
      for (const set of this.#byKey.get(key) ?? []) found.push(set);
    }
    return found;
  }

  #bucketsFor({ selector }: PreparedSet): readonly Bucket[] {
    const [rarest] = selector.requirements
      .filter(({ operator }) => operator === "In")
      .map(({ key, values }) => ({ key, values, count: this.#countOf(key, values) }))
      .sort((a, b) => a.count - b.count);
    if (rarest !== undefined) {
      const map = getOrAdd(this.#byValue, rarest.key, (): Buckets => new Map());
      return [...new Set(rarest.values)].map((key) => ({ map, key }));
    }
    const needed = selector.requirements.find(({ operator }) => operator === "Exists");
    return [needed === undefined ? { map: this.#others, key: "" } : { map: this.#byKey, key: needed.key }];
  }

  #countOf(key: string, values: readonly string[]): number {
    return values.reduce((sum, value) => sum + (this.#required.get(key)?.get(value) ?? 0), 0);
  }

  #count({ selector }: PreparedSet, by: 1 | -1): void {
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

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
