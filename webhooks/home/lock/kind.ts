import { type Circumstances, defineKind, type Findings, get, isArray, version } from "antechamber";
import { hasCondition } from "../conditions.ts";
import type { LockV1 } from "./types.ts";
import { v1beta1 } from "./v1beta1.ts";

export default defineKind({
  group: "home.antechamber.dev",
  kind: "Lock",
  plural: "locks",
  scope: "Namespaced",
  categories: ["home"],
  versions: [version("v1beta1", v1beta1), version("v1")],
  validate: (lock: LockV1, circumstances): Findings => ({
    causes: isUnlockedWhileJammed(lock, circumstances.oldObject) ? [jammed] : [],
    warnings: expiredKeys(lock, circumstances.now),
  }),
});

const jammed = {
  path: ["spec", "desiredState"],
  reason: "FieldValueForbidden",
  message: "Forbidden: the lock is jammed; free it before unlocking",
} as const;

function isUnlockedWhileJammed(lock: LockV1, oldLock: Circumstances["oldObject"]): boolean {
  return (
    oldLock !== undefined &&
    get(oldLock, "spec", "desiredState") === "Locked" &&
    lock.spec?.desiredState === "Unlocked" &&
    hasCondition(oldLock, "Jammed", "True")
  );
}

/** A warning for each key that no longer opens the lock. */
function expiredKeys(lock: LockV1, now: Date): readonly string[] {
  const keys = lock.spec?.keys;
  // A value that was stored before it became invalid, and that this write leaves alone, may still be there.
  if (!isArray(keys)) return [];
  return keys.flatMap((key, index) => {
    const notAfter = get(key, "notAfter");
    const end = typeof notAfter === "string" ? Date.parse(notAfter) : Number.NaN;
    return end < now.getTime()
      ? [`spec.keys[${index}].notAfter ${notAfter} has passed: the key no longer opens the lock`]
      : [];
  });
}
