import { isArray } from "../../json/json.ts";
import { fieldBelow } from "../../json/path.ts";
import type { Difference } from "./differences.ts";
import type { Effect } from "./effects.ts";

/** The differences that an effect shows: those whose keyword its words are about, else the nearest ones. */
export function reasonsOf(
  { place, message = "" }: Pick<Effect, "place" | "message">,
  differences: readonly Difference[],
): readonly Difference[] {
  const missing = differences.filter((each) => requires(each, place));
  if (message.startsWith("Required value") && missing.length > 0) return missing;
  const above = differences.filter((each) => isWithin(place, each.place));
  const spoken = above.filter(({ keyword }) => wordsOf[keyword]?.test(message));
  const chosen = nearest(spoken.length > 0 ? spoken : above);
  return chosen.length > 0 ? chosen : differences.filter((each) => isWithin(each.place, place));
}

function requires({ keyword, place, before, after }: Difference, missing: string): boolean {
  const names = [before, after].flatMap((value) => (isArray(value) ? value : []));
  return keyword === "required" && names.some((name) => fieldBelow(place, String(name)) === missing);
}

function nearest(differences: readonly Difference[]): readonly Difference[] {
  const longest = Math.max(...differences.map(({ place }) => place.length));
  return differences.filter(({ place }) => place.length === longest);
}

/** Whether a place is another one, or below it. */
export function isWithin(place: string, other: string): boolean {
  return place === other || other === "" || place.startsWith(`${other}.`) || place.startsWith(`${other}[`);
}

/** The API server's words for what breaks a keyword. */
const wordsOf: Readonly<Record<string, RegExp>> = {
  maximum: /should be less than/,
  minimum: /should be greater than/,
  exclusiveMaximum: /should be less than/,
  exclusiveMinimum: /should be greater than/,
  multipleOf: /should be a multiple of/,
  maxLength: /^Too long|should be at most \d+ chars/,
  minLength: /should be at least \d+ chars/,
  maxItems: /^Too many/,
  minItems: /should have at least \d+ items/,
  maxProperties: /^Too many/,
  minProperties: /should have at least \d+ properties/,
  pattern: /should match/,
  enum: /^Unsupported value/,
  format: /must be of type /,
  type: /must be of type /,
  nullable: /must be of type .*null/,
  uniqueItems: /^Duplicate value/,
  "x-kubernetes-list-type": /^Duplicate value/,
  "x-kubernetes-list-map-keys": /^Duplicate value/,
  oneOf: /must validate one and only one schema/,
  anyOf: /must validate at least one schema/,
  allOf: /must validate all the schemas/,
  not: /must not validate the schema/,
};
