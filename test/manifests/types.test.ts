import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, expectTypeOf, it } from "vitest";
import { toInteger } from "../../src/json/exact.ts";
import type { ExactNumber, JsonObject } from "../../src/json/json.ts";
import type { LightV1, LightV1beta1 } from "../../webhooks/home/light/types.ts";
import type { RoomV1, RoomV1beta1 } from "../../webhooks/home/room/types.ts";
import { house } from "./house.ts";

/** What a schema without a type has to say of itself. */
const anything = { "x-kubernetes-preserve-unknown-fields": true };

// What these objects claim is checked by the compiler, wherever the tests' types are.
const head = { apiVersion: "home.antechamber.dev/v1", kind: "Room", metadata: { name: "kitchen" } } as const;
const olderHead = { ...head, apiVersion: "home.antechamber.dev/v1beta1" } as const;

it("a good object has its version's type", () => {
  const room = {
    ...head,
    spec: {
      lights: [{ name: "table", brightness: 0.5, color: { kelvin: 2700 } }],
      climate: { targetCelsius: 21.5, mode: "Heat" },
      accessories: [{ vendor: "Acme", anything: { at: ["all"] } }],
    },
    status: { conversionData: { format: 1 } },
  } satisfies RoomV1;
  const older = {
    ...olderHead,
    spec: { brightness: "50%", doors: ["front"] },
  } satisfies RoomV1beta1;
  expect([room.kind, older.kind]).toEqual(["Room", "Room"]);
});

it("a wrong object has not", () => {
  const readonly = (room: RoomV1) => {
    // @ts-expect-error values are never changed in place
    room.metadata.name = "hall";
  };

  const wrong = [
    // @ts-expect-error another version
    { ...head, apiVersion: "home.antechamber.dev/v1beta1" } satisfies RoomV1,
    // @ts-expect-error another kind
    { ...head, kind: "Light" } satisfies RoomV1,
    // @ts-expect-error no choice of the enum
    { ...head, spec: { climate: { mode: "Warm" } } } satisfies RoomV1,
    // @ts-expect-error a required field is missing
    { ...head, spec: { lights: [{ brightness: 1 }] } } satisfies RoomV1,
    // @ts-expect-error a field that the schema does not know
    { ...head, spec: { owner: "me" } } satisfies RoomV1,
    // @ts-expect-error neither number nor string
    { ...olderHead, spec: { brightness: true } } satisfies RoomV1beta1,
  ];
  expect([...wrong, readonly]).toHaveLength(7);
});

it("an int64 may be an exact number, a bounded integer is a plain one", () => {
  type Spec = NonNullable<LightV1["spec"]>;
  expectTypeOf<NonNullable<NonNullable<Spec["device"]>["serial"]>>().toEqualTypeOf<number | ExactNumber>();
  expectTypeOf<NonNullable<NonNullable<Spec["color"]>["kelvin"]>>().toEqualTypeOf<number>();
  expectTypeOf<NonNullable<NonNullable<LightV1beta1["spec"]>["level"]>>().toEqualTypeOf<number | string>();
  const device = { serial: toInteger("9007199254740993") } satisfies NonNullable<Spec["device"]>;
  expect(JSON.stringify(device)).toBe('{"serial":9007199254740993}');
});

it("an object with a type is a JSON object, and a JSON object may be taken for one", () => {
  const room: RoomV1 = head;
  const json: JsonObject = room;
  expect((json as RoomV1).metadata.name).toBe("kitchen");
});

