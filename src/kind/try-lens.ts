import { hasFirstItem, nameOfPath } from "../conversion/field-path.ts";
import type { FieldPath } from "../conversion/field-types.ts";
import type { AnyRow, Inner, Lens, Parts } from "../conversion/lens.ts";
import { each, within } from "../conversion/nested-rows.ts";
import { lensOf } from "../conversion/rows.ts";
import { admits, type Shape, typeOfValue, wordsFor } from "../conversion/shape.ts";
import { versionChainOf } from "../conversion/version-chain.ts";
import { didYouMean } from "../json/alike.ts";
import { define, isArray, isExactNumber, isObject, type Json, type JsonObject } from "../json/json.ts";
import { shapeAt } from "./check-rows.ts";
import type { Kind } from "./kind.ts";

/** A function of a lens that breaks its contract, with the row that it belongs to. */
export class BrokenLens extends Error {
  override readonly name = "BrokenLens";
  readonly version: string;
  readonly lens: Lens;
  readonly row: AnyRow | undefined;
  constructor(sentence: string, at: Pick<BrokenLens, "version" | "lens" | "row">) {
    super(sentence);
    this.version = at.version;
    this.lens = at.lens;
    this.row = at.row;
  }
}

/**
 * The kind with lenses that notice what TypeScript cannot, or may not because of a cast: a function that changes its argument, which is
 * frozen, that returns a promise or another value that is not JSON, or a value of another type than its field. Slower, so it
 * is for the examples at start alone. The functions throw BrokenLens, or what the author's code throws.
 */
export function strictKind(kind: Kind): Kind {
  const versions = kind.versions.map((version, index) => {
    const newer = kind.versions[index + 1];
    if (version.lens === undefined || newer === undefined) return version;
    const strict = strictLens(version.name, version.lens, version.shape, newer.shape);
    return { ...version, lens: strict };
  });
  return { ...kind, versions, chain: versionChainOf(versions) };
}

function strictLens(version: string, lens: Lens, older: Shape, newer: Shape): Lens {
  const whole = strictWhole(version, lens);
  if (lens.rows === undefined) return whole;
  const rows = lensOf(lens.rows.map((row) => strictRow({ version, lens, row }, older, newer)));
  // The rows name the field that is wrong. The result is that of the lens, whose functions may be others than those of its rows.
  const both = (name: "up" | "down") => (object: JsonObject) => {
    rows[name](object);
    return whole[name](object);
  };
  return { ...lens, up: both("up"), down: both("down") };
}

/** A lens as a whole, as one written by hand is. */
function strictWhole(version: string, lens: Lens): Lens {
  const strict = (name: "up" | "down") => (object: JsonObject) => {
    const at = { version, lens, row: undefined };
    const result: unknown = lens[name](frozen(object) as JsonObject);
    if (!isObject(result))
      throw new BrokenLens(`${name} returns ${wordFor(result)}; it must return an object`, at);
    const fault = faultIn(result, "");
    if (fault !== undefined) throw new BrokenLens(`${name} returns ${fault}`, at);
    return result;
  };
  return { ...lens, up: strict("up"), down: strict("down") };
}

type Place = Pick<BrokenLens, "version" | "lens"> & { readonly row: AnyRow };

function strictRow(place: Place, older: Shape, newer: Shape): AnyRow {
  const { row } = place;
  // What passes as it is is as good as its source, and a difference of types is a fault of the row.
  if (row.isSame === true) return row;
  const strict = row.inner === undefined ? row : withStrictRows(place, row.inner, older, newer);
  return {
    ...strict,
    up: strictFunction("up", strict.up, row.newer, newer, place),
    down: strictFunction("down", strict.down, row.older, older, place),
  };
}

/** A row whose inner rows are strict as well. */
function withStrictRows(place: Place, { lens, of }: Inner, older: Shape, newer: Shape): AnyRow {
  const { row, version } = place;
  const [from, to] = [row.older.value, row.newer.value];
  const [below, above] = [objectsAt(from, of, older), objectsAt(to, of, newer)];
  const isPlain = Object.keys(row.older).length === 1 && Object.keys(row.newer).length === 1;
  if (
    !isPlain ||
    typeof from !== "string" ||
    typeof to !== "string" ||
    below === undefined ||
    above === undefined
  )
    return row;
  const rows = (lens.rows ?? []).map((inner) => strictRow({ version, lens, row: inner }, below, above));
  return (of === "items" ? each : within)(from, to, ...rows);
}

