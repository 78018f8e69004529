import { compareQuantities, parseQuantity } from "../../../src/apimachinery/quantity.ts";
import { isArray, isExactNumber, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { fieldOf, type Path } from "../../../src/json/path.ts";

/** A record that differs from the real one in a single value. */
export interface BrokenRecord {
  readonly output: JsonObject;
  /** What was changed, for the message of a failure. */
  readonly change: string;
}

/** Every record with one value changed, or one member or item taken away that has a value. */
export function* brokenRecords(output: JsonObject): Generator<BrokenRecord> {
  for (const [value, what] of brokenValues(output, [])) {
    if (isObject(value)) yield { output: value, change: what };
  }
}

function* brokenValues(value: Json, path: Path): Generator<readonly [Json | undefined, string]> {
  if (isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const [broken, what] of brokenValues(item, [...path, index])) {
        yield [broken === undefined ? value.toSpliced(index, 1) : value.with(index, broken), what];
      }
    }
  } else if (isObject(value) && !isExactNumber(value)) {
    for (const [key, member] of Object.entries(value)) {
      for (const [broken, what] of brokenValues(member, [...path, key])) {
        const { [key]: _, ...rest } = value;
        yield [broken === undefined ? rest : { ...value, [key]: broken }, what];
      }
    }
  }
  const at = fieldOf(path);
  for (const other of otherThan(value)) yield [other, `${at}: ${JSON.stringify(other)}`];
  if (path.length > 0 && hasContent(value)) yield [undefined, `without ${at}`];
}

function otherThan(value: Json): readonly Json[] {
  if (typeof value === "string")
    return [`${value}~`, value.slice(1)].filter((other) => !isSameQuantity(other, value));
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1];
  return isExactNumber(value) ? [7] : [];
}

/** Whether two texts are the same, or the same as quantities, which compare by value. */
function isSameQuantity(a: string, b: string): boolean {
  const [one, other] = [parseQuantity(a), parseQuantity(b)];
  return a === b || (one !== undefined && other !== undefined && compareQuantities(one, other) === 0);
}

/** Absent, null, zero and empty mean the same in many of OpenKruise's records, the quantity "0" too. */
function hasContent(value: Json): boolean {
  if (isArray(value)) return value.some(hasContent);
  if (isObject(value) && !isExactNumber(value)) return Object.values(value).some(hasContent);
  return value !== null && value !== "" && value !== "0" && value !== 0 && value !== false;
}
