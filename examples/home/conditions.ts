/** A condition as every kind of the home has them. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** Status, reason and message of the condition Ready. */
export interface Readiness {
  readonly status: Condition["status"];
  readonly reason: string;
  readonly message: string;
}

/** What a condition is computed from beside its readiness. */
export interface Observed {
  readonly generation: number;
  /** The conditions that the object has. */
  readonly conditions: readonly { readonly [name: string]: unknown }[] | undefined;
  readonly now: Date;
}

/** The condition Ready; its time changes with its status only, as in all Kubernetes conditions. */
export function readyCondition(readiness: Readiness, { generation, conditions, now }: Observed): Condition {
  const before = conditions?.find((condition) => condition.type === "Ready");
  const since = before?.status === readiness.status ? before.lastTransitionTime : undefined;
  return {
    type: "Ready",
    ...readiness,
    lastTransitionTime:
      typeof since === "string" ? since : `${now.toISOString().slice(0, "2026-01-01T00:00:00".length)}Z`,
    observedGeneration: generation,
  };
}

/**
 * Whether an object has all that would be applied to it: its fields, and of lists the same items in the same order, each
 * perhaps with more fields. Server-side apply would write nothing then.
 */
export function includes(object: unknown, applied: unknown): boolean {
  if (Array.isArray(applied)) {
    if (!Array.isArray(object) || object.length !== applied.length) return false;
    return applied.every((item, index) => includes(object[index], item));
  }
  if (typeof applied !== "object" || applied === null) return object === applied;
  if (typeof object !== "object" || object === null) return false;
  return Object.entries(applied).every(
    ([name, value]) => Object.hasOwn(object, name) && includes(Reflect.get(object, name), value),
  );
}

/** The value at a path of JSON; undefined if there is none. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value,
  );
}
