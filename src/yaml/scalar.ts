import { parseJson } from "../json/exact.ts";
import type { Json } from "../json/json.ts";

// What an unquoted word means to Kubernetes: sigs.k8s.io/yaml over go-yaml v2 (resolve.go), which is YAML 1.1 without its
// clock times. Measured against sigs.k8s.io/yaml 1.6.0; test/yaml/yaml.test.ts has the table.
const words: ReadonlyMap<string, Json> = new Map([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(
    (word) => [word, true] as const,
  ),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(
    (word) => [word, false] as const,
  ),
]);

/** What an unquoted word means: null, a boolean, a number, or the word itself. */
export function plainValue(text: string): Json {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (/^\.\d/.test(text))
    return (pointFirst.test(text) ? floatOf(text.replaceAll("_", "")) : undefined) ?? text;
  if (!/^[-+\d]/.test(text) || /^\d{4}-/.test(text)) return text;
  const digits = text.replaceAll("_", "");
  return integerOf(digits) ?? floatOf(digits) ?? text;
}

/** Whether an unquoted word is an infinity or no number at all, for which JSON has no word. */
export function isBeyondJson(text: string): boolean {
  return /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/.test(text);
}

const pointFirst = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/;
const float = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const decimal = /^(?:\+|(-))?(0|[1-9]\d*)$/;
const based = /^([-+]?)0(?:[xX]0*([\da-fA-F]{1,16})|[oO]?0*([0-7]{1,22})|[bB]0*([01]{1,64}))$/;

/** The integer that a word is; undefined if none. In base 16, 8 or 2 one that needs more than 64 bits is none (go-yaml). */
function integerOf(text: string): Json | undefined {
  const [, minus = "", digits] = decimal.exec(text) ?? [];
  if (digits !== undefined) return numberOf(minus + digits);
  const [, sign, hexadecimal, octal, binary] = based.exec(text) ?? [];
  const source = hexadecimal ? `0x${hexadecimal}` : octal ? `0o${octal}` : binary ? `0b${binary}` : undefined;
  if (source === undefined) return undefined;
  const value = sign === "-" ? -BigInt(source) : BigInt(source);
  return value < -(2n ** 63n) || value >= 2n ** 64n ? undefined : numberOf(String(value));
}

/** A whole number from its decimal digits, as JSON would read them. */
function numberOf(digits: string): Json {
  const value = parseJson(digits);
  return value === 0 ? 0 : value;
}

/** The double that a word is; undefined if none, or if it is larger than any (go-yaml leaves it a string). */
function floatOf(text: string): number | undefined {
  if (!float.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value + 0 : undefined;
}
