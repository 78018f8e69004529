import type { Change } from "./change.ts";
import type { Comparison, Inner } from "./compare.ts";
import { type Field, fieldsOf } from "./fields.ts";
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

/** The rows that a comparison is sure of, in the order of the older fields; whole objects that moved are one row. */
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
  return [...collapsed(certain, comparison, innerRows), ...passing];
}

function passingRow({ older, newer }: Inner, inner: readonly Row[]): Row {
  return { older: older.path, newer: newer.path, reason: "the objects in it differ", inner };
}

/** Rows for single fields, and one row instead of them where all fields of an object moved together. */
function collapsed(
  certain: readonly Proposal[],
  comparison: Comparison,
  innerRows: ReadonlyMap<Field, readonly Row[]>,
): readonly Row[] {
  const sides = sidesOf(comparison);
  const rows: Row[] = [];
  const done = new Set<Proposal>();
  for (const proposal of certain) {
    if (done.has(proposal)) continue;
    const { older, newer, passage, reason } = proposal;
    const inner = innerRows.get(older) ?? [];
    const together = inner.length > 0 ? undefined : movedTogether(proposal, certain, sides, innerRows);
    for (const each of together?.members ?? [proposal]) done.add(each);
    rows.push({
      older: together?.older ?? older.path,
      newer: together?.newer ?? newer.path,
      reason,
      ...(passage === "as it is" ? {} : { change: passage }),
      ...(inner.length > 0 ? { inner, isOne: [older, newer].some(({ sort }) => sort === "object") } : {}),
    });
  }
  return rows;
}

/** All fields of each version. */
interface Sides {
  readonly older: readonly Field[];
  readonly newer: readonly Field[];
}

function sidesOf({ schemas }: Comparison): Sides {
  return { older: fieldsOf(schemas.older), newer: fieldsOf(schemas.newer) };
}

/** The largest object around a field of which all fields moved to the same names below one other place; undefined if none. */
function movedTogether(
  { older, newer }: Proposal,
  certain: readonly Proposal[],
  sides: Sides,
  innerRows: ReadonlyMap<Field, readonly Row[]>,
): { older: readonly string[]; newer: readonly string[]; members: readonly Proposal[] } | undefined {
  for (let names = commonTail(older.path, newer.path); names > 0; names--) {
    const [from, to] = [older.path.slice(0, -names), newer.path.slice(0, -names)];
    if (from.length === 0 || to.length === 0) continue;
    const members = certain.filter(
      (each) =>
        each.passage === "as it is" &&
        (innerRows.get(each.older) ?? []).length === 0 &&
        isBelow(each.older.path, from) &&
        isBelow(each.newer.path, to) &&
        each.older.path.slice(from.length).join("\0") === each.newer.path.slice(to.length).join("\0"),
    );
    const isWhole = [
      sides.older.filter(({ path }) => isBelow(path, from)),
      sides.newer.filter(({ path }) => isBelow(path, to)),
    ].every((fields) => fields.length === members.length);
    if (isWhole) return { older: from, newer: to, members };
  }
  return undefined;
}

function commonTail(a: readonly string[], b: readonly string[]): number {
  let tail = 0;
  while (tail < a.length && tail < b.length && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  return tail;
}

function isBelow(path: readonly string[], parent: readonly string[]): boolean {
  return path.length > parent.length && parent.every((name, index) => path[index] === name);
}
