import { goType, isInt64, printJson, toInt64 } from "../../../go/json.ts";
import { equal } from "../../../json/equal.ts";
import { toDouble } from "../../../json/exact.ts";
import {
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonObject,
  own,
  ownField,
} from "../../../json/json.ts";
import { isSince, newestKubernetes } from "../../model/kubernetes-version.ts";
import type { Schema } from "../../model/schema.ts";
import { Items, itemsOf } from "../language/collections.ts";
import { equals } from "../language/compare.ts";
import { escapeName, unescapeName } from "../language/identifiers.ts";
import { structOf } from "../language/types.ts";
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
} from "../language/values.ts";
import type { Work } from "../language/work.ts";
import { readText } from "./data-text.ts";
import { asResource } from "./declare.ts";
import { equalSets, joinedKeyed, joinedSets } from "./joined-lists.ts";

/** A part of an object as a rule sees it, through its schema (apiserver/pkg/cel/common/valuesunstructured.go). */
export function toValue(json: Json, schema: Schema): Value {
  if (json === null) return schema.nullable ? null : nullFault;
  if (schema.intOrString) return intOrText(json);
  switch (schema.type) {
    case "object":
      return isObject(json) ? new ObjectValue(json, schema.embedded ? resourceOf(schema) : schema) : mapFault;
    case "array":
      return arrayOf(json, schema);
    case "string":
      return typeof json === "string" ? readText(json, schema.format) : typeFault("string", json);
    case "number":
      return doubleOf(json) ?? typeFault("float", json);
    case "integer":
      return intOf(json) ?? typeFault("int", json);
    case "boolean":
      return typeof json === "boolean" ? json : typeFault("bool", json);
  }
  return schema.preserved ? new Unknown(json) : shapeFault(schema.type);
}

/** Of the names only their types count here, which are those of every release. */
function resourceOf(schema: Schema): Schema {
  return asResource(schema, newestKubernetes);
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
  return new CelError(`invalid data, expected ${expected}, got ${goType(json)}`);
}

/** The int64 that a JSON number is; a number that int64 does not hold is a float64 to the server. */
function intOf(json: Json): bigint | undefined {
  return isInt64(json) ? toInt64(json) : undefined;
}

function doubleOf(json: Json): number | undefined {
  return typeof json === "number" || isExactNumber(json) ? toDouble(json) : undefined;
}

function intOrText(json: Json): Value {
  return typeof json === "string" ? json : (intOf(json) ?? intOrTextFault);
}

function arrayOf(json: Json, schema: Schema): Value {
  if (!isArray(json)) return listFault;
  if (schema.items === undefined) return itemsFault;
  switch (schema.listType ?? "") {
    case "map":
      return new KeyedArray(
        json,
        schema.items,
        schema.listMapKeys.map((key) => escapeName(key) ?? key),
      );
    case "set":
      return new SetArray(json, schema.items);
    case "":
    case "atomic":
      return new ArrayValue(json, schema.items);
  }
  return new CelError(
    `invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${schema.listType}`,
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
    return printJson(this.json);
  }
}

/** An object, or a map with a schema for its values. */
class ObjectValue implements MapValue {
  readonly isMap = true;
  readonly json: JsonObject;
  readonly #schema: Schema;

  constructor(json: JsonObject, schema: Schema) {
    this.json = json;
    this.#schema = schema;
  }

