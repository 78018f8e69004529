import { isInt64 } from "./numbers.ts";
import { CelError, Duration, Timestamp } from "./values.ts";

// cel-go common/types/timestamp.go: year 1 to 9999
export const minSeconds = -62135596800n;
export const maxSeconds = 253402300799n;

export const timestampOverflow = new CelError("timestamp overflow");
export const durationOverflow = new CelError("duration overflow");
const integerOverflow = new CelError("integer overflow");

const units = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["µs", 1_000n],
  ["μs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** The nanoseconds that a text says to Go's time.ParseDuration: `1h30m`, `-1.5s`, `0`. */
export function parseGoDuration(text: string): bigint | undefined {
  const sign = /^[+-]/.test(text) ? text[0] : "";
  let rest = text.slice(sign?.length ?? 0);
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  const simple = wholeNanos(rest);
  if (simple !== undefined) return BigInt(sign === "-" ? -simple : simple);
  let nanos = 0n;
  while (rest !== "") {
    const [all, whole = "", fraction = "", unit = ""] =
      /^(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest) ?? [];
    // Of more digits than an int64 has, Go takes no whole number, and of a fraction no further ones (time.leadingInt, leadingFraction).
    const digits = whole.replace(/^0+/, "");
    if (all === undefined || whole + fraction === "" || digits.length > 19) return undefined;
    nanos += nanosOf(digits, fraction.slice(0, 18), units.get(unit) ?? 1n);
    rest = rest.slice(all.length);
  }
  if (nanos > 2n ** 63n || (nanos === 2n ** 63n && sign !== "-")) return undefined;
  return sign === "-" ? -nanos : nanos;
}

/** The nanoseconds of numbers without fractions, as far as a double holds them: `1h30m`, `500ms`. */
function wholeNanos(text: string): number | undefined {
  let [total, at] = [0, 0];
  while (at < text.length) {
    const start = at;
    let value = 0;
    for (let digit = text.charCodeAt(at) - 48; digit >= 0 && digit <= 9; digit = text.charCodeAt(++at) - 48) {
      value = value * 10 + digit;
    }
    if (at === start) return undefined;
    const unit = unitAt(text, at);
    if (unit === undefined) return undefined;
    at += unit.length;
    total += value * unit.nanos;
    if (!Number.isSafeInteger(total)) return undefined;
  }
  return total;
}

const second = { length: 1, nanos: 1e9 };
const minute = { length: 1, nanos: 60e9 };
const hour = { length: 1, nanos: 3600e9 };
const milli = { length: 2, nanos: 1e6 };

function unitAt(text: string, at: number): { readonly length: number; readonly nanos: number } | undefined {
  const next = text[at + 1];
  switch (text[at]) {
    case "h":
      return hour;
    case "s":
      return second;
    case "m":
      return next === "s" ? milli : minute;
  }
  return undefined;
}

function nanosOf(whole: string, fraction: string, unit: bigint): bigint {
  const rest = fraction === "" ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  return BigInt(whole === "" ? "0" : whole) * unit + rest;
}

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|([+-])(\d{2}):(\d{2}))$/;

/** The moment that a text says to Go's time.Parse with RFC 3339. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = rfc3339.exec(text);
  if (match === null) return undefined;
  const [
    ,
    year = "",
    month = "",
    day = "",
    hour = "",
    minute = "",
    second = "",
    fraction = "",
    zone,
    sign,
    zh,
    zm,
  ] = match;
  const base = momentOf(year, month, day, hour, minute, second);
  if (base === undefined) return undefined;
  if (zone !== "Z" && (Number(zh) > 24 || Number(zm) > 60)) return undefined;
  const offset = zone === "Z" ? 0 : (sign === "-" ? -1 : 1) * (Number(zh) * 3600 + Number(zm) * 60);
  return new Timestamp(base - BigInt(offset), Number(fraction.slice(0, 9).padEnd(9, "0")), offset);
}

/** The seconds since 1970 of a date and a time of day, if there is such a day and time. */
export function momentOf(
  year: string,
  month: string,
  day: string,
  hour = "0",
  minute = "0",
  second = "0",
): bigint | undefined {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  return BigInt(date.getTime() / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second));
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** A moment within the years that CEL knows, or the error that it is not. */
export function timestamp(seconds: bigint, nanos: number, offset = 0): Timestamp | CelError {
  if (seconds < minSeconds || seconds > maxSeconds) return timestampOverflow;
  return new Timestamp(seconds, nanos, offset);
}

/** A duration that int64 nanoseconds hold, or the error that they do not. */
export function duration(nanos: bigint): Duration | CelError {
  return isInt64(nanos) ? new Duration(nanos) : durationOverflow;
}

/** A moment with a duration added. */
export function addDuration(moment: Timestamp, { nanos }: Duration): Timestamp | CelError {
  const total = moment.seconds * 1_000_000_000n + BigInt(moment.nanos) + nanos;
  const seconds = floorDivide(total, 1_000_000_000n);
  return timestamp(seconds, Number(total - seconds * 1_000_000_000n), moment.offsetSeconds);
}

/** The time between two moments. */
export function subtractTimestamps(a: Timestamp, b: Timestamp): Duration | CelError {
  const nanos = (a.seconds - b.seconds) * 1_000_000_000n + BigInt(a.nanos - b.nanos);
  return isInt64(nanos) ? new Duration(nanos) : integerOverflow;
}

function floorDivide(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}

/** A moment as Go writes it with RFC3339Nano, in the zone that it came with. */
export function printTimestamp({ seconds, nanos, offsetSeconds }: Timestamp): string {
  const local = new Date(Number(seconds + BigInt(offsetSeconds)) * 1000).toISOString();
  const [date = ""] = local.replace(/^\+0+/, "").split(".");
  const fraction = nanos === 0 ? "" : `.${String(nanos).padStart(9, "0").replace(/0+$/, "")}`;
  return `${date}${fraction}${printOffset(offsetSeconds)}`;
}

function printOffset(offset: number): string {
  if (offset === 0) return "Z";
  const minutes = Math.abs(Math.trunc(offset / 60));
  const [hour, minute] = [Math.trunc(minutes / 60), minutes % 60];
  return `${offset < 0 ? "-" : "+"}${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
