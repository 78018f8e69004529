import { inBase64 } from "../conversion/platform.ts";
import { writeCached } from "../json/cached-text.ts";
import { writeJson } from "../json/exact.ts";
import { tokenOf } from "../json/path.ts";
import type { DraftOperation } from "./draft.ts";
import type { Pointer } from "./pointer.ts";

/** A patch as a response contains it: the JSON text of its operations, as `diff` returns them, in base64. */
export function encodedPatch(operations: readonly DraftOperation[]): string {
  return inBase64(textOfPatch(operations));
}

function textOfPatch(operations: readonly DraftOperation[]): string {
  const last = operations.length - 1;
  let parent: Pointer | undefined;
  let prefix = "";
  const texts = operations.map((step, at) => {
    const { op, pointer } = step;
    // Most operations have the same parent as the one before.
    if (pointer.parent !== parent) {
      parent = pointer.parent;
      prefix = prefixOf(parent);
    }
    const path = parent === undefined ? "" : prefix + quoted(pointer.step);
    // The brackets of the list are part of the first and last text, so that the whole is joined only once.
    const head = `${at === 0 ? "[" : ""}{"op":"${op}","path":"${path}"`;
    const end = at === last ? "}]" : "}";
    return op === "remove" ? head + end : `${head},"value":${writeCached(step.value)}${end}`;
  });
  return operations.length === 0 ? "[]" : texts.join(",");
}

/** The beginning of all paths below a pointer, as it stands in JSON text. */
function prefixOf(parent: Pointer | undefined): string {
  let prefix = "/";
  for (let here = parent; here?.parent !== undefined; here = here.parent)
    prefix = `/${quoted(here.step)}${prefix}`;
  return prefix;
}

/** A step of a path as it stands in JSON text. Steps are quoted one by one, since a look at a whole path would copy it. */
function quoted(step: string | number): string {
  if (typeof step === "number") return String(step);
  return isPlain.test(step) ? step : writeJson(String(tokenOf(step))).slice(1, -1);
}

// Nearly every key needs no escape.
const isPlain = /^[\w.-]*$/;
