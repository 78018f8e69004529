import { isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Write } from "./schemas.ts";

/** The least write that a claim still holds of: without all fields and items that it does not need for that. */
export async function shrunk(write: Write, holds: (write: Write) => Promise<boolean>): Promise<Write> {
  let least = write;
  for (let tries = 0; tries < 200; ) {
    const smaller = smallerOf(least);
    let found = false;
    for (const next of smaller) {
      tries++;
      if (tries >= 200) break;
      if (!(await holds(next).catch(() => false))) continue;
      least = next;
      found = true;
      break;
    }
    if (!found) break;
  }
  return least;
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
