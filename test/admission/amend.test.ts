import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { amend } from "../../src/admission/amend.ts";
import type { KeysOf } from "../../src/admission/patch.ts";
import { isObject, type Json } from "../../src/json/json.ts";
import { copy, json, jsonObject, keyedList, keysOf, text } from "./values.ts";

const byName: KeysOf = () => ["name"];
// LAWS_RUNS=20000 npx vitest run test/admission tries them long; what fails prints the seed that draws the same again.
const runs = { numRuns: Number(process.env.LAWS_RUNS ?? 300) };

describe("amending", () => {
  it("leaves the origin, the very same value, when nothing changed", () => {
    fc.assert(
      fc.property(json, json, keysOf, (origin, before, keys) => {
        expect(amend(origin, before, before, keys)).toBe(origin);
        expect(amend(origin, before, copy(before), keys)).toBe(origin);
      }),
      runs,
    );
  });

  it("gives what was meant when the image is the origin itself", () => {
    fc.assert(
      fc.property(json, json, keysOf, (before, after, keys) => {
        expect(text(amend(before, before, after, keys))).toBe(text(after));
        expect(text(amend(copy(before), before, after, keys))).toBe(text(after));
      }),
      runs,
    );
  });

  it("gives what was meant for keyed lists, their order included", () => {
    fc.assert(
      fc.property(keyedList, keyedList, (before, after) => {
        expect(text(amend(copy(before), before, after, byName))).toBe(text(after));
      }),
      runs,
    );
  });

  it("never touches a field that before and after agree on", () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, jsonObject, keysOf, (origin, before, after, keys) => {
        expectUntouched(origin, before, after, amend(origin, before, after, keys));
      }),
      runs,
    );
  });

  it("changes none of its three arguments", () => {
    fc.assert(
      fc.property(json, json, json, keysOf, (origin, before, after, keys) => {
        const texts = [origin, before, after].map((value) => JSON.stringify(value));
        amend(origin, before, after, keys);
        expect([origin, before, after].map((value) => JSON.stringify(value))).toEqual(texts);
      }),
    );
  });

  it.each<[string, Json, Json, Json, Json]>([
    [
      "sets a field and keeps what the image did not show",
      { a: 1, odd: 2 },
      { a: 1 },
      { a: 3 },
      { a: 3, odd: 2 },
    ],
    ["adds a field beside what the image did not show", { odd: 2 }, {}, { b: 1 }, { odd: 2, b: 1 }],
    ["adds a whole object where there was none", {}, {}, { spec: { a: 1 } }, { spec: { a: 1 } }],
    ["adds an empty object where there was none", {}, {}, { spec: {} }, { spec: {} }],
    [
      "keeps what an object had that the image lacked",
      { s: { odd: 1 } },
      {},
      { s: { a: 2 } },
      { s: { odd: 1, a: 2 } },
    ],
    ["takes a field away", { a: 1, odd: 2 }, { a: 1 }, {}, { odd: 2 }],
    ["takes an object away with all that was in it", { s: { a: 1, odd: 2 } }, { s: { a: 1 } }, {}, {}],
    [
      "adds to an object of the image that the origin lacks only what changed",
      {},
      { s: { a: 1 } },
      { s: { a: 1, b: 2 } },
      { s: { b: 2 } },
    ],
    [
      "replaces a value that is not an object by what changed",
      { s: "warm" },
      { s: {} },
      { s: { a: 1 } },
      { s: { a: 1 } },
    ],
    ["sets null as a value", { a: 1 }, { a: 1 }, { a: null }, { a: null }],
    ["replaces null", { a: null }, { a: null }, { a: {} }, { a: {} }],
    ["takes a list without keys from after", { l: [1, 2] }, { l: [1] }, { l: [1, 3] }, { l: [1, 3] }],
    [
      "keeps a list without keys that did not change",
      { l: [1, 2], a: 1 },
      { l: [1] },
      { l: [1], a: 1 },
      { l: [1, 2], a: 1 },
    ],
    ["keeps a null origin that did not change", null, 1, 1, null],
  ])("%s", (_claim, origin, before, after, amended) => {
    expect(amend(origin, before, after)).toEqual(amended);
  });

  it("keeps the order of keys, and a key `__proto__`", () => {
    const origin = JSON.parse('{"z": 1, "__proto__": {"a": 1, "odd": 2}, "b": 1}') as Json;
    const before = JSON.parse('{"__proto__": {"a": 1}}') as Json;
    const after = JSON.parse('{"c": 1, "__proto__": {"a": 2}}') as Json;
    expect(JSON.stringify(amend(origin, before, after))).toBe(
      '{"z":1,"__proto__":{"a":2,"odd":2},"b":1,"c":1}',
    );
  });

  it("of values 10,000 deep ends at the limit", () => {
    const deep = (leaf: Json): Json =>
      Array.from({ length: 10_000 }).reduce<Json>((inner) => ({ a: inner }), leaf);
    const [before, after] = [deep(1), deep(2)];
    expect(amend(before, before, deep(1))).toBe(before);
    expect(JSON.stringify(leafOf(amend(before, before, after)))).toBe("2");
  });
});

