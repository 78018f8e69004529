import type { Comparison } from "./compare.ts";
import type { Field, Sort } from "./fields.ts";

/** What there is to say of a comparison and of those of the objects in its lists and maps, given the place where each is in a version. */
export function everywhere<Said>(
  comparison: Comparison,
  said: (comparison: Comparison, place: string) => readonly Said[],
  side: "older" | "newer" = "older",
  place = "",
): readonly Said[] {
  const below = comparison.inner.flatMap((inner) =>
    everywhere(inner.below, said, side, placeIn(inner[side], place)),
  );
  return [...said(comparison, place), ...below];
}

/** The place of the objects in a field. */
export function placeIn(field: Field, place: string): string {
  return `${pathOf(field, place)}${suffixes.get(field.sort) ?? ".*"}`;
}

/** What follows the path of a field that the objects are in. */
const suffixes: ReadonlyMap<Sort, string> = new Map([
  ["list", "[]"],
  ["object", ""],
]);

/** The path of a field below a place, on one line. */
export function pathOf({ path }: Pick<Field, "path">, place: string): string {
  return oneLine([...(place === "" ? [] : [place]), ...path].join("."));
}

/** A text that cannot end the comment that it stands in. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]+/gu, " ").trim();
}
