import { isArray, type Json } from "../json/json.ts";
import { elementOf, type Field, hasFields, sortOf } from "./fields.ts";

/** Whether the newer field of two with the same path accepts less than the older one, as its choices say. */
export function isNarrowed(older: Field, newer: Field): boolean {
  const [from, to] = [choicesOf(older), choicesOf(newer)];
  if (to === undefined) return false;
  return from === undefined || from.some((each) => !to.includes(each));
}

/** The choices of a field, or of the items of a list. */
export function choicesOf(field: Field): readonly Json[] | undefined {
  const element = elementOf(field);
  if (element !== undefined && !hasFields(element))
    return choicesOf({ path: field.path, schema: element, sort: sortOf(element) });
  return isArray(field.schema.enum) ? field.schema.enum : undefined;
}
