import { equal } from "../../json/equal.ts";
import {
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
} from "../../json/json.ts";
import { equals } from "./compare.ts";
import { readText } from "./data-text.ts";
import { escapeName, unescapeName } from "./names.ts";
import { asResource, type Node } from "./node.ts";
import { isInt64 } from "./numbers.ts";
import { structOf } from "./types.ts";
import {
  CelError,
  errorOr,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  noSuchOverload,
  type Thing,
  type Value,
} from "./values.ts";
import { spend } from "./work.ts";

/** A part of an object as a rule sees it, through its schema (apiserver/pkg/cel/common/valuesunstructured.go). */
export function toValue(json: Json, node: Node): Value {
  if (json === null) return node.nullable ? null : nullFault;
  if (node.intOrString) return intOrText(json);
  switch (node.type) {
    case "object":
      return isObject(json) ? new ObjectValue(json, node.embedded ? asResource(node) : node) : mapFault;
    case "array":
      return arrayOf(json, node);
    case "string":
      return typeof json === "string" ? readText(json, node.format) : typeFault("string", json);
    case "number":
      return doubleOf(json) ?? typeFault("float", json);
    case "integer":
      return intOf(json) ?? typeFault("int", json);
    case "boolean":
      return typeof json === "boolean" ? json : typeFault("bool", json);
  }
  return node.preserve ? new Unknown(json) : shapeFault(node.type);
}

const nullFault = new CelError("invalid data, got null for schema with nullable=false");
const mapFault = new CelError("invalid data, expected a map for the provided schema with type=object");
const listFault = new CelError("invalid data, expected an array for the provided schema with type=array");
const itemsFault = new CelError("invalid array type, expected Items with a non-empty Schema");
const intOrTextFault = new CelError(
  "invalid data, expected XIntOrString value to be either a string or integer",
);

const shapeFault = (type: string): CelError =>
  new CelError(
    `invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got ${type}`,
  );

function typeFault(expected: string, json: Json): CelError {
  return new CelError(`invalid data, expected ${expected}, got ${goTypeOf(json)}`);
}

function goTypeOf(json: Json): string {
  if (isArray(json)) return "[]interface {}";
  if (isObject(json)) return "map[string]interface {}";
  if (typeof json === "string") return "string";
  if (typeof json === "boolean") return "bool";
  return intOf(json) === undefined ? "float64" : "int64";
}

/** The int64 that a JSON number is; a number that int64 does not hold is a float to the server. */
function intOf(json: Json): bigint | undefined {
  if (typeof json === "number") {
    if (!Number.isInteger(json)) return undefined;
    const value = BigInt(json);
    return isInt64(value) ? value : undefined;
  }
  if (!isExactNumber(json) || !/^-?\d{1,19}$/.test(json.rawJSON)) return undefined;
  const value = BigInt(json.rawJSON);
  return isInt64(value) ? value : undefined;
}

function doubleOf(json: Json): number | undefined {
  if (typeof json === "number") return json;
  return isExactNumber(json) ? Number(json.rawJSON) : undefined;
}

function intOrText(json: Json): Value {
  return typeof json === "string" ? json : (intOf(json) ?? intOrTextFault);
}

function arrayOf(json: Json, node: Node): Value {
  if (!isArray(json)) return listFault;
  if (node.items === undefined) return itemsFault;
  switch (node.listType) {
    case "map":
      return new KeyedArray(
        json,
        node.items,
        node.listKeys.map((key) => escapeName(key) ?? key),
      );
    case "set":
      return new SetArray(json, node.items);
    case "":
    case "atomic":
      return new ArrayValue(json, node.items);
  }
  return new CelError(
    `invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${node.listType}`,
  );
}

/** What lies below a preserved field of no type: it can only be compared. */
class Unknown implements Thing {
  readonly thing = structOf("unknown");
  readonly json: Json;
  constructor(json: Json) {
    this.json = json;
  }
  equals(other: Value): Value {
    return other instanceof Unknown && equal(this.json, other.json);
  }
  print(): string {
    return JSON.stringify(this.json);
  }
}

/** An object, or a map with a schema for its values. */
export class ObjectValue implements MapValue {
  readonly isMap = true;
  readonly json: JsonObject;
  readonly #node: Node;

