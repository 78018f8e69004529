import { type Circumstances, equal, get, type Json, type JsonObject } from "antechamber";
import { writeGo } from "./go-type.ts";
import { podTemplate } from "./pod-types.ts";

/** The gate of OpenKruise that leaves templates of pods as they are written. */
export const templateGate = {
  TemplateNoDefaults: {
    default: false,
    meaning: "templates of pods get no defaults",
  },
};

/**
 * Whether the template of an object gets defaults: it is new, or this write changes it. Defaults of a later release would
 * otherwise replace pods that nobody meant to change.
 */
export function isTemplateFilled(
  object: JsonObject,
  { operation, oldObject, gates }: Circumstances,
): boolean {
  if (gates.TemplateNoDefaults === true) return false;
  const [before, after] = [get(oldObject, "spec", "template"), get(object, "spec", "template")];
  return operation === "CREATE" || !isSame(before ?? null, after ?? null);
}

/** Whether two templates say the same; clients that use Go's types add empty values and leave others out. */
function isSame(before: Json, after: Json): boolean {
  return equal(before, after) || writeGo(podTemplate, before) === writeGo(podTemplate, after);
}
