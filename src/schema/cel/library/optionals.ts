import { Items, itemsOf } from "../language/collections.ts";
import { type Row, taking } from "../language/function.ts";
import { printValue } from "../language/print.ts";
import {
  CelError,
  Duration,
  isList,
  isMap,
  isOptionalValue,
  type ListValue,
  none,
  Optional,
  Timestamp,
  Uint,
  type Value,
} from "../language/values.ts";
import type { Work } from "../language/work.ts";

/** cel-go cel/library.go: optionals, of all versions. */
export const optionalRows: readonly Row[] = [
  ["optional_of", "optional.of(V): optional(V)", (value) => new Optional(value)],
  [
    "optional_ofNonZeroValue",
    "optional.ofNonZeroValue(V): optional(V)",
    (value) => (isZero(value) ? none : new Optional(value)),
  ],
  ["optional_none", "optional.none(): optional(V)", () => none],
  [
    "optional_value",
    "optional(V) .value(): V",
    taking([isOptionalValue], ({ value }) =>
      value === undefined ? new CelError("optional.none() dereference") : value,
    ),
  ],
  [
    "optional_hasValue",
    "optional(V) .hasValue(): bool",
    taking([isOptionalValue], ({ value }) => value !== undefined),
  ],
  ["optional_or_optional", "optional(V) .or(optional(V)): optional(V)"],
  ["optional_orValue_value", "optional(V) .orValue(V): V"],
  ["select_optional_field", "_?._(dyn, string): optional(V)"],
  ["list_optindex_optional_int", "_[?_](list(V), int): optional(V)"],
  ["optional_list_optindex_optional_int", "_[?_](optional(list(V)), int): optional(V)"],
  ["map_optindex_optional_value", "_[?_](map(K, V), K): optional(V)"],
  ["optional_map_optindex_optional_value", "_[?_](optional(map(K, V)), K): optional(V)"],
  ["optional_list_index_int", "_[_](optional(list(V)), int): optional(V)"],
  ["optional_map_index_value", "_[_](optional(map(K, V)), K): optional(V)"],
  ["list_last", "list(V) .last(): optional(V)", taking([isList], (list) => at(list, list.size - 1))],
  ["list_first", "list(V) .first(): optional(V)", taking([isList], (list) => at(list, 0))],
  ["optional_unwrap", "optional.unwrap(list(optional(V))): list(V)", taking([isList], unwrap)],
  ["optional_unwrapOpt", "list(optional(V)) .unwrapOpt(): list(V)", taking([isList], unwrap)],
  ["@mapInsert_map_key_value", "cel.@mapInsert(map(K, V), K, V): map(K, V)"],
  ["@mapInsert_map_map", "cel.@mapInsert(map(K, V), map(K, V)): map(K, V)"],
];

function at(list: ListValue, index: number): Value {
  return list.size === 0 ? none : new Optional(list.get(index));
}

function unwrap(list: ListValue, work: Work): Value {
  const values: Value[] = [];
  for (const item of itemsOf(list)) {
    if (!(item instanceof Optional)) return new CelError(`value ${printValue(item, work)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new Items(values);
}

function isZero(value: Value): boolean {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === -62135596800n && value.nanos === 0;
  // Lists and maps of the object have no notion of zero (valuesunstructured.go), only those that the rule made.
  return (
    (isList(value) && value instanceof Items && value.size === 0) ||
    (isMap(value) && value.size === 0 && !("json" in value))
  );
}
