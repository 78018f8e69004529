import { isArray, isExactNumber, isObject, type Json } from "../../json/json.ts";
import type { Path } from "../../json/path.ts";
import type { FaultType, SchemaFault } from "../fault.ts";
import { printDouble, printPlain } from "./numbers.ts";
import { quote } from "./print.ts";

/** A place as the API server prints it, and as steps. */
export interface Place {
  readonly field: string;
  readonly path: Path;
}

/** A fault at a place; the server's name for no place at all is `<nil>`. */
export function faultAt(place: Place, type: FaultType, message: string): SchemaFault {
  return { type, field: place.field === "" ? "<nil>" : place.field, path: place.path, message };
}

/** A place below another: a property by its name, an item or a map's entry by its index or key. */
export function below(place: Place, step: string | number, as: "property" | "entry"): Place {
  const path = [...place.path, step];
  if (as === "entry") return { field: `${place.field}[${step}]`, path };
  return { field: place.field === "" ? String(step) : `${place.field}.${step}`, path };
}

/** `Invalid value: 3: must be …`, as field.Error of apimachinery prints a bad value. */
export function invalid(value: Json, detail: string): string {
  return `Invalid value: ${printBad(value)}: ${detail}`;
}

/** A value as the server prints it within a fault. */
export function printBad(value: Json): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") {
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? printPlain(value) : printDouble(value);
  }
  return goJson(value);
}

/** JSON as Go writes it: keys sorted, and some characters escaped that need not be. */
export function goJson(value: Json): string {
  if (isArray(value)) return `[${value.map(goJson).join(",")}]`;
  if (!isObject(value)) return isExactNumber(value) ? value.rawJSON : escapeJson(JSON.stringify(value));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, below]) => `${escapeJson(JSON.stringify(key))}:${goJson(below)}`).join(",")}}`;
}

/** Go escapes what HTML would take for its own. */
export function escapeJson(text: string): string {
  return text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
