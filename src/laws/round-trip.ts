import fc from "fast-check";
import { type JsonObject, set } from "../json/json.ts";
import { differenceOf } from "../judge/differences.ts";
import { bareOf, completed, wired } from "./bare.ts";
import { type Edit, edited, editsIn } from "./edits.ts";
import { type Claim, claim, finding, type Law, noSteps } from "./law.ts";
import {
  canCarry,
  historiesOf,
  readAt,
  type Setting,
  stepsOf,
  storedBy,
  trip,
  versionAt,
  wayOf,
  withMetadata,
} from "./setting.ts";

/** Law 1. */
export const getPut: Law = {
  name: "GetPut",
  statement:
    "An object that is converted to another version and back is unchanged: at the hub including its carriers, at a spoke without them.",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) => [...hubIsKept(setting, spoke), ...spokeIsKept(setting, spoke)]),
};

/** Law 2. */
export const putGet: Law = {
  name: "PutGet",
  statement:
    "What a client writes in its version it reads back in its version, even after the hub's defaults were set.",
  claims: (setting) => setting.spokes.flatMap((spoke) => writesAreReadBack(setting, spoke)),
};

/** Law 7. */
export const idempotent: Law = {
  name: "Idempotent",
  statement: "A second round trip gives the same as the first.",
  claims: (setting) => setting.spokes.flatMap((spoke) => secondTrips(setting, spoke)),
};

/** Law 8. */
export const detour: Law = {
  name: "Detour",
  statement: "A detour through a third version changes nothing.",
  needs: "a third version",
  claims: (setting) =>
    setting.spokes.flatMap((spoke) =>
      setting.spokes.filter((other) => other !== spoke).flatMap((other) => detours(setting, spoke, other)),
    ),
};

function hubIsKept(setting: Setting, spoke: number): readonly Claim[] {
  const { hub, objects } = setting;
  const way = wayOf(setting, hub, spoke, hub);
  const kept = (object: JsonObject) => {
    const before = wired(withMetadata(object));
    const after = trip(setting, trip(setting, object, hub, spoke), spoke, hub);
    return differenceOf(completed(before, after), after);
  };
  const stored = claim(
    "a stored object comes back with its carriers, whichever client wrote it",
    way,
    historiesOf(setting),
    (history) => {
      const object = storedBy(setting, history);
      return finding(object, () => stepsOf(setting, history), kept(object));
    },
  );
  const drawn = (["wild", "any"] as const).map((manner) =>
    claim(`${manner} JSON in the hub comes back`, way, objectsAt(objects, hub, manner), (drawn) => {
      // A value under a carrier's name that is not a carrier is dropped; the Hostile law covers that.
      const object = bareOf(drawn);
      return canCarry(setting, object) ? finding(object, noSteps, kept(object)) : undefined;
    }),
  );
  return [stored, ...drawn];
}

function spokeIsKept(setting: Setting, spoke: number): readonly Claim[] {
  const { hub, objects } = setting;
  return (["valid", "partial", "wild", "any"] as const).map((manner) =>
    claim(
      `${manner} objects come back to their version, apart from carriers`,
      wayOf(setting, spoke, hub, spoke),
      objectsAt(objects, spoke, manner),
      (object) => {
        if (!canCarry(setting, object)) return undefined;
        const before = wired(withMetadata(object));
        const back = trip(setting, trip(setting, object, spoke, hub), hub, spoke);
        return finding(object, noSteps, differenceOf(bareOf(before, before), bareOf(back, before)));
      },
    ),
  );
}

