// What TypeScript makes of lenses and kinds with generated types. `tsc` is the test: each line after `@ts-expect-error` must
// not compile, and every other line must.
import {
  type At,
  type Codec,
  constant,
  defineKind,
  durationTo,
  each,
  type Findings,
  get,
  group,
  type JsonObject,
  label,
  lens,
  mapToList,
  move,
  oneToList,
  type Row,
  reverse,
  set,
  table,
  version,
  within,
} from "antechamber";
import type { RoomV1 } from "../../webhooks/home/room/types.ts";
import type { ShedV1, ShedV1beta1 } from "../kinds/garden/shed/types.ts";

const seconds = durationTo("s");

export const paths = lens<ShedV1beta1, ShedV1>(
  move("spec.closeAfter", "spec.closeAfterSeconds", seconds),
  // @ts-expect-error: no such field in the older version
  move("spec.closeAftr", "spec.closeAfterSeconds", seconds),
  // @ts-expect-error: no such field in the newer version
  move("spec.closeAfter", "spec.closeAfterSecond", seconds),
  // @ts-expect-error: the parent is misspelt
  move("spc.closeAfter", "spec.closeAfterSeconds"),
  // @ts-expect-error: a path does not lead into a list
  move("spec.beds.name", "spec.beds.name"),
  // @ts-expect-error: there is nothing below a string
  move("spec.closeAfter.unit", "spec.closeAfterSeconds"),
  // @ts-expect-error: a lens does not see metadata, but labels and annotations by `label` and `annotation`
  move("metadata.name", "spec.team"),
  move(label("example.org/team"), "spec.team"),
  // A map has any key.
  move("spec.colours.wall", "spec.team"),
);

export const values = lens<ShedV1beta1, ShedV1>(
  // A stored value may be passed on as it is, though it may lie outside of the enum.
  move("spec.heating", "spec.heating", { up: (heating) => heating, down: () => undefined }),
  // @ts-expect-error: the newer enum has more
  move("spec.heating", "spec.heating", { up: () => undefined, down: (heating) => heating }),
  // @ts-expect-error: the older field is the duration, not the newer one
  move("spec.closeAfter", "spec.closeAfterSeconds", reverse(seconds)),
  // @ts-expect-error: not a value of the newer enum
  move("spec.locked", "spec.state", table([true, "Lokced"], [false, "Unlocked"])),
  move("spec.locked", "spec.state", {
    up: (locked) => (locked ? "Locked" : "Unlocked"),
    // @ts-expect-error: the older field is a boolean
    down: (state) => (state === "Locked" ? "yes" : "no"),
  }),
  move("spec.warmupMinutes", "spec.warmupSeconds", {
    // An integer may be an exact number: it cannot be computed with as it is.
    // @ts-expect-error
    up: (minutes) => minutes * 60,
    down: () => undefined,
  }),
  move("spec.heating", "spec.team", {
    // What is stored may be outside of the enum: it is any string.
    up: (heating) => (heating === "coal" ? "stokers" : undefined),
    down: () => undefined,
  }),
  move("spec.owner", "spec.owners", oneToList()),
  // @ts-expect-error: the newer field is not a list
  move("spec.owner", "spec.team", oneToList()),
  move("spec.lamps", "spec.lamps", mapToList("name")),
);

export const groups = lens<ShedV1beta1, ShedV1>(
  group({
    older: { locked: "spec.locked", owner: "spec.owner" },
    newer: { state: "spec.state" },
    up: ({ locked, owner }) => ({ state: locked === true || owner?.startsWith("x") ? "Locked" : "Ajar" }),
    down: ({ state }) => ({ locked: state === "Locked" }),
  }),
  group({
    // @ts-expect-error: no such field
    older: { locked: "spec.loked" },
    newer: { state: "spec.state" },
    up: () => ({}),
    down: () => ({}),
  }),
  group({
    older: { locked: "spec.locked" },
    newer: { state: "spec.state" },
    // @ts-expect-error: not a value of the enum
    up: ({ locked }) => ({ state: locked ? "Closed" : "Ajar" }),
    down: () => ({}),
  }),
);

export const nested = lens<ShedV1beta1, ShedV1>(
  each("spec.beds", "spec.beds", each("rows", "rows", move("every", "everySeconds", seconds))),
  // @ts-expect-error: no such field of an item of an item
  each("spec.beds", "spec.beds", each("rows", "rows", move("evry", "everySeconds", seconds))),
  each("spec.racks", "spec.racks", move("rest", "restSeconds", seconds)),
  // @ts-expect-error: neither a list nor a map
  each("spec.door", "spec.entrance"),
  within("spec.door", "spec.entrance", move("openFor", "openForSeconds", seconds)),
  // @ts-expect-error: no such field of the object
  within("spec.door", "spec.entrance", move("openFor", "openForMinutes", seconds)),
  constant(move("spec.keeper.name", "spec.keeperName"), { older: { "spec.keeper.kind": "Gardener" } }),
  // @ts-expect-error: no such field
  constant(move("spec.keeper.name", "spec.keeperName"), { older: { "spec.keeper.knd": "Gardener" } }),
  // @ts-expect-error: the field is a string
  constant(move("spec.keeper.name", "spec.keeperName"), { older: { "spec.keeper.kind": 1 } }),
);

/** Rows for several places carry the types of their objects. */
const opening: readonly Row<At<ShedV1beta1, "spec.window">, At<ShedV1, "spec.window">>[] = [
  move("openFor", "openForSeconds", seconds),
];

export const shared = lens<ShedV1beta1, ShedV1>(
  within("spec.door", "spec.entrance", ...opening),
  // @ts-expect-error: rows for other objects
  each("spec.lamps", "spec.lamps", ...opening),
);

/** Without types every path compiles, and values are plain JSON. */
const words: Codec = { up: (older) => older, down: (newer) => newer };
const untypedRows = [move("a", "b", seconds), move("c", "d", words)];
export const untyped = lens(
  move("spec.anything", "spec.goes"),
  each("spec.list", "spec.list", ...untypedRows),
  group({
    older: { first: "spec.first" },
    newer: { name: "spec.name" },
    up: ({ first }) => ({ name: typeof first === "string" ? first : null }),
    down: ({ name }) => ({ first: name }),
  }),
);
export const mixed = lens<ShedV1beta1, ShedV1>(each("spec.beds", "spec.beds", ...untypedRows));

export const kind = defineKind<RoomV1>({
  group: "example.org",
  kind: "Room",
  plural: "rooms",
  scope: "Namespaced",
  versions: [version("v1")],
  default: (room) => ({ ...room, spec: { ...room.spec, lights: room.spec?.lights ?? [] } }),
  validate: (room): Findings => ({
    // @ts-expect-error: the field is `lights`
    warnings: room.spec?.light?.map(({ name }) => name),
  }),
});

// @ts-expect-error: a field that no definition has
export const misspelt = defineKind({ group: "a.b", kind: "A", plural: "as", scope: "Cluster", version: [] });

export const ofJson = defineKind({
  group: "example.org",
  kind: "Room",
  plural: "rooms",
  scope: "Namespaced",
  versions: [version("v1")],
  default: (room) => set(room, "spec", "size", 1),
  validate: (room: JsonObject) => ({ warnings: typeof get(room, "spec") === "string" ? ["spec"] : [] }),
});
