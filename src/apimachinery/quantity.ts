import { type ExactNumber, isExactNumber, type Json } from "../json/json.ts";

/** The suffixes with which a quantity is printed: `k M G`, `Ki Mi Gi`, or `e3 e6 e9`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/**
 * An amount, as resource.Quantity of apimachinery holds it: `mantissa × 10^exponent`. The parsed text is kept if ParseQuantity
 * takes it for canonical (pkg/api/resource/quantity.go).
 */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** Whether the API server holds it beyond int64: it then has no `asInteger`, whatever its value. */
  readonly wide: boolean;
  readonly text?: string;
}

/** Parses a quantity; undefined if the text is not one. `faultOfQuantity` returns the reason. */
export function parseQuantity(text: string): Quantity | undefined {
  const read = scan(text);
  return "fault" in read ? undefined : read;
}

/** Why a text is not a quantity, in the API server's words; undefined if it is one. */
export function faultOfQuantity(text: string): string | undefined {
  const read = scan(text);
  return "fault" in read ? read.fault : undefined;
}

/**
 * The quantity of a JSON value, as the API server decodes one: a string, possibly with white space around it, a number, or
 * null for zero. Undefined for any other value.
 */
export function quantityOf(value: Json | undefined): Quantity | undefined {
  if (value === null) return { mantissa: 0n, exponent: 0, format: "DecimalExponent", wide: false };
  if (typeof value === "string") return parseQuantity(value.trim());
  if (typeof value === "number" || isExactNumber(value)) return parseQuantity(printNumber(value));
  return undefined;
}

/** A whole number, or a power of ten of it, as a quantity: `quantity(1500n, -3)` is `1500m`. */
export function quantity(mantissa: bigint, exponent = 0, format: QuantityFormat = "DecimalSI"): Quantity {
  return { mantissa, exponent, format, wide: !isInt64(mantissa) };
}

/**
 * The text that the API server prints. Above Exa and below nano DecimalSI loses its exponent, `1000E` becomes `1`, since
 * apimachinery has no suffix for it (pkg/api/resource/suffix.go, quantitySuffixer).
 */
export function printQuantity(whole: Quantity): string {
  if (whole.text !== undefined) return whole.text;
  if (whole.mantissa === 0n) return "0";
  if (whole.format === "BinarySI" && isPrintedBinary(whole)) {
    const [rest, times] = withoutFactors(dividedUp(whole, 0), 1024n);
    return `${rest}${binarySuffixes[times] ?? ""}`;
  }
  const [rest, zeros] = withoutFactors(whole.mantissa, 10n);
  const exponent = Math.floor((whole.exponent + zeros) / 3) * 3;
  const number = rest * power(whole.exponent + zeros, exponent);
  if (whole.format === "DecimalExponent") return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  return `${number}${decimalSuffixes[exponent / 3 + 3] ?? ""}`;
}

/** Compares two quantities, as for a sort: -1, 0 or 1. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  const lowest = Math.min(a.exponent, b.exponent);
  const difference = a.mantissa * power(a.exponent, lowest) - b.mantissa * power(b.exponent, lowest);
  return signOf(difference);
}

/** The sum. Zero takes the other's format. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const format = a.mantissa === 0n ? b.format : a.format;
  const wide = a.wide || b.wide;
  if (!wide && b.mantissa === 0n) return { ...withoutText(a), format };
  if (!wide && a.mantissa === 0n) return { ...withoutText(b), format };
  const exponent = Math.min(a.exponent, b.exponent);
  const terms = [a, b].map((each) => each.mantissa * power(each.exponent, exponent));
  const mantissa = terms.reduce((sum, term) => sum + term, 0n);
  return { mantissa, exponent, format, wide: wide || ![...terms, mantissa].every(isInt64) };
}

/** The difference. Zero takes the other's format. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

/** The same amount with the other sign. */
export function negateQuantity(whole: Quantity): Quantity {
  return { ...withoutText(whole), mantissa: -whole.mantissa };
}

/** The sign: 1, -1, or 0 for zero. */
export function signOfQuantity({ mantissa }: Quantity): -1 | 0 | 1 {
  return signOf(mantissa);
}

