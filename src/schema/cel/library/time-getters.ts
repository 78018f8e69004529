import { type Row, taking } from "../language/function.ts";
import { CelError, isDuration, isText, isTimestamp, type Timestamp, type Value } from "../language/values.ts";

/** Parts of a moment in a zone: what the getters give. */
type Part = (local: Date, nanos: number) => number;

const parts: readonly (readonly [name: string, id: string, part: Part])[] = [
  ["getFullYear", "timestamp_to_year", (date) => date.getUTCFullYear()],
  ["getMonth", "timestamp_to_month", (date) => date.getUTCMonth()],
  ["getDayOfYear", "timestamp_to_day_of_year", dayOfYear],
  ["getDayOfMonth", "timestamp_to_day_of_month", (date) => date.getUTCDate() - 1],
  ["getDate", "timestamp_to_day_of_month_1_based", (date) => date.getUTCDate()],
  ["getDayOfWeek", "timestamp_to_day_of_week", (date) => date.getUTCDay()],
  ["getHours", "timestamp_to_hours", (date) => date.getUTCHours()],
  ["getMinutes", "timestamp_to_minutes", (date) => date.getUTCMinutes()],
  ["getSeconds", "timestamp_to_seconds", (date) => date.getUTCSeconds()],
  ["getMilliseconds", "timestamp_to_milliseconds", (_date, nanos) => Math.trunc(nanos / 1e6)],
];

const durations: readonly (readonly [name: string, id: string, unit: bigint])[] = [
  ["getHours", "duration_to_hours", 3_600_000_000_000n],
  ["getMinutes", "duration_to_minutes", 60_000_000_000n],
  ["getSeconds", "duration_to_seconds", 1_000_000_000n],
  ["getMilliseconds", "duration_to_milliseconds", 1_000_000n],
];

/** The getters of moments and durations (cel-go common/stdlib/standard.go, common/types/timestamp.go). */
export const timeRows: readonly Row[] = [
  ...parts.map(
    ([name, id, part]): Row => [
      id,
      `timestamp .${name}(): int`,
      taking([isTimestamp], (moment) => partOf(moment, "UTC", part)),
    ],
  ),
  ...parts.map(
    ([name, id, part]): Row => [
      `${id}_with_tz`,
      `timestamp .${name}(string): int`,
      taking([isTimestamp, isText], (moment, zone) => partOf(moment, zone, part)),
    ],
  ),
  ...durations.map(
    ([name, id, unit]): Row => [
      id,
      `duration .${name}(): int`,
      taking([isDuration], ({ nanos }) => nanos / unit),
    ],
  ),
];

function dayOfYear(date: Date): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / 86_400_000);
}

function partOf(moment: Timestamp, zone: string, part: Part): Value {
  const offset = offsetOf(moment, zone);
  if (offset instanceof CelError) return offset;
  return BigInt(part(new Date((Number(moment.seconds) + offset) * 1000), moment.nanos));
}

/** A zone's seconds east of UTC at a moment: `+02:00`, `02:00`, `Europe/Zurich`. */
function offsetOf(moment: Timestamp, zone: string): number | CelError {
  const colon = zone.indexOf(":");
  if (colon < 0) return namedOffset(moment, zone);
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)];
  for (const text of [hours, minutes]) {
    if (!/^[+-]?\d{1,15}$/.test(text))
      return new CelError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  }
  const total = Number(hours) * 60 + (zone.startsWith("-") ? -Number(minutes) : Number(minutes));
  return total * 60;
}

function namedOffset(moment: Timestamp, zone: string): number | CelError {
  if (zone === "" || zone === "UTC") return 0;
  if (zone === "Local") return 0;
  try {
    const millis = Number(moment.seconds) * 1000;
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
    if (!isWrittenRight(zone, format.resolvedOptions().timeZone)) return unknownZone(zone);
    const name = format.formatToParts(millis).find(({ type }) => type === "timeZoneName")?.value ?? "GMT";
    const [, sign, hours = "0", minutes = "0", seconds = "0"] =
      /GMT([+-])(\d+):(\d+)(?::(\d+))?/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  } catch {
    return unknownZone(zone);
  }
}

/** Intl takes names in any case, and bare offsets; Go takes names as they are. */
function isWrittenRight(zone: string, canonical: string): boolean {
  return /^[A-Z]/.test(zone) && (zone === canonical || zone.toLowerCase() !== canonical.toLowerCase());
}

function unknownZone(zone: string): CelError {
  return new CelError(`unknown time zone ${zone}`);
}
