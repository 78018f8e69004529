/** What a folder of kinds is written with. Everything else is the engine's own. */

export type { Cause, Verdict } from "./admission/verdict.ts";
export type { Lens } from "./conversion/lens.ts";
export { type Codec, group, lens, move } from "./conversion/rows.ts";
export type { Gate } from "./gate.ts";
export { equal } from "./json/equal.ts";
export { isInteger, isNumber, toDecimal, toDouble, toInteger } from "./json/exact.ts";
export {
  type ExactNumber,
  get,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  set,
} from "./json/json.ts";
export {
  type Circumstances,
  defineKind,
  type Findings,
  type KindDefinition,
  version,
} from "./kind.ts";
export { type Lister, lister, type ObjectChange } from "./lister.ts";
export { defineNativeKind, type NativeCircumstances, type NativeDefinition } from "./native.ts";
