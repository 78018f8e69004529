import { expect, it } from "vitest";
import type { Light, Room } from "../../examples/home/cluster.ts";
import { includes, readyStatus } from "../../examples/home/conditions.ts";
import { deviceOfLight, milliseconds } from "../../examples/home/lights.ts";
import { membersOf, releasesOf, statusOfRoom } from "../../examples/home/rooms.ts";

const metadata = { name: "kitchen", namespace: "home", uid: "u", resourceVersion: "1", generation: 3 };
const now = new Date("2026-02-03T04:05:06.789Z");

function light(name: string, currentBrightness: number): Light {
  return { metadata: { ...metadata, name }, status: { currentBrightness } };
}

function room(...lights: { name: string; brightness?: number }[]): Room {
  return { metadata, spec: { lights, locks: [{ name: "door", state: "Locked" }] } };
}

it("a room applies to its lights and locks what it says of them, as their owner", () => {
  const [lamp, door] = membersOf(room({ name: "lamp", brightness: 0.5 }));
  expect(lamp).toMatchObject({
    kind: "Light",
    metadata: {
      name: "lamp",
      namespace: "home",
      ownerReferences: [{ kind: "Room", uid: "u", controller: true }],
    },
    spec: { brightness: 0.5 },
  });
  expect(lamp?.spec).not.toHaveProperty("name");
  expect(door).toMatchObject({ kind: "Lock", metadata: { name: "door" }, spec: { desiredState: "Locked" } });
});

it("a room is ready once every light and lock is as asked, and says which is not", () => {
  const lights = { a: light("a", 0.5), b: light("b", 0.2) };
  const status = (of: Room, denials: string[] = []) => {
    const present = {
      light: (name: string) => (name === "a" || name === "b" ? lights[name] : undefined),
      lock: () => ({ metadata, status: { currentState: "Locked" as const } }),
    };
    return statusOfRoom(of, present, denials, now).status;
  };
  expect(status(room({ name: "a", brightness: 0.5 }))).toEqual({
    observedGeneration: 3,
    lights: [{ name: "a", currentBrightness: 0.5 }],
    conditions: [
      expect.objectContaining({ type: "Ready", status: "True", lastTransitionTime: "2026-02-03T04:05:06Z" }),
    ],
  });
  expect(
    status(room({ name: "b", brightness: 1 }, { name: "c", brightness: 0 }, { name: "a" })),
  ).toMatchObject({
    lights: [{ name: "b", currentBrightness: 0.2 }, { name: "c" }, { name: "a", currentBrightness: 0.5 }],
    conditions: [
      {
        status: "False",
        reason: "Converging",
        message: "light b is 0.2, not 1; light c is in an unknown state, not 0",
      },
    ],
  });
  expect(status(room(), ["the lock is jammed"])).toMatchObject({
    conditions: [{ status: "False", reason: "Denied", message: "the lock is jammed" }],
  });
});

it("the time of a condition changes with its status only", () => {
  const before = [{ type: "Ready", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }];
  const of = { metadata, status: { conditions: before } };
  const at = (status: "True" | "False", time: string) =>
    expect(readyStatus(of, { status, reason: "R", message: "m" }, now)).toMatchObject({
      observedGeneration: 3,
      conditions: [{ type: "Ready", status, lastTransitionTime: time, observedGeneration: 3 }],
    });
  at("True", "2020-01-01T00:00:00Z");
  at("False", "2026-02-03T04:05:06Z");
});

it("a room releases the lights that belong to it and that it no longer names", () => {
  const owned = (name: string, uid: string, controller = true): Light => ({
    metadata: {
      ...metadata,
      name,
      ownerReferences: [
        { apiVersion: "home.antechamber.dev/v1", kind: "Room", name: "kitchen", uid, controller },
      ],
    },
  });
  const lights = [
    owned("a", "u"),
    owned("b", "u"),
    owned("c", "of another room"),
    owned("d", "u", false),
    light("e", 0),
  ];
  expect(releasesOf(room({ name: "a" }), "Light", lights)).toEqual([
    { kind: "Light", metadata: { name: "b", namespace: "home" } },
  ]);
});

it.each([
  [undefined, 0],
  ["0s", 0],
  ["300ms", 300],
  ["1.5s", 1500],
  ["1m30s", 90_000],
  [".5h", 1_800_000],
  ["100us", 0],
])("the fade of a transition %s is %i ms", (duration, expected) => {
  expect(milliseconds(duration)).toBe(expected);
});

it("a light fades for a minute at most, whatever its transition", () => {
  const fade = (transition: string) => deviceOfLight.wishOf({ metadata, spec: { transition } }).fade;
  expect([fade("1.5s"), fade("1000000h")]).toEqual([1500, 60_000]);
});

it.each([
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { a: 1, b: null }, false],
  [{ list: [{ a: 1, b: 2 }] }, { list: [{ a: 1 }] }, true],
  [{ list: [{ a: 1 }, {}] }, { list: [{ a: 1 }] }, false],
  [undefined, {}, false],
  [{}, { toString: 1 }, false],
])("%j includes %j: %s", (object, applied, expected) => {
  expect(includes(object, applied)).toBe(expected);
});