  get size(): number {
    return Object.keys(this.json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return errorOr(key);
    const hasFields = this.#schema.properties.size > 0;
    const name = hasFields ? unescapeName(key) : key;
    const json = name === undefined ? undefined : ownField(this.json, name);
    if (name === undefined || json === undefined || (hasFields && json === null)) return undefined;
    const node = this.#schemaOf(name);
    return node === undefined ? undefined : toValue(json, node);
  }

  /** Sorted; the server's order is random. */
  keys(work: Work): readonly Value[] {
    work.spend(this.size);
    const known = Object.keys(this.json)
      .filter((name) => this.#schemaOf(name) !== undefined)
      .sort();
    return this.#schema.properties.size === 0 ? known : known.map((name) => escapeName(name) ?? name);
  }

  equals(other: Value, work: Work): Value {
    if (!isMap(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    work.spend(this.size);
    for (const [name, json] of Object.entries(this.json)) {
      const verdict =
        this.#schemaOf(name) === undefined
          ? equalsUnknown(name, json, other)
          : this.#equalsAt(name, other, work);
      if (verdict !== true) return verdict;
    }
    return true;
  }

  /** The server looks for a field by its plain name, which finds no field that needs an escape: on neither side. */
  #equalsAt(name: string, other: MapValue, work: Work): Value {
    const [mine, theirs] = [this.find(name), other.find(name)];
    if (mine === undefined || theirs === undefined) return mine === theirs;
    return equals(mine, theirs, work);
  }

  #schemaOf(name: string): Schema | undefined {
    const { properties, additional, embedded } = this.#schema;
    return properties.size > 0 || embedded ? properties.get(name) : additional;
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

/** An atomic list of the object. */
class ArrayValue implements ListValue {
  readonly isList = true;
  readonly elements: readonly Element[];
  readonly schema: Schema;

  constructor(elements: readonly Element[], schema: Schema) {
    this.elements = elements;
    this.schema = schema;
  }

  get size(): number {
    return this.elements.length;
  }

  get(index: number): Value {
    const element = this.elements[index];
    if (element === undefined) return new CelError(`index out of bounds: ${index}`);
    return element instanceof Made ? remade(element.value, this.schema) : toValue(element, this.schema);
  }

  equals(other: Value, work: Work): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    work.spend(this.size);
    for (let index = 0; index < this.size; index++) {
      const verdict = equals(this.get(index), other.get(index), work);
      if (verdict !== true) return verdict;
    }
    return true;
  }

  add(other: ListValue, work: Work): Value {
    work.spend(this.size + other.size);
    if (isSince(work.kubernetes, "1.37")) return new Items([...itemsOf(this), ...itemsOf(other)]);
    return new ArrayValue([...this.elements, ...elementsOf(other)], this.schema);
  }

  contains(value: Value, work: Work): Value {
    work.spend(this.size);
    let fault: Value = false;
    for (let index = 0; index < this.size; index++) {
      const verdict = equals(this.get(index), value, work);
      if (verdict === true) return true;
      if (fault === false && typeof verdict !== "boolean") fault = verdict;
    }
    return fault;
  }
}

/** Up to v1.36 a value that was added to a list is read by the list's schema, and is an error where it does not fit. */
function remade(value: Value, schema: Schema): Value {
  if (typeof value === "bigint") {
    if (schema.type === "integer" || schema.intOrString) return value;
    return schema.type === "number" ? Number(value) : toValue(Number(value), schema);
  }
  return typeof value === "string" || typeof value === "boolean" ? toValue(value, schema) : value;
}

function elementsOf(list: ListValue): readonly Element[] {
  if (list instanceof ArrayValue) return list.elements;
  return Array.from({ length: list.size }, (_, index) => new Made(list.get(index)));
}

/** A list of `x-kubernetes-list-type: set`: its order does not count. */
class SetArray extends ArrayValue {
  #known: ReadonlySet<string> | undefined;

  override equals(other: Value, work: Work): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    work.spend(this.size);
    if (isSince(work.kubernetes, "1.37")) return equalSets(itemsOf(this), itemsOf(other));
    const fault = this.#fault();
    if (fault !== undefined) return fault;
    const known = this.#keys();
    for (let index = 0; index < other.size; index++) {
      if (!known.has(valueKey(other.get(index)))) return false;
    }
    return true;
  }

  override add(other: ListValue, work: Work): Value {
    work.spend(this.size + other.size);
    if (isSince(work.kubernetes, "1.37")) return joinedSets(itemsOf(this), itemsOf(other));
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
    return new SetArray([...this.elements, ...added], this.schema);
  }

  /** The server uses the elements as keys of a Go map, which fails at run time for lists and maps. */
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
  if (int !== undefined) return `i${int}`;
  return `j${JSON.stringify(doubleOf(element) ?? element)}`;
}

function valueKey(value: Value): string {
  if (typeof value === "string") return `s${value}`;
  if (typeof value === "bigint") return `i${value}`;
  if (value instanceof ObjectValue) return `j${JSON.stringify(value.json)}`;
  return `j${typeof value === "number" || typeof value === "boolean" || value === null ? JSON.stringify(value) : "?"}`;
}

/** A list of `x-kubernetes-list-type: map`: its items are identified by their keys. */
class KeyedArray extends ArrayValue {
  readonly #names: readonly string[];
  #known: ReadonlyMap<string, Element> | undefined;

  constructor(elements: readonly Element[], schema: Schema, names: readonly string[]) {
    super(elements, schema);
    this.#names = names;
  }

  override equals(other: Value, work: Work): Value {
    if (!isList(other)) return errorOr(other);
    if (other.size !== this.size) return false;
    work.spend(this.size);
    this.#known ??= new Map(this.elements.map((element) => [this.#keyOf(element), element]));
    const seen = new Set<string>();
    for (let index = 0; index < other.size; index++) {
      const theirs = other.get(index);
      const key = this.#keyOf(new Made(theirs));
      const mine = this.#known.get(key);
      if (mine === undefined) return false;
      seen.add(key);
      const verdict = equals(mine instanceof Made ? mine.value : toValue(mine, this.schema), theirs, work);
      if (verdict !== true) return verdict;
    }
    return !isSince(work.kubernetes, "1.37") || seen.size === this.#known.size;
  }

  override add(other: ListValue, work: Work): Value {
    work.spend(this.size + other.size);
    if (isSince(work.kubernetes, "1.37")) return joinedKeyed(itemsOf(this), itemsOf(other), this.#names);
    const merged = [...this.elements];
    const places = new Map(merged.map((element, index) => [this.#keyOf(element), index]));
    for (const element of elementsOf(other)) {
      const place = places.get(this.#keyOf(element));
      if (place === undefined) merged.push(element);
      else merged[place] = element;
    }
    return new KeyedArray(merged, this.schema, this.#names);
  }

  #keyOf(element: Element): string {
    if (element instanceof Made) {
      const { value } = element;
      return value instanceof ObjectValue ? this.#keyOf(value.json) : valueKey(value);
    }
    return JSON.stringify(this.#names.map((name) => own(element, name) ?? null));
  }
}
