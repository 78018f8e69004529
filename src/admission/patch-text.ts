import { writeCached } from "../json/cached-text.ts";
import { writeJson } from "../json/exact.ts";
import { tokenOf } from "../json/path.ts";
import type { Step } from "./draft.ts";
import type { Place } from "./place.ts";

/** The patch that takes steps as an answer has it: the JSON text of the operations that `diff` gives, in base64. */
export function encodedPatch(steps: readonly Step[]): string {
  const text = textOfPatch(steps);
  // Without a way over bytes where characters are bytes.
  return Buffer.byteLength(text) === text.length ? btoa(text) : Buffer.from(text).toString("base64");
}

function textOfPatch(steps: readonly Step[]): string {
  const last = steps.length - 1;
  let above: Place | undefined;
  let prefix = "";
  const texts = steps.map((step, at) => {
    const { op, place } = step;
    // Most steps are taken beside the one before.
    if (place.above !== above) {
      above = place.above;
      prefix = prefixOf(above);
    }
    const path = above === undefined ? "" : prefix + quoted(place.step);
    // With the brackets of the list, so that it is put together but once.
    const head = `${at === 0 ? "[" : ""}{"op":"${op}","path":"${path}"`;
    const end = at === last ? "}]" : "}";
    return op === "remove" ? head + end : `${head},"value":${writeCached(step.value)}${end}`;
  });
  return steps.length === 0 ? "[]" : texts.join(",");
}

/** What a pointer begins with below a place, as it stands in a JSON text. */
function prefixOf(above: Place | undefined): string {
  let prefix = "/";
  for (let here = above; here?.above !== undefined; here = here.above)
    prefix = `/${quoted(here.step)}${prefix}`;
  return prefix;
}

/** A step of a path as it stands in a JSON text: token by token, since to look at the whole of a path copies it. */
function quoted(step: string | number): string {
  if (typeof step === "number") return String(step);
  return isPlain.test(step) ? step : writeJson(String(tokenOf(step))).slice(1, -1);
}

// What is written as it is: nearly every key.
const isPlain = /^[\w.-]*$/;