/** The amount in whole units of a power of ten, away from zero: to milli with -3. A quantity that is a multiple of it already keeps its text. */
export function roundQuantity(whole: Quantity, exponent: number): Quantity {
  if (whole.exponent >= exponent) return whole.wide ? withoutText(whole) : whole;
  return { ...withoutText(whole), mantissa: dividedUp(whole, exponent), exponent };
}

/** The amount in units as an int64; undefined where AsInt64 is not ok: `1.0`, `1000m`, beyond int64. */
export function asInteger({ mantissa, exponent, wide }: Quantity): bigint | undefined {
  if (wide || exponent < 0) return undefined;
  const value = mantissa * power(exponent, 0);
  return isInt64(value) ? value : undefined;
}

/** AsApproximateFloat64: about the amount in units. */
export function asApproximateFloat({ mantissa, exponent }: Quantity): number {
  if (exponent === 0) return Number(mantissa);
  const [large, small] = [Math.trunc(exponent / 32) * 32, exponent % 32];
  return exponent > 0
    ? Number(mantissa) * (Number(`1e${large}`) * Number(`1e${small}`))
    : Number(mantissa) * (Number(`1e${large}`) / Number(`1e${-small}`));
}

/** MilliValue: the amount in milli units, rounded up, in int64. An amount that is too large wraps around, or becomes 0. */
export function milliOf(whole: Quantity): bigint {
  return scaledOf(whole, -3);
}

function scaledOf(whole: Quantity, exponent: number): bigint {
  const distance = whole.exponent - exponent;
  if (whole.wide)
    return int64Of(
      distance < 0 ? wideDividedUp(whole.mantissa, -distance) : wideScaled(whole.mantissa, distance),
    );
  const value = dividedUp(whole, exponent);
  // apimachinery multiplies by these at once, without checking for overflow; by others in steps, and gives up on overflow.
  return [1, 2, 3, 6, 9].includes(distance) ? int64Of(value) : isInt64(value) ? value : 0n;
}

function wideScaled(mantissa: bigint, distance: number): bigint {
  return int64Of(mantissa) * power(distance, 0);
}

/** Beyond int64 "up" is toward the larger number, and one more than that for negative ones within it (scale_int.go). */
function wideDividedUp(mantissa: bigint, distance: number): bigint {
  const divisor = power(distance, 0);
  const isShort = mantissa < 2n ** 63n - 1n && distance < 19;
  const dividend = isShort ? int64Of(mantissa) : mantissa;
  const rest = dividend % divisor;
  if (rest === 0n) return dividend / divisor;
  const isFloored = rest < 0n && !isShort;
  return dividend / divisor + (isFloored ? 0n : 1n);
}

