import { parseJson, writeJson } from "../json/exact.ts";
import { hasNoFields, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { type Always, alwaysBelow, compare, complementOf, deepest } from "./complement.ts";
import { below, type Shape } from "./shape.ts";
import { orderKey, sorted, type Tree } from "./tree.ts";

/** Text of a tree, the same for the same content: as `writeJson` writes it. */
export type TreeText = string;

/** What `complementOf` finds, as a tree or its text; undefined where nothing is missing. */
export type Complement<Said extends Tree | TreeText> = (
  mine: JsonObject,
  plain: JsonObject,
  defaulted: JsonObject,
) => Said | undefined;

/**
 * The complement as a function made for one schema: what is remembered is written as it is found, fields are read by
 * their names, and no table says on the way what is below them. It knows only what nearly every object is like; a place
 * that is anything else is left to `complementOf`, whose text it writes to the byte. It takes about half the time.
 */
export function complementFor(shape: Shape, always: Always | undefined): Complement<TreeText> {
  const said = new Program().compiled({ shape, always, depth: 0 });
  return (mine, plain, defaulted) => {
    const text = plain === defaulted ? said?.(mine, plain) : undefined;
    if (text === undefined) return textOf(complementOf(mine, plain, defaulted, shape, always));
    return text === "" ? undefined : text;
  };
}

/** The same as a tree, for whoever looks at it before it is written. Most often there is none to be read. */
export function complementTreeFor(shape: Shape, always: Always | undefined): Complement<Tree> {
  const said = complementFor(shape, always);
  return (mine, plain, defaulted) => {
    // Where nothing can be missing the one for all looks only at what is always remembered.
    if (mine === plain) return complementOf(mine, plain, defaulted, shape, always);
    const text = said(mine, plain, defaulted);
    return text === undefined ? undefined : (parseJson(text) as Tree);
  };
}

/** A place of a schema: where it is, what is known of it, and what is always remembered there. */
interface Place {
  readonly shape: Shape;
  readonly always: Always | undefined;
  readonly depth: number;
}

/**
 * Text of the node for two objects, empty for nothing; undefined where one has a field that the schema does not name,
 * so that others must judge.
 */
type Node = (mine: JsonObject, plain: JsonObject) => string | undefined;

/** Functions in the making, one for each object of a schema. Names stand in their code as JSON texts: none is code. */
class Program {
  readonly #functions: string[] = [];
  readonly #places: Place[] = [];

  /** The function for an object's place; undefined where none can be made. */
  compiled(place: Place): Node | undefined {
    const node = this.#node(place);
    if (node === undefined) return undefined;
    const names = ["places", ...Object.keys(tools)];
    const source = `"use strict";\n${this.#functions.join("\n")}\nreturn ${node};`;
    try {
      return new Function(...names, source)(this.#places, ...Object.values(tools)) as Node;
    } catch (error) {
      // A process may be forbidden to make code of text (--disallow-code-generation-from-strings).
      if (error instanceof EvalError) return undefined;
      throw error;
    }
  }

  /** The name of the function for an object's place; undefined where none can be made, or it would be of no use. */
  #node({ shape, always, depth }: Place): string | undefined {
    const names = [...shape.properties.keys()].sort();
    const isKnown = shape.keys === undefined && !shape.atomic && names.length > 0;
    if (!isKnown || depth >= deepest || !names.every(isFieldName)) return undefined;
    const name = `node${this.#functions.length}`;
    const at = this.#functions.push("") - 1;
    const fields = names.map((field) => {
      const within = below(shape, field) as Shape;
      return this.#field(field, { shape: within, always: alwaysBelow(always, field), depth: depth + 1 });
    });
    this.#functions[at] = `function ${name}(mine, plain) {
  let text = "", said, ours, theirs, known = 0, knownThere = 0;
${fields.join("\n")}
  if (fieldsIn(mine) !== known || fieldsIn(plain) !== knownThere) return undefined;
  return text === "" ? "" : text + "}";
}`;
    return name;
  }

  /** The lines for one field of an object. */
  #field(field: string, place: Place): string {
    const key = JSON.stringify(field);
    const [first, next] = [`{${key}:`, `,${key}:`].map((each) => JSON.stringify(each));
    // Where something is always remembered it is so too where it would come back.
    const isAsked =
      place.always === undefined ? "ours !== theirs" : "ours !== undefined || theirs !== undefined";
    return `  ours = mine[${key}]; theirs = plain[${key}];
  if (ours !== undefined) known++;
  if (theirs !== undefined) knownThere++;
  if (${isAsked}) {
    said = ${this.#said(place)};
    if (said !== "") text += (text === "" ? ${first} : ${next}) + said;
  }`;
  }

  /** The call that gives what is said of a field. */
  #said(place: Place): string {
    const known = `places[${this.#places.push(place) - 1}]`;
    const { shape, always, depth } = place;
    const [key, ...more] = shape.keys ?? [];
    if (key !== undefined && more.length === 0 && shape.items !== undefined && isFieldName(key)) {
      const node = this.#node({ shape: shape.items, always, depth: depth + 1 });
      const keyOf = `(item) => item[${JSON.stringify(key)}]`;
      if (node !== undefined) return `ofItems(ours, theirs, ${node}, ${keyOf}, ${known})`;
    }
    const node = this.#node(place);
    return node === undefined
      ? `ofValue(ours, theirs, ${known})`
      : `ofFields(ours, theirs, ${node}, ${known})`;
  }
}

/** What is said of a scalar, of a list or an object that is one leaf, or of anything that no function was made for. */
function ofValue(mine: Json | undefined, plain: Json | undefined, place: Place): string {
  if (mine === undefined || (plain !== undefined && plain !== mine)) return ofAny(mine, plain, place);
  const text = leafTextOf(mine, place.shape);
  if (text === undefined) return ofAny(mine, plain, place);
  if (plain === undefined) return `{"=":${text}}`;
  return place.always === true ? `{"=":${text},"~":${text}}` : "";
}

/** What stands in a leaf for a value; undefined where it is none of one, or a number that a double cannot hold. */
function leafTextOf(value: Json, { keys, atomic }: Shape): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  const isLeaf = isArray(value) ? keys === undefined : atomic && isObject(value);
  return isLeaf ? `[${writeJson(sorted(value))}]` : undefined;
}

function ofFields(mine: Json | undefined, plain: Json | undefined, node: Node, place: Place): string {
  const isUsual = isObject(mine) && !hasNoFields(mine) && (plain === undefined || isObject(plain));
  return (isUsual ? node(mine, plain ?? none) : undefined) ?? ofAny(mine, plain, place);
}

/** What is said of a keyed list, where the other side has the same items in the same order or none. */
function ofItems(
  mine: Json | undefined,
  plain: Json | undefined,
  node: Node,
  keyOf: (item: JsonObject) => Json | undefined,
  place: Place,
): string {
  const names = isArray(mine) ? plainNames(mine, keyOf) : undefined;
  if (!isArray(mine) || names === undefined) return ofAny(mine, plain, place);
  if (plain !== undefined && !areNamed(plain, names, keyOf)) return ofAny(mine, plain, place);
  const order = isAscending(names) ? undefined : orderOf(names);
  if (order !== undefined && !areDistinct(names, order)) return ofAny(mine, plain, place);
  let text = order !== undefined && plain === undefined ? orderSaid(names) : "";
  for (let turn = 0; turn < names.length; turn++) {
    const at = order === undefined ? turn : (order[turn] as number);
    const ours = mine[at] as JsonObject;
    const theirs = plain === undefined ? none : (plain[at] as JsonObject);
    if (ours === theirs && place.always === undefined) continue;
    const said = node(ours, theirs);
    if (said === undefined) return ofAny(mine, plain, place);
    if (said !== "") text += `${text === "" ? "{" : ","}${quoted(names[at] as string)}:${said}`;
  }
  return text === "" ? "" : `${text}}`;
}

/** The beginning of a list of which the other side has nothing: its items come by name, and this is their order. */
function orderSaid(names: readonly string[]): string {
  return `{"${orderKey}":{"=":[${writeJson(names)}],"~":[[]]}`;
}

/** The same by the way that knows everything. */
function ofAny(mine: Json | undefined, plain: Json | undefined, { shape, always, depth }: Place): string {
  return textOf(compare(mine, plain, plain, shape, always, depth)) ?? "";
}

function fieldsIn(object: JsonObject): number {
  let fields = 0;
  for (const _ in object) fields++;
  return fields;
}

/** What the functions call. */
const tools = { ofValue, ofFields, ofItems, fieldsIn };

const none: JsonObject = {};

function textOf(tree: Tree | undefined): TreeText | undefined {
  return tree === undefined ? undefined : writeJson(tree);
}

/** The keys of items; undefined where there are none, and where one is no object or its key is not plain. */
function plainNames(
  items: readonly Json[],
  keyOf: (item: JsonObject) => Json | undefined,
): readonly string[] | undefined {
  if (items.length === 0) return undefined;
  const names: string[] = [];
  for (const item of items) {
    const name = isObject(item) ? keyOf(item) : undefined;
    if (typeof name !== "string" || !isPlainName(name)) return undefined;
    names.push(name);
  }
  return names;
}

function areNamed(
  items: Json,
  names: readonly string[],
  keyOf: (item: JsonObject) => Json | undefined,
): items is readonly Json[] {
  if (!isArray(items) || items.length !== names.length) return false;
  for (let at = 0; at < names.length; at++) {
    const item = items[at] as Json;
    if (!isObject(item) || keyOf(item) !== names[at]) return false;
  }
  return true;
}

/** Whether each name is behind the one before it: then none is there twice either. */
function isAscending(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) {
    if ((names[at - 1] as string) >= (names[at] as string)) return false;
  }
  return true;
}

/** The indexes of names in the order of the names. */
function orderOf(names: readonly string[]): readonly number[] {
  const indexes = names.map((_, index) => index);
  return indexes.sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1));
}

function areDistinct(names: readonly string[], order: readonly number[]): boolean {
  for (let turn = 1; turn < order.length; turn++) {
    if (names[order[turn - 1] as number] === names[order[turn] as number]) return false;
  }
  return true;
}

/** Whether a name can stand in the code: no object has it from its prototype. */
function isFieldName(name: string): boolean {
  return isPlainName(name) && !(name in Object.prototype);
}

/**
 * Whether a name stands in a tree as it is and behind the order of a list, and JavaScript does not take it for an
 * index, which it would put before all others.
 */
function isPlainName(name: string): boolean {
  const first = name.charCodeAt(0) | 0x20;
  return (first >= 0x61 && first <= 0x7a) || /^\d+\D/.test(name);
}

/** A text as JSON. Most have nothing to escape, and V8 takes longer to be called than to look. */
function quoted(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
