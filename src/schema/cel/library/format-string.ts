import { printFixed } from "../../../go/numbers.ts";
import { compareBytes, quote, toBytes } from "../../../go/text.ts";
import { convert } from "../language/convert.ts";
import { printValue } from "../language/print.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
  type Value,
} from "../language/values.ts";
import type { Work } from "../language/work.ts";

/** What a clause of a format string does with its argument; a text, or why it cannot (cel-go ext/formatting.go). */
export interface Clauses<T> {
  readonly text: (argument: T) => string | CelError;
  readonly decimal: (argument: T) => string | CelError;
  readonly fixed: (argument: T, precision: number) => string | CelError;
  readonly scientific: (argument: T, precision: number) => string | CelError;
  readonly binary: (argument: T) => string | CelError;
  readonly hex: (argument: T, upper: boolean) => string | CelError;
  readonly octal: (argument: T) => string | CelError;
}

/** `"%s has %d".format([a, b])`. */
export function format(text: string, args: ListValue, work: Work): Value {
  return interpolate(text, args.size, (index) => args.get(index), {
    ...valueClauses,
    text: (value) => printText(value, work),
  });
}

/** An argument does not fit its clause. */
export class ArgumentError extends CelError {
  constructor(why: string) {
    super(`error during formatting: ${why}`);
  }
}

const defaultPrecision = 6;

/** Walks a format string: at run time with values, while a rule is compiled with the arguments' types. */
export function interpolate<T>(
  text: string,
  count: number,
  argument: (index: number) => T,
  clauses: Clauses<T>,
): string | CelError {
  let result = "";
  let index = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "%") result += text[at];
    else if (text[at + 1] === "%") result += text[++at];
    else {
      if (index >= count) return new CelError(`index ${index} out of range`);
      if (at + 1 >= text.length) return new CelError("unexpected end of string");
      const clause = readClause(text, at + 1);
      if (clause instanceof CelError) return clause;
      const formatted = applyClause(clause, argument(index++), clauses);
      if (formatted instanceof CelError) return new ArgumentError(formatted.message);
      result += formatted;
      at = clause.end;
    }
  }
  return result;
}

interface Clause {
  readonly letter: string;
  readonly precision: number;
  readonly end: number;
}

function readClause(text: string, start: number): Clause | CelError {
  const fault = (message: string) => new CelError(`could not parse formatting clause: ${message}`);
  const [, digits] = /^\.(\d*)/.exec(text.slice(start, start + 30)) ?? [];
  const end = start + (digits === undefined ? 0 : digits.length + 1);
  if (digits !== undefined && end >= text.length) {
    return fault("error while parsing precision: could not find end of precision specifier");
  }
  if (digits === "") {
    return fault(
      'error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax',
    );
  }
  const letter = text[end] ?? "";
  if (!"sdfebxXo".includes(letter)) return fault(`unrecognized formatting clause "${letter}"`);
  return {
    letter,
    precision: digits === undefined ? defaultPrecision : Math.min(Number(digits), 10_000),
    end,
  };
}

function applyClause<T>({ letter, precision }: Clause, argument: T, clauses: Clauses<T>): string | CelError {
  switch (letter) {
    case "s":
      return clauses.text(argument);
    case "d":
      return clauses.decimal(argument);
    case "f":
      return clauses.fixed(argument, precision);
    case "e":
      return clauses.scientific(argument, precision);
    case "b":
      return clauses.binary(argument);
    case "o":
      return clauses.octal(argument);
  }
  return clauses.hex(argument, letter === "X");
}

/** The fault of an argument of the wrong type, by the type's name. */
export const clauseFaults = {
  text: (name: string) =>
    new CelError(
      `string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given ${name}`,
    ),
  decimal: (name: string) => new CelError(`decimal clause can only be used on integers, was given ${name}`),
  fixed: (name: string) => new CelError(`fixed-point clause can only be used on doubles, was given ${name}`),
  scientific: (name: string) =>
    new CelError(`scientific clause can only be used on doubles, was given ${name}`),
  binary: (name: string) =>
    new CelError(`only integers and bools can be formatted as binary, was given ${name}`),
  hex: (name: string) =>
    new CelError(`only integers, byte buffers, and strings can be formatted as hex, was given ${name}`),
  octal: (name: string) => new CelError(`octal clause can only be used on integers, was given ${name}`),
};

