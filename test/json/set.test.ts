import fc from "fast-check";
import { expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";

const keys = fc.constantFrom("a", "b", "__proto__", "constructor");
const objects = fc.dictionary(keys, fc.jsonValue({ maxDepth: 2 })) as fc.Arbitrary<JsonObject>;
const paths = fc.tuple(keys, fc.array(keys, { maxLength: 3 }));
const values = fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<Json>;

/** Whether a value on the way of a path is neither an object nor absent nor null. */
function isInTheWay(object: JsonObject, path: readonly string[]): boolean {
  return path.slice(0, -1).some((_, at) => {
    const parent = get(object, ...path.slice(0, at + 1)) ?? null;
    return parent !== null && !isObject(parent);
  });
}

it("what was set is got, unless another value is in the way; everything else stays", () => {
  fc.assert(
    fc.property(objects, paths, values, (object, [key, rest], value) => {
      const before = JSON.stringify(object);
      const changed = set(object, key, ...rest, value);
      expect(JSON.stringify(object)).toBe(before);
      if (isInTheWay(object, [key, ...rest])) {
        expect(changed).toBe(object);
        return;
      }
      expect(get(changed, key, ...rest)).toEqual(value);
      const others = Object.keys(object).filter((each) => each !== key);
      expect(others.map((each) => changed[each])).toEqual(others.map((each) => object[each]));
    }),
  );
});

it("undefined removes a value and makes no parent", () => {
  fc.assert(
    fc.property(objects, paths, (object, [key, rest]) => {
      const changed = set(object, key, ...rest, undefined);
      if (get(object, key, ...rest) === undefined) expect(changed).toEqual(object);
      else expect(get(changed, key, ...rest)).toBeUndefined();
      expect(Object.keys(changed)).toEqual(
        Object.keys(object).filter((each) => each !== key || rest.length > 0 || !Object.hasOwn(object, key)),
      );
    }),
  );
});
