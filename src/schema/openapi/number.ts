import { isInt64, toInt64 } from "../../go/json.ts";
import { printFloat, printPlain } from "../../go/numbers.ts";
import { toDouble } from "../../json/exact.ts";
import type { ExactNumber } from "../../json/json.ts";
import { invalidAs, type SchemaFault } from "../model/fault.ts";
import type { Schema } from "../model/schema.ts";
import { atLarge, fieldOf, type Location, nameOf, should } from "./outcome.ts";

type Numeric = number | ExactNumber;

/** What is wrong with a number beyond its type: ranges of its format, multiples and bounds (kube-openapi, validate/values.go). */
export function faultsOfNumber(
  value: Numeric,
  schema: Schema,
  types: readonly string[],
  location: Location,
): SchemaFault[] {
  const kind = kindOf(schema, types);
  const faults: SchemaFault[] = [];
  const say = (fault: SchemaFault | undefined) => fault !== undefined && faults.push(fault);
  const text = isInt64(value) ? String(toInt64(value)) : printPlain(toDouble(value));
  say(faultOfRange(text, kind, "Checked", location));
  const { multipleOf, minimum, maximum } = schema;
  if (multipleOf !== undefined) {
    const unfit = faultOfRange(printPlain(multipleOf), kind, "MultipleOf", location);
    say(unfit);
    say(faultOfMultiple(value, multipleOf, location, unfit === undefined));
  }
  if (minimum !== undefined) {
    const unfit = faultOfRange(printPlain(minimum), kind, "Minimum boundary", location);
    say(unfit);
    say(faultOfMinimum(value, minimum, schema.exclusiveMinimum, location, unfit === undefined));
  }
  if (maximum !== undefined) {
    const unfit = faultOfRange(printPlain(maximum), kind, "Maximum boundary", location);
    say(unfit);
    say(faultOfMaximum(value, maximum, schema.exclusiveMaximum, location, unfit === undefined));
  }
  return faults;
}

/** Whether a double is an integer to kube-openapi: not beyond 2^53, but also where it is hardly above an integer (swag). */
export function isJsonInteger(value: number): boolean {
  if (!(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) return false;
  if (Number.isInteger(value)) return true;
  const whole = Math.trunc(value);
  return value > 0 && whole > 0 && (value - whole) / (value + whole) < 1e-9;
}

/** Converted as Go does on amd64: what is out of range becomes the least int64. */
export function truncated(value: number): bigint {
  return value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

interface Kind {
  readonly type: "" | "integer" | "number";
  readonly format: string;
}

/** The type and format whose range applies: none where there are several types. */
function kindOf({ format }: Schema, types: readonly string[]): Kind {
  const [type, second] = types;
  if (second !== undefined || (type !== "integer" && type !== "number")) return { type: "", format: "" };
  const known = type === "integer" ? ["int32", "int64"] : ["float", "double"];
  return { type, format: known.includes(format) ? format : "" };
}

const largestFloat32 = 3.4028235677973366e38;

/** Whether digits fit a type and format; where a bound of the schema does not, no value passes. */
function faultOfRange(
  digits: string,
  { type, format }: Kind,
  what: string,
  location: Location,
): SchemaFault | undefined {
  const fits =
    type === "integer"
      ? /^-?\d{1,30}$/.test(digits) &&
        BigInt(digits) === BigInt.asIntN(format === "int32" ? 32 : 64, BigInt(digits))
      : type !== "number" || format !== "float" || Math.abs(Number(digits)) < largestFloat32;
  if (fits) return undefined;
  const as = format === "" ? "(default format)" : `with format ${format}`;
  return atLarge(location, `${what} value must be of type ${type} ${as} in ${nameOf(location)}`);
}

function faultOfMultiple(
  value: Numeric,
  factor: number,
  location: Location,
  fit: boolean,
): SchemaFault | undefined {
  const { number, bound, text, shown } = comparable(value, factor, fit);
  if (bound <= 0) {
    const sentence = `factor MultipleOf declared for ${nameOf(location)} must be positive: ${text}`;
    return invalidAs(fieldOf(location), text, sentence);
  }
  const divides =
    typeof number === "bigint" && typeof bound === "bigint"
      ? number % bound === 0n
      : isJsonInteger(bound < 1 ? (1 / Number(bound)) * Number(number) : Number(number) / Number(bound));
  return divides ? undefined : should(location, shown, `be a multiple of ${text}`);
}

function faultOfMinimum(value: Numeric, least: number, exclusive: boolean, location: Location, fit: boolean) {
  const { number, bound, text, shown } = comparable(value, least, fit);
  if (exclusive ? number > bound : number >= bound) return undefined;
  return should(location, shown, `be greater than ${exclusive ? "" : "or equal to "}${text}`);
}

function faultOfMaximum(value: Numeric, most: number, exclusive: boolean, location: Location, fit: boolean) {
  const { number, bound, text, shown } = comparable(value, most, fit);
  if (exclusive ? number < bound : number <= bound) return undefined;
  return should(location, shown, `be less than ${exclusive ? "" : "or equal to "}${text}`);
}

interface Comparable {
  readonly number: bigint | number;
  readonly bound: bigint | number;
  /** The bound and the number, printed. */
  readonly text: string;
  readonly shown: string;
}

/** A number and a bound of one type: an int64 is compared with the bound truncated to one, where the bound fits the type. */
function comparable(value: Numeric, bound: number, fit: boolean): Comparable {
  if (fit && isInt64(value)) {
    const [number, whole] = [toInt64(value), truncated(bound)];
    return { number, bound: whole, text: String(whole), shown: String(number) };
  }
  const number = toDouble(value);
  return { number, bound, text: printFloat(bound), shown: printFloat(number) };
}
