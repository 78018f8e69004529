import type { AnyRow, Lens } from "../conversion/lens.ts";
import { type FieldSteps, stepsOf } from "../conversion/row-fields.ts";
import { placeOfRow } from "./check-lenses.ts";
import { literalOf } from "./check-rows.ts";
import type { Fault } from "./fault.ts";
import { sourceOf } from "./import-fault.ts";
import { literalIn } from "./source.ts";
import { authorFrames } from "./stack.ts";

/** A place in a file of an author; without a line if only the file is known. */
export type AuthorPlace = Pick<Fault, "file" | "place">;

/** The versions of a lens. */
type LensSide = "older" | "newer";

/**
 * Where the author of a lens wrote the row that maps a field of one of its versions, given by the steps that lead to it.
 * Undefined if no row maps it, or if several map parts of it.
 */
export async function placeOfField(
  lens: Lens,
  side: LensSide,
  field: FieldSteps,
): Promise<AuthorPlace | undefined> {
  const found = rowOfField(lens, side, field);
  if (found === undefined) return undefined;
  const { row, madeAt } = found;
  const [literal, next] = [row.older, row.newer]
    .flatMap((paths) => Object.values(paths).slice(0, 1))
    .map(literalOf);
  if (literal === undefined) return undefined;
  return placeOfRow({ literal, nth: 0, madeAt, ...(next === undefined ? {} : { next }) }, "");
}

/** Whether a row of a lens maps a field of one of its versions, what contains it, or a part of it; a lens written by hand may. */
export function mapsField(lens: Lens, side: LensSide, field: FieldSteps): boolean {
  if (lens.rows === undefined) return true;
  return rowsOf(lens).some((row) => row[side].some((own) => isAbove(own, field) || isAbove(field, own)));
}

/** A row that maps a field of spec to one of status or the other way round, in words, and where its author wrote it. */
export async function rowAcrossStatus(
  lens: Lens,
): Promise<(AuthorPlace & { readonly words: string }) | undefined> {
  for (const { older, newer } of rowsOf(lens))
    for (const one of older) {
      const other = newer.find(
        (each) => isOne(one, each, "spec", "status") || isOne(one, each, "status", "spec"),
      );
      if (other === undefined) continue;
      const place = await placeOfField(lens, "older", one);
      return { words: `${textOf(one)} to ${textOf(other)}`, ...(place ?? { file: "" }) };
    }
  return undefined;
}

function isOne(one: FieldSteps, other: FieldSteps, root: string, otherRoot: string): boolean {
  return one[0] === root && other[0] === otherRoot;
}

function textOf(steps: FieldSteps): string {
  return steps.join(".").replaceAll(".[]", "[]");
}

/** Where a lens was made of rows; one that was written by hand, where the file that defines the kind names its version. */
export async function placeOfLens(
  { madeAt = "" }: Lens,
  version: string,
  file: string,
): Promise<AuthorPlace> {
  const [frame] = authorFrames(madeAt);
  if (frame !== undefined) return frame;
  const place = literalIn(await sourceOf(file), version);
  return { file, ...(place === undefined ? {} : { place }) };
}

/** A row of a lens at any depth, and its fields from the root of the object. */
interface DeepRow {
  readonly row: AnyRow;
  readonly older: readonly FieldSteps[];
  readonly newer: readonly FieldSteps[];
  readonly madeAt: string;
}

function rowOfField(lens: Lens, side: LensSide, field: FieldSteps): DeepRow | undefined {
  const rows = rowsOf(lens);
  const matches = rows.flatMap((each) =>
    each[side].filter((own) => isAbove(own, field)).map((own) => ({ each, depth: own.length })),
  );
  const [closest] = matches.toSorted((a, b) => b.depth - a.depth);
  if (closest !== undefined) return closest.each;
  const [part, ...others] = rows.filter((each) => each[side].some((own) => isAbove(field, own)));
  return others.length === 0 ? part : undefined;
}

/** Whether steps lead to a field or to what contains it. `[]` stands for any item of a list and any value of a map. */
function isAbove(steps: FieldSteps, field: FieldSteps): boolean {
  return (
    steps.length <= field.length &&
    steps.every((step, index) => step === field[index] || step === "[]" || field[index] === "[]")
  );
}

function rowsOf(
  lens: Lens,
  above: Record<LensSide, FieldSteps> = { older: [], newer: [] },
): readonly DeepRow[] {
  const { rows = [], madeAt = "" } = lens;
  return rows.flatMap((row) => {
    const fieldsAt = (side: LensSide) =>
      Object.values(row[side]).map((path) => [...above[side], ...stepsOf(path)]);
    const own = { row, older: fieldsAt("older"), newer: fieldsAt("newer"), madeAt };
    const { inner } = row;
    if (inner === undefined) return [own];
    const step = inner.of === "items" ? ["[]"] : [];
    const below = (side: LensSide) => [...above[side], ...stepsOf(row[side].value), ...step];
    return [own, ...rowsOf(inner.lens, { older: below("older"), newer: below("newer") })];
  });
}
