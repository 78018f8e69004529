import { isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Write } from "./schemas-cases.ts";

/** The least write that a claim still holds of: without all fields and items that it does not need for that. */
export function shrunk(write: Write, holds: (write: Write) => Promise<boolean>): Promise<Write> {
  return least(write, smallerOf, holds);
}

/** The least CRD that a claim still holds of; only its first version's schema gets smaller. */
export function shrunkCrd(
  crd: JsonObject,
  holds: (crd: JsonObject) => Promise<boolean>,
): Promise<JsonObject> {
  return least(crd, smallerCrds, holds);
}

async function least<T>(
  start: T,
  smaller: (value: T) => readonly T[],
  holds: (value: T) => Promise<boolean>,
) {
  let best = start;
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const next of smaller(best)) {
      if (++tries > 400) return best;
      if (!(await holds(next).catch(() => false))) continue;
      best = next;
      found = true;
      break;
    }
  }
  return best;
}

function smallerCrds(crd: JsonObject): readonly JsonObject[] {
  const { spec } = crd;
  const versions = isObject(spec) ? spec.versions : undefined;
  if (!isObject(spec) || !isArray(versions)) return [];
  const [first = null, ...rest] = versions;
  if (!isObject(first)) return [];
  return without(first.schema ?? null).map((schema) => ({
    ...crd,
    spec: { ...spec, versions: [{ ...first, schema }, ...rest] },
  }));
}

function smallerOf({ object, old, ...rest }: Write): readonly Write[] {
  const objects = without(object).filter(isWhole);
  const olds = old === undefined ? [] : without(old).filter(isWhole);
  return [
    ...objects.map((each) => ({ object: each, ...(old === undefined ? {} : { old }), ...rest })),
    ...olds.map((each) => ({ object, old: each, ...rest })),
  ];
}

/** The value without one of its fields or items, the large ones first. */
function without(value: Json): readonly Json[] {
  if (isArray(value)) {
    return [
      ...value.map((_, index) => value.filter((__, other) => other !== index)),
      ...value.flatMap((item, index) => without(item).map((less) => value.with(index, less))),
    ];
  }
  if (!isObject(value)) return [];
  const entries = Object.entries(value);
  return [
    ...entries.map((_, index) => Object.fromEntries(entries.filter((__, other) => other !== index))),
    ...entries.flatMap(([key, below], index) =>
      without(below).map((less) => Object.fromEntries(entries.with(index, [key, less]))),
    ),
  ];
}

/** Without these it would be another write, not a smaller one. */
function isWhole(object: Json): object is JsonObject {
  if (!isObject(object)) return false;
  const { apiVersion, kind, metadata } = object;
  return (
    typeof apiVersion === "string" &&
    typeof kind === "string" &&
    has(metadata, "name") &&
    has(metadata, "namespace")
  );
}

function has(metadata: Json | undefined, key: string): boolean {
  return isObject(metadata) && typeof metadata[key] === "string";
}
