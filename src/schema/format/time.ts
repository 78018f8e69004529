/** `2024-02-29`: a day that there is (time.Parse). */
export function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === "" || month < "01" || month > "12" || day < "01") return false;
  return Number(day) <= daysOf(Number(year), Number(month));
}

const time = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$/u;

/** A date, a `T` and a time with a zone; looser than RFC 3339: any zone goes, no second is the sixtieth (strfmt, time.go). */
export function isDateTime(text: string): boolean {
  const [date = "", clock] = text.toLowerCase().split("t");
  if (clock === undefined || !isDate(date)) return false;
  const [, hour = "", minute = "", second = ""] = time.exec(clock) ?? [];
  return hour !== "" && hour <= "23" && minute <= "59" && second <= "59";
}

/** As Go writes durations, or any text with words of time in it: `1h30m`, `P1D`, `3 weeks` (strfmt, duration.go). */
export function isDuration(text: string): boolean {
  if (isGoDuration(text)) return true;
  let found = false;
  for (const [, digits = "", word = ""] of text.matchAll(/(?<!\d)(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g)) {
    if (!isInt64(digits)) return false;
    found ||= isTimeWord(word.toLowerCase());
  }
  return found;
}

const units = new Set(["ns", "us", "µs", "ms", "s", "m", "h", "hr", "d", "w", "wk"]);
const words = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];

function isTimeWord(word: string): boolean {
  return units.has(word) || words.some((each) => word.startsWith(each));
}

const nanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** time.ParseDuration, which refuses what does not fit an int64 of nanoseconds. */
function isGoDuration(text: string): boolean {
  const [, sign, rest = ""] = /^([-+]?)(.*)$/s.exec(text) ?? [];
  if (rest === "0") return true;
  if (!/^((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) return false;
  let sum = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of rest.matchAll(
    /(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const scale = nanoseconds[unit] ?? 0n;
    const part = fraction.slice(0, 18);
    sum +=
      BigInt(`0${whole.replace(/^0+/, "").slice(0, 40)}`) * scale +
      (BigInt(part === "" ? 0 : part) * scale) / 10n ** BigInt(part.length);
    if (sum > 2n ** 63n) return false;
  }
  return sum < 2n ** 63n || sign === "-";
}

function isInt64(digits: string): boolean {
  const plain = digits.replace(/^0+/, "");
  return plain.length < 20 && BigInt(`0${plain}`) < 2n ** 63n;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}
