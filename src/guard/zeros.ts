import { below, fits, type Shape } from "../conversion/shape.ts";
import {
  fieldAt,
  hasNoFields,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  own,
  set,
} from "../json/json.ts";

// Go prints fields that were never set: a field without `omitempty` as "", 0, {} or null, and the time of a template's metadata as
// `creationTimestamp: null`. Such values are no data: an object that server-side apply made of one manager's fields must not
// gain others. But a zero may also be what the other version calls `false` or `2x0`: without it, less of that comes back.

/** An answer without zero values, and the places of those. */
interface Cleaned {
  readonly content: JsonObject;
  readonly zeros: readonly string[];
}

/**
 * An answer without the zero values that its source did not say in their places, but for some; `false` and empty lists stay, since
 * they often are data. So do values that the schema requires in an object that is there.
 */
export function withoutUnsaidZeros(
  answer: JsonObject,
  source: JsonObject,
  shape: Shape,
  but: ReadonlySet<string> = none,
): Cleaned {
  const zeros: string[] = [];
  const cleaning = { but, zeros, hasLostText: hasLostText(source, answer) };
  const content = cleaned(answer, source, shape, "", cleaning);
  // A controller that has not reported anything has not reported `ready: false`.
  const { status } = content;
  const isReported = status === undefined || source.status !== undefined || says(status);
  if (isReported || shape.required.includes("status")) return { content, zeros };
  return {
    content: set(content, "status", undefined),
    zeros: zeros.filter((place) => !place.startsWith("/status")),
  };
}

const none: ReadonlySet<string> = new Set();

/** Whether there is a value in it that is not a zero one; here `false` is one. A list with items says that there are some. */
export function says(value: Json): boolean {
  if (isArray(value)) return value.length > 0;
  if (value === null || value === "" || value === 0 || value === false) return false;
  if (typeof value === "string") return !value.startsWith(zeroTime);
  if (typeof value !== "object") return true;
  return Object.values(value).some(says);
}

/** What a client may write of a time that Go never set, and Go prints as null. */
const zeroTime = "0001-01-01T00:00:00";

/** Whether the source says an empty text that the answer does not have in its place. */
function hasLostText(source: Json, answer: Json | undefined): boolean {
  if (isArray(source))
    return source.some((item, at) => hasLostText(item, isArray(answer) ? answer[at] : undefined));
  if (isObject(source))
    return Object.keys(source).some((name) => hasLostText(fieldAt(source, name), own(answer, name)));
  return source === "" && answer !== "";
}

interface Cleaning {
  readonly but: ReadonlySet<string>;
  readonly zeros: string[];
  readonly hasLostText: boolean;
}

function cleaned(
  answer: JsonObject,
  source: Json | undefined,
  shape: Shape | undefined,
  place: string,
  cleaning: Cleaning,
): JsonObject {
  const parts = Object.entries(answer).map(([name, value]) => {
    const said = own(source, name);
    const here = `${place}/${name}`;
    const field = below(shape, name);
    const part = cleanedValue(value, said, field, here, cleaning);
    const zero = zeroOf(part);
    // An object that held other zeros is not an empty one. What does not fit into the schema is not asked for.
    const isPrinted =
      zero !== undefined &&
      zero !== "null" &&
      (zero === zeroOf(value) || isNulled(value)) &&
      (field === undefined || fits(value, field));
    const isSaid = zero === undefined || zero === zeroOf(said) || (isPrinted && cleaning.but.has(here));
    return { name, here, part, isSaid, isPrinted };
  });
  const isThere = isObject(source) || parts.some(({ isSaid }) => isSaid);
  const isRequired = (name: string) => isThere && shape?.required.includes(name) === true;
  return Object.fromEntries(
    parts.flatMap(({ name, here, part, isSaid, isPrinted }) => {
      if (isSaid || (isRequired(name) && part !== null)) return [[name, part]];
      if (isPrinted) cleaning.zeros.push(here);
      return [];
    }),
  );
}

/**
 * Items of lists stay, zero or not: each has its place. Where the source said an empty text that is gone, an item that lacks a
 * key had that one: Go leaves out what is empty, and an API server would reject the item.
 */
function cleanedValue(
  value: Json,
  said: Json | undefined,
  shape: Shape | undefined,
  place: string,
  cleaning: Cleaning,
): Json {
  if (isArray(value))
    return value.map((item, at) => {
      const source = isArray(said) ? said[at] : undefined;
      const part = cleanedValue(item, source, shape?.items, `${place}/${at}`, cleaning);
      return cleaning.hasLostText ? withKeys(part, source, shape) : part;
    });
  return isObject(value) ? cleaned(value, said, shape, place, cleaning) : value;
}

function withKeys(item: Json, said: Json | undefined, list: Shape | undefined): Json {
  const { keys = [], items } = list ?? {};
  if (!isObject(item)) return item;
  const lacking = keys.filter((key) => {
    const field = below(items, key);
    if (own(item, key) !== undefined || field === undefined || !fits("", field)) return false;
    // A key with a default need not be there.
    return items?.required.includes(key) === true || own(said, key) === "";
  });
  return lacking.length === 0 ? item : { ...item, ...Object.fromEntries(lacking.map((key) => [key, ""])) };
}

/** Whether an object holds nothing but null, which an empty one comes nearest to. */
function isNulled(value: Json): boolean {
  return isObject(value) && Object.values(value).every((each) => each === null || isNulled(each));
}

function zeroOf(value: Json | undefined): string | undefined {
  if (value === null) return "null";
  if (value === "") return '""';
  if (value === 0) return "0";
  return isObject(value) && hasNoFields(value) ? "{}" : undefined;
}
