import { quote } from "../../../go/text.ts";
import { parseDate, parseMoment } from "../../../go/time.ts";
import { durationOf } from "../../format/time.ts";
import { CelError, Duration, Timestamp, type Value } from "../language/values.ts";

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

function readDuration(text: string): Value {
  const nanos = durationOf(text);
  if (typeof nanos === "bigint") return new Duration(nanos);
  return new CelError(`Invalid duration ${text}: ${nanos.message}`);
}

function readDate(text: string): Value {
  const seconds = parseDate(text);
  if (seconds !== undefined) return new Timestamp(seconds, 0);
  return new CelError(`Invalid date formatted string ${text}: ${timeFault(text, "2006-01-02")}`);
}

function readDateTime(text: string): Value {
  // strfmt reads an empty text as the beginning of the epoch.
  if (text === "") return new Timestamp(0n, 0);
  const moment = parseMoment(text) ?? parseMoment(`${text}Z`);
  if (moment !== undefined) return new Timestamp(moment.seconds, moment.nanos, moment.offsetSeconds);
  return new CelError(
    `Invalid date-time formatted string ${text}: ${timeFault(text, "2006-01-02T15:04:05")}`,
  );
}

/** Go's time.ParseError, for the part where it stopped. */
function timeFault(text: string, layout: string): string {
  return `parsing time ${quote(text)} as ${quote(layout)}: cannot parse ${quote(text)} as "2006"`;
}

/** Go's base64 with the letters of URLs: `-` and `_`, not `+` and `/`; line breaks are skipped. */
function readBytes(text: string): Value {
  const letters = text.replaceAll(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9\-_=]/.exec(letters)?.index ?? -1;
  const isWhole = letters.length % 4 === 0 && /^[A-Za-z0-9\-_]*={0,2}$/.test(letters);
  if (isWhole) return decoded(letters);
  const at = wrong >= 0 ? wrong : badPadding(letters);
  return new CelError(`Invalid byte formatted string ${text}: illegal base64 data at input byte ${at}`);
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

function decoded(letters: string): Uint8Array {
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  for (const letter of letters.replace(/=+$/, "")) {
    bits = ((bits << 6) | alphabet.indexOf(letter)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return Uint8Array.from(bytes);
}

function badPadding(letters: string): number {
  const equals = letters.indexOf("=");
  if (equals < 0) return Math.max(0, letters.length - (letters.length % 4));
  return equals % 4 < 2 ? equals : Math.min(letters.length, equals + 1);
}
