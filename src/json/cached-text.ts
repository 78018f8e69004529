import { writeJson } from "./exact.ts";
import { isArray, type Json, type JsonObject } from "./json.ts";

// Values that many responses contain are written as JSON once. The two caches change no result: they only save time. Without
// them an injection of bench/injection.ts takes 1.2 of the time over HTTPS at 8 at once, and 1.7 inside; a conversion the same.

/** The text of an object; undefined until it is first written, since most prepared objects never are. */
interface CacheEntry {
  text: string | undefined;
}

// An entry lives as long as its object.
const objects = new WeakMap<Json & object, CacheEntry>();

/**
 * Marks an object as contained in many responses, such as a container that each pod of a SidecarSet gets, so that its JSON
 * text is written once. The object must not change afterwards. Returns the same object.
 */
export function cacheText<Value extends JsonObject>(value: Value): Value {
  if (!objects.has(value)) objects.set(value, { text: undefined });
  return value;
}

/** The JSON text of an object that was marked; undefined for any other value. */
export function cachedText(value: Json): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const entry = objects.get(value);
  if (entry === undefined) return undefined;
  entry.text ??= writeJson(value);
  return entry.text;
}

/**
 * Marks a string as contained in many responses, such as an annotation that all pods of one second get: most of it is
 * escapes, and writing one takes as long as writing ten letters. Strings of less than 100 or more than 16,384 characters are
 * not cached. Returns the same string.
 */
export function cacheString(text: string): string {
  if (text.length < shortestString || text.length > longestString) return text;
  if (strings.size >= mostStrings) strings.clear();
  strings.set(text, undefined);
  return text;
}

// A string cannot be the key of a WeakMap, so the number of entries is limited, and all go when there are more.
const strings = new Map<string, string | undefined>();
const mostStrings = 200;

/** Shorter strings are written as fast as they are found; 200 longer ones would take too much memory. */
const shortestString = 100;
const longestString = 16 * 1024;

function writeString(value: string): string {
  if (value.length < shortestString || value.length > longestString || !strings.has(value))
    return writeJson(value);
  const text = strings.get(value) ?? writeJson(value);
  strings.set(value, text);
  return text;
}

/** Writes JSON text, using the cached text of the value itself or of the items of a list. */
export function writeCached(value: Json): string {
  if (typeof value === "string") return writeString(value);
  const hasCached = isArray(value) && value.some((item) => cachedText(item) !== undefined);
  return hasCached ? `[${value.map(writeItem).join(",")}]` : writeItem(value);
}

function writeItem(value: Json): string {
  return cachedText(value) ?? writeJson(value);
}