describe("a keyed list", () => {
  const list = (...items: (string | Json)[]): Json => ({
    list: items.map((item) => (typeof item === "string" ? { name: item } : item)),
  });
  const odd = (name: string): Json => ({ name, odd: name });

  it.each<[string, Json, Json, Json, Json]>([
    [
      "changes an item and keeps what the image did not show of it",
      list(odd("a"), odd("b")),
      list("a", "b"),
      list("a", { name: "b", on: 1 }),
      list(odd("a"), { name: "b", odd: "b", on: 1 }),
    ],
    ["takes an item away", list(odd("a"), odd("b")), list("a", "b"), list("b"), list(odd("b"))],
    [
      "keeps an item that the image did not show",
      list("a", odd("x"), "b"),
      list("a", "b"),
      list("a", "b", "c"),
      list("a", odd("x"), "b", "c"),
    ],
    [
      "puts a new item behind the one it follows",
      list("a", odd("x"), "b"),
      list("a", "b"),
      list("n", "a", "m", "b"),
      list("n", "a", "m", odd("x"), "b"),
    ],
    [
      "keeps the origin's order when the change does not move items",
      list("b", "a"),
      list("a", "b"),
      list("a", "b", "c"),
      list("b", "c", "a"),
    ],
    [
      "takes the order of a change that moves items",
      list("a", "b", odd("x")),
      list("a", "b"),
      list("b", "a"),
      list("b", odd("x"), "a"),
    ],
    [
      "does not bring back an item that the origin lacks and the change does not concern",
      list("a"),
      list("a", "b"),
      list("a", "b", "c"),
      list("a", "c"),
    ],
    [
      "takes a changed item that the origin lacks whole",
      list("a"),
      list("a", "b"),
      list("a", { name: "b", on: 1 }),
      list("a", { name: "b", on: 1 }),
    ],
    [
      "without distinct keys becomes what after says",
      list(odd("a"), odd("a")),
      list("a", "a"),
      list("a", "b"),
      list("a", "b"),
    ],
  ])("%s", (_claim, origin, before, after, amended) => {
    expect(amend(origin, before, after, byName)).toEqual(amended);
  });

  it("shares with the origin the items that did not change", () => {
    const origin = [odd("a"), odd("b")];
    const amended = amend(
      origin,
      [{ name: "a" }, { name: "b" }],
      [{ name: "a" }, { name: "b", on: 1 }],
      byName,
    );
    expect((amended as readonly Json[])[0]).toBe(origin[0]);
  });
});

/** Through objects only: where two images agree, or both are silent, what was amended holds what the origin held. */
function expectUntouched(origin: Json, before: Json, after: Json, amended: Json): void {
  if (!isObject(origin) || !isObject(before) || !isObject(after)) return;
  for (const key of new Set([...Object.keys(origin), ...Object.keys(before), ...Object.keys(after)])) {
    const [had, was, is, has] = [origin, before, after, amended].map((value) =>
      isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined,
    );
    if (was === undefined ? is === undefined : is !== undefined && text(was) === text(is))
      expect(has).toBe(had);
    else expectUntouched(had ?? null, was ?? null, is ?? null, has ?? null);
  }
}

function leafOf(value: Json): Json {
  let here = value;
  while (isObject(here)) here = here.a ?? null;
  return here;
}
