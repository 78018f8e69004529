import { convert } from "../language/convert.ts";
import type { Row } from "../language/function.ts";
import { size } from "../language/operators.ts";

const comparable = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"];
const numeric = ["int", "uint", "double"];
const idOf = new Map([
  ["int", "int64"],
  ["uint", "uint64"],
]);
const idName = (type: string): string => idOf.get(type) ?? type;

function relation(fn: string, word: string): readonly Row[] {
  const same = comparable.map((type): Row => [`${word}_${idName(type)}`, `${fn}(${type}, ${type}): bool`]);
  const mixed = numeric.flatMap((a) =>
    numeric
      .filter((b) => a !== b)
      .map((b): Row => [`${word}_${idName(a)}_${idName(b)}`, `${fn}(${a}, ${b}): bool`]),
  );
  return [...same, ...mixed];
}

const conversion = (to: string, from: string, id: string): Row => [
  id,
  `${to}(${from}): ${to}`,
  (value) => convert(value, to),
];

/** The operators, conversions and string methods of CEL itself (cel-go common/stdlib/standard.go). */
export const standardRows: readonly Row[] = [
  ["conditional", "_?_:_(bool, A, A): A"],
  ["logical_and", "_&&_(bool, bool): bool"],
  ["logical_or", "_||_(bool, bool): bool"],
  ["logical_not", "!_(bool): bool"],
  ["not_strictly_false", "@not_strictly_false(bool): bool"],
  ["equals", "_==_(A, A): bool"],
  ["not_equals", "_!=_(A, A): bool"],
  ["add_bytes", "_+_(bytes, bytes): bytes"],
  ["add_double", "_+_(double, double): double"],
  ["add_duration_duration", "_+_(duration, duration): duration"],
  ["add_duration_timestamp", "_+_(duration, timestamp): timestamp"],
  ["add_timestamp_duration", "_+_(timestamp, duration): timestamp"],
  ["add_int64", "_+_(int, int): int"],
  ["add_list", "_+_(list(A), list(A)): list(A)"],
  ["add_string", "_+_(string, string): string"],
  ["add_uint64", "_+_(uint, uint): uint"],
  ["divide_double", "_/_(double, double): double"],
  ["divide_int64", "_/_(int, int): int"],
  ["divide_uint64", "_/_(uint, uint): uint"],
  ["modulo_int64", "_%_(int, int): int"],
  ["modulo_uint64", "_%_(uint, uint): uint"],
  ["multiply_double", "_*_(double, double): double"],
  ["multiply_int64", "_*_(int, int): int"],
  ["multiply_uint64", "_*_(uint, uint): uint"],
  ["negate_double", "-_(double): double"],
  ["negate_int64", "-_(int): int"],
  ["subtract_double", "_-_(double, double): double"],
  ["subtract_duration_duration", "_-_(duration, duration): duration"],
  ["subtract_int64", "_-_(int, int): int"],
  ["subtract_timestamp_duration", "_-_(timestamp, duration): timestamp"],
  ["subtract_timestamp_timestamp", "_-_(timestamp, timestamp): duration"],
  ["subtract_uint64", "_-_(uint, uint): uint"],
  ...relation("_<_", "less"),
  ...relation("_<=_", "less_equals"),
  ...relation("_>_", "greater"),
  ...relation("_>=_", "greater_equals"),
  ["index_list", "_[_](list(A), int): A"],
  ["index_map", "_[_](map(A, B), A): B"],
  ["in_list", "@in(A, list(A)): bool"],
  ["in_map", "@in(A, map(A, B)): bool"],
  ["size_bytes", "size(bytes): int", size],
  ["bytes_size", "bytes .size(): int", size],
  ["size_list", "size(list(A)): int", size],
  ["list_size", "list(A) .size(): int", size],
  ["size_map", "size(map(A, B)): int", size],
  ["map_size", "map(A, B) .size(): int", size],
  ["size_string", "size(string): int", size],
  ["string_size", "string .size(): int", size],
  ["type", "type(A): type(A)", (value) => convert(value, "type")],
  conversion("bool", "bool", "bool_to_bool"),
  conversion("bool", "string", "string_to_bool"),
  conversion("bytes", "bytes", "bytes_to_bytes"),
  conversion("bytes", "string", "string_to_bytes"),
  conversion("double", "double", "double_to_double"),
  conversion("double", "int", "int64_to_double"),
  conversion("double", "string", "string_to_double"),
  conversion("double", "uint", "uint64_to_double"),
  conversion("duration", "duration", "duration_to_duration"),
  conversion("duration", "int", "int64_to_duration"),
  conversion("duration", "string", "string_to_duration"),
  ["to_dyn", "dyn(A): dyn", (value) => value],
  conversion("int", "int", "int64_to_int64"),
  conversion("int", "double", "double_to_int64"),
  conversion("int", "duration", "duration_to_int64"),
  conversion("int", "string", "string_to_int64"),
  conversion("int", "timestamp", "timestamp_to_int64"),
  conversion("int", "uint", "uint64_to_int64"),
  conversion("string", "string", "string_to_string"),
  conversion("string", "bool", "bool_to_string"),
  conversion("string", "bytes", "bytes_to_string"),
  conversion("string", "double", "double_to_string"),
  conversion("string", "duration", "duration_to_string"),
  conversion("string", "int", "int64_to_string"),
  conversion("string", "timestamp", "timestamp_to_string"),
  conversion("string", "uint", "uint64_to_string"),
  conversion("timestamp", "timestamp", "timestamp_to_timestamp"),
  conversion("timestamp", "int", "int64_to_timestamp"),
  conversion("timestamp", "string", "string_to_timestamp"),
  conversion("uint", "uint", "uint64_to_uint64"),
  conversion("uint", "double", "double_to_uint64"),
  conversion("uint", "int", "int64_to_uint64"),
  conversion("uint", "string", "string_to_uint64"),
  ["contains_string", "string .contains(string): bool"],
  ["ends_with_string", "string .endsWith(string): bool"],
  ["starts_with_string", "string .startsWith(string): bool"],
  ["matches", "matches(string, string): bool"],
  ["matches_string", "string .matches(string): bool"],
];