function int64Of(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

// The API server accepts any exponent and then computes with it. Beyond these limits no real amount exists, and a text of
// ten characters must not cost a gigabyte.
const longestText = 1000;
const largestExponent = 1000;

const wrongForm =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = "unable to parse numeric part of quantity";
const wrongSuffix = "unable to parse quantity's suffix";

interface Unit {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

function scan(text: string): Quantity | { readonly fault: string } {
  if (text === "" || text.length > longestText) return { fault: wrongForm };
  if (text === "0") return { mantissa: 0n, exponent: 0, format: "DecimalSI", wide: false, text };
  const [number = "", sign, digits = "", fraction = ""] = /^([-+]?)(\d*)(?:\.(\d*))?/.exec(text) ?? [];
  const suffix = text.slice(number.length);
  if (!/^[eEinumkKMGTP]*[-+]?\d*$/.test(suffix)) return { fault: wrongForm };
  const unit = unitOf(suffix);
  if (unit === undefined) return { fault: wrongSuffix };
  const whole = digits.replace(/^0+/, "") || "0";
  const read = narrow(whole, fraction, unit, text) ?? wide(digits, fraction, unit);
  if (read === undefined) return { fault: wrongNumber };
  return sign === "-" ? { ...read, mantissa: -read.mantissa } : read;
}

function unitOf(suffix: string): Unit | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { base: 10, exponent: (decimal - 3) * 3, format: "DecimalSI" };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { base: 2, exponent: binary * 10, format: "BinarySI" };
  const [, digits] = /^[eE]([-+]?\d+)$/.exec(suffix) ?? [];
  if (digits === undefined) return undefined;
  // BigInt does not accept a "+".
  const exponent = BigInt(digits.replace("+", ""));
  if (!isInt64(exponent)) return undefined;
  const kept = Number(BigInt.asIntN(32, exponent));
  return Math.abs(kept) > largestExponent
    ? undefined
    : { base: 10, exponent: kept, format: "DecimalExponent" };
}

/** An amount that ParseQuantity reads as an int64 at once; only there it keeps a text that looks canonical. */
function narrow(whole: string, fraction: string, unit: Unit, text: string): Quantity | undefined {
  const { base, format } = unit;
  const digits = whole + fraction;
  if (base === 2) {
    const room = 14 - whole.length - (unit.exponent * 3) / 10;
    if (fraction !== "" || room < 0) return undefined;
    const mantissa = BigInt(digits) << BigInt(unit.exponent);
    const isKept = (BigInt(digits) & 7n) !== 0n;
    return { mantissa, exponent: 0, format, wide: false, ...(isKept ? { text } : {}) };
  }
  const exponent = unit.exponent - fraction.length;
  if (digits.length > 18 || exponent < -9) return undefined;
  const isKept = exponent % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
  return { mantissa: BigInt(digits), exponent, format, wide: false, ...(isKept ? { text } : {}) };
}

/** Any other amount: rounded up to whole nano units, so at least one nano unless zero; binary amounts at most int64. */
function wide(digits: string, fraction: string, unit: Unit): Quantity | undefined {
  if (digits + fraction === "") return undefined;
  const factor = unit.base === 2 ? 1n << BigInt(unit.exponent) : 1n;
  const exponent = (unit.base === 10 ? unit.exponent : 0) - fraction.length;
  const exact = { mantissa: BigInt(digits + fraction) * factor, exponent, format: unit.format, wide: true };
  if (exact.mantissa === 0n) return exact;
  const mantissa = dividedUp(exact, -9);
  const rounded = { ...exact, mantissa, exponent: -9 };
  if (unit.format !== "BinarySI") return rounded;
  const largest = { ...exact, mantissa: 2n ** 63n - 1n, exponent: 0 };
  if (compareQuantities(rounded, largest) > 0) return largest;
  return mantissa < 10n ** 9n ? { ...rounded, format: "DecimalSI" } : rounded;
}

/** Whether a binary amount is printed with a binary suffix: only whole units, and only from 1024 on. */
function isPrintedBinary(whole: Quantity): boolean {
  const { mantissa } = whole;
  const size = { ...whole, mantissa: mantissa < 0n ? -mantissa : mantissa };
  if (compareQuantities(size, quantity(1024n)) < 0) return false;
  return whole.exponent >= 0 || mantissa % power(-whole.exponent, 0) === 0n;
}

/** The amount in units of a power of ten, away from zero. */
function dividedUp({ mantissa, exponent }: Quantity, target: number): bigint {
  if (exponent >= target) return mantissa * power(exponent, target);
  const divisor = power(target, exponent);
  const quotient = mantissa / divisor;
  return mantissa % divisor === 0n ? quotient : quotient + BigInt(signOf(mantissa));
}

/** Ten to the power of the distance between two exponents, the higher one first. */
function power(high: number, low: number): bigint {
  return 10n ** BigInt(high - low);
}

function withoutFactors(value: bigint, factor: bigint): readonly [rest: bigint, times: number] {
  let [rest, times] = [value, 0];
  while (rest % factor === 0n) {
    rest /= factor;
    times++;
  }
  return [rest, times];
}

function withoutText({ text: _, ...rest }: Quantity): Quantity {
  return rest;
}

function printNumber(value: number | ExactNumber): string {
  return typeof value === "number" ? String(value) : value.rawJSON;
}

function signOf(value: bigint): -1 | 0 | 1 {
  if (value === 0n) return 0;
  return value < 0n ? -1 : 1;
}

function isInt64(value: bigint): boolean {
  return int64Of(value) === value;
}