function writesAreReadBack(setting: Setting, spoke: number): readonly Claim[] {
  const { hub, kind, objects } = setting;
  const cases = fc.record({
    history: historiesOf(setting),
    edits: setting.edits[spoke] as fc.Arbitrary<readonly Edit[]>,
    manner: fc.constantFrom("with carriers", "without carriers"),
    defaulted: fc.boolean(),
  });
  const way = wayOf(setting, hub, spoke, hub, spoke);
  const later = claim(
    "what was written is read back",
    way,
    cases,
    ({ history, edits, manner, defaulted }) => {
      // A server that sets defaults before the second read also did so before the first.
      const read = (object: JsonObject) => (defaulted ? kind.hub.defaulted(object) : object);
      const stored = read(storedBy(setting, history));
      const view = trip(setting, stored, hub, spoke);
      const written = readAt(setting, edited(manner === "with carriers" ? view : bareOf(view), edits), spoke);
      const after = nextGeneration(trip(setting, written, spoke, hub));
      const back = trip(setting, read(after), hub, spoke);
      const expected = bareOf(nextGeneration(withMetadata(written)));
      const write = `write at ${versionAt(setting, spoke).name} ${manner}:`;
      const steps = () => [...stepsOf(setting, history), write, ...editsIn(view, edits)];
      return finding(stored, steps, differenceOf(expected, bareOf(back, expected)));
    },
  );
  const created = (["valid", "partial", "wild"] as const).map((manner) =>
    claim(
      `${manner} objects are read back as they were created, with the hub's defaults`,
      wayOf(setting, spoke, hub, spoke),
      objectsAt(objects, spoke, manner),
      (drawn) => {
        const object = bareOf(drawn);
        const before = wired(withMetadata(object));
        const back = trip(setting, kind.hub.defaulted(trip(setting, object, spoke, hub)), hub, spoke);
        return finding(object, noSteps, differenceOf(before, bareOf(back, before)));
      },
    ),
  );
  return [...created, later];
}

function secondTrips(setting: Setting, spoke: number): readonly Claim[] {
  const { hub, objects } = setting;
  const once = (object: JsonObject) => trip(setting, trip(setting, object, hub, spoke), spoke, hub);
  const both = [
    claim("a hub object", wayOf(setting, hub, spoke, hub, spoke, hub), historiesOf(setting), (history) => {
      const first = once(storedBy(setting, history));
      return finding(first, () => stepsOf(setting, history), differenceOf(first, once(first)));
    }),
    ...(["valid", "wild", "any"] as const).map((manner) =>
      claim(
        `${manner} objects of a spoke, carriers included`,
        wayOf(setting, spoke, hub, spoke, hub, spoke),
        objectsAt(objects, spoke, manner),
        (object) => {
          const first = trip(setting, trip(setting, object, spoke, hub), hub, spoke);
          const second = trip(setting, trip(setting, first, spoke, hub), hub, spoke);
          return finding(object, noSteps, differenceOf(first, second));
        },
      ),
    ),
  ];
  return both;
}

function detours(setting: Setting, spoke: number, other: number): readonly Claim[] {
  const { hub } = setting;
  const cases = fc.record({
    history: historiesOf(setting),
    edits: setting.edits[spoke] as fc.Arbitrary<readonly Edit[]>,
  });
  return [
    claim(
      "a write means the same by a detour",
      wayOf(setting, spoke, other, hub),
      cases,
      ({ history, edits }) => {
        const stored = storedBy(setting, history);
        const view = trip(setting, stored, hub, spoke);
        const written = readAt(setting, edited(view, edits), spoke);
        const straight = trip(setting, written, spoke, hub);
        const around = trip(setting, trip(setting, written, spoke, other), other, hub);
        const steps = () => [...stepsOf(setting, history), ...editsIn(view, edits)];
        return finding(written, steps, differenceOf(straight, around));
      },
    ),
    claim(
      "a view is the same by a detour",
      wayOf(setting, hub, spoke, other),
      historiesOf(setting),
      (history) => {
        const stored = storedBy(setting, history);
        const around = trip(setting, trip(setting, stored, hub, spoke), spoke, other);
        return finding(
          stored,
          () => stepsOf(setting, history),
          differenceOf(trip(setting, stored, hub, other), around),
        );
      },
    ),
  ];
}

function objectsAt(
  objects: Setting["objects"],
  version: number,
  manner: keyof Setting["objects"][number],
): fc.Arbitrary<JsonObject> {
  return (objects[version] as Setting["objects"][number])[manner];
}

/** The object as the server returns it after a change of spec. */
function nextGeneration(object: JsonObject): JsonObject {
  const { metadata } = object;
  const generation =
    metadata !== null && typeof metadata === "object" ? (metadata as JsonObject).generation : undefined;
  return typeof generation === "number"
    ? set(object, "metadata", set(metadata as JsonObject, "generation", generation + 1))
    : object;
}
