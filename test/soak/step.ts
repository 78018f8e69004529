import { equal } from "../../src/json/equal.ts";
import { define, get, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import type { Path } from "../../src/json/path.ts";

/** How a client writes. */
export const ways = [
  /** What it read, changed. */
  "PUT",
  /** Without annotations and status. */
  "bare PUT",
  /** All of an earlier read, over what is there now. */
  "stale PUT",
  "merge PATCH",
  /** Server-side apply, forced, of the fields that it changed, and of those that its manager applied before. */
  "apply",
  /** The same without the fields that its manager applied before. */
  "apply less",
  /** What it read, unchanged. */
  "PUT unchanged",
  "annotations null",
  /** An annotation of many KiB, up to the server's limit; or, of none, without it. */
  "annotate",
  "PUT of /status",
  /** From the fields that it knows. */
  "rebuilt /status",
  /** The status of an earlier read, with the carriers that were in it. */
  "stale /status",
  "merge PATCH of /status",
  /** Exported, deleted, created again; then its status restored. */
  "recreate",
  /** The storage version becomes another; the object is written only later. */
  "storage",
] as const;

export type Way = (typeof ways)[number];

/** One change of an object: the value at a path; without a value the path is removed. */
export interface Change {
  readonly path: Path;
  readonly value?: Json;
}

/** What a client did in one step, as data: it can be written down, repeated, and left out. */
export interface Step {
  readonly at: string;
  readonly by: Way;
  /** Who applies. */
  readonly manager?: string;
  /** How many reads ago a stale client read the object. */
  readonly ago?: number;
  /** How many KiB the client's annotation has. */
  readonly size?: number;
  readonly changes?: readonly Change[];
}

/** An object's life: how it was created, and what was done to it since. */
export interface Life {
  readonly at: string;
  readonly object: JsonObject;
  readonly steps: readonly Step[];
}

/** The changes that make one value of another; a list whose length differs is one change. */
export function changesBetween(
  before: Json | undefined,
  after: Json | undefined,
  path: Path = [],
): readonly Change[] {
  if (equal(before, after)) return [];
  if (after === undefined) return [{ path }];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => changesBetween(get(before, name), get(after, name), [...path, name]));
  }
  if (isArray(before) && isArray(after) && before.length === after.length)
    return before.flatMap((item, index) => changesBetween(item, after[index], [...path, index]));
  return [{ path, value: after }];
}

/** The object with changes made. A change in an item that is not there is left out. */
export function changed(object: JsonObject, changes: readonly Change[]): JsonObject {
  return changes.reduce((here, { path, value }) => changedAt(here, path, value) as JsonObject, object);
}

function changedAt(here: Json | undefined, [step, ...rest]: Path, value: Json | undefined): Json | undefined {
  if (step === undefined) return value;
  if (typeof step === "number") {
    if (!isArray(here) || step >= here.length) return here;
    return here.map((item, index) => (index === step ? (changedAt(item, rest, value) ?? item) : item));
  }
  if (here !== undefined && here !== null && !isObject(here)) return here;
  const holder = isObject(here) ? here : {};
  const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
  if (inner === undefined && value === undefined) return here;
  return set(holder, step, changedAt(inner, rest, value));
}

/** The merge patch that makes one object of another; undefined where none can, as where null is a value. */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json> = {};
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [then, now] = [get(before, name), get(after, name)];
    if (equal(then, now)) continue;
    if (now === undefined) define(patch, name, null);
    else if (isObject(then) && isObject(now)) {
      const inner = mergePatch(then, now);
      if (inner === undefined) return undefined;
      define(patch, name, inner);
    } else if (isObject(now) || now === null) {
      if (now === null || hasNull(now)) return undefined;
      define(patch, name, now);
    } else if (hasNull(now)) return undefined;
    else define(patch, name, now);
  }
  return patch;
}

/** The server drops null from what a merge patch sets, in items of lists as well. */
function hasNull(value: Json): boolean {
  if (isArray(value)) return value.some(hasNull);
  return value === null || (isObject(value) && Object.values(value).some(hasNull));
}
