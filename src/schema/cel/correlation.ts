import { equal } from "../../json/equal.ts";
import { isArray, isObject, type Json, own } from "../../json/json.ts";
import { itemKey, keyedItems } from "./data.ts";
import type { Node } from "./node.ts";

/** A value and the old one that belongs to it, by properties, map keys and the keys of lists (apiserver/pkg/cel/common/equality.go). */
export class Correlation {
  readonly #value: Json;
  readonly #old: Json;
  readonly #node: Node;
  #isUnchanged: boolean | undefined;
  #keyed: ReadonlyMap<string, Json> | undefined;

  constructor(value: Json, old: Json, node: Node) {
    this.#value = value;
    this.#old = old;
    this.#node = node;
  }

  /** What belongs to a property or an entry; undefined where nothing does, or the schema does not know it. */
  key(name: string): Correlation | undefined {
    const [value, old] = [own(this.#value, name), own(this.#old, name)];
    const node = this.#node.properties?.get(name) ?? this.#node.additional;
    if (value === undefined || old === undefined || node === undefined) return undefined;
    return new Correlation(value, old, node);
  }

  /** What belongs to an item of a list that has keys. */
  index(index: number): Correlation | undefined {
    const { items, listType, listKeys } = this.#node;
    const value = isArray(this.#value) ? this.#value[index] : undefined;
    if (listType !== "map" || items === undefined || value === undefined || !isArray(this.#old))
      return undefined;
    this.#keyed ??= keyedItems(this.#old, listKeys);
    const key = itemKey(value, listKeys);
    const old = key === undefined ? undefined : this.#keyed.get(key);
    return old === undefined ? undefined : new Correlation(value, old, items);
  }

  /** Whether nothing changed here. Below what the schema does not know the server never says so. */
  get isUnchanged(): boolean {
    this.#isUnchanged ??= this.#compare();
    return this.#isUnchanged;
  }

  #compare(): boolean {
    const [value, old] = [this.#value, this.#old];
    if (isArray(value) && isArray(old)) {
      if (value.length !== old.length) return false;
      if (this.#node.listType !== "map") return equal(value, old);
      return value.every((_, index) => this.index(index)?.isUnchanged ?? false);
    }
    if (!isObject(value) || !isObject(old)) return equal(value, old);
    const names = Object.keys(value);
    if (names.length !== Object.keys(old).length) return false;
    return names.every((name) => this.key(name)?.isUnchanged ?? false);
  }
}
