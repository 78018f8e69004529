import { messageOf } from "../errors.ts";

/** An error as a sentence for the sender of a review. The stack is exhausted only by values that are nested too deeply. */
export function sentenceOf(error: unknown): string {
  if (error instanceof RangeError && error.message.includes("call stack"))
    return "its values are nested too deeply";
  return messageOf(error);
}
