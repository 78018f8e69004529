import type { Finding } from "./finding.ts";
import { isWithin } from "./findings.ts";

/**
 * Findings of one sort at several places, as one finding at their parent, if all that was tried below the parent shows it.
 * `tried` are the places of each version that were set.
 */
export function folded(
  findings: readonly Finding[],
  tried: ReadonlyMap<string, ReadonlySet<string>>,
): readonly Finding[] {
  const groups = Map.groupBy(findings, sortOf);
  return [...groups.values()].flatMap((group) => {
    const places = tried.get(group[0]?.versions[0] ?? "") ?? new Set<string>();
    return group[0]?.check === "edit" ? group : alike(foldedGroup(group, places));
  });
}

/** The least number of places with a field of one name that are one finding. */
const fewestAlike = 4;

/** Findings at fields of one name all over the object, such as `optional` of each reference to a Secret, as one. */
function alike(group: readonly Finding[]): readonly Finding[] {
  const byName = Map.groupBy(group, ({ place }) => place.slice(place.lastIndexOf(".") + 1));
  return [...byName.values()].flatMap((same) =>
    same.length < fewestAlike
      ? same
      : [{ ...smallestOf(same), places: same.flatMap(({ places }) => places) }],
  );
}

/** Findings that may stand together: of one kind, on one way, for the same reason. */
function sortOf({ kind, check, versions, message }: Finding): string {
  return JSON.stringify([kind, check, versions, kind === "refused" || kind === "crashed" ? message : ""]);
}

function foldedGroup(group: readonly Finding[], tried: ReadonlySet<string>): readonly Finding[] {
  const found = new Set(group.map(({ place }) => place));
  const all = countsBelow(tried);
  const faulty = countsBelow([...tried].filter((place) => found.has(place)));
  const rest = new Set(group);
  const made: Finding[] = [];
  for (const finding of group) {
    if (!rest.has(finding)) continue;
    const parent = topmostParent(finding.place, all, faulty);
    const inside = [...rest].filter(({ place }) => isWithin(place, parent));
    for (const each of inside) rest.delete(each);
    const places = inside.map(({ place }) => place);
    made.push(inside.length < 2 ? finding : { ...smallestOf(inside), place: parent, places });
  }
  return made;
}

/** The highest place above one below which every place that was tried has a finding of the group. */
function topmostParent(
  place: string,
  tried: ReadonlyMap<string, number>,
  faulty: ReadonlyMap<string, number>,
): string {
  let top = place;
  for (const parent of parentsOf(place)) {
    const count = tried.get(parent) ?? 0;
    if (count < 2 || faulty.get(parent) !== count) break;
    top = parent;
  }
  return top;
}

/** How many of the places each place above them has, itself included. */
function countsBelow(places: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const place of places)
    for (const each of [place, ...parentsOf(place)]) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
}

/** The places above one, the nearest first, up to spec or status. */
function parentsOf(place: string): readonly string[] {
  const parents: string[] = [];
  for (let here = place; ; ) {
    if (!/[.[]/.test(here)) return parents;
    here = here.replace(/(\.[^.[\]]+|\.\*|\[[^\]]*\])$/, "");
    parents.push(here);
  }
}

function smallestOf(findings: readonly Finding[]): Finding {
  const sizeOf = ({ views: [first] }: Finding) => JSON.stringify(first?.object ?? {}).length;
  return findings.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0] as Finding;
}
