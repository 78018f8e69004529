import type { AnyRow } from "../conversion/lens.ts";
import { type FieldSteps, fieldsOfRow, stepsOf } from "../conversion/row-fields.ts";

/** A row without rows below it, and its fields from the root of the object. */
interface LeafRow {
  readonly row: AnyRow;
  readonly older: readonly FieldSteps[];
  readonly newer: readonly FieldSteps[];
}

/** The rows that map values themselves: of a row with rows below it, those. */
export function leafRowsOf(rows: readonly AnyRow[]): readonly LeafRow[] {
  return rows.flatMap((row) => {
    const { inner } = row;
    const inside = inner?.lens.rows ?? [];
    if (inner === undefined || inside.length === 0) return [{ row, ...fieldsOfRow(row) }];
    const step = inner.of === "items" ? ["[]"] : [];
    const [older, newer] = [row.older.value, row.newer.value].map((path) => [...stepsOf(path), ...step]);
    return leafRowsOf(inside).map((leaf) => ({
      row: leaf.row,
      older: leaf.older.map((field) => [...(older ?? []), ...field]),
      newer: leaf.newer.map((field) => [...(newer ?? []), ...field]),
    }));
  });
}