  constructor(json: JsonObject, node: Node) {
    this.json = json;
    this.#node = node;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return errorOr(key);
    const { properties } = this.#node;
    const name = properties === undefined ? key : unescapeName(key);
    if (name === undefined || !Object.hasOwn(this.json, name)) return undefined;
    const json = this.json[name] as Json;
    if (properties !== undefined && json === null) return undefined;
    const node = this.#nodeOf(name);
    return node === undefined ? undefined : toValue(json, node);
  }

  /** Sorted: the server's order is that of chance. */
  keys(): readonly Value[] {
    spend(this.size);
    const known = Object.keys(this.json)
      .filter((name) => this.#nodeOf(name) !== undefined)
      .sort();
    return this.#node.properties === undefined ? known : known.map((name) => escapeName(name) ?? name);
  }

  equals(other: Value): Value {
    if (!isMap(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    spend(this.size);
    for (const [name, json] of Object.entries(this.json)) {
      const verdict =
        this.#nodeOf(name) === undefined ? equalsUnknown(name, json, other) : this.#equalsAt(name, other);
      if (verdict !== true) return verdict;
    }
    return true;
  }

  /** The server looks for a field by its plain name, which finds no field that needs an escape: on neither side. */
  #equalsAt(name: string, other: MapValue): Value {
    const [mine, theirs] = [this.find(name), other.find(name)];
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return equals(mine, theirs);
  }

  #nodeOf(name: string): Node | undefined {
    const { properties, additional, embedded } = this.#node;
    return properties !== undefined || embedded ? properties?.get(name) : additional;
  }
}

function equalsUnknown(name: string, json: Json, other: MapValue): Value {
  if (!(other instanceof ObjectValue)) return noSuchOverload;
  const theirs = own(other.json, name);
  return theirs === undefined || equal(json, theirs);
}

/** A value that a rule put into a list of the object. */
class Made {
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

type Element = Json | Made;

/** A list of the object, of no kind in particular: an atomic one. */
class ArrayValue implements ListValue {
  readonly isList = true;
  readonly elements: readonly Element[];
  readonly node: Node;

  constructor(elements: readonly Element[], node: Node) {
    this.elements = elements;
    this.node = node;
  }

  get size(): number {
    return this.elements.length;
  }

  get(index: number): Value {
    const element = this.elements[index];
    if (element === undefined) return new CelError(`index out of bounds: ${index}`);
    return element instanceof Made ? remade(element.value, this.node) : toValue(element, this.node);
  }

  equals(other: Value): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    spend(this.size);
    for (let index = 0; index < this.size; index++) {
      const verdict = equals(this.get(index), other.get(index));
      if (verdict !== true) return verdict;
    }
    return true;
  }

  add(other: ListValue): Value {
    spend(this.size + other.size);
    return new ArrayValue([...this.elements, ...elementsOf(other)], this.node);
  }

  contains(value: Value): Value {
    spend(this.size);
    let fault: Value = false;
    for (let index = 0; index < this.size; index++) {
      const verdict = equals(this.get(index), value);
      if (verdict === true) return true;
      if (fault === false && typeof verdict !== "boolean") fault = verdict;
    }
    return fault;
  }
}

/** A value that came into a list goes out as what the list's schema says, as far as it fits. */
function remade(value: Value, node: Node): Value {
  const fits =
    (typeof value === "string" && node.type === "string" && node.format === "") ||
    (typeof value === "bigint" && (node.type === "integer" || node.intOrString)) ||
    (typeof value === "boolean" && node.type === "boolean") ||
    (typeof value === "string" && node.intOrString);
  if (fits) return value;
  if (typeof value === "string" && node.type === "string") return readText(value, node.format);
  if (node.type === "number" && (typeof value === "number" || typeof value === "bigint"))
    return Number(value);
  return value;
}

function elementsOf(list: ListValue): readonly Element[] {
  if (list instanceof ArrayValue) return list.elements;
  return Array.from({ length: list.size }, (_, index) => new Made(list.get(index)));
}

/** A list of `x-kubernetes-list-type: set`: its order does not count. */
class SetArray extends ArrayValue {
  #known: ReadonlySet<string> | undefined;

