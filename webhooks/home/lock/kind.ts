import {
  type Circumstances,
  defineKind,
  type Findings,
  get,
  isArray,
  type JsonObject,
  version,
} from "antechamber";
import { hasCondition } from "../conditions.ts";
import { v1beta1 } from "./v1beta1.ts";

export default defineKind({
  group: "home.antechamber.dev",
  kind: "Lock",
  plural: "locks",
  scope: "Namespaced",
  categories: ["home"],
  versions: [version("v1beta1", v1beta1), version("v1")],
  validate: (lock, circumstances): Findings => ({
    causes: isUnlockedWhileJammed(lock, circumstances.oldObject) ? [jammed] : [],
    warnings: pastKeys(lock, circumstances.now),
  }),
});

const jammed = {
  path: ["spec", "desiredState"],
  reason: "FieldValueForbidden",
  message: "Forbidden: the lock is jammed; free it before unlocking",
} as const;

function isUnlockedWhileJammed(lock: JsonObject, oldLock: Circumstances["oldObject"]): boolean {
  return (
    oldLock !== undefined &&
    get(oldLock, "spec", "desiredState") === "Locked" &&
    get(lock, "spec", "desiredState") === "Unlocked" &&
    hasCondition(oldLock, "Jammed", "True")
  );
}

/** A warning for each key that no longer opens the lock. */
function pastKeys(lock: JsonObject, now: Date): readonly string[] {
  const keys = get(lock, "spec", "keys");
  if (!isArray(keys)) return [];
  return keys.flatMap((key, index) => {
    const notAfter = get(key, "notAfter");
    const end = typeof notAfter === "string" ? Date.parse(notAfter) : Number.NaN;
    return end < now.getTime()
      ? [`spec.keys[${index}].notAfter ${notAfter} is past: the key opens nothing`]
      : [];
  });
}
