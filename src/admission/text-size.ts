import { cachedText } from "../json/cached-text.ts";
import { isArray, isExactNumber, isObject, type Json } from "../json/json.ts";

/** Estimates how many bytes values take as JSON text. It stops at a limit, and measures no value twice. */
export interface Sizer {
  /** The size of a value, or a number of at least `limit` if that is less. What is nested deeper than `levels` counts as 0. */
  readonly sizeOf: (value: Json, levels: number, limit?: number) => number;
}

/** Makes a sizer that remembers what it measured, so that values must not change during its life. */
export function newSizer(): Sizer {
  const known = new Map<Json, Measured>();
  return { sizeOf };

  function sizeOf(value: Json, levels: number, limit = Number.POSITIVE_INFINITY): number {
    if (!isContainer(value)) return sizeOfScalar(value);
    const text = cachedText(value);
    if (text !== undefined) return text.length;
    const measured = known.get(value) ?? fill(value);
    known.set(value, measured);
    for (
      let next = measured.waiting.at(-1);
      next !== undefined && levels > 0;
      next = measured.waiting.at(-1)
    ) {
      if (measured.size >= limit) break;
      const missing = limit - measured.size;
      const size = sizeOf(next, levels - 1, missing);
      if (size >= missing) return measured.size + size;
      measured.waiting.pop();
      measured.size += size;
    }
    return measured.size;
  }
}

/** An object or list: the size of what was measured so far, and its objects and lists that were not. */
interface Measured {
  size: number;
  readonly waiting: Json[];
}

/** Begins with brackets, commas, keys and scalars. */
function fill(container: Json): Measured {
  const children = isArray(container) ? container : isObject(container) ? Object.values(container) : [];
  const waiting: Json[] = [];
  let size = 2 + children.length;
  if (isObject(container)) for (const key of Object.keys(container)) size += key.length + 3;
  for (const child of children) {
    if (isContainer(child)) waiting.push(child);
    else size += sizeOfScalar(child);
  }
  return { size, waiting };
}

function isContainer(value: Json): boolean {
  return isArray(value) || isObject(value);
}

function sizeOfScalar(value: Json): number {
  if (typeof value === "string") return value.length + 2;
  return isExactNumber(value) ? value.rawJSON.length : String(value).length;
}
