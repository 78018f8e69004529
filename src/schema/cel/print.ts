import { printDouble, printPlain } from "./numbers.ts";
import { printTimestamp } from "./time.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  isThing,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/** A value as Go prints it with %v within the server's errors: `no such key: 3`. */
export function printValue(value: Value): string {
  switch (typeof value) {
    case "string":
      return value;
    case "number":
      return printDouble(value);
    case "bigint":
    case "boolean":
      return String(value);
  }
  if (value === null) return "NULL_VALUE";
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `[${value.join(" ")}]`;
  if (value instanceof Duration) return printGoDuration(value.nanos);
  if (value instanceof Timestamp) return `${printTimestamp(value)}`;
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Optional) {
    return value.value === undefined ? "optional.none()" : `optional(${printValue(value.value)})`;
  }
  if (value instanceof CelError) return value.message;
  if (isThing(value)) return value.print();
  if (isList(value)) {
    return `[${Array.from({ length: value.size }, (_, index) => printValue(value.get(index))).join(", ")}]`;
  }
  const map = value;
  return isMap(map)
    ? `{${map
        .keys()
        .map((key) => `${printValue(key)}: ${printValue(map.find(key) ?? null)}`)
        .join(", ")}}`
    : "";
}

/** A duration as Go prints one: `1h0m0.5s`, `1.5ms`, `0s`. */
export function printGoDuration(nanos: bigint): string {
  if (nanos === 0n) return "0s";
  const [sign, size] = nanos < 0n ? ["-", -nanos] : ["", nanos];
  if (size < 1_000_000_000n) {
    const [unit, divisor] =
      size < 1_000n ? ["ns", 1n] : size < 1_000_000n ? ["µs", 1_000n] : ["ms", 1_000_000n];
    return `${sign}${fraction(size, divisor)}${unit}`;
  }
  const minutes = size / 60_000_000_000n;
  const seconds = `${fraction(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function fraction(value: bigint, divisor: bigint): string {
  const whole = value / divisor;
  const rest = String(value % divisor)
    .padStart(String(divisor).length - 1, "0")
    .replace(/0+$/, "");
  return divisor === 1n || rest === "" ? String(whole) : `${whole}.${rest}`;
}

/** A duration as CEL's string() gives it: seconds as a decimal number. */
export function printSeconds({ nanos }: Duration): string {
  // Go divides as doubles: seconds plus a fraction.
  const seconds = Number(nanos / 1_000_000_000n) + Number(nanos % 1_000_000_000n) / 1e9;
  return `${printPlain(seconds)}s`;
}

const shortEscapes = new Map([
  [7, "\\a"],
  [8, "\\b"],
  [12, "\\f"],
  [10, "\\n"],
  [13, "\\r"],
  [9, "\\t"],
  [11, "\\v"],
  [92, "\\\\"],
  [34, '\\"'],
]);

/** A text in double quotes as Go's %q writes it. */
export function quote(text: string): string {
  let quoted = '"';
  for (const character of text) quoted += quoteCharacter(character, character.codePointAt(0) ?? 0);
  return `${quoted}"`;
}

function quoteCharacter(character: string, code: number): string {
  const short = shortEscapes.get(code);
  if (short !== undefined) return short;
  if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x7f || (code > 0xa0 && /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(character))) return character;
  if (code >= 0xd800 && code < 0xe000) return "\ufffd";
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, "0")}`
    : `\\u${code.toString(16).padStart(4, "0")}`;
}
