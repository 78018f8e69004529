import { equal } from "../json/equal.ts";
import { writeJson } from "../json/exact.ts";
import {
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
  ownField,
} from "../json/json.ts";
import { keyedItems } from "./keyed-list.ts";
import { isEmpty } from "./leaf.ts";
import { below, type Shape } from "./shape.ts";
import { sorted } from "./tree.ts";

/**
 * Whether an image says nothing else than its writer: where all three say something, the image must equal what the writer or
 * the lens alone said. Null and empty containers say nothing. An image that says nothing of a word does not contradict it: the
 * word is stored for its writer's version.
 */
export function agrees(
  image: Json | undefined,
  said: Json | undefined,
  alone: Json | undefined,
  shape: Shape | undefined,
): boolean {
  if (image === said || image === alone || isSilent(image) || isSilent(said) || isSilent(alone)) return true;
  if (isObject(image) && isObject(said) && isObject(alone)) {
    for (const name in said) {
      const [shown, word] = [ownField(image, name), ownField(said, name)];
      const plain = alone === said ? word : ownField(alone, name);
      if (shown !== word && !agrees(shown, word, plain, below(shape, name))) return false;
    }
    return true;
  }
  if (isArray(image) && isArray(said) && isArray(alone)) return listAgrees(image, said, alone, shape);
  return equal(image, said) || equal(image, alone);
}

function isSilent(value: Json | undefined): boolean {
  return value === undefined || value === null || isEmpty(value);
}

function listAgrees(image: JsonArray, said: JsonArray, alone: JsonArray, shape: Shape | undefined): boolean {
  const isAligned = image.length === said.length && image.length === alone.length;
  const agreesAt = (item: Json, at: number) => agrees(item, said[at], alone[at], shape?.items);
  const agreesInPlace = () => isAligned && image.every(agreesAt);
  // Items that agree with those in their places have the same keys, if there is nothing else that they may agree with.
  if (said === alone && agreesInPlace())
    return (
      shape?.keys !== undefined ||
      image.every((item, at) => hasFieldsOf(item, said[at])) ||
      !isReordered(image, said)
    );
  const keys = shape?.keys;
  if (keys === undefined && [said, alone].every((list) => isReordered(image, list))) return false;
  const keyed = keys === undefined ? [] : [image, said, alone].map((list) => keyedItems(list, keys));
  const [shown, written, plain] = keyed;
  if (shown !== undefined && written !== undefined && plain !== undefined) {
    for (const [name, item] of written) {
      if (!agrees(shown.get(name), item, plain.get(name), shape?.items)) return false;
    }
    return true;
  }
  if (said !== alone && agreesInPlace()) return true;
  const words = [...said, ...alone];
  const known = new Set(words.map((item) => writeJson(sorted(item))));
  const others = image.filter((item) => !known.has(writeJson(sorted(item))));
  if (others.length * words.length > mostComparisons) return false;
  return others.every((item) => words.some((word) => agrees(item, word, word, shape?.items)));
}

/** Whether a list has items of another one in another order. */
function isReordered(list: JsonArray, other: JsonArray): boolean {
  const [texts, others] = [list, other].map((items) => items.map((item) => writeJson(sorted(item))));
  const [here, there] = [new Set(texts), new Set(others)];
  const [common, commonOthers] = [
    texts?.filter((text) => there.has(text)),
    others?.filter((text) => here.has(text)),
  ];
  return !equal(common, commonOthers) && equal(common?.sort(), commonOthers?.sort());
}

/** Whether an item has all fields of another one. Items without common fields contradict each other in nothing. */
function hasFieldsOf(item: Json, other: Json | undefined): boolean {
  if (!isObject(item) || !isObject(other)) return true;
  for (const name in other) if (ownField(item, name) === undefined) return false;
  return true;
}

/** The limit of comparisons of the items of two lists that have no keys. */
const mostComparisons = 10_000;

/** Where in an image a word stands: fields, and items of lists by their indexes or their keys. */
export type Word = readonly (string | number | KeyedItem)[];

interface KeyedItem {
  readonly keys: readonly string[];
  readonly name: string;
}

/** The words of an image that `agrees` finds contradicted: as far down as items of lists stand for each other. */
export function contradictedWords(
  image: Json | undefined,
  said: Json | undefined,
  alone: Json | undefined,
  shape: Shape | undefined,
): readonly Word[] {
  if (agrees(image, said, alone, shape)) return [];
  const parts = [image, said, alone];
  const wordsBelow = (step: Word[number], inner: Shape | undefined) => {
    const [shows, wrote, plain] = parts.map((part) => wordAt(part, [step]));
    return contradictedWords(shows, wrote, plain, inner).map((word) => [step, ...word]);
  };
  if (parts.every(isObject))
    return Object.keys(said as JsonObject).flatMap((name) => wordsBelow(name, below(shape, name)));
  if (!parts.every(isArray)) return [[]];
  const keys = shape?.keys;
  const written = keys && keyedItems(said as JsonArray, keys);
  const steps =
    keys && written
      ? [...written.keys()].map((name) => ({ keys, name }))
      : (said as JsonArray).map((_, at) => at);
  const isAligned =
    written !== undefined || parts.every((part) => (part as JsonArray).length === steps.length);
  const found = isAligned ? steps.flatMap((step) => wordsBelow(step, shape?.items)) : [];
  return found.length === 0 ? [[]] : found;
}

/** What an image says of a word. */
export function wordAt(image: Json | undefined, word: Word): Json | undefined {
  return word.reduce<Json | undefined>((here, step) => {
    if (typeof step === "string") return own(here, step);
    if (!isArray(here)) return undefined;
    return typeof step === "number" ? here[step] : keyedItems(here, step.keys)?.get(step.name);
  }, image);
}
