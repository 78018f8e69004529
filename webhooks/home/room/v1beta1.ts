import {
  type Codec,
  equal,
  get,
  group,
  isArray,
  isNumber,
  type Json,
  type JsonObject,
  lens,
  move,
  toDecimal,
  toDouble,
} from "antechamber";
import { lockState } from "../lock-state.ts";
import { brightnessOfLevel, levelOfBrightness } from "../percent.ts";

/** A temperature with its unit, Celsius or Fahrenheit ↔ degrees Celsius: `21.5C` ↔ 21.5. Down always writes Celsius. */
const temperature: Codec = {
  up: (older) => {
    const [, degrees, scale] =
      (typeof older === "string" && /^([-+]?\d{1,30}(?:\.\d{1,30})?)([CF])$/.exec(older)) || [];
    if (degrees === undefined) return undefined;
    return (scale === "F" ? ((Number(degrees) - 32) * 5) / 9 : Number(degrees)) + 0;
  },
  down: (newer) => (isNumber(newer) && Number.isFinite(toDouble(newer)) ? `${toDecimal(newer)}C` : undefined),
};

/** The lens from v1beta1 of a Room to v1. It gets plain JSON: stored objects need not match the schema. */
export const v1beta1 = lens(
  group({
    older: { names: "spec.lights", level: "spec.brightness" },
    newer: { lights: "spec.lights" },
    up: ({ names, level }) => ({ lights: namedItems(names, brightnessOfLevel(level), light) }),
    down: ({ lights }) => ({
      names: namesOf(lights),
      level: levelOfBrightness(sharedBy(lights, "brightness")),
    }),
    shared: ["spec.lights.brightness"],
    spread: ["spec.brightness"],
    lossy: "a level is a whole percentage, and v1 has one light of a name",
  }),
  group({
    older: { doors: "spec.doors", locked: "spec.lockDoors" },
    newer: { locks: "spec.locks" },
    up: ({ doors, locked }) => ({
      locks: namedItems(doors, lockState.up(locked), lock),
    }),
    down: ({ locks }) => ({ doors: namesOf(locks), locked: lockState.down(sharedBy(locks, "state")) }),
    shared: ["spec.locks.state"],
    spread: ["spec.lockDoors"],
    lossy: { doors: "v1 has one lock of a name" },
  }),
  move("spec.temperature", "spec.climate.targetCelsius", temperature, {
    lossy: { value: "v1 has no Fahrenheit" },
  }),
  move("spec.floor", "spec.location.floor"),
);

/** A list of names as a list of items keyed by name, each with the one value that holds for all. */
function namedItems(
  names: Json | undefined,
  value: Json | undefined,
  itemOf: (name: string, value: Json) => JsonObject,
): readonly JsonObject[] | undefined {
  if (!isArray(names)) return undefined;
  const distinct = new Set(names.filter((name) => typeof name === "string"));
  return [...distinct].map((name) => (value === undefined ? { name } : itemOf(name, value)));
}

function light(name: string, brightness: Json): JsonObject {
  return { name, brightness };
}

function lock(name: string, state: Json): JsonObject {
  return { name, state };
}

function namesOf(items: Json | undefined): readonly string[] | undefined {
  if (!isArray(items)) return undefined;
  const names = new Set(items.map((item) => get(item, "name")).filter((name) => typeof name === "string"));
  return names.size === 0 && items.length > 0 ? undefined : [...names];
}

/**
 * The value of a field if all items agree on it; undefined if they do not, if one has no name, or if there are none.
 */
function sharedBy(items: Json | undefined, field: string): Json | undefined {
  if (!isArray(items)) return undefined;
  const first = get(items[0], field);
  const agrees = (item: Json) => typeof get(item, "name") === "string" && equal(get(item, field), first);
  return items.every(agrees) ? first : undefined;
}
