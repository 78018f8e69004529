import { compareBytes } from "../../../src/go/text.ts";
import { isObject, type Json, type JsonObject, own } from "../../../src/json/json.ts";
import type { Lister } from "../../../src/lister.ts";
import { textAt } from "./json-text.ts";
import { type PreparedSet, prepare } from "./sets.ts";

/**
 * All SidecarSets, prepared, to be found by what they ask of a pod. Each stands under the label that the fewest of them
 * ask for, those that are bound to a namespace apart: ten thousand cost a pod that matches three hardly more than ten.
 */
export class SetIndex {
  readonly #sets = new Map<string, PreparedSet>();
  readonly #unbound = new LabelIndex();
  readonly #bound = new Map<string, LabelIndex>();

  /** Takes a SidecarSet in, in place of one of the same name. */
  put(object: JsonObject): void {
    const set = prepare(object);
    this.remove(set.name);
    this.#sets.set(set.name, set);
    for (const labels of this.#indexesOf(set)) labels.add(set);
  }

  /** Forgets the SidecarSet of a name. */
  remove(name: string): void {
    const set = this.#sets.get(name);
    if (set === undefined) return;
    this.#sets.delete(name);
    for (const labels of this.#indexesOf(set)) labels.remove(set);
    for (const namespace of set.boundTo ?? []) {
      if (this.#bound.get(namespace)?.isEmpty()) this.#bound.delete(namespace);
    }
  }

  /** All of them, by name. */
  all(): readonly PreparedSet[] {
    return [...this.#sets.values()].sort(byName);
  }

  /** Those that may match, in the order in which they are injected: first those bound to the namespace, then the others, each by name. */
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

/** In which order SidecarSets are injected, where nothing else says it. */
export function byName(a: PreparedSet, b: PreparedSet): number {
  return compareBytes(a.name, b.name);
}

/** The index of what a lister holds, kept as the lister tells of changes; made once for each lister. */
export function indexOf(lister: Lister): SetIndex {
  const known = indexes.get(lister);
  if (known !== undefined) return known;
  const index = new SetIndex();
  indexes.set(lister, index);
  lister.onChange(({ before, after }) => {
    if (after !== undefined) index.put(after);
    else index.remove(textAt(own(before, "metadata"), "name"));
  });
  return index;
}

const indexes = new WeakMap<Lister, SetIndex>();

type PlaceMap = Map<string, Set<PreparedSet>>;

/** Where a set stands in the index. */
interface Place {
  readonly map: PlaceMap;
  readonly key: string;
}

/** Sets by one label that each of them asks for. */
class LabelIndex {
  readonly #byValue = new Map<string, PlaceMap>();
  readonly #byKey: PlaceMap = new Map();
  /** Those that ask for no label to be there, under the empty name. */
  readonly #others: PlaceMap = new Map();
  /** How many sets ask for a label's value: those that few ask for find best. */
  readonly #asked = new Map<string, Map<string, number>>();
  readonly #places = new Map<PreparedSet, readonly Place[]>();

  add(set: PreparedSet): void {
    this.#count(set, 1);
    const places = this.#placesFor(set);
    this.#places.set(set, places);
    for (const place of places) made(place.map, place.key, () => new Set()).add(set);
  }

  remove(set: PreparedSet): void {
    this.#count(set, -1);
    for (const { map, key } of this.#places.get(set) ?? []) {
      map.get(key)?.delete(set);
      // What nobody asks for any more is not kept: labels may be made anew every minute.
      if (map.get(key)?.size === 0) map.delete(key);
    }
    this.#places.delete(set);
    if (this.#places.size === 0) this.#byValue.clear();
  }

  isEmpty(): boolean {
    return this.#places.size === 0;
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

  #placesFor({ selector }: PreparedSet): readonly Place[] {
    const [rarest] = selector.requirements
      .filter(({ operator }) => operator === "In")
      .map(({ key, values }) => ({ key, values, asked: this.#askedFor(key, values) }))
      .sort((a, b) => a.asked - b.asked);
    if (rarest !== undefined) {
      const map = made(this.#byValue, rarest.key, (): PlaceMap => new Map());
      return [...new Set(rarest.values)].map((key) => ({ map, key }));
    }
    const needed = selector.requirements.find(({ operator }) => operator === "Exists");
    return [needed === undefined ? { map: this.#others, key: "" } : { map: this.#byKey, key: needed.key }];
  }

  #askedFor(key: string, values: readonly string[]): number {
    return values.reduce((sum, value) => sum + (this.#asked.get(key)?.get(value) ?? 0), 0);
  }

  #count({ selector }: PreparedSet, by: 1 | -1): void {
    for (const { key, operator, values } of selector.requirements) {
      if (operator !== "In") continue;
      const counts = made(this.#asked, key, () => new Map<string, number>());
      for (const value of values) {
        const count = (counts.get(value) ?? 0) + by;
        if (count > 0) counts.set(value, count);
        else counts.delete(value);
      }
      if (counts.size === 0) this.#asked.delete(key);
    }
  }
}

function made<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}
