import type { Schema } from "../model.ts";

/** Whether a node of a schema says nothing at all. */
export function isBare(schema: Schema): boolean {
  const { said, ...rest } = schema;
  return !copied.some((key) => said.has(key)) && Object.values(rest).every(isNothing);
}

/** Lists that the API server takes over as they are, so that an empty one is something to it. */
const copied = ["required", "x-kubernetes-list-map-keys", "x-kubernetes-validations"];

function isNothing(value: unknown): boolean {
  if (value === undefined || value === "" || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map && value.size === 0;
}
