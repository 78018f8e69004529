import type { AnyRow } from "../conversion/lens.ts";
import { type FieldSteps, fieldsOfRow, stepsOf } from "../conversion/row-fields.ts";

/** A row without rows below it, and its fields from the root of the object. */
export interface LeafRow {
  readonly row: AnyRow;
  readonly older: readonly FieldSteps[];
  readonly newer: readonly FieldSteps[];
  /** The object in each version at which the paths of the row begin. */
  readonly at: { readonly older: FieldSteps; readonly newer: FieldSteps };
}

/** The rows that map values themselves: of a row with rows below it, those. */
export function leafRowsOf(rows: readonly AnyRow[]): readonly LeafRow[] {
  return rows.flatMap((row) => {
    const { inner } = row;
    const inside = inner?.lens.rows ?? [];
    if (inner === undefined || inside.length === 0)
      return [{ row, ...fieldsOfRow(row), at: { older: [], newer: [] } }];
    const step = inner.of === "items" ? ["[]"] : [];
    const [older = [], newer = []] = [row.older.value, row.newer.value].map((path) => [
      ...stepsOf(path),
      ...step,
    ]);
    return leafRowsOf(inside).map((leaf) => below(leaf, { older, newer }));
  });
}

/** The rows of a branch of a union that map values themselves. */
export function rowsOfBranch({ row, at }: LeafRow, branch: string): readonly LeafRow[] {
  return leafRowsOf(row.union?.branches[branch] ?? []).map((leaf) => below(leaf, at));
}

/** A row of objects that stand somewhere, from the root of the object. */
function below({ row, older, newer, at }: LeafRow, place: LeafRow["at"]): LeafRow {
  return {
    row,
    older: older.map((field) => [...place.older, ...field]),
    newer: newer.map((field) => [...place.newer, ...field]),
    at: { older: [...place.older, ...at.older], newer: [...place.newer, ...at.newer] },
  };
}
