import { GoFault } from "./fault.ts";
import { quote } from "./text.ts";

/** Nanoseconds of each unit that time.ParseDuration knows; the micro sign has two code points. */
const units = new Map([
  ["ns", 1n],
  ["us", 1_000n],
  ["\u00b5s", 1_000n],
  ["\u03bcs", 1_000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
]);

/** The nanoseconds of a text like `1h30m`, `-1.5s` or `0`: time.ParseDuration. */
export function parseDuration(text: string): bigint | undefined {
  const sign = /^[+-]/.test(text) ? text.charAt(0) : "";
  let rest = text.slice(sign.length);
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  const simple = wholeNanos(rest);
  if (simple !== undefined) return BigInt(sign === "-" ? -simple : simple);
  let nanos = 0n;
  while (rest !== "") {
    const [all, whole = "", fraction = "", unit = ""] =
      /^(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/.exec(rest) ?? [];
    // More digits than an int64 has are an error in a whole number and are ignored in a fraction (leadingInt, leadingFraction).
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
  switch (text[at]) {
    case "h":
      return hour;
    case "s":
      return second;
    case "m":
      return text[at + 1] === "s" ? milli : minute;
  }
  return undefined;
}

function nanosOf(whole: string, fraction: string, unit: bigint): bigint {
  const rest = fraction === "" ? 0n : (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length);
  return BigInt(whole === "" ? "0" : whole) * unit + rest;
}

/** A duration as Go prints it: `1h0m0.5s`, `1.5ms`, `0s`. */
export function printDuration(nanos: bigint): string {
  // Nearly all durations are whole seconds in the range of a double, and need no long division.
  const whole = Number(nanos) / 1e9;
  if (Number.isInteger(whole) && Number.isSafeInteger(Number(nanos))) return printSeconds(whole);
  const [sign, size] = nanos < 0n ? ["-", -nanos] : ["", nanos];
  if (size < 1_000_000_000n) {
    const [unit, divisor] =
      size < 1_000n ? ["ns", 1n] : size < 1_000_000n ? ["\u00b5s", 1_000n] : ["ms", 1_000_000n];
    return `${sign}${decimal(size, divisor)}${unit}`;
  }
  const minutes = size / 60_000_000_000n;
  const seconds = `${decimal(size % 60_000_000_000n, 1_000_000_000n)}s`;
  if (minutes === 0n) return sign + seconds;
  return minutes < 60n
    ? `${sign}${minutes}m${seconds}`
    : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function printSeconds(seconds: number): string {
  const sign = seconds < 0 ? "-" : "";
  const size = Math.abs(seconds);
  if (size < 60) return `${sign}${size}s`;
  const minutes = Math.floor(size / 60);
  return minutes < 60
    ? `${sign}${minutes}m${size % 60}s`
    : `${sign}${Math.floor(minutes / 60)}h${minutes % 60}m${size % 60}s`;
}

function decimal(value: bigint, divisor: bigint): string {
  const whole = value / divisor;
  const rest = String(value % divisor)
    .padStart(String(divisor).length - 1, "0")
    .replace(/0+$/, "");
  return divisor === 1n || rest === "" ? String(whole) : `${whole}.${rest}`;
}

/** A moment: seconds since 1970, nanoseconds above them, and the offset of the zone that it was written with. */
interface Moment {
  readonly seconds: bigint;
  readonly nanos: number;
  readonly offsetSeconds: number;
}

const rfc3339 = /^(\d{4}-\d{2}-\d{2})T(\d{1,2}:\d{2}:\d{2})(?:[.,](\d+))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/** The moment of a text in RFC 3339, as time.Parse reads it. */
export function parseMoment(text: string): Moment | undefined {
  const [all, date = "", clock = "", fraction = "", sign, hours = "0", minutes = "0"] =
    rfc3339.exec(text) ?? [];
  const [day, time] = [parseDate(date), secondsOfDay(clock)];
  if (all === undefined || day === undefined || time === undefined) return undefined;
  if (Number(hours) > 24 || Number(minutes) > 60) return undefined;
  const offset = (Number(hours) * 3600 + Number(minutes) * 60) * (sign === "-" ? -1 : 1);
  return {
    seconds: day + BigInt(time - offset),
    nanos: Number(fraction.slice(0, 9).padEnd(9, "0")),
    offsetSeconds: offset,
  };
}

/** The seconds since 1970 of a date like `2024-02-29`, where there is such a day. */
export function parseDate(text: string): bigint | undefined {
  const [all, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  if (all === undefined || m < 1 || m > 12 || d < 1 || d > daysIn(y, m)) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, m - 1, d);
  return BigInt(date.getTime() / 1000);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function secondsOfDay(clock: string): number | undefined {
  const [hours = 0, minutes = 0, seconds = 0] = clock.split(":").map(Number);
  return hours < 24 && minutes < 60 && seconds < 60 ? hours * 3600 + minutes * 60 + seconds : undefined;
}

/** A moment as Go writes it with RFC3339Nano, in the zone that it was written with. */
export function printMoment({ seconds, nanos, offsetSeconds }: Moment): string {
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

/** A time of metadata in UTC and whole seconds, as metav1.Time reads and writes it. */
export function normalizeTime(text: string): string | GoFault {
  const moment = parseMoment(text);
  if (moment === undefined) return new GoFault(faultOfTime(text));
  return printMoment({ seconds: moment.seconds, nanos: 0, offsetSeconds: 0 });
}

const layout = "2006-01-02T15:04:05Z07:00";
const parts: readonly (readonly [RegExp, string])[] = [
  [/^\d{4}/, "2006"],
  [/^-/, "-"],
  [/^\d\d/, "01"],
  [/^-/, "-"],
  [/^\d\d/, "02"],
  [/^T/, "T"],
  [/^\d{1,2}/, "15"],
  [/^:/, ":"],
  [/^\d\d/, "04"],
  [/^:/, ":"],
  [/^\d\d([.,]\d+)?/, "05"],
  [/^(Z|[+-]\d\d:\d\d)/, "Z07:00"],
];

/** What time.Parse says of a text that is not RFC 3339: the first part that does not fit, and that of the layout. */
function faultOfTime(text: string): string {
  let rest = text;
  for (const [part, name] of parts) {
    const found = part.exec(rest);
    if (found === null)
      return `parsing time ${quote(text)} as "${layout}": cannot parse ${quote(rest)} as "${name}"`;
    rest = rest.slice(found[0].length);
  }
  if (rest !== "") return `parsing time ${quote(text)}: extra text: ${quote(rest)}`;
  return `parsing time ${quote(text)}: ${outOfRange(text)} out of range`;
}

function outOfRange(text: string): string {
  const [, , month = "", , hour = "", minute = "", second = ""] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d{1,2}):(\d\d):(\d\d)/.exec(text) ?? [];
  if (month < "01" || month > "12") return "month";
  if (Number(hour) > 23) return "hour";
  if (minute > "59") return "minute";
  if (second > "59") return "second";
  return parseDate(text.slice(0, 10)) === undefined ? "day" : "time zone offset";
}
