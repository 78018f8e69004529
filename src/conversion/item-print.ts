import { isArray, isExactNumber, isObject, type Json, type JsonObject, own } from "../json/json.ts";

// Carriers remember the items of a list without keys by prints, to recognise them in the list that a client wrote.

/**
 * A print of an item: the hashes of its fields, in the order of their names, and behind the first twelve one hash of all
 * others. Equal items have equal prints. The hash is not cryptographic: a client that looks for collisions harms only the
 * object that it writes.
 */
export function printOf(item: Json): string {
  if (!isObject(item)) return written(hashOf(item, seed));
  let print = "";
  let others = seed;
  let fields = 0;
  for (const name of namesOf(item)) {
    const hash = hashOf(item[name] as Json, hashOfText(name, seed));
    if (fields++ < mostFields) print += written(hash);
    else others = mixed(others, hash);
  }
  return fields > mostFields ? print + written(others) : print;
}

const mostFields = 12;

/** Whether the fields that identify an item have hashes of their own in its print. */
export function hasKeyPrints(item: Json, keys: readonly string[]): boolean {
  if (!isObject(item)) return false;
  const hashed = namesOf(item).slice(0, mostFields);
  return keys.every((key) => hashed.includes(key));
}

/** The hashes of the fields that identify an item, as they stand in its print; undefined if it lacks one of them. */
export function keyPrintsOf(item: Json, keys: readonly string[]): readonly string[] | undefined {
  const prints = keys.flatMap((key) => {
    const value = own(item, key);
    return value === undefined ? [] : [written(hashOf(value, hashOfText(key, seed)))];
  });
  return prints.length === keys.length ? prints : undefined;
}

/** The hashes that a print consists of. */
export function hashesIn(print: string): readonly string[] {
  // A forged print may be of any length.
  const hashes = Math.min(Math.floor(print.length / hashLength), mostFields + 1);
  return Array.from({ length: hashes }, (_, at) => print.slice(at * hashLength, (at + 1) * hashLength));
}

function hasHash(print: string, hash: string): boolean {
  for (let at = 0; at < print.length; at += hashLength) if (print.startsWith(hash, at)) return true;
  return false;
}

/** Whether at least half of the fields of the item with the first print are the same in the item with the other one. */
export function areAlike(print: string, other: string): boolean {
  let same = 0;
  for (let at = 0; at < print.length; at += hashLength) {
    if (hasHash(other, print.slice(at, at + hashLength))) same++;
  }
  return same > 0 && 2 * same * hashLength >= print.length;
}

/** The names of an object's fields in order. Most objects have them so, as an API server sorts its keys. */
function namesOf(object: JsonObject): readonly string[] {
  const names = Object.keys(object);
  return names.every((name, at) => at === 0 || (names[at - 1] as string) < name) ? names : names.sort();
}

/** Continues a hash by a value of any type, whatever the order of its keys. Types and lengths count, so that texts cannot join. */
function hashOf(value: Json, hash: number): number {
  if (typeof value === "string") return hashOfText(value, mixed(hash, 1));
  if (typeof value === "number") return hashOfText(String(value), mixed(hash, 2));
  if (typeof value === "boolean" || value === null) return hashOfText(String(value), mixed(hash, 3));
  if (isExactNumber(value)) return hashOfText(value.rawJSON, mixed(hash, 2));
  if (isArray(value))
    return value.reduce((sum: number, item) => hashOf(item, sum), mixed(hash, 4 + value.length));
  if (!isObject(value)) return hash;
  let sum = mixed(hash, -4);
  for (const name of namesOf(value)) sum = hashOf(value[name] as Json, hashOfText(name, sum));
  return mixed(sum, -5);
}

function hashOfText(text: string, hash: number): number {
  let sum = mixed(hash, text.length);
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return mixed(sum, sum >>> 15);
}

const seed = 0x811c9dc5;

/** One round of FNV-1a over 32 bits, and a shift that brings the high bits down. */
function mixed(hash: number, bits: number): number {
  const product = Math.imul(hash ^ bits, 0x01000193);
  return product ^ (product >>> 13);
}

/** Letters: 30 bits in base 64. */
const hashLength = 5;

function written(hash: number): string {
  return String.fromCharCode(
    letters[hash & 63] as number,
    letters[(hash >>> 6) & 63] as number,
    letters[(hash >>> 12) & 63] as number,
    letters[(hash >>> 18) & 63] as number,
    letters[(hash >>> 24) & 63] as number,
  );
}

const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", (letter) =>
  letter.charCodeAt(0),
);
