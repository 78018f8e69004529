import { globSync, readFileSync } from "node:fs";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import type { Path } from "../../../src/json/path.ts";

/** One thing to send: bytes for a connection, in the parts in which they are written. */
export interface Attack {
  readonly what: string;
  readonly endpoint: Endpoint;
  readonly body: Buffer;
  /** Whether it is well-formed HTTP and must be answered; otherwise its connection may also be closed. */
  readonly isHttp: boolean;
  readonly parts: readonly Buffer[];
  /** Whether the caller shuts its side, or goes, when all is written. */
  readonly after: "waits" | "ends" | "leaves";
}

const endpoints = ["convert", "mutate", "validate"] as const;
type Endpoint = (typeof endpoints)[number];

/** Draws numbers, the same ones for the same seed (mulberry32). */
export interface Dice {
  /** A whole number from 0 on, below `sides`. */
  readonly roll: (sides: number) => number;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const roll = (sides: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
  return { roll, pick: (items) => items[roll(items.length)] as (typeof items)[number] };
}

/** A review of those that lie in the repository, and the endpoint that it was sent to. */
interface Base {
  readonly endpoint: Endpoint;
  readonly review: JsonObject;
}

/** The reviews that were recorded and those that the kinds' folders show. */
export function readBases(): readonly Base[] {
  return globSync(["webhooks/*/*/reviews/*/*.json", "test/review/reviews/{,recorded/}*/*.json"])
    .filter((file) => !file.endsWith(".answer.json"))
    .sort()
    .map((file) => ({
      endpoint: endpoints.find((endpoint) => file.includes(`/${endpoint}/`)) ?? "convert",
      review: parseJson(readFileSync(file, "utf8")) as JsonObject,
    }));
}

/** A random attack, made from the bases. */
export function attack(bases: readonly Base[], dice: Dice): Attack {
  const { endpoint, review } = dice.pick(bases);
  let value: Json = review;
  for (let left = dice.roll(4); left > 0; left--) value = changed(value, dice);
  let body: Buffer = Buffer.from(writeJson(value));
  const isMangled = dice.roll(3) === 0;
  if (isMangled) for (let left = 1 + dice.roll(3); left > 0; left--) body = mangled(body, dice);
  const path = dice.roll(20) === 0 ? dice.pick(endpoints) : endpoint;
  return framed({ endpoint: path, body, what: isMangled ? "mangled" : "changed" }, dice);
}

/** The value with something in it put in place of something else. */
function changed(value: Json, dice: Dice): Json {
  const places: Path[] = [];
  collect(value, [], places);
  const place = dice.pick(places);
  return at(value, place, (there) => (dice.roll(4) === 0 ? grown(there, dice) : oddValue(dice)));
}

/** The larger of a value's places are as likely as its leaves: spec, metadata, request. */
function collect(value: Json, path: Path, places: Path[]): void {
  places.push(path);
  if (path.length < 5) places.push(path, path);
  // Below lies what was put in to be deep, and one place in it is like another.
  if (path.length > 100) return;
  if (isArray(value)) value.forEach((item, index) => void collect(item, [...path, index], places));
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) collect(item, [...path, key], places);
  }
}

/** The value with another at a place; undefined takes away what is there. */
function at(value: Json, [step, ...rest]: Path, change: (there: Json) => Json | undefined): Json {
  if (step === undefined) return change(value) ?? null;
  if (isArray(value)) {
    return value.flatMap((item, index) => (index === step ? [at(item, rest, change)] : [item]));
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, item]): [string, Json][] => {
    if (key !== step) return [[key, item]];
    if (rest.length > 0) return [[key, at(item, rest, change)]];
    const made = change(item);
    return made === undefined ? [] : [[key, made]];
  });
  return Object.fromEntries(entries);
}

function grown(value: Json, dice: Dice): Json {
  if (isArray(value)) return [...value, ...Array(dice.roll(30)).fill(value[0] ?? oddValue(dice))];
  if (isObject(value)) {
    const key = dice.pick([
      "__proto__",
      "constructor",
      "",
      "10",
      "=",
      "~",
      "#order",
      "\\",
      "a/b",
      "é",
      "x".repeat(300),
    ]);
    return Object.fromEntries([...Object.entries(value), [key, oddValue(dice)]]);
  }
  return [value, value];
}

