import { expect, it } from "vitest";
import { parseJson } from "../../src/json/exact.ts";
import { mergePatched } from "../../src/json/merge-patch.ts";

// Lives that are drawn compare these with a real API server (test/cluster/suites/stories.test.ts).
const cases = [
  ["a field is replaced, and a null removes one", '{"a":1,"b":2}', '{"a":3,"b":null}', '{"a":3}'],
  ["fields of objects are merged", '{"a":{"b":1,"c":2}}', '{"a":{"b":null}}', '{"a":{"c":2}}'],
  [
    "a new object has none of the patch's nulls",
    "{}",
    '{"a":{"b":null,"c":[{"d":null}]}}',
    '{"a":{"c":[{}]}}',
  ],
  [
    "nor have objects in a list that replaces another",
    '{"a":[1]}',
    '{"a":[{"b":null},null]}',
    '{"a":[{},null]}',
  ],
  [
    "a list that replaces an object is taken as it is",
    '{"a":{}}',
    '{"a":[{"b":null}]}',
    '{"a":[{"b":null}]}',
  ],
  ["a key of every object's is a field like others", "{}", '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
] as const;

it.each(cases)("%s", (_what, object, patch, merged) => {
  expect(mergePatched(parseJson(object), parseJson(patch))).toEqual(parseJson(merged));
});