const valueClauses: Omit<Clauses<Value>, "text"> = {
  decimal: (value) => integerOf(value)?.toString() ?? clauseFaults.decimal(typeName(value)),
  fixed: (value, precision) => {
    const double = doubleOf(value);
    return double === undefined ? clauseFaults.fixed(typeName(value)) : printGrouped(double, precision);
  },
  scientific: (value, precision) => {
    const double = doubleOf(value);
    return double === undefined
      ? clauseFaults.scientific(typeName(value))
      : printScientific(double, precision);
  },
  binary: (value) => {
    if (typeof value === "boolean") return value ? "1" : "0";
    return integerOf(value)?.toString(2) ?? clauseFaults.binary(typeName(value));
  },
  hex: (value, upper) => {
    const text = hexOf(value);
    if (text === undefined) return clauseFaults.hex(typeName(value));
    return upper ? text.toUpperCase() : text;
  },
  octal: (value) => integerOf(value)?.toString(8) ?? clauseFaults.octal(typeName(value)),
};

function integerOf(value: Value): bigint | undefined {
  if (typeof value === "bigint") return value;
  return value instanceof Uint ? value.value : undefined;
}

function doubleOf(value: Value): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^(?:NaN|-?Infinity)$/.test(value) ? Number(value) : undefined;
}

function hexOf(value: Value): string | undefined {
  const bytes = typeof value === "string" ? toBytes(value) : value;
  if (bytes instanceof Uint8Array)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return integerOf(value)?.toString(16);
}

/** In US English, as x/text prints it: with commas, and infinity as a sign. */
function printGrouped(value: number, precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const [whole = "", fraction] = printFixed(value, precision).split(".");
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** The server uses the precision as a width (ext/formatting.go): there are always six digits. */
function printScientific(value: number, precision: number): string {
  if (Number.isNaN(value)) return "NaN".padStart(precision);
  if (!Number.isFinite(value)) return (value > 0 ? "∞" : "-∞").padStart(precision);
  const [mantissa = "", exponent = "0"] = value.toExponential(defaultPrecision).split("e");
  const power = Number(exponent);
  const size = String(Math.abs(power)).padStart(2, "0");
  const text = `${mantissa}×10${power < 0 ? superscript(`-${size}`) : superscript(size)}`;
  return text.padStart(precision);
}

function superscript(text: string): string {
  const signs = new Map([
    ["-", "⁻"],
    ["1", "¹"],
    ["2", "²"],
    ["3", "³"],
  ]);
  return [...text].map((c) => signs.get(c) ?? String.fromCodePoint(0x2070 + Number(c))).join("");
}

function printText(value: Value, work: Work): string | CelError {
  if (value === null) return "null";
  if (isList(value)) return printList(value, work);
  if (isMap(value)) return printMap(value, work);
  if (typeof value === "string") return value;
  const known =
    ["bigint", "number", "boolean"].includes(typeof value) ||
    value instanceof Uint ||
    value instanceof Uint8Array ||
    value instanceof Timestamp ||
    value instanceof Duration ||
    value instanceof TypeValue;
  if (!known) return clauseFaults.text(typeName(value));
  const text = convert(value, "string");
  return typeof text === "string"
    ? text
    : new CelError(`could not convert argument ${quote(printValue(text, work))} to string`);
}

function printList(list: ListValue, work: Work): string | CelError {
  const parts: string[] = [];
  for (let index = 0; index < list.size; index++) {
    const part = printMember(list.get(index), work);
    if (part instanceof CelError) return part;
    parts.push(part);
  }
  return `[${parts.join(", ")}]`;
}

function printMap(map: MapValue, work: Work): string | CelError {
  const pairs: [string, string][] = [];
  for (const key of map.keys(work)) {
    if (typeof key !== "string" && typeof key !== "boolean" && integerOf(key) === undefined) {
      return new CelError(`no formatting function for map key of type ${typeName(key)}`);
    }
    const value = printMember(map.find(key) ?? null, work);
    if (value instanceof CelError) return value;
    pairs.push([typeof key === "string" ? quote(key) : printValue(key, work), value]);
  }
  pairs.sort(([a], [b]) => compareBytes(a, b));
  return `{${pairs.map(([key, value]) => `${key}:${value}`).join(", ")}}`;
}

/** A value within a list or a map is written as CEL would have it. */
function printMember(value: Value, work: Work): string | CelError {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") {
    const text = printFixed(value, defaultPrecision);
    return Number.isFinite(value) ? text : quote(text);
  }
  if (value instanceof CelError) return new CelError("no formatting function for error");
  const text = printText(value, work);
  if (text instanceof CelError) return new CelError(`no formatting function for ${typeName(value)}`);
  if (value instanceof Uint8Array) return `b${quote(text)}`;
  if (value instanceof Timestamp) return `timestamp(${quote(text)})`;
  return value instanceof Duration ? `duration(${quote(text)})` : text;
}