function oddValue(dice: Dice): Json {
  return dice.pick<() => Json>([
    () => null,
    () => [],
    () => ({}),
    () => "",
    () => true,
    () => -1,
    () => 0.1,
    () => parseJson("9007199254740993"),
    () => parseJson("1e400"),
    () => "x".repeat(dice.roll(70_000)),
    () => "\ud800",
    () => "v1",
    () => "home.antechamber.dev/v1",
    () => "21.5C",
    () => "Room",
    () => [[[[[[]]]]]],
    () => [null, {}, "a", 1],
    () => ({ name: "a", "=": [1], "~": [] }),
    () => ({ ["__proto__"]: { polluted: true } }),
    () =>
      parseJson(
        `${"[".repeat(dice.roll(1_500))}1${"]".repeat(1_500)}`.replace(
          /^(\[*)1\]*$/,
          (_, open: string) => `${open}1${"]".repeat(open.length)}`,
        ),
      ),
  ])();
}

/** The bytes with some taken out, put in, doubled, or turned over. */
function mangled(bytes: Buffer, dice: Dice): Buffer {
  const from = dice.roll(bytes.length + 1);
  const to = Math.min(bytes.length, from + dice.roll(dice.pick([2, 20, 2_000])));
  const [before, piece, after] = [bytes.subarray(0, from), bytes.subarray(from, to), bytes.subarray(to)];
  const tokens = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "\\u0000",
    "\0",
    "1e9999",
    "\xff",
    '"uid":"x",',
    "null",
  ];
  switch (dice.roll(5)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, piece, piece, after]);
    case 2:
      return Buffer.concat([before, Buffer.from(dice.pick(tokens), "latin1"), after]);
    case 3:
      return before;
    default: {
      const turned = Buffer.from(bytes);
      if (turned.length > 0) turned[dice.roll(turned.length)] = dice.roll(256);
      return turned;
    }
  }
}

/** How a body is put on the wire: mostly as it should be. */
function framed(
  { endpoint, body, what }: { endpoint: Endpoint; body: Buffer; what: string },
  dice: Dice,
): Attack {
  const head = (more: readonly string[], first = `POST /${endpoint}?timeout=10s HTTP/1.1`) =>
    Buffer.from(
      `${[first, "Host: localhost", "Content-Type: application/json", ...more].join("\r\n")}\r\n\r\n`,
    );
  const length = `Content-Length: ${body.length}`;
  const whole = (parts: readonly Buffer[], more: Partial<Attack> = {}): Attack => {
    return { what, endpoint, body, isHttp: true, after: "waits", parts, ...more };
  };
  switch (dice.roll(24)) {
    case 0:
      return whole([head(["Transfer-Encoding: chunked"]), ...chunks(body, dice)], {
        what: `${what}, chunked`,
      });
    case 1:
      return whole(pieces(Buffer.concat([head([length]), body]), dice), { what: `${what}, in pieces` });
    case 2:
      return whole([head([length, "Expect: 100-continue"]), body], { what: `${what}, asked first` });
    case 3:
      return whole([head([length]), body], { what: `${what}, then ends`, after: "ends" });
    case 4:
      return whole([head([length]), body.subarray(0, dice.roll(body.length + 1))], {
        what: "a body cut short",
        isHttp: false,
        after: dice.pick(["ends", "leaves"]),
      });
    case 5:
      return whole([mangled(head([length]), dice), body], {
        what: "a mangled head",
        isHttp: false,
        after: "ends",
      });
    case 6:
      return whole(
        [head([`Content-Length: ${dice.pick(["", "-1", "1e3", "9".repeat(30), "0x10"])}`]), body],
        {
          what: "a length that is none",
          isHttp: false,
          after: "ends",
        },
      );
    case 7:
      return whole([head([length], `${dice.pick(["GET", "PUT", "OPTIONS"])} /${endpoint} HTTP/1.1`), body], {
        what: "another method",
      });
    case 8:
      return whole([head([length, `X: ${"x".repeat(dice.roll(20_000))}`]), body], {
        what: "a long header",
        isHttp: false,
      });
    default:
      return whole([Buffer.concat([head([length]), body])]);
  }
}

function chunks(body: Buffer, dice: Dice): readonly Buffer[] {
  const parts = pieces(body, dice).filter((part) => part.length > 0);
  const lines = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from("\r\n"),
  ]);
  return [...lines, Buffer.from("0\r\n\r\n")];
}

function pieces(bytes: Buffer, dice: Dice): readonly Buffer[] {
  const cuts = Array.from({ length: dice.roll(5) }, () => dice.roll(bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((cut, index) => bytes.subarray(cut, cuts[index] ?? bytes.length));
}
