import { get, type JsonObject } from "../json/json.ts";

/** The string at a path of a request; empty if there is none. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = get(object, ...path);
  return typeof value === "string" ? value : "";
}

/** An error as a sentence for the sender of a review. The stack is exhausted only by values that are nested too deeply. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RangeError && error.message.includes("call stack"))
    return "its values are nested too deeply";
  return error instanceof Error ? error.message : String(error);
}
