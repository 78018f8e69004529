import { firstItem, toKeys } from "./field-path.ts";
import type { FieldPath } from "./field-types.ts";
import type { AnyRow, Inner } from "./lens.ts";

/** The fields that a row maps, in each version. */
interface RowFields {
  readonly older: readonly FieldSteps[];
  readonly newer: readonly FieldSteps[];
}

/** The names that lead to a field; `[]` stands for each item of a list, or each value of a map. */
export type FieldSteps = readonly string[];

/**
 * The fields that a row maps, from the root of the object. Of a row with rows below it these are the fields of the rows
 * below, since it passes on everything else; of one without, its own.
 */
export function fieldsOfRow({ older, newer, inner }: AnyRow): RowFields {
  return { older: fieldsIn(older, inner, "older"), newer: fieldsIn(newer, inner, "newer") };
}

function fieldsIn(
  paths: AnyRow["older"],
  inner: Inner | undefined,
  version: keyof RowFields,
): readonly FieldSteps[] {
  return Object.entries(paths).flatMap(([name, path]) => {
    const place = stepsOf(path);
    const rows = name === "value" ? (inner?.lens.rows ?? []) : [];
    const step = inner?.of === "items" ? ["[]"] : [];
    const fields = rows.flatMap((row) => fieldsOfRow(row)[version]);
    return rows.length === 0 ? [place] : fields.map((field) => [...place, ...step, ...field]);
  });
}

/** The steps of a row's path: the first item of a list is one of its items. */
export function stepsOf(path: FieldPath | undefined): FieldSteps {
  return path === undefined ? [] : toKeys(path).map((key) => (key === firstItem ? "[]" : key));
}
