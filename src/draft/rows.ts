import type { Change } from "./change.ts";
import type { Comparison, Inner } from "./compare.ts";
import { fieldsOf } from "./fields.ts";
import type { Proposal } from "./likeness.ts";

/** A row of a draft. */
export interface Row {
  readonly older: readonly string[];
  readonly newer: readonly string[];
  readonly reason: string;
  readonly change?: Change;
  /** The rows for one object, or for the objects in a list or map. */
  readonly inner?: readonly Row[];
  readonly isOne?: boolean;
}

/** The rows that a comparison is sure of, in the order of the older fields. */
export function rowsOf(comparison: Comparison): readonly Row[] {
  const innerRows = new Map(comparison.inner.map((each) => [each.older, rowsOf(each.below)]));
  const order = new Map(
    fieldsOf(comparison.schemas.older)
      .flatMap(({ path }, index) => path.map((_, at) => [path.slice(0, at + 1).join("\0"), index] as const))
      .toReversed(),
  );
  const placeOf = ({ older }: Proposal) => order.get(older.path.join("\0")) ?? 0;
  const certain = comparison.proposals
    .filter(({ isCertain }) => isCertain)
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const proposed = new Set(certain.map(({ older }) => older));
  const passing = comparison.inner
    .filter(({ older }) => !proposed.has(older) && (innerRows.get(older) ?? []).length > 0)
    .map((each) => passingRow(each, innerRows.get(each.older) ?? []));
  const rows = certain.map(({ older, newer, passage, reason }) => {
    const inner = innerRows.get(older) ?? [];
    return {
      older: older.path,
      newer: newer.path,
      reason,
      ...(passage === "as it is" ? {} : { change: passage }),
      ...(inner.length > 0 ? { inner, isOne: [older, newer].some(({ sort }) => sort === "object") } : {}),
    };
  });
  return [...rows, ...passing];
}

function passingRow({ older, newer }: Inner, inner: readonly Row[]): Row {
  return { older: older.path, newer: newer.path, reason: "the objects in it differ", inner };
}
