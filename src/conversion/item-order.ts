import type { Json } from "../json/json.ts";

/** An item that was shown, where it stands now, and the hidden ones behind it. */
export interface Run {
  readonly at: number;
  readonly items: Json[];
}

/**
 * The items of a list: the known ones in our order, unless a client has changed theirs, and new ones where they stand. If our
 * order is not that of the list, `ours` says where: it has the known ones, and in the places of those that are gone the new ones
 * that replaced them.
 */
export function inPlace(
  list: readonly Json[],
  runs: readonly Run[],
  ours: readonly Run[],
  found: readonly (number | undefined)[],
  ahead: number,
): readonly Json[] {
  const isOurs = isAscending(found.filter((at) => at !== undefined));
  if (isOurs && !isAscending(runs.map(({ at }) => at))) return inOurOrder(list, ours, ahead);
  const order = isOurs ? runs : runs.toSorted((a, b) => a.at - b.at);
  const taken = new Set(runs.map(({ at }) => at));
  let next = 0;
  return list.flatMap((item, at) => (taken.has(at) ? (order[next++]?.items ?? []) : [item]));
}

/** The items of a list in our order, other new ones behind those that they follow, or in front of those that follow them. */
function inOurOrder(list: readonly Json[], order: readonly Run[], ahead: number): readonly Json[] {
  const runs = new Map(order.map(({ at, items }) => [at, [...items]]));
  const first: Json[] = [];
  let here = first;
  let others: Json[] = [];
  for (const [at, item] of list.entries()) {
    const run = runs.get(at);
    if (run === undefined) {
      others.push(item);
      continue;
    }
    const behind = Math.max(0, others.length - ahead);
    here.push(...others.slice(0, behind));
    run.unshift(...others.slice(behind));
    [here, others] = [run, []];
  }
  here.push(...others);
  return [...first, ...[...runs.values()].flat()];
}

function isAscending(places: readonly number[]): boolean {
  return places.every((at, turn) => turn === 0 || at > (places[turn - 1] as number));
}
