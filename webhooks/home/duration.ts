import { type Codec, isInteger, isNumber, type Json, toDecimal, toDouble, toInteger } from "antechamber";

/** A number of seconds, with fractions ↔ a duration in Go's syntax: 1.5 ↔ `1.5s`. */
export const seconds: Codec = {
  up: (older) => (isNumber(older) && Number.isFinite(toDouble(older)) ? `${toDecimal(older)}s` : undefined),
  down: secondsOf,
};

/** An integer of seconds ↔ a duration in Go's syntax: 90 ↔ `90s`. A fractional duration has no counterpart. */
export const wholeSeconds: Codec = {
  up: (older) => (isInteger(older) ? `${toDecimal(older)}s` : undefined),
  down: (newer) => {
    const digits = typeof newer === "string" ? /^(-?\d{1,19})s$/.exec(newer)?.[1] : undefined;
    if (digits !== undefined) return toInteger(digits);
    const value = secondsOf(newer);
    return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
  },
};

/** Seconds in one unit, as a numerator and a denominator: dividing keeps `300ms` at 0.3 to the last bit. */
const units: Readonly<Record<string, readonly [number, number]>> = {
  ns: [1, 1e9],
  us: [1, 1e6],
  µs: [1, 1e6], // U+00B5, micro sign
  μs: [1, 1e6], // U+03BC, Greek mu
  ms: [1, 1e3],
  s: [1, 1],
  m: [60, 1],
  h: [3600, 1],
};

const component = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const wholeDuration = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;

/** The seconds of a duration, as Go's time.ParseDuration reads it; undefined for any other value. */
function secondsOf(duration: Json): number | undefined {
  if (typeof duration !== "string" || duration.length > 400 || !wholeDuration.test(duration))
    return undefined;
  let sum = 0;
  for (const [, amount = "", unit = ""] of duration.matchAll(component)) {
    const [times, by] = units[unit] ?? [0, 1];
    sum += (Number(amount) * times) / by;
  }
  return (duration.startsWith("-") ? -sum : sum) + 0;
}
