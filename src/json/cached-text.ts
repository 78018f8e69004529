import { writeJson } from "./exact.ts";
import { isArray, type Json, type JsonObject } from "./json.ts";

/** What was told of a value that lasts: nothing before somebody asks, as most are never asked about. */
interface Told {
  text: string | undefined;
}

// Held by the values themselves: it goes when they go.
const told = new WeakMap<Json & object, Told>();

/**
 * Says of a value that it is written into many answers, such as a container that each pod of a SidecarSet gets. To be
 * said where it is used: most of what is prepared never is.
 */
export function cacheText<Value extends JsonObject>(value: Value): Value {
  if (!told.has(value)) told.set(value, { text: undefined });
  return value;
}

/** The text of a value that lasts, written once; undefined for any other value. */
export function cachedText(value: Json): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const known = told.get(value);
  if (known === undefined) return undefined;
  known.text ??= writeJson(value);
  return known.text;
}

/**
 * Says of a text that it is written into many answers, such as an annotation that all pods of one second get: in JSON most
 * of it is escapes, and each costs as much as ten letters.
 */
export function cacheString(text: string): string {
  if (text.length < longString || text.length > longestString) return text;
  if (strings.size >= mostStrings) strings.clear();
  strings.set(text, undefined);
  return text;
}

// Nothing can be held by a text: so these are few, and all go when there are more.
const strings = new Map<string, string | undefined>();
const mostStrings = 200;

/** Shorter ones are as quickly written as found; longer ones, some hundred of them, would take too much memory. */
const longString = 100;
const longestString = 16 * 1024;

function textOfString(value: string): string {
  if (value.length < longString || value.length > longestString || !strings.has(value))
    return writeJson(value);
  const text = strings.get(value) ?? writeJson(value);
  strings.set(value, text);
  return text;
}

/** JSON text of a value. What lasts is not written anew, also where it is an item of a list. */
export function writeCached(value: Json): string {
  if (typeof value === "string") return textOfString(value);
  const hasLasting = isArray(value) && value.some((item) => cachedText(item) !== undefined);
  return hasLasting ? `[${value.map(textOfItem).join(",")}]` : textOfItem(value);
}

function textOfItem(value: Json): string {
  return cachedText(value) ?? writeJson(value);
}
