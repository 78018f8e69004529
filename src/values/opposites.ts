import { equal } from "../json/equal.ts";
import { wordsOfName } from "./words.ts";

/** Words of which each says the opposite of those on the other side, as they begin or end names of boolean fields. */
const opposites: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  ["enable enabled", "disable disabled"],
  ["allow allowed", "deny denied disallow disallowed forbid forbidden"],
  ["include included", "exclude excluded omit omitted skip skipped"],
  ["show shown", "hide hidden"],
  ["with", "without"],
].map(([left = "", right = ""]) => [new Set(left.split(" ")), new Set(right.split(" "))] as const);

/**
 * Whether the last names of two fields say opposite things of the same, so that `true` of one is `false` of the other:
 * `disableCache` and `enableCache`, or `cache.enabled`; `noCache` and `cache`.
 */
export function areOpposite(one: string, other: string): boolean {
  const [name = [], otherName = []] = [one, other].map((field) => wordsOfName(field.split(".").at(-1) ?? ""));
  if (isNegated(name, otherName) || isNegated(otherName, name)) return true;
  const [left, right] = [new Set(name), new Set(otherName)];
  return opposites.some(([yes, no]) => {
    const [here, there] = left.isDisjointFrom(no) ? [yes, no] : [no, yes];
    if (left.isDisjointFrom(here) || right.isDisjointFrom(there)) return false;
    if (!left.isDisjointFrom(there) || !right.isDisjointFrom(here)) return false;
    const [about, aboutOther] = [left.difference(here), right.difference(there)];
    return about.size === 0 || aboutOther.size === 0 || !about.isDisjointFrom(aboutOther);
  });
}

function isNegated([first, ...rest]: readonly string[], words: readonly string[]): boolean {
  return first === "no" && equal(rest, words);
}
