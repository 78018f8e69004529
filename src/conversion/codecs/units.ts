import {
  parseQuantity,
  printQuantity,
  type Quantity,
  quantity,
  quantityOf,
} from "../../apimachinery/quantity.ts";
import { parseDuration, printDuration } from "../../go/time.ts";
import { isInteger, isNumber, toDecimal } from "../../json/exact.ts";
import type { ExactNumber, Json } from "../../json/json.ts";
import type { OpenCodec } from "./codec.ts";
import { bigintOf, type Integer, integerOf, isInt64 } from "./integers.ts";

/** A unit of time: those of Go, and a day of 24 hours, which Go prints as hours. */
export type DurationUnit = "ns" | "us" | "ms" | "s" | "m" | "h" | "d";

/** How a duration is read and printed. */
interface DurationOptions {
  /** Whether the number may have a fraction, for a field of type number: `1.5s` ↔ 1.5. */
  readonly fractions?: boolean;
  /** The only unit to print a duration in: `90s`, where Go prints `1m30s`. */
  readonly printIn?: Exclude<DurationUnit, "d">;
}

const nanosecondsIn: Readonly<Record<DurationUnit, bigint>> = {
  ns: 1n,
  us: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
};

/**
 * A duration as Go reads and prints it (time.ParseDuration, Duration.String, metav1.Duration) ↔ a number of units:
 * with `durationTo("s")` `1m30s` is 90. Exact: a duration that is not a whole number of the unit has no counterpart, nor has
 * a number that is more than Go can hold, which is 292 years.
 * @throws {Error} if a unit is not one of time
 */
export function durationTo(
  unit: DurationUnit,
  { fractions = false, printIn }: DurationOptions = {},
): OpenCodec<string, Integer> {
  for (const each of printIn === undefined ? [unit] : [unit, printIn]) {
    if (!Object.hasOwn(nanosecondsIn, each))
      throw new Error(
        `${JSON.stringify(each)} is not a unit of time; the units are ${Object.keys(nanosecondsIn).join(", ")}`,
      );
  }
  const size = nanosecondsIn[unit];
  const print = printIn === undefined ? printDuration : printedIn(printIn);
  return {
    up: (older: Json) => {
      const nanoseconds =
        typeof older === "string" && older.length <= longestDuration ? parseDuration(older) : undefined;
      return nanoseconds === undefined ? undefined : numberOf(nanoseconds, size, fractions);
    },
    down: (newer: Json) => {
      const nanoseconds =
        isNumber(newer) && (fractions || isInteger(newer)) ? timesSize(newer, size) : undefined;
      return nanoseconds === undefined || !isInt64(nanoseconds) ? undefined : print(nanoseconds);
    },
  };
}

/** Longer texts are not durations that anyone writes. */
const longestDuration = 100;

function printedIn(unit: Exclude<DurationUnit, "d">): (nanoseconds: bigint) => string | undefined {
  return (nanoseconds) => {
    const text = decimalOf(nanoseconds, nanosecondsIn[unit]);
    return text === undefined ? undefined : text + unit;
  };
}

/** A unit of a quantity: the suffix of `500m` or `2Gi`; `""` for whole ones. */
type QuantityUnit =
  | "n"
  | "u"
  | "m"
  | ""
  | "k"
  | "M"
  | "G"
  | "T"
  | "P"
  | "E"
  | "Ki"
  | "Mi"
  | "Gi"
  | "Ti"
  | "Pi"
  | "Ei";

/**
 * A quantity as resource.Quantity reads and prints it ↔ an integer of units: with `quantityTo("Mi")` `2Gi` is 2048, with `quantityTo("m")`
 * `1.5` is 1500. Exact: an amount that is not a whole number of the unit has no counterpart.
 * @throws {Error} if the unit is not the suffix of a quantity
 */
export function quantityTo(unit: QuantityUnit): OpenCodec<string, Integer> {
  const one = parseQuantity(`1${unit}`);
  if (one === undefined) {
    throw new Error(`${JSON.stringify(unit)} is not the suffix of a quantity, such as m or Mi`);
  }
  return {
    up: (older: Json) => {
      const amount = quantityOf(older);
      return amount === undefined ? undefined : quotientOf(amount, one);
    },
    down: (newer: Json) => {
      const count = bigintOf(newer);
      if (count === undefined) return undefined;
      const amount = quantity(count * one.mantissa, one.exponent, one.format);
      return amount.wide ? undefined : printQuantity(amount);
    },
  };
}

function quotientOf(amount: Quantity, one: Quantity): Integer | undefined {
  const lowest = Math.min(amount.exponent, one.exponent);
  const [count, size] = [amount, one].map((each) => each.mantissa * 10n ** BigInt(each.exponent - lowest));
  return count === undefined || size === undefined || count % size !== 0n
    ? undefined
    : integerOf(count / size);
}

function numberOf(nanoseconds: bigint, size: bigint, fractions: boolean): Integer | undefined {
  // Nearly all durations are in the range of a double, whose division is exact where there is no remainder.
  const [dividend, divisor] = [Number(nanoseconds), Number(size)];
  if (Number.isSafeInteger(dividend) && dividend % divisor === 0) return dividend / divisor + 0;
  if (nanoseconds % size === 0n) return integerOf(nanoseconds / size);
  const text = fractions ? decimalOf(nanoseconds, size) : undefined;
  return text === undefined ? undefined : Number(text);
}

/** A number times an integer; undefined if that is not an integer. */
function timesSize(value: number | ExactNumber, size: bigint): bigint | undefined {
  const product = Number.isInteger(value) ? (value as number) * Number(size) : undefined;
  return Number.isSafeInteger(product) ? BigInt(product as number) : scaled(toDecimal(value), size);
}

/** The same for a number in decimal digits. */
function scaled(decimal: string, size: bigint): bigint | undefined {
  const [, sign, whole = "", fraction = ""] = /^(-?)(\d{1,19})(?:\.(\d{1,19}))?$/.exec(decimal) ?? [];
  if (sign === undefined) return undefined;
  const product = BigInt(whole + fraction) * size;
  const divisor = 10n ** BigInt(fraction.length);
  return product % divisor === 0n ? (BigInt(`${sign}1`) * product) / divisor : undefined;
}

/** A quotient in decimal digits; undefined if they have no end within 19 digits after the point. */
function decimalOf(value: bigint, size: bigint): string | undefined {
  const [sign, amount] = value < 0n ? ["-", -value] : ["", value];
  const scale = 10n ** 19n;
  if ((amount * scale) % size !== 0n) return undefined;
  const digits = String((amount * scale) / size).padStart(20, "0");
  const fraction = digits.slice(-19).replace(/0+$/, "");
  return `${sign}${digits.slice(0, -19)}${fraction === "" ? "" : `.${fraction}`}`;
}
