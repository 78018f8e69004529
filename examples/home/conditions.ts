/** Status, reason and message of the condition Ready. */
export interface Readiness {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

/** The fields of status that every kind of the home has. */
interface CommonStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly [object];
}

interface Observed {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: unknown;
    readonly conditions?: readonly { readonly [name: string]: unknown }[];
  };
}

/** Whether the spec was written after the status. */
export function isNew({ metadata, status }: Observed): boolean {
  return metadata.generation !== status?.observedGeneration;
}

/** The condition Ready of an object, about its present generation. As in all conditions, its time changes only with its status. */
export function readyStatus({ metadata, status }: Observed, readiness: Readiness, now: Date): CommonStatus {
  const before = status?.conditions?.find((condition) => condition.type === "Ready");
  const since = before?.status === readiness.status ? before.lastTransitionTime : undefined;
  const lastTransitionTime = typeof since === "string" ? since : `${now.toISOString().slice(0, 19)}Z`;
  const observedGeneration = metadata.generation;
  const ready = { type: "Ready", ...readiness, lastTransitionTime, observedGeneration };
  return { observedGeneration, conditions: [ready] };
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
  return Object.entries(applied).every(([name, value]) => includes(valueAt(object, name), value));
}

/** The value at a path of JSON; undefined if there is none. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value,
  );
}
