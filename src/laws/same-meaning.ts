import { compareQuantities, parseQuantity } from "../apimachinery/quantity.ts";
import { parseDuration, parseMoment } from "../go/time.ts";
import { equal } from "../json/equal.ts";
import type { Json } from "../json/json.ts";

/** A longer text is not read as a duration, a quantity or a time: reading one takes time with its length. */
const longest = 64;

/**
 * Whether two values mean the same: they are equal, or texts of the same duration (`90s`, `1m30s`), quantity (`1Gi`,
 * `1024Mi`) or time.
 */
export function meanSame(a: Json, b: Json): boolean {
  if (equal(a, b)) return true;
  if (typeof a !== "string" || typeof b !== "string") return false;
  if (a.length > longest || b.length > longest) return false;
  return readers.some((areSame) => areSame(a, b));
}

const readers: readonly ((a: string, b: string) => boolean)[] = [
  (a, b) => areEqual(parseDuration(a), parseDuration(b)),
  (a, b) => {
    const [one, other] = [parseQuantity(a), parseQuantity(b)];
    return one !== undefined && other !== undefined && compareQuantities(one, other) === 0;
  },
  (a, b) => {
    const [one, other] = [parseMoment(a), parseMoment(b)];
    return areEqual(one?.seconds, other?.seconds) && one?.nanos === other?.nanos;
  },
];

function areEqual(a: bigint | undefined, b: bigint | undefined): boolean {
  return a !== undefined && a === b;
}
