/** The bounds of int64 and uint64. */
export const maxInt = 2n ** 63n - 1n;
export const minInt = -(2n ** 63n);
export const maxUint = 2n ** 64n - 1n;

export const fitsInt64 = (value: bigint): boolean => value >= minInt && value <= maxInt;
export const fitsUint64 = (value: bigint): boolean => value >= 0n && value <= maxUint;

/** The float64 that a text is to strconv.ParseFloat; undefined for a syntax or range error. */
export function parseFloatText(text: string): number | undefined {
  const bare = text.replaceAll(/(?<=[\dA-Fa-f]|^[+-]?0[xX])_(?=[\dA-Fa-f])/g, "");
  if (bare !== text) return bare.includes("_") ? undefined : parseFloatText(bare);
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  if (/^nan$/i.test(text)) return Number.NaN;
  const hex = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)[pP]([+-]?\d+)$/.exec(text);
  if (hex !== null) return parseHexFloat(hex);
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

function parseHexFloat([, sign, whole = "", fraction = "", exponent]: RegExpExecArray): number | undefined {
  if (whole + fraction === "") return undefined;
  const mantissa = Number(`0x${whole}${fraction}`);
  const value = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  if (!Number.isFinite(value)) return undefined;
  return sign === "-" ? -value : value;
}

/** A float64 as `%v` prints it: the shortest digits, with an exponent below 1e-4 and from 1e+06 on. */
export function printFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : value < 0 ? "-Inf" : "NaN";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const [digits = "", power = ""] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return printPlain(value);
  return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** A float64 in digits alone (strconv.FormatFloat with 'f'). */
export function printPlain(value: number): string {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(Object.is(value, -0) ? "-0" : String(value)) ?? [];
  const point = whole.length + Number(power);
  const digits = (whole + fraction).padEnd(point, "0");
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return point >= digits.length ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** A float64 with a fixed number of digits, exactly, as `%.Nf` prints it: ties of the binary value go to even. */
export function printFixed(value: number, precision: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  const { numerator, shift } = exactOf(Math.abs(value));
  const scaled = numerator * 10n ** BigInt(precision);
  const rounded = shift >= 0 ? scaled << BigInt(shift) : roundShift(scaled, BigInt(-shift));
  const digits = rounded.toString().padStart(precision + 1, "0");
  const whole = digits.slice(0, digits.length - precision);
  return precision === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-precision)}`;
}

/** A finite double as numerator × 2^shift. */
function exactOf(value: number): { readonly numerator: bigint; readonly shift: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const exponent = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  return exponent === 0
    ? { numerator: fraction, shift: -1074 }
    : { numerator: fraction | 0x10000000000000n, shift: exponent - 1075 };
}

function roundShift(value: bigint, shift: bigint): bigint {
  const whole = value >> shift;
  const rest = value - (whole << shift);
  const half = 1n << (shift - 1n);
  return rest > half || (rest === half && whole % 2n === 1n) ? whole + 1n : whole;
}
