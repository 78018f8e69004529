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

/**
 * The choices of the older of two fields, each with the newer one's: the same, else the only one that is left, or one that a
 * description names beside it. Undefined for a choice of which nothing says what it became.
 */
export function pairsOfChoices(
  older: Field,
  newer: Field,
): readonly (readonly [older: Json, newer: Json | undefined])[] {
  const [from, to] = [choicesOf(older) ?? [], choicesOf(newer) ?? []];
  const [gone, added] = [
    from.filter((each) => !to.includes(each)),
    to.filter((each) => !from.includes(each)),
  ];
  const sentences = [older, newer].flatMap(({ schema: { description } }) =>
    typeof description === "string" ? description.slice(0, 4000).split(/(?<=[.;])\s/) : [],
  );
  const isNamed = (sentence: string, choice: Json) => sentence.split(/[^\w-]+/).includes(String(choice));
  const named = (choice: Json) => {
    const beside = to.filter((each) =>
      sentences.some((sentence) => isNamed(sentence, choice) && isNamed(sentence, each)),
    );
    return beside.length === 1 ? beside[0] : undefined;
  };
  const only = gone.length === 1 && added.length === 1 ? added[0] : undefined;
  return from.map((choice) => [choice, to.includes(choice) ? choice : (named(choice) ?? only)] as const);
}
