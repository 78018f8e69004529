import type { Schema } from "../model/schema.ts";

const int64 = 2 ** 63;
const float32 = 3.4028234663852886e38;
const safe = Number.MAX_SAFE_INTEGER;

/** Whether doubles compare with the bounds of a node as the API server's numbers do. */
export function isWithin(schema: Schema): boolean {
  const { minimum, maximum, multipleOf } = schema;
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const isWhole = schema.type === "integer" && !schema.intOrString;
  if (bounds.some((bound) => Math.abs(bound) >= limitOf(schema) || (isWhole && !Number.isInteger(bound))))
    return false;
  // The API server tests multiples of numbers with a fraction with some tolerance.
  return (
    multipleOf === undefined ||
    (isWholeType(schema) &&
      Number.isSafeInteger(multipleOf) &&
      multipleOf > 0 &&
      multipleOf < limitOf(schema))
  );
}

/** The bounds of a node's numbers: its own, at their stricter end where the server cuts off a fraction, and its type's. */
export function numberBounds(
  schema: Schema,
): { readonly minimum?: number; readonly maximum?: number } & Record<string, number> {
  const { type, intOrString } = schema;
  if (!intOrString && type !== "" && type !== "integer" && type !== "number") return {};
  const least =
    schema.minimum === undefined ? undefined : Math.max(schema.minimum, Math.trunc(schema.minimum));
  const most =
    schema.maximum === undefined ? undefined : Math.min(schema.maximum, Math.trunc(schema.maximum));
  const range = rangeOf(schema);
  return {
    ...(range === undefined ? {} : { minimum: -range[0], maximum: range[1] }),
    ...(least === undefined
      ? {}
      : bound(schema.exclusiveMinimum ? "exclusiveMinimum" : "minimum", least, range?.[0], Math.max)),
    ...(most === undefined
      ? {}
      : bound(schema.exclusiveMaximum ? "exclusiveMaximum" : "maximum", most, range?.[1], Math.min)),
    ...(schema.multipleOf === undefined ? {} : { multipleOf: schema.multipleOf }),
  };
}

/** An exclusive bound stands beside that of the range, an inclusive one takes its place where it is stricter. */
function bound(
  key: string,
  value: number,
  range: number | undefined,
  stricter: (a: number, b: number) => number,
) {
  if (key.startsWith("exclusive") || range === undefined) return { [key]: value };
  return { [key]: stricter(value, key === "minimum" ? -range : range) };
}

/** The range of a type's numbers, as distances below and above zero. */
function rangeOf({ type, format, intOrString }: Schema): readonly [number, number] | undefined {
  if (intOrString) return [safe, safe];
  if (type === "integer") return format === "int32" ? [2 ** 31, 2 ** 31 - 1] : [safe, safe];
  return type === "number" && format === "float" ? [float32, float32] : undefined;
}

/** The server ignores bounds from this number on. */
function limitOf({ type, format, intOrString }: Schema): number {
  if (!intOrString && type === "integer" && format === "int32") return 2 ** 31;
  return int64;
}

function isWholeType({ type, intOrString }: Schema): boolean {
  return intOrString || type === "integer";
}
