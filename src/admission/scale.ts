import { cachedText } from "../json/cached-text.ts";
import { isArray, isExactNumber, isObject, type Json } from "../json/json.ts";

/** Tells about how many bytes values take as text. It measures no further than asked, and nothing twice. */
export interface Scale {
  /** The weight of a value, or a number of at least `limit` if that is less. What lies below so many levels weighs nothing. */
  readonly weigh: (value: Json, levels: number, limit?: number) => number;
}

/** A scale that remembers what it measured, for values that nobody changes meanwhile. */
export function newScale(): Scale {
  const pans = new Map<Json, Pan>();
  return { weigh };

  function weigh(value: Json, levels: number, limit = Number.POSITIVE_INFINITY): number {
    if (!isContainer(value)) return weighScalar(value);
    const text = cachedText(value);
    if (text !== undefined) return text.length;
    const pan = pans.get(value) ?? fill(value);
    pans.set(value, pan);
    for (let next = pan.waiting.at(-1); next !== undefined && levels > 0; next = pan.waiting.at(-1)) {
      if (pan.weight >= limit) break;
      const missing = limit - pan.weight;
      const weight = weigh(next, levels - 1, missing);
      if (weight >= missing) return pan.weight + weight;
      pan.waiting.pop();
      pan.weight += weight;
    }
    return pan.weight;
  }
}

/** An object or list on the scale: what was measured of it, and its objects and lists that were not. */
interface Pan {
  weight: number;
  readonly waiting: Json[];
}

/** Its brackets, commas, keys and scalars are measured at once. */
function fill(container: Json): Pan {
  const children = isArray(container) ? container : isObject(container) ? Object.values(container) : [];
  const waiting: Json[] = [];
  let weight = 2 + children.length;
  if (isObject(container)) for (const key of Object.keys(container)) weight += key.length + 3;
  for (const child of children) {
    if (isContainer(child)) waiting.push(child);
    else weight += weighScalar(child);
  }
  return { weight, waiting };
}

function isContainer(value: Json): boolean {
  return isArray(value) || isObject(value);
}

function weighScalar(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  return isExactNumber(value) ? value.rawJSON.length : String(value).length;
}
