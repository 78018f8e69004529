/**
 * What a kind is written with: everything that a `kind.ts` may import. The rest of the engine is private and may change at
 * any time. docs/reference/exports.md lists these names with what each is for.
 */

// A blank line after each of these comments keeps the groups: the formatter sorts exports between them.

// Defining a kind.

export type { Cause, Verdict } from "./admission/verdict.ts";
export type { Gate } from "./kind/gate.ts";
export {
  type Circumstances,
  defineKind,
  type Findings,
  type KindDefinition,
  version,
} from "./kind/kind.ts";
export { defineNativeKind, type NativeCircumstances, type NativeDefinition } from "./kind/native.ts";

// Objects of the cluster that a kind's functions depend on.

export { type Lister, lister, NotSynced, type ObjectChange } from "./kind/lister.ts";

// Conversion between two versions: lenses, and the rows that they consist of.

export { constant } from "./conversion/constant-row.ts";
export type { At, FieldPath, ItemOf } from "./conversion/field-types.ts";
export { type DefinedLens as Lens, defineLens, type LensFunctions, type Row } from "./conversion/lens.ts";
export { annotation, label } from "./conversion/marks.ts";
export { each, within } from "./conversion/nested-rows.ts";
export { group, lens, move } from "./conversion/rows.ts";

// Codecs for the values that rows move.

export { type Codec, chain, eachValue, type OpenCodec, reverse } from "./conversion/codecs/codec.ts";
export type { Integer } from "./conversion/codecs/integers.ts";
export { mapToList, oneToList, toItems } from "./conversion/codecs/lists.ts";
export {
  durationTo,
  quantityTo,
} from "./conversion/codecs/units.ts";
export {
  only,
  percentToFraction,
  percentToNumber,
  table,
  textToBoolean,
  textToInteger,
  textToIntOrString,
  textToNumber,
  times,
} from "./conversion/codecs/values.ts";

// JSON values, and paths to them.

export { equal } from "./json/equal.ts";
export {
  type ExactNumber,
  get,
  isArray,
  isExactNumber,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  own,
  set,
} from "./json/json.ts";
export { fieldOf, type Path } from "./json/path.ts";

// Numbers that keep every digit.

export { isInteger, isNumber, toDecimal, toDouble, toInteger } from "./json/exact.ts";
