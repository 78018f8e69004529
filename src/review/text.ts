import { get, type JsonObject } from "../json/json.ts";

/** The text at a place of a request; empty where there is none. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = get(object, ...path);
  return typeof value === "string" ? value : "";
}
