import { type Codec, get, group, isArray, type Json, type JsonArray, lens, move } from "antechamber";
import { wholeSeconds } from "../duration.ts";

/** Whether something is locked ↔ the state it is in. */
const lockState: Codec = {
  up: (older) => (typeof older === "boolean" ? (older ? "Locked" : "Unlocked") : undefined),
  down: (newer) => (newer === "Locked" ? true : newer === "Unlocked" ? false : undefined),
};

/** Keys as texts `id:holder` ↔ a list keyed by id. Of several with one id, or of one text, the first stands. */
const keys: Codec = {
  up: (older) => {
    if (!isArray(older)) return undefined;
    const items = older.filter((text) => typeof text === "string").map(keyOfText);
    return [...Map.groupBy(items, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
  },
  down: (newer) =>
    isArray(newer) ? unlessEmptied([...new Set(newer.flatMap(textsOfKey))], newer) : undefined,
};

/** How v1beta1 of a Lock meets v1. */
export const v1beta1 = lens(
  move("spec.locked", "spec.desiredState", lockState),
  move("spec.autoLockSeconds", "spec.autoLock.after", wholeSeconds),
  move("spec.keys", "spec.keys", keys),
  move("status.locked", "status.currentState", lockState),
  group({
    older: { jammed: "status.jammed", conditions: "status.conditions" },
    newer: { conditions: "status.conditions" },
    up: ({ jammed, conditions }) => ({
      conditions: withJammed(unlessEmptied(others(conditions), conditions), jammed),
    }),
    down: ({ conditions }) => ({
      jammed: jammedOf(conditions),
      conditions: unlessEmptied(others(conditions), conditions),
    }),
    // The flag says that there is such a condition and what its status is: without the flag the rest must find it.
    shared: ["status.conditions.type"],
  }),
);

function keyOfText(text: string): { id: string; holder?: string } {
  const colon = text.indexOf(":");
  return colon < 0 ? { id: text } : { id: text.slice(0, colon), holder: text.slice(colon + 1) };
}

function textsOfKey(key: Json): string[] {
  const id = get(key, "id");
  const holder = get(key, "holder");
  if (typeof id !== "string") return [];
  return [typeof holder === "string" ? `${id}:${holder}` : id];
}

function isJammedCondition(condition: Json): boolean {
  return get(condition, "type") === "Jammed";
}

/** The conditions but those of type Jammed: of a v1beta1 object these are nobody's, since v1beta1 has the flag. */
function others(conditions: Json | undefined): JsonArray | undefined {
  return isArray(conditions) ? conditions.filter((condition) => !isJammedCondition(condition)) : undefined;
}

function withJammed(conditions: JsonArray | undefined, jammed: Json | undefined): JsonArray | undefined {
  if (typeof jammed !== "boolean") return conditions;
  return [...(conditions ?? []), { type: "Jammed", status: jammed ? "True" : "False" }];
}

function jammedOf(conditions: Json | undefined): boolean | undefined {
  const [first, ...more] = isArray(conditions) ? conditions.filter(isJammedCondition) : [];
  if (first === undefined || more.length > 0) return undefined;
  const status = get(first, "status");
  return status === "True" ? true : status === "False" ? false : undefined;
}

/** A list that only the taking out of its items emptied is absent; one that was empty stays. */
function unlessEmptied(rest: JsonArray | undefined, before: Json | undefined): JsonArray | undefined {
  return rest?.length === 0 && isArray(before) && before.length > 0 ? undefined : rest;
}
