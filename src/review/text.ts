import { get, type JsonObject } from "../json/json.ts";

/** The text at a place of a request; empty where there is none. */
export function textAt(object: JsonObject, ...path: readonly string[]): string {
  const value = get(object, ...path);
  return typeof value === "string" ? value : "";
}

/** What went wrong, in a sentence for whoever sent the review. An exhausted stack means values in values without end. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RangeError && error.message.includes("call stack"))
    return "its values are nested too deeply";
  return error instanceof Error ? error.message : String(error);
}
