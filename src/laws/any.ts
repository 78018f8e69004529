import fc from "fast-check";
import { toInteger } from "../json/exact.ts";
import type { Json, JsonObject } from "../json/json.ts";

/**
 * Keys with a special meaning in JavaScript, in a path or in the complement's tree; in an object they are ordinary
 * keys.
 */
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

/** The code points of surrogates, which are not characters. */
const surrogates = { first: 0xd800, count: 0x800 };

/**
 * A key of a JSON object. None has a backslash: once V8 has seen such a key, JSON.parse mistakes other escaped keys for it
 * (nodejs/node#63785), and laws would fail for that reason.
 */
export const anyKey: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom("a", "b", "name", "mode"), weight: 3 },
  { arbitrary: fc.constantFrom(...strangeKeys), weight: 2 },
  { arbitrary: fc.string({ maxLength: 4 }).map((key) => key.replaceAll("\\", "/")), weight: 1 },
);

/** An integer beyond 2^53, which a double cannot hold, or one at a limit. */
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
  .map(
    (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
    indexOfCharacter,
  );

/** What separates the parts of a text that stands for several values: `Ida May`, `host:port`, `a/b`. */
const separators = [" ", ":", "/", "@", ","] as const;

/** Texts of a few short words, as versions split and join them. */
export const wordyText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...separators),
  )
  .map(([words, separator]) => words.join(separator));

/** A text with one of its words replaced, left out or repeated. */
export function withWord(text: string, pick: number, word: string | undefined): string {
  const parts = text.split(/([ :/@,]+)/);
  const at = 2 * (pick % Math.ceil(parts.length / 2));
  if (word !== undefined) return parts.with(at, word).join("");
  return parts.toSpliced(Math.max(0, at - 1), 2).join("");
}

/** Any string, including ones that look like another type. */
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

/** A deeply nested value: lists in lists, or objects in objects. */
export const deepJson: fc.Arbitrary<Json> = fc
  .tuple(fc.constantFrom(10, 150, 250, 400), fc.boolean(), anyScalar)
  .map(([depth, isList, leaf]) => {
    let value = leaf;
    for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
    return value;
  });

/** Go's encoding/json replaces lone surrogates while it decodes, so that an API server never sends one. */
function wellFormed(text: string): string {
  return text.toWellFormed();
}

/**
 * The index of a character among all characters. Throws for any other value: that is how fast-check learns that it was
 * not drawn here.
 */
function indexOfCharacter(text: unknown): number {
  const point = typeof text === "string" ? text.codePointAt(0) : undefined;
  const isOne = point !== undefined && String.fromCodePoint(point) === text && text.isWellFormed();
  if (!isOne) throw new Error("not a character");
  return point < surrogates.first ? point : point - surrogates.count;
}
