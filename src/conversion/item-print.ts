import { writeJson } from "../json/exact.ts";
import { isObject, type Json, type JsonObject } from "../json/json.ts";
import { sorted } from "./tree.ts";

// Carriers remember the items of a list without keys by prints, to recognise them in the list that a client wrote.

/**
 * A print of an item: the hashes of its fields, in the order of their names, and behind the first twelve one hash of all
 * others. Equal items have equal prints. The hash is not cryptographic: a client that looks for collisions harms only the
 * object that it writes.
 */
export function printOf(item: Json): string {
  if (!isObject(item)) return hashOf(writeJson(sorted(item)));
  const fields = Object.keys(item).sort();
  let print = "";
  for (const field of fields.slice(0, mostFields)) print += fieldHash(item, field);
  const others = fields.slice(mostFields);
  return others.length === 0 ? print : print + hashOf(others.map((each) => fieldHash(item, each)).join(""));
}

const mostFields = 12;

/** Whether at least half of the fields of the item with the first print are the same in the item with the other one. */
export function areAlike(print: string, other: string): boolean {
  let same = 0;
  for (let at = 0; at < print.length; at += hashLength) {
    const hash = print.slice(at, at + hashLength);
    for (let there = 0; there < other.length; there += hashLength) {
      if (!other.startsWith(hash, there)) continue;
      same++;
      break;
    }
  }
  return same > 0 && 2 * same * hashLength >= print.length;
}

function fieldHash(item: JsonObject, field: string): string {
  return hashOf(`${field}:${writeJson(sorted(item[field] as Json))}`);
}

/** Letters: 30 bits in base 64. */
const hashLength = 5;

/** Two rounds of FNV-1a over the UTF-16 units of a text, of which 30 bits are kept. */
function hashOf(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x9e3779b1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x85ebca6b);
  }
  let bits = (low ^ (high >>> 13)) >>> 0;
  let hash = "";
  for (let letter = 0; letter < hashLength; letter++) {
    hash += letters[bits & 63];
    bits >>>= 6;
  }
  return hash;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
