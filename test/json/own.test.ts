import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Json, own } from "../../src/json/json.ts";

/** Every name that an object inherits, and some others. */
const inherited = Object.getOwnPropertyNames(Object.prototype);
const key = fc.constantFrom(...inherited, "a", "", "0", "length");
const object = fc
  .dictionary(key, fc.jsonValue())
  .map((fields) => JSON.parse(JSON.stringify(fields)) as { readonly [key: string]: Json });

describe("a field of an object's own", () => {
  it("is what JSON text says of it, whatever its name", () => {
    fc.assert(
      fc.property(object, key, (fields, name) => {
        const said = new Map(Object.entries(fields));
        expect(own(fields, name)).toBe(said.get(name));
      }),
      { numRuns: 1000 },
    );
  });

  it("does not find inherited properties", () => {
    for (const name of inherited) expect(own({}, name), name).toBeUndefined();
  });

  it("is there for __proto__ too, where the text says it", () => {
    expect(own(JSON.parse('{"__proto__": {"a": 1}}'), "__proto__")).toEqual({ a: 1 });
  });
});
