import fc, { type GeneratorValue } from "fast-check";
import { parseJson } from "../../src/json/exact.ts";
import { isArray, type JsonArray } from "../../src/json/json.ts";

/** What draws: everything else follows from it. */
export interface Dice {
  /** Whether something happens that does so in so many of a hundred cases. */
  chance(percent: number): boolean;
  pick<T>(list: readonly T[]): T;
  upTo(most: number): number;
}

/** Results of a drawing function, the same ones for a seed each time. */
export function drawn<T>(seed: number, count: number, draw: (dice: Dice) => T): readonly T[] {
  const each = fc.gen().map((generator) => draw(diceOf(generator)));
  return fc.sample(each, { seed, numRuns: count });
}

function diceOf(draw: GeneratorValue): Dice {
  const upTo = (most: number) => draw(fc.nat, { max: most });
  return {
    upTo,
    chance: (percent) => upTo(99) < percent,
    pick: (list) => list[upTo(list.length - 1)] as (typeof list)[number],
  };
}

function listOf(text: string): JsonArray {
  const list = parseJson(text);
  return isArray(list) ? list : [];
}

// What draws is JSON text where a character would not be seen.
export const names = [
  "a",
  "b",
  "c",
  "d",
  "e.f",
  "x/y",
  "long-name",
  "10",
  "constructor",
  "namespace",
  "snake__d",
];
export const strings = listOf(`[
  "", "a", "b", "ab", "abc", "A", "é", "\\ud83d\\ude00", "x y", "1", "10%", "a\\n", "\\u0001\\u007f", "\\"\\\\", "e\\u0301", "true", "null",
  "2024-02-29", "2023-02-29", "1h", "P1D", "3 days", "2024-02-29T00:00:00Z", "2024-02-29t00:00:00+01:00", "1.2.3.4", "::1",
  "fe80::1%eth0", "10.0.0.0/8", "a@b.c", "A <a@b.c>", "aGk=", "aGk", "http://a.b/c?d#e", "/a", "a.b.c", "-a", "#fff",
  "00:00:5e:00:53:01", "123e4567-e89b-42d3-a456-426614174000", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
]`).map(String);
export const integers = listOf(
  "[0, 1, -1, 2, 3, 4, 5, 7, 10, 100, -100, 2147483647, 2147483648, 9007199254740992, 9007199254740993, 9223372036854775807]",
);
export const numbers: JsonArray = [
  ...integers,
  ...listOf(
    "[0.5, 1.5, 2.5, -0.25, 1e21, -1e21, 1e-7, 3.3, 0.1, 0.30000000000000004, 123456789.5, 9223372036854775808]",
  ),
];
export const patterns = [
  "^a",
  "b$",
  "^[a-z]*$",
  "^$",
  "^\\d+%?$",
  "(?i)^A",
  ".",
  "^\\pL",
  "[[:digit:]]",
  "a{2}",
  "(?s)^.$",
];
export const formats = [
  "date",
  "date-time",
  "datetime",
  "duration",
  "ipv4",
  "ipv6",
  "cidr",
  "mac",
  "email",
  "uri",
  "byte",
  "uuid",
  "uuid4",
  "hostname",
  "hexcolor",
  "password",
  "isbn",
  "bsonobjectid",
  "k8s-short-name",
  "k8s-long-name",
  "int32",
  "nope",
];