/** Everything that a schema may say and that makes a type look otherwise. */
const everything: JsonObject = {
  type: "object",
  description: "First line. */ alert() /*\n\nSecond line.  \r\nThird.",
  required: ["spec"],
  properties: {
    metadata: { type: "object" },
    spec: {
      type: "object",
      properties: {
        "10": { type: "string" },
        "a-b": { type: "string" },
        "it's": { type: "string" },
        'say "so"': { type: "string" },
        "\n": { type: "string" },
        ["__proto__"]: { type: "string" },
        é: { type: "boolean", nullable: true },
        nothing: { type: "object" },
        anything: { "x-kubernetes-preserve-unknown-fields": true },
        map: { type: "object", additionalProperties: { type: "array", items: { type: "string" } } },
        open: { type: "object", additionalProperties: true },
        nested: { type: "array", items: { type: "array", items: { type: "integer", format: "int64" } } },
        nullable: { type: "object", nullable: true, properties: { a: { type: "number" } } },
        nullables: {
          type: "array",
          items: { type: "object", nullable: true, required: ["a"], properties: { a: anything } },
        },
        mixed: {
          ...anything,
          enum: ["a", 1, true, null, toInteger("9007199254740993"), 'say "so"', "it's"],
          nullable: true,
        },
        objects: { type: "array", items: { type: "string", enum: [{ a: 1 }] } },
        long: { type: "string", enum: manyWords() },
        longs: { type: "array", items: { type: "string", enum: manyWords() } },
        longLists: { type: "array", items: { type: "array", items: { type: "string", enum: manyWords() } } },
        longMap: { type: "object", additionalProperties: { type: "string", enum: manyWords() } },
        [`one${"0".repeat(70)}`]: { type: "array", items: { type: "string", enum: [manyWords().join("")] } },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
          properties: {
            kind: { type: "string" },
            spec: { type: "object", properties: { a: { type: "string" } } },
          },
        },
        vendor: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { a: { type: "integer" }, b: { "x-kubernetes-int-or-string": true } },
        },
      },
    },
  },
};

function manyWords(): readonly string[] {
  return ["First", "Second", "Third", "Fourth"].map((word) => `${word}OfTheManyWordsThatThereAre`);
}

it("whatever a schema says, its types are laid out as the formatter would", async () => {
  const { run, kindFolder } = await house(everything, { spec: {} });
  await run({ types: true });
  const types = await readFile(path.join(kindFolder, "types.ts"), "utf8");
  const formatted = execFileSync("node_modules/.bin/biome", ["format", "--stdin-file-path=types.ts"], {
    input: types,
  });
  expect(types).toBe(formatted.toString());
});

it.each([[[]], [["--exactOptionalPropertyTypes"]]])(
  "whatever a schema says, its types compile and hold: strict %j",
  async (more) => {
    const { run, kindFolder } = await house(everything, { spec: {} });
    await run({ types: true });
    const types = path.join(kindFolder, "types.ts");
    const own = path.resolve("src/json/json.ts");
    await writeFile(types, (await readFile(types, "utf8")).replace('"antechamber"', JSON.stringify(own)));
    const use = path.join(kindFolder, "use.ts");
    await writeFile(use, uses);
    const strict = ["--noEmit", "--strict", "--target", "es2024", "--module", "nodenext", "--lib", "esnext"];
    const lenient = ["--allowImportingTsExtensions", "--types", "", "--ignoreConfig"];
    const declarations = path.resolve("src/json/source.d.ts");
    execFileSync("node_modules/.bin/tsc", [...strict, ...lenient, ...more, declarations, use], {
      encoding: "utf8",
    });
  },
);

const uses = `
import type { BlindV1 } from "./types.ts";
const head = { apiVersion: "home.example.dev/v1", kind: "Blind", metadata: {} } as const;
export const good = {
  ...head,
  spec: {
    "10": "", "a-b": "", é: null, nothing: {}, anything: [1, null], map: { a: ["b"] }, open: { a: 1 },
    nested: [[1]], nullable: null, nullables: [null, { a: 1 }], mixed: null, long: "FirstOfTheManyWordsThatThereAre",
    template: { apiVersion: "v1", kind: "Pod", more: 1 }, vendor: { a: 1, b: "2", c: {} },
  },
} satisfies BlindV1;
export const bad = [
  // @ts-expect-error spec is required
  head satisfies BlindV1,
  // @ts-expect-error nothing is kept in nothing
  { ...head, spec: { nothing: { a: 1 } } } satisfies BlindV1,
  // @ts-expect-error one null too many
  { ...head, spec: { map: { a: null } } } satisfies BlindV1,
  // @ts-expect-error an embedded object has a kind
  { ...head, spec: { template: { apiVersion: "v1" } } } satisfies BlindV1,
];
`;