/** The shape of the objects that the rows below a row map. */
function objectsAt(path: FieldPath | undefined, of: Inner["of"], shape: Shape): Shape | undefined {
  const field = typeof path === "string" ? shapeAt(shape, nameOfPath(path).split(".")) : undefined;
  return of === "object" && !hasFirstItem(path) ? field : (field?.items ?? field?.additional);
}

function strictFunction(
  name: "up" | "down",
  map: (parts: Parts) => Parts,
  fields: AnyRow["older"],
  shape: Shape,
  place: Place,
): (parts: Parts) => Parts {
  return (parts) => {
    const given = Object.fromEntries(Object.entries(parts).map(([key, value]) => [key, frozen(value)]));
    const result: unknown = map(given);
    const fault =
      isJsonNode(result) && isObject(result)
        ? faultOfParts(result, fields, shape)
        : `${wordFor(result)}; it must return an object, {} for no value`;
    if (fault !== undefined) throw new BrokenLens(`${name} returns ${fault}`, place);
    return result as Parts;
  };
}

function faultOfParts(parts: object, fields: AnyRow["older"], shape: Shape): string | undefined {
  const unknown = Object.keys(parts).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined)
    return `${unknown}, which the row does not name${didYouMean(unknown, Object.keys(fields))}`;
  for (const [name, path] of Object.entries(fields)) {
    const value: unknown = Object.entries(parts).find(([key]) => key === name)?.[1];
    if (value === undefined || value === null) continue;
    const field = typeof path === "string" ? path : path.join(".");
    const fault = faultIn(value, field);
    if (fault !== undefined) return fault;
    const expected = typeof path === "string" ? shapeAt(shape, path.split(".")) : undefined;
    const isAdmitted = expected === undefined || admits(expected, value as Exclude<Json, null>);
    // A number that is not an integer may be one that has no counterpart.
    if (!isAdmitted && typeof value !== "number")
      return `${typeOfValue(value as Exclude<Json, null>)} for ${field}, which is ${wordsFor(expected)}`;
  }
  return undefined;
}

/** What in a value is not JSON: the sort of it, and where it is. */
function faultIn(value: unknown, path: string): string | undefined {
  if (!isJsonNode(value))
    return `${wordFor(value)}${path === "" ? "" : ` for ${path}`}${wordOfAdvice(value)}`;
  if (isArray(value)) return firstFault([...value].map((each, index) => [each, `${path}[${index}]`]));
  if (!isObject(value)) return undefined;
  const entries = Object.entries<unknown>(value).filter(([, each]) => each !== undefined);
  return firstFault(entries.map(([key, each]) => [each, path === "" ? key : `${path}.${key}`]));
}

function firstFault(values: readonly (readonly [value: unknown, path: string])[]): string | undefined {
  for (const [value, path] of values) {
    const fault = faultIn(value, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Whether a value is JSON, apart from what is in it. */
function isJsonNode(value: unknown): boolean {
  if (value === null || ["string", "boolean"].includes(typeof value)) return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value) || isExactNumber(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function wordFor(value: unknown): string {
  if (typeof value === "number" || value === undefined || value === null) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "a list" : `a ${value.constructor?.name ?? "object"}`;
}

function wordOfAdvice(value: unknown): string {
  if (value instanceof Promise) return "; a lens cannot wait, so its functions must not be async";
  if (value instanceof Date) return "; write a time as text: date.toISOString()";
  if (typeof value === "bigint") return "; write an integer of any size with toInteger";
  return ", which is not JSON";
}

/** A copy that throws in whatever tries to change it. */
function frozen<Value extends Json | undefined>(value: Value): Value;
function frozen(value: Json | undefined): Json | undefined {
  if (isArray(value)) return Object.freeze(value.map((each) => frozen(each)));
  if (!isObject(value)) return value;
  const copy: Record<string, Json> = {};
  for (const [key, each] of Object.entries(value)) define(copy, key, frozen(each));
  return Object.freeze(copy);
}