  override equals(other: Value): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    spend(this.size);
    const fault = this.#fault();
    if (fault !== undefined) return fault;
    const known = this.#keys();
    for (let index = 0; index < other.size; index++) {
      if (!known.has(valueKey(other.get(index)))) return false;
    }
    return true;
  }

  override add(other: ListValue): Value {
    spend(this.size + other.size);
    const fault = this.#fault();
    if (fault !== undefined) return fault;
    const known = new Set(this.#keys());
    const added: Element[] = [];
    for (let index = 0; index < other.size; index++) {
      const value = other.get(index);
      const key = valueKey(value);
      if (!known.has(key)) added.push(new Made(value));
      known.add(key);
    }
    return new SetArray([...this.elements, ...added], this.node);
  }

  /** The server takes the elements for keys of a Go map, and fails at run time where they are no scalars. */
  #fault(): CelError | undefined {
    const element = this.elements.find((each) => isArray(each) || isObject(each));
    if (element === undefined || element instanceof Made) return undefined;
    const type = isArray(element) ? "[]interface {}" : "map[string]interface {}";
    return new CelError(`internal error: runtime error: hash of unhashable type ${type}`);
  }

  #keys(): ReadonlySet<string> {
    this.#known ??= new Set(this.elements.map(elementKey));
    return this.#known;
  }
}

/** The server compares what it decoded with what CEL made of it: 1 in a list of numbers is another key than 1.0. */
function elementKey(element: Element): string {
  if (element instanceof Made) return valueKey(element.value);
  if (typeof element === "string") return `s${element}`;
  const int = intOf(element);
  return int === undefined ? `j${JSON.stringify(element)}` : `i${int}`;
}

function valueKey(value: Value): string {
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "bigint") return `i${value}`;
  if (value instanceof ObjectValue) return `j${JSON.stringify(value.json)}`;
  return `j${typeof value === "number" || typeof value === "boolean" || value === null ? JSON.stringify(value) : "?"}`;
}

/** A list of `x-kubernetes-list-type: map`: its items are known by their keys. */
class KeyedArray extends ArrayValue {
  readonly #names: readonly string[];
  #known: ReadonlyMap<string, Element> | undefined;

  constructor(elements: readonly Element[], node: Node, names: readonly string[]) {
    super(elements, node);
    this.#names = names;
  }

  override equals(other: Value): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    spend(this.size);
    this.#known ??= new Map(this.elements.map((element) => [this.#keyOf(element), element]));
    for (let index = 0; index < other.size; index++) {
      const theirs = other.get(index);
      const mine = this.#known.get(
        this.#keyOf(theirs instanceof ObjectValue ? theirs.json : new Made(theirs)),
      );
      if (mine === undefined) return false;
      const verdict = equals(mine instanceof Made ? mine.value : toValue(mine, this.node), theirs);
      if (verdict !== true) return verdict;
    }
    return true;
  }

  override add(other: ListValue): Value {
    spend(this.size + other.size);
    const merged = [...this.elements];
    const places = new Map(merged.map((element, index) => [this.#keyOf(element), index]));
    for (const element of elementsOf(other)) {
      const place = places.get(this.#keyOf(element));
      if (place === undefined) merged.push(element);
      else merged[place] = element;
    }
    return new KeyedArray(merged, this.node, this.#names);
  }

  #keyOf(element: Element): string {
    if (element instanceof Made) return valueKey(element.value);
    return JSON.stringify(this.#names.map((name) => own(element, name) ?? null));
  }
}

/** The items of a list that the schema calls a map, by their keys; the first of several with the same. */
export function keyedItems(items: JsonArray, keys: readonly string[]): ReadonlyMap<string, Json> {
  const keyed = new Map<string, Json>();
  for (const item of items) {
    const key = itemKey(item, keys);
    if (key !== undefined && !keyed.has(key)) keyed.set(key, item);
  }
  return keyed;
}

/** An item's key; undefined where it lacks one, or has one that is no scalar. */
export function itemKey(item: Json, keys: readonly string[]): string | undefined {
  const values: string[] = [];
  for (const key of keys) {
    const value = own(item, key);
    if (value === undefined || value === null || isArray(value) || isObject(value)) return undefined;
    values.push(elementKey(value));
  }
  return values.join("\0");
}
