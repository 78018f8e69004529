import { equal } from "../../json/equal.ts";
import { isNumber, parseJson, toDecimal, toDouble } from "../../json/exact.ts";
import type { ExactNumber, Json } from "../../json/json.ts";
import type { OpenCodec } from "./codec.ts";
import { bigintOf, digitsOf, type Integer, integerOf, integerOfDigits } from "./integers.ts";

/**
 * Values that have other names: `table([true, "Locked"], [false, "Unlocked"])`, the older one first. Where a value stands in several
 * pairs the first one counts. Any other value has no counterpart.
 * @throws {Error} if an argument is not a pair
 */
export function table<const Older extends Json, const Newer extends Json>(
  ...pairs: readonly (readonly [older: Older, newer: Newer])[]
): OpenCodec<Older, Newer> {
  requirePairs(pairs);
  return {
    up: (older) => pairs.find(([each]) => equal(each, older as Json))?.[1],
    down: (newer) => pairs.find(([, each]) => equal(each, newer as Json))?.[0],
  };
}

function requirePairs(pairs: readonly unknown[]): void {
  const wrong = pairs.find((pair) => !Array.isArray(pair) || pair.length !== 2);
  if (wrong === undefined) return;
  throw new Error(
    `table takes pairs, the older value first, such as ["rsa", "RSA"]; ${JSON.stringify(wrong)} is not a pair`,
  );
}

/** Values that mean the same in both versions; any other value stays in its own version: `only("RSA", "ECDSA")`. */
export function only<const Value extends Json>(...values: readonly Value[]): OpenCodec<Value, Value> {
  return table(...values.map((value) => [value, value] as const));
}

/** An integer as text ↔ as a number: `"8080"` ↔ 8080, exact up to 19 digits. For annotations, too. */
export const textToInteger: OpenCodec<string, Integer> = { up: integerOfDigits, down: digitsOf };

/** A number as text ↔ as a number, as JSON writes it: `"0.5"` ↔ 0.5. Text that JSON would write otherwise has no counterpart. */
export const textToNumber: OpenCodec<string, number | ExactNumber> = {
  up: (older: Json) => {
    const value =
      typeof older === "string" && older.length <= 40 && isDecimal(older) ? parseJson(older) : undefined;
    return isNumber(value) && toDecimal(value) === older ? value : undefined;
  },
  down: (newer: Json) => (isNumber(newer) ? toDecimal(newer) : undefined),
};

function isDecimal(text: string): boolean {
  return /^-?\d{1,20}(?:\.\d{1,20})?$/.test(text);
}

/** `"true"` ↔ true and `"false"` ↔ false. For annotations, too. */
export const textToBoolean: OpenCodec<string, boolean> = table(["true", true], ["false", false]);

/** Text ↔ a field of type int-or-string, as `intstr.Parse` reads it: `"8080"` ↔ 8080, `"http"` ↔ `"http"`. */
export const textToIntOrString: OpenCodec<string, Integer | string> = {
  up: (older: Json) => integerOfDigits(older) ?? textOf(older),
  // Text of digits would be read as a number.
  down: (newer: Json) =>
    digitsOf(newer) ?? (integerOfDigits(newer) === undefined ? textOf(newer) : undefined),
};

function textOf(value: Json): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A percentage ↔ its number: `"25%"` ↔ 25. */
export const percentToNumber: OpenCodec<string, Integer> = {
  up: integerOfPercent,
  down: (newer: Json) => {
    const digits = digitsOf(newer);
    return digits === undefined ? undefined : `${digits}%`;
  },
};

/** A percentage ↔ the share that it is of one: `"25%"` ↔ 0.25. A share that is not whole hundredths has no counterpart. */
export const percentToFraction: OpenCodec<string, number> = {
  up: (older: Json) => {
    const percent = integerOfPercent(older);
    return percent === undefined ? undefined : toDouble(percent) / 100;
  },
  down: (newer: Json) => {
    if (!isNumber(newer)) return undefined;
    const percent = Math.round(toDouble(newer) * 100) + 0;
    return Number.isSafeInteger(percent) && percent / 100 === toDouble(newer) ? `${percent}%` : undefined;
  },
};

function integerOfPercent(value: Json): Integer | undefined {
  return typeof value === "string" && value.endsWith("%") ? integerOfDigits(value.slice(0, -1)) : undefined;
}

/**
 * An integer ↔ so many times as much: `times(60)` for minutes ↔ seconds. What cannot be divided has no counterpart.
 * @throws {TypeError} if the factor is not a safe integer, or is 0
 */
export function times(factor: number): OpenCodec<Integer, Integer> {
  if (!Number.isSafeInteger(factor) || factor === 0)
    throw new TypeError(`times(${factor}): the factor is an integer other than 0, such as 60`);
  const by = BigInt(factor);
  return {
    up: (older: Json) => {
      const value = bigintOf(older);
      return value === undefined ? undefined : integerOf(value * by);
    },
    down: (newer: Json) => {
      const value = bigintOf(newer);
      return value === undefined || value % by !== 0n ? undefined : integerOf(value / by);
    },
  };
}
