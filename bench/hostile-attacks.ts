// The attacks with one or a few requests. Each is prepared first (its bodies are built), then started.
import {
  accessory,
  admissionOf,
  conversionOf,
  goodRooms,
  group,
  members,
  nested,
  roomText,
  times,
} from "./hostile-bodies.ts";
import { type Attack, once } from "./hostile-sending.ts";

const mega = 1e6;

/** Large conversions, all of them valid. */
export const envelopes: readonly Attack[] = [
  once("good-100mb", "100 MB of good Rooms", "convert", () => conversionOf(goodRooms(100 * mega))),
  once("good-7mb", "7.2 MB of good Rooms", "convert", () => conversionOf(goodRooms(7.2 * mega))),
  once("empty-7mb", "130,000 Rooms that are empty, 7.2 MB", "convert", () =>
    conversionOf(Array.from({ length: 130_000 }, () => `{"apiVersion":"${group}/v1","kind":"Room"}`)),
  ),
];

/** An object with very many keys. */
export const keys: readonly Attack[] = [
  ...[100_000, 400_000].flatMap((count) => [
    ...everywhere(`keys-${count / 1000}k`, `${thousands(count)} keys in spec`, () => members(count)),
    ...everywhere(`vendor-keys-${count / 1000}k`, `${thousands(count)} keys in an accessory`, () =>
      accessory(members(count)),
    ),
  ]),
  ...everywhere("escaped-keys", "200,000 escaped keys in an accessory", () =>
    accessory(members(200_000, { first: "\\u006b" })),
  ),
];

/** Values that are cheap to send. */
export const values: readonly Attack[] = [
  once("wide-numbers", "400,000 numbers of 17 digits", "convert", () =>
    vendor(() => times(400_000, (index) => `1234567890${String(index).padStart(7, "0")}`)),
  ),
  once("lists", "1,000,000 empty lists", "convert", () => vendor(() => times(1_000_000, () => "[]"))),
  once("more-lists", "2,400,000 empty lists", "convert", () => vendor(() => times(2_400_000, () => "[]"))),
  once("objects", "1,000,000 empty objects", "convert", () => vendor(() => times(1_000_000, () => "{}"))),
  once("numbers", "3,600,000 numbers `1`", "convert", () => vendor(() => times(3_600_000, () => "1"))),
  ...everywhere("nested", "lists nested 9,900 deep", () => accessory(`"list":${nested(9_900)}`)),
  once("brackets", "7 MiB of `[`", "convert", () => Buffer.alloc(7 * 1024 * 1024, "[")),
  once("escapes", "a text of 1,200,000 escapes, 7.2 MB", "convert", () =>
    vendor(() => `"${"\\u0041".repeat(1_200_000)}"`),
  ),
  ...everywhere("escapes-admission", "a text of 450,000 escapes, 2.7 MB", () =>
    accessory(`"text":"${"\\u0141".repeat(450_000)}"`),
  ),
];

/** A keyed list that is much too long. */
export const lists: readonly Attack[] = [
  ["distinct", (index: number) => `lamp-${index}`] as const,
  ["same", () => "lamp"] as const,
].flatMap(([sort, nameOf]) => {
  const says = (what: string) => `100,000 lights of ${sort} names, ${what}`;
  const hub = () => `"lights":[${times(100_000, (index) => `{"name":"${nameOf(index)}"}`)}]`;
  const spoke = () => `"lights":[${times(100_000, (index) => `"${nameOf(index)}"`)}]`;
  const room = (version = "v1") =>
    roomText("living-room", { spec: version === "v1" ? hub() : spoke(), version });
  return [
    once(`lights-${sort}-down`, says("to v1beta1"), "convert", () => conversionOf([room()])),
    once(`lights-${sort}-up`, says("to v1"), "convert", () => conversionOf([room("v1beta1")], { to: "v1" })),
    once(`lights-${sort}-mutate`, says("created"), "mutate", () => admissionOf(room())),
    once(`lights-${sort}-validate`, says("created"), "validate", () => admissionOf(room())),
    once(`lights-${sort}-mutate-update`, says("updated"), "mutate", () => admissionOf(room(), room())),
    once(`lights-${sort}-validate-update`, says("updated"), "validate", () => admissionOf(room(), room())),
  ];
});

/** One Room, sent to each endpoint. */
function everywhere(name: string, says: string, spec: () => string): readonly Attack[] {
  const room = () => roomText("living-room", { spec: spec() });
  return [
    once(`${name}-convert`, says, "convert", () => conversionOf([room()])),
    once(`${name}-mutate`, says, "mutate", () => admissionOf(room())),
    once(`${name}-validate`, says, "validate", () => admissionOf(room())),
  ];
}

/** A conversion of a Room with a list or text in vendor fields. */
function vendor(value: () => string): Buffer {
  const text = value();
  const isText = text.startsWith('"');
  return conversionOf([
    roomText("living-room", { spec: accessory(`"list":${isText ? text : `[${text}]`}`) }),
  ]);
}

function thousands(count: number): string {
  return count.toLocaleString("en-GB");
}
