import fc from "fast-check";
import { toInteger } from "../json/exact.ts";
import type { Json, JsonObject } from "../json/json.ts";

/** Keys that mean something to JavaScript, to a path, or to the complement's own tree, and are keys like any other. */
export const strangeKeys = [
  "__proto__",
  "constructor",
  "toString",
  "10",
  "9",
  "",
  "=",
  "~",
  "^",
  "#order",
  "a.b",
  "a/b~c",
  "é\u0000\u2028",
  "apiVersion",
  "metadata",
  "conversionData",
] as const;

/** Code points that are no characters. */
const surrogates = { first: 0xd800, count: 0x800 };

/**
 * A key of a JSON object. None has a backslash: once V8 has seen such a key, JSON.parse mistakes others that are
 * escaped for it (nodejs/node#63785), and laws would break that are not ours.
 */
export const anyKey: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom("a", "b", "name", "mode"), weight: 3 },
  { arbitrary: fc.constantFrom(...strangeKeys), weight: 2 },
  { arbitrary: fc.string({ maxLength: 4 }).map((key) => key.replaceAll("\\", "/")), weight: 1 },
);

/** An integer that a double cannot hold, or the extremes of what is one. */
export const extremeInteger: fc.Arbitrary<Json> = fc
  .constantFrom(
    "9007199254740991",
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "-9223372036854775808",
  )
  .map(toInteger);

/**
 * Any character, drawn and shrunk as fast-check's own unit "binary" does: that one first writes a table of all 1,112,064
 * of them, which takes a second.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count), placeOf);

/** Text of any sort, also what looks like another type. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom("", "a", "b"), weight: 3 },
  { arbitrary: fc.constantFrom("null", "0", "50%", "true", " ", "{}", "𝄞é\u0301", "\u0000\n"), weight: 1 },
  { arbitrary: fc.string({ maxLength: 8, unit: anyCharacter }).map(wellFormed), weight: 1 },
);

/** A value that is neither a list nor an object. */
const anyScalar: fc.Arbitrary<Json> = fc.oneof(
  { arbitrary: fc.constantFrom<Json[]>(null, true, false, 0, 1, -1, 0.5, 1e-7, 1e21), weight: 3 },
  { arbitrary: anyText, weight: 2 },
  { arbitrary: extremeInteger, weight: 1 },
);

/** Any JSON value at all, small. */
export const anyJson: fc.Arbitrary<Json> = fc.letrec<{ value: Json; list: Json; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: "json" },
      { arbitrary: anyScalar, weight: 3 },
      { arbitrary: tie("list"), weight: 1 },
      { arbitrary: tie("object"), weight: 2 },
    ),
    list: fc.array(tie("value"), { maxLength: 3, depthIdentifier: "json" }),
    object: fc
      .array(fc.tuple(anyKey, tie("value")), { maxLength: 3, depthIdentifier: "json" })
      .map(Object.fromEntries),
  }),
).value;

/** A value nested deep: a list or an object in a list or an object, and so on. */
export const deepJson: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(10, 150, 250, 400), fc.boolean(), anyScalar)
  .map(([depth, isList, leaf]) => {
    let value = leaf;
    for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
    return value;
  });

/** Go replaces lone surrogates while it reads JSON (kubernetes.md 8d): none ever arrives. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

/** Where among all characters one stands. Throws for what is none: so fast-check is told that it was not drawn here. */
function placeOf(text: unknown): number {
  const point = typeof text === "string" ? text.codePointAt(0) : undefined;
  const isOne = point !== undefined && String.fromCodePoint(point) === text && text.isWellFormed();
  if (!isOne) throw new Error("This is no character.");
  return point < surrogates.first ? point : point - surrogates.count;
}
