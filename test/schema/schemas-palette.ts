import { parseJson } from "../../src/json/exact.ts";
import { isArray, type JsonArray } from "../../src/json/json.ts";

const text = `[
  null, true, false, 0, 1, -1, 2.5, 1e21, 1e-7, 2147483648, 9007199254740993, 9223372036854775807, 9223372036854775808,
  "", "a", "1", "true", "null", " ", "a\\u0000\\u001f\\u007f\\u2028", "\\ud83d\\ude00", "\\"\\\\", "2024-02-30",
  [], [null], [1, 1], ["a", "a"], [{}], [[]], [[1], "a"],
  {}, {"a": null}, {"a": 1}, {"a": "a", "b": {"c": []}}, {"": ""}, {"a.b": {"x/y": 1}}, {"__proto__": {"a": 1}}, {"constructor": "a", "10": 1}
]`;

const values = parseJson(text);

/** One of everything that may stand where something else is expected. */
export const palette: JsonArray = isArray(values) ? values : [];
