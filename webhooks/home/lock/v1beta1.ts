import {
  type Codec,
  durationTo,
  get,
  group,
  isArray,
  type Json,
  type JsonArray,
  lens,
  move,
  reverse,
} from "antechamber";
import { lockState } from "../lock-state.ts";

/** Keys as strings `id:holder` ↔ a list keyed by id. Of duplicates the first one counts. */
const keys: Codec = {
  up: (older) => {
    if (!isArray(older)) return undefined;
    const items = older.filter((text) => typeof text === "string").map(keyOfString);
    return [...Map.groupBy(items, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
  },
  down: (newer) =>
    isArray(newer) ? unlessEmptied([...new Set(newer.flatMap(stringsOfKey))], newer) : undefined,
};

/** The lens from v1beta1 of a Lock to v1. It gets plain JSON: stored objects need not match the schema. */
export const v1beta1 = lens(
  move("spec.locked", "spec.desiredState", lockState),
  move("spec.autoLockSeconds", "spec.autoLock.after", reverse(durationTo("s", { printIn: "s" }))),
  move("spec.keys", "spec.keys", keys, {
    lossy: "v1 has one key of an id, and v1beta1 ends an id at its first colon",
  }),
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
    lossy: "v1beta1 has a flag instead of the condition Jammed, without its place in the list",
    // In v1beta1 the flag stands for the condition: without the type, its other fields could not be restored.
    shared: ["status.conditions.type"],
  }),
);

function keyOfString(text: string): { id: string; holder?: string } {
  const colon = text.indexOf(":");
  return colon < 0 ? { id: text } : { id: text.slice(0, colon), holder: text.slice(colon + 1) };
}

function stringsOfKey(key: Json): string[] {
  const id = get(key, "id");
  const holder = get(key, "holder");
  if (typeof id !== "string") return [];
  return [typeof holder === "string" ? `${id}:${holder}` : id];
}

function isJammedCondition(condition: Json): boolean {
  return get(condition, "type") === "Jammed";
}

/** The conditions without those of type Jammed, for which v1beta1 has the flag. */
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

/** Undefined for a list that was emptied by removing items; a list that was empty before stays. */
function unlessEmptied(rest: JsonArray | undefined, before: Json | undefined): JsonArray | undefined {
  return rest?.length === 0 && isArray(before) && before.length > 0 ? undefined : rest;
}
