import { counted } from "../words.ts";
import type { Comparison } from "./compare.ts";
import { elementOf, type Field, hasFields, leavesIn, sumOf } from "./fields.ts";

/** How much of an older version a draft maps, in fields; those of objects in lists and maps count once. */
export interface Tally {
  readonly all: number;
  /** Fields that need no row: they have the same path and type, or the other version takes any fields. */
  readonly passing: number;
  /** Fields with a row, and those that are only proposed in a comment. */
  readonly rows: number;
  readonly guesses: number;
  /** Fields of which the author must decide what becomes of them. */
  readonly left: number;
  /** Fields of the newer version that nothing is mapped to. */
  readonly onlyNewer: number;
}

/** Counts the fields of a comparison. */
export function tallyOf(comparison: Comparison): Tally {
  const { passing, proposals, unlike, narrowed, open, onlyOlder, onlyNewer, inner } = comparison;
  const certain = new Set(proposals.filter(({ isCertain }) => isCertain).map(({ older }) => older));
  const below = inner.map(({ older, below: each }) => {
    const tally = tallyOf(each);
    // What a row moves does not pass by itself.
    return certain.has(older) ? { ...tally, passing: 0, rows: tally.passing + tally.rows } : tally;
  });
  const sum = (key: keyof Tally) => sumOf(below.map((each) => each[key]));
  const guesses = proposals.filter(({ isCertain }) => !isCertain);
  const own = {
    passing: countOf([...passing, ...open.older]) + sum("passing"),
    rows: countOf([...certain]) + sum("rows"),
    guesses: sumOf(guesses.map(({ older }) => leavesIn(older))) + sum("guesses"),
    left:
      sumOf([...[...unlike, ...narrowed].map(([older]) => older), ...onlyOlder].map(leavesIn)) + sum("left"),
  };
  return {
    ...own,
    all: own.passing + own.rows + own.guesses + own.left,
    onlyNewer: sumOf(onlyNewer.map(leavesIn)) + sum("onlyNewer"),
  };
}

/** A tally as a sum, which the report and the file of the lens both show. */
export function inWords({ all, passing, rows, guesses, left }: Tally): string {
  return `${counted(all, "field")} = ${passing} passing + ${rows} in rows + ${guesses} guessed + ${left} left to you`;
}

/** The number of fields without those in lists and maps of objects, which their own comparison counts. */
function countOf(fields: readonly Field[]): number {
  return fields.filter((field) => !hasFields(elementOf(field))).length;
}
