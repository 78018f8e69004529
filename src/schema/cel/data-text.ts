import { quote } from "./print.ts";
import { momentOf, parseGoDuration, parseTimestamp } from "./time.ts";
import { CelError, Duration, Timestamp, type Value } from "./values.ts";

/** A text of the object: for some formats it is a time, a duration or bytes. */
export function readText(text: string, format: string): Value {
  switch (format) {
    case "duration":
      return readDuration(text);
    case "date":
      return readDate(text);
    case "date-time":
      return readDateTime(text);
    case "byte":
      return readBytes(text);
  }
  return text;
}

const units: readonly (readonly [nanos: bigint, ...names: string[]])[] = [
  [1n, "ns", "nano"],
  [1_000n, "us", "µs", "micro"],
  [1_000_000n, "ms", "milli"],
  [1_000_000_000n, "s", "sec"],
  [60_000_000_000n, "m", "min"],
  [3_600_000_000_000n, "h", "hr", "hour"],
  [86_400_000_000_000n, "d", "day"],
  [604_800_000_000_000n, "w", "wk", "week"],
];

/** kube-openapi's strfmt.ParseDuration: Go's durations, and words like `3 days`. */
function readDuration(text: string): Value {
  const go = parseGoDuration(text);
  if (go !== undefined) return new Duration(go);
  let nanos = 0n;
  let isOne = false;
  for (const [, factor = "", word = ""] of text.matchAll(/(\d+)\s*([A-Za-zµ]+)/g)) {
    if (factor.length > 18)
      return new CelError(
        `Invalid duration ${text}: strconv.Atoi: parsing ${quote(factor)}: value out of range`,
      );
    const unit = unitOf(word.toLowerCase());
    if (unit !== undefined) {
      isOne = true;
      nanos += BigInt(factor) * unit;
    }
  }
  if (isOne) return new Duration(BigInt.asIntN(64, nanos));
  return new CelError(`Invalid duration ${text}: unable to parse ${text} as duration`);
}

function unitOf(word: string): bigint | undefined {
  for (const [nanos, ...names] of units) {
    if (names.includes(word) || word.startsWith(names.at(-1) ?? "")) return nanos;
  }
  return undefined;
}

function readDate(text: string): Value {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  const seconds = year === undefined ? undefined : momentOf(year, month ?? "", day ?? "");
  if (seconds !== undefined) return new Timestamp(seconds, 0);
  return new CelError(`Invalid date formatted string ${text}: ${timeFault(text, "2006-01-02")}`);
}

function readDateTime(text: string): Value {
  // An empty text is the beginning of the epoch to strfmt.
  if (text === "") return new Timestamp(0n, 0);
  const moment = parseTimestamp(text) ?? parseTimestamp(`${text}Z`);
  if (moment !== undefined) return moment;
  return new CelError(
    `Invalid date-time formatted string ${text}: ${timeFault(text, "2006-01-02T15:04:05")}`,
  );
}

/** Go's time.ParseError, for the part where it stopped. */
function timeFault(text: string, layout: string): string {
  return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(text)} as "2006"`;
}

/** Go's base64 with the letters of URLs: `-` and `_`, not `+` and `/`; line breaks are passed over. */
function readBytes(text: string): Value {
  const letters = text.replaceAll(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9\-_=]/.exec(letters)?.index ?? -1;
  const isWhole = letters.length % 4 === 0 && /^[A-Za-z0-9\-_]*={0,2}$/.test(letters);
  if (isWhole) return new Uint8Array(Buffer.from(letters, "base64url"));
  const at = wrong >= 0 ? wrong : badPadding(letters);
  return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${at}`);
}

function badPadding(letters: string): number {
  const equals = letters.indexOf("=");
  if (equals < 0) return Math.max(0, letters.length - (letters.length % 4));
  return equals % 4 < 2 ? equals : Math.min(letters.length, equals + 1);
}
