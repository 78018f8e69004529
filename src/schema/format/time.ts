import { GoFault } from "../../go/fault.ts";
import { quote } from "../../go/text.ts";
import { parseDate, parseDuration } from "../../go/time.ts";

// Times as kube-openapi reads them (pkg/validation/strfmt).

/** `2024-02-29` (IsDate). */
export function isDate(text: string): boolean {
  return parseDate(text) !== undefined;
}

const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/u;

/** A date, a `T` and a time with a zone; looser than RFC 3339: any zone will do, and no second is the sixtieth (IsDateTime). */
export function isDateTime(text: string): boolean {
  const [date = "", clock] = text.toLowerCase().split("t");
  if (clock === undefined || !isDate(date)) return false;
  const [, hour = "", minute = "", second = ""] = time.exec(clock) ?? [];
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59";
}

const timeUnits: readonly (readonly [nanos: bigint, ...names: string[]])[] = [
  [1n, "ns", "nano"],
  [1_000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [1_000_000_000n, "s", "sec"],
  [60_000_000_000n, "m", "min"],
  [3_600_000_000_000n, "h", "hr", "hour"],
  [86_400_000_000_000n, "d", "day"],
  [604_800_000_000_000n, "w", "wk", "week"],
];

/** The nanoseconds of a duration as Go writes it, or of any text with words of time in it: `1h30m`, `P1D`, `3 weeks` (ParseDuration). */
export function durationOf(text: string): bigint | GoFault {
  const go = parseDuration(text);
  if (go !== undefined) return go;
  let nanos: bigint | undefined;
  for (const [, digits = "", word = ""] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    const factor = digits.replace(/^0+/, "").length < 20 ? BigInt(digits) : 2n ** 63n;
    if (factor >= 2n ** 63n) {
      return new GoFault(`strconv.Atoi: parsing ${quote(digits)}: value out of range`);
    }
    const unit = unitOf(word.toLowerCase());
    if (unit !== undefined) nanos = (nanos ?? 0n) + factor * unit;
  }
  return nanos === undefined ? new GoFault(`unable to parse ${text} as duration`) : BigInt.asIntN(64, nanos);
}

function unitOf(word: string): bigint | undefined {
  for (const [nanos, ...names] of timeUnits) {
    if (names.includes(word) || word.startsWith(names.at(-1) ?? "")) return nanos;
  }
  return undefined;
}
