import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import { hasNoFields, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { byMark, printMark } from "./aligned-list.ts";
import { compiled, isFieldName } from "./code.ts";
import {
  type AlwaysStored,
  alwaysStoredBelow,
  compare,
  complementOf,
  deepest,
  isWhole,
} from "./complement.ts";
import { FoundTree, type TreeText } from "./found-tree.ts";
import { obviousKeys } from "./item-origins.ts";
import { printOf } from "./item-print.ts";
import { absentLeaf, orderKey, packedText, writeLeaf } from "./leaf.ts";
import type { LoneItems } from "./lone-items.ts";
import { below, type Shape } from "./shape.ts";
import { isPlainName, sorted, type Tree } from "./tree.ts";

// A second way to find a complement, beside complement.ts, because the comparison was most of what lossless conversion cost:
// it reads fields by names that are known only at run time, looks up the shape of each, and builds a tree whose only use is
// its text. Here each object of a schema gets a function of its own, compiled once, that reads its fields by constant names
// and writes the text at once. Measured in one process on the shipped kinds, it takes 0.33 to 0.48 of the time of
// complement.ts: 15 µs less for a large Room, whose conversion takes about 40 µs. Over HTTPS, 8 at once, a Room of 60 lights
// takes 1.09 of the time without it; the small objects of the recorded reviews 0.94 at 1, 0.98 at 8 and 1.01 at 10 at once.
//
// It covers what nearly all objects look like; complement.ts decides all else, and what is written here equals its text to
// the byte, which test/conversion/complement-code.test.ts checks. leaf.ts and tree.ts define the format for both.

/**
 * Finds what `complementOf` finds, as its text or both; undefined where nothing is missing. A `known` tree may be returned
 * itself if it is equal, which takes less than making another one.
 */
export type Complement<Result extends FoundTree | TreeText> = (
  source: JsonObject,
  roundTripped: JsonObject,
  defaulted: JsonObject,
  known?: Tree,
) => Result | undefined;

/** Compiles the complement of objects of a shape, as text. */
export function complementFor(
  shape: Shape,
  alwaysStored: AlwaysStored | undefined,
  lone?: LoneItems,
): Complement<TreeText> {
  const write = new Compiler().compile({ shape, alwaysStored, lone, depth: 0 });
  return (source, roundTripped, defaulted) => {
    const text = roundTripped === defaulted ? write?.(source, roundTripped) : undefined;
    if (text === undefined) {
      return writeTree(complementOf(source, roundTripped, defaulted, shape, alwaysStored, lone));
    }
    return text === "" ? undefined : text;
  };
}

/** The same for a caller that may read the tree. */
export function complementTreeFor(
  shape: Shape,
  alwaysStored: AlwaysStored | undefined,
  lone?: LoneItems,
): Complement<FoundTree> {
  const complement = complementFor(shape, alwaysStored, lone);
  return (source, roundTripped, defaulted, known) => {
    if (source === roundTripped) {
      // Nothing can be missing: complementOf then looks only at the fields that are always stored.
      const tree = complementOf(source, roundTripped, defaulted, shape, alwaysStored);
      return tree && FoundTree.of(tree);
    }
    const text = complement(source, roundTripped, defaulted);
    if (text === undefined) return undefined;
    return known !== undefined && writeJson(known) === text ? FoundTree.of(known) : FoundTree.ofText(text);
  };
}

/** A value in a schema, as the compiler sees it. */
interface SchemaNode {
  readonly shape: Shape;
  readonly alwaysStored: AlwaysStored | undefined;
  readonly lone: LoneItems | undefined;
  readonly depth: number;
  /** Of a list whose schema names no keys: how its items may be identified, the most telling way first. */
  readonly namings?: readonly Naming[];
}

/** A field that identifies the items of a list whose schema names no keys. */
interface Naming {
  readonly keyOf: KeyOf;
  /** How the node of the list begins. */
  readonly head: string;
}

/**
 * Writes the tree of an object that is compared with another one: empty where nothing is missing, undefined where one of
 * them has a field that the schema does not name, so that complement.ts has to decide.
 */
type WriteObject = (source: JsonObject, roundTripped: JsonObject) => string | undefined;

/** Makes the source text of a function for each object of a schema. Field names stand in it as JSON strings, never as code. */
class Compiler {
  readonly #functions: string[] = [];
  readonly #nodes: SchemaNode[] = [];

  /** The function for an object; undefined where none can be made. */
  compile(node: SchemaNode): WriteObject | undefined {
    const name = this.#functionFor(node);
    if (name === undefined) return undefined;
    const code = `${this.#functions.join("\n")}\nreturn ${name};`;
    return compiled<WriteObject>(code, { nodes: this.#nodes, ...runtime });
  }

  /** Adds the function for an object and returns its name; undefined where none can be made, or none would help. */
  #functionFor({ shape, alwaysStored, lone, depth }: SchemaNode): string | undefined {
    const fields = [...shape.properties.keys()].sort();
    const isKnown = shape.keys === undefined && !shape.atomic && fields.length > 0;
    if (!isKnown || depth >= deepest || !fields.every(isFieldName)) return undefined;
    const name = `write${this.#functions.length}`;
    const at = this.#functions.push("") - 1;
    const lines = fields.map((field) =>
      this.#linesFor(field, {
        shape: below(shape, field) as Shape,
        alwaysStored: alwaysStoredBelow(alwaysStored, field),
        lone,
        depth: depth + 1,
      }),
    );
    this.#functions[at] = `function ${name}(source, roundTripped) {
  let text = "", fieldText, value, returned, known = 0, knownReturned = 0;
${lines.join("\n")}
  if (countFields(source) !== known || countFields(roundTripped) !== knownReturned) return undefined;
  return text === "" ? "" : text + "}";
}`;
    return name;
  }

  /** The lines for one field of an object. */
  #linesFor(field: string, node: SchemaNode): string {
    const key = JSON.stringify(field);
    const [first, next] = [`{${key}:`, `,${key}:`].map((each) => JSON.stringify(each));
    // What is always stored is stored also where it came back unchanged.
    const isWritten =
      node.alwaysStored === undefined
        ? "value !== returned"
        : "value !== undefined || returned !== undefined";
    return `  value = source[${key}]; returned = roundTripped[${key}];
  if (value !== undefined) known++;
  if (returned !== undefined) knownReturned++;
  if (${isWritten}) {
    fieldText = ${this.#callFor(node)};
    if (fieldText !== "") text += (text === "" ? ${first} : ${next}) + fieldText;
  }${absentLineFor(node.alwaysStored, first, next)}`;
  }

  /** The call that writes the tree of a field's value. */
  #callFor(node: SchemaNode): string {
    const argument = `nodes[${this.#nodes.push(node) - 1}]`;
    const { shape, depth } = node;
    const [key, ...more] = shape.keys ?? [];
    if (key !== undefined && more.length === 0 && shape.items !== undefined && isFieldName(key)) {
      const writeItem = this.#functionFor({ ...node, shape: shape.items, depth: depth + 1 });
      const keyOf = `(item) => item[${JSON.stringify(key)}]`;
      if (writeItem !== undefined) return `writeItems(value, returned, ${writeItem}, ${keyOf}, ${argument})`;
    }
    const namings = namingsOf(shape);
    if (namings !== undefined && shape.items !== undefined) {
      const writeItem = this.#functionFor({ ...node, shape: shape.items, depth: depth + 1 });
      const listed = `nodes[${this.#nodes.push({ ...node, namings }) - 1}]`;
      if (writeItem !== undefined) return `writeNamedItems(value, returned, ${writeItem}, ${listed})`;
    }
    const writeObject = this.#functionFor(node);
    return writeObject === undefined
      ? `writeValue(value, returned, ${argument})`
      : `writeFields(value, returned, ${writeObject}, ${argument})`;
  }
}

/** The line for a field that is stored even if it is absent, beside others of its object, if any of these came back. */
function absentLineFor(
  alwaysStored: AlwaysStored | undefined,
  first: string | undefined,
  next: string | undefined,
): string {
  const beside = isWhole(alwaysStored) ? alwaysStored.filter(isFieldName) : [];
  if (beside.length === 0) return "";
  const isBeside = beside.map((name) => `source[${JSON.stringify(name)}] !== undefined`).join(" || ");
  const leaf = JSON.stringify(JSON.stringify(absentLeaf));
  return ` else if (value === undefined && roundTripped !== noFields && (${isBeside})) {
    text += (text === "" ? ${first} : ${next}) + ${leaf};
  }`;
}

/** Writes a scalar, a list or an object that is one leaf, or anything else that no function was made for. */
function writeValue(source: Json | undefined, roundTripped: Json | undefined, node: SchemaNode): string {
  // Most lists without keys came back as new objects, and unchanged.
  if (node.alwaysStored === undefined && isArray(source) && equal(source, roundTripped)) return "";
  const isOther = roundTripped !== undefined && roundTripped !== source;
  if (source === undefined || isOther || (node.alwaysStored !== undefined && isArray(source))) {
    return writeCompared(source, roundTripped, node);
  }
  const text = packedTextOf(source, node.shape);
  if (text === undefined) return writeCompared(source, roundTripped, node);
  if (roundTripped === undefined) return writeLeaf(text);
  return isWhole(node.alwaysStored) ? writeLeaf(text, text) : "";
}

/** A leaf's value as text; undefined for what is not one leaf, and for a number that a double cannot hold. */
function packedTextOf(value: Json, { keys, atomic }: Shape): string | undefined {
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  const isLeaf = isArray(value) ? keys === undefined : atomic && isObject(value);
  return isLeaf ? packedText(writeJson(sorted(value))) : undefined;
}

function writeFields(
  source: Json | undefined,
  roundTripped: Json | undefined,
  writeObject: WriteObject,
  node: SchemaNode,
): string {
  const isUsual =
    isObject(source) && !hasNoFields(source) && (roundTripped === undefined || isObject(roundTripped));
  const text = isUsual ? writeObject(source, roundTripped ?? noFields) : undefined;
  return text ?? writeCompared(source, roundTripped, node);
}

type KeyOf = (item: JsonObject) => Json | undefined;

/** Writes a keyed list, if what came back has the same items in the same order, or is absent. */
function writeItems(
  source: Json | undefined,
  roundTripped: Json | undefined,
  writeItem: WriteObject,
  keyOf: KeyOf,
  node: SchemaNode,
): string {
  const names = isArray(source) ? plainNames(source, keyOf) : undefined;
  if (!isArray(source) || names === undefined) return writeCompared(source, roundTripped, node);
  if (roundTripped !== undefined && !haveNames(roundTripped, names, keyOf))
    return writeCompared(source, roundTripped, node);
  const order = isAscending(names) ? undefined : ascendingOrder(names);
  if (order !== undefined && !areDistinct(names, order)) return writeCompared(source, roundTripped, node);
  let text = order !== undefined && roundTripped === undefined ? orderText(names) : "";
  for (let turn = 0; turn < names.length; turn++) {
    const at = order === undefined ? turn : (order[turn] as number);
    const item = source[at] as JsonObject;
    const returned = roundTripped === undefined ? noFields : (roundTripped[at] as JsonObject);
    if (item === returned && node.alwaysStored === undefined) continue;
    const itemText = writeItem(item, returned);
    if (itemText === undefined) return writeCompared(source, roundTripped, node);
    if (itemText !== "") text += `${text === "" ? "{" : ","}${quoted(names[at] as string)}:${itemText}`;
  }
  return text === "" ? "" : `${text}}`;
}

/** The ways to identify the items of a list whose schema names no keys; undefined for other values. */
function namingsOf({ keys, items, namedBy = [] }: Shape): readonly Naming[] | undefined {
  if (items === undefined || keys !== undefined || namedBy.length > 1) return undefined;
  const fields = [...namedBy, ...obviousKeys];
  if (!fields.every(isFieldName)) return undefined;
  return fields.map((field) => ({
    keyOf: (item) => item[field],
    head: `{${JSON.stringify(byMark)}:${JSON.stringify(field)}`,
  }));
}

/**
 * Writes a list whose schema names no keys, if each of its items has an obvious key, and what came back has the same items in the
 * same order.
 */
function writeNamedItems(
  source: Json | undefined,
  roundTripped: Json | undefined,
  writeItem: WriteObject,
  node: SchemaNode,
): string {
  return namedItemsText(source, roundTripped, writeItem, node) ?? writeValue(source, roundTripped, node);
}

function namedItemsText(
  source: Json | undefined,
  roundTripped: Json | undefined,
  writeItem: WriteObject,
  { namings = [], alwaysStored }: SchemaNode,
): string | undefined {
  if (!isArray(source) || !isArray(roundTripped) || alwaysStored !== undefined) return undefined;
  const [first] = source;
  const naming = isObject(first) ? namings.find(({ keyOf }) => keyOf(first) !== undefined) : undefined;
  const names = naming && plainNames(source, naming.keyOf);
  if (naming === undefined || names === undefined || !haveNames(roundTripped, names, naming.keyOf))
    return undefined;
  const order = isAscending(names) ? undefined : ascendingOrder(names);
  if (order !== undefined && !areDistinct(names, order)) return undefined;
  let text = "";
  for (let turn = 0; turn < names.length; turn++) {
    const at = order === undefined ? turn : (order[turn] as number);
    const item = source[at] as JsonObject;
    const returned = roundTripped[at] as JsonObject;
    if (item === returned) continue;
    const itemText = writeItem(item, returned);
    if (itemText === undefined) return undefined;
    if (itemText === "") continue;
    if (text === "") text = naming.head;
    text += `,${quoted(names[at] as string)}:{${printHead}"${printOf(returned)}",${itemText.slice(1)}`;
  }
  return text === "" ? "" : `${text}}`;
}

const printHead = `${JSON.stringify(printMark)}:`;

/** The beginning of a list of which nothing came back: its items would return in the order of their names. */
function orderText(names: readonly string[]): string {
  return `{"${orderKey}":${writeLeaf(packedText(writeJson(names)), packedText("[]"))}`;
}

/** The same by the comparison of complement.ts. */
function writeCompared(
  source: Json | undefined,
  roundTripped: Json | undefined,
  { shape, alwaysStored, lone, depth }: SchemaNode,
): string {
  return writeTree(compare(source, roundTripped, roundTripped, shape, alwaysStored, lone, depth)) ?? "";
}

function countFields(object: JsonObject): number {
  let fields = 0;
  for (const _ in object) fields++;
  return fields;
}

/** What came back of an object of which nothing did. */
const noFields: JsonObject = {};

/** What the compiled functions use. */
const runtime = { writeValue, writeFields, writeItems, writeNamedItems, countFields, noFields };

function writeTree(tree: Tree | undefined): TreeText | undefined {
  return tree === undefined ? undefined : writeJson(tree);
}

/** The keys of items; undefined for an empty list, and where an item is not an object or its key is not a plain name. */
function plainNames(items: readonly Json[], keyOf: KeyOf): readonly string[] | undefined {
  if (items.length === 0) return undefined;
  const names: string[] = [];
  for (const item of items) {
    const name = isObject(item) ? keyOf(item) : undefined;
    if (typeof name !== "string" || !isPlainName(name)) return undefined;
    names.push(name);
  }
  return names;
}

function haveNames(items: Json, names: readonly string[], keyOf: KeyOf): items is readonly Json[] {
  if (!isArray(items) || items.length !== names.length) return false;
  for (let at = 0; at < names.length; at++) {
    const item = items[at] as Json;
    if (!isObject(item) || keyOf(item) !== names[at]) return false;
  }
  return true;
}

/** Whether each name sorts behind the one before it, so that they are distinct too. */
function isAscending(names: readonly string[]): boolean {
  for (let at = 1; at < names.length; at++) {
    if ((names[at - 1] as string) >= (names[at] as string)) return false;
  }
  return true;
}

/** The indexes of names in ascending order of the names. */
function ascendingOrder(names: readonly string[]): readonly number[] {
  const indexes = names.map((_, index) => index);
  return indexes.sort((a, b) => ((names[a] as string) < (names[b] as string) ? -1 : 1));
}

function areDistinct(names: readonly string[], order: readonly number[]): boolean {
  for (let turn = 1; turn < order.length; turn++) {
    if (names[order[turn - 1] as number] === names[order[turn] as number]) return false;
  }
  return true;
}

/** A string as JSON. Most have nothing to escape, and V8 takes longer to call JSON.stringify than to look. */
function quoted(text: string): string {
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text);
}
