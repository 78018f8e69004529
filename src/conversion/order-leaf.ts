import { equal } from "../json/equal.ts";
import type { KeyedItems } from "./keyed-list.ts";
import { leafOf } from "./leaf.ts";
import type { Tree } from "./tree.ts";

/**
 * The order of a keyed list, unless it results by itself, whichever of the two the other version shows: first the items that
 * are shown, then those that are put back.
 */
export function orderLeaf(source: KeyedItems, shown: KeyedItems, defaulted: KeyedItems): Tree | undefined {
  const isOne = shown === defaulted || isSameOrder(shown, defaulted);
  if (isNaturalOrder(source, shown) && (isOne || isNaturalOrder(source, defaulted))) return undefined;
  return leafOf([...source.keys()], [...shown.keys()], isOne ? undefined : [...defaulted.keys()], !isOne);
}

function isNaturalOrder(source: KeyedItems, shown: KeyedItems): boolean {
  if (isSameOrder(source, shown)) return true;
  if (shown.size === 0) return isAscending(source);
  const sourceNames = [...source.keys()];
  const natural = [
    ...[...shown.keys()].filter((name) => source.has(name)),
    ...sourceNames.filter((name) => !shown.has(name)).sort(),
  ];
  return equal(natural, sourceNames);
}

function isAscending(items: KeyedItems): boolean {
  let last: string | undefined;
  for (const name of items.keys()) {
    if (last !== undefined && name < last) return false;
    last = name;
  }
  return true;
}

function isSameOrder(source: KeyedItems, shown: KeyedItems): boolean {
  if (source.size !== shown.size) return false;
  const shownNames = shown.keys();
  for (const name of source.keys()) if (shownNames.next().value !== name) return false;
  return true;
}
