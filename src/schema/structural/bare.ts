import type { Schema } from "../model.ts";

/** Whether a node of a schema says nothing at all. */
export function isBare(schema: Schema): boolean {
  return Object.values(schema).every(isNothing);
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map && value.size === 0;
}
