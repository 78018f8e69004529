import type { Json } from "./json.ts";

// A double holds every integer of up to 15 digits, so only text with a longer run of digits can lose one.
// Looking costs about a microsecond; a reviver over everything costs two to six times the parsing.
const longRunOfDigits = /\d{16}/;

/** Reads JSON text. An integer that a double would change is kept as its source text. Throws SyntaxError. */
export function parseJson(text: string): Json {
  if (!longRunOfDigits.test(text)) return JSON.parse(text) as Json;
  return JSON.parse(text, (_key, value: unknown, context) =>
    typeof value === "number" && context.source !== undefined && isInexact(value, context.source)
      ? JSON.rawJSON(context.source)
      : value,
  ) as Json;
}

/** Writes JSON text; exact numbers come out as they came in. */
export function writeJson(value: Json): string {
  return JSON.stringify(value);
}

/** Whether a double printed again would be another integer than the text says. */
function isInexact(value: number, source: string): boolean {
  return /^-?\d+$/.test(source) && String(value) !== source;
}
