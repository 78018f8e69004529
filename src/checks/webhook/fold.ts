import type { Check, Finding } from "./finding.ts";
import { isSameFailure, isWithin } from "./findings.ts";

/**
 * Findings of one sort at several places, as one finding at their parent, if all that was tried below the parent shows it.
 * `tried` are the places of each version that were set, `edited` those that were changed in a view of it.
 */
export function folded(
  findings: readonly Finding[],
  tried: ReadonlyMap<string, ReadonlySet<string>>,
  edited: ReadonlyMap<string, ReadonlySet<string>> = new Map(),
): readonly Finding[] {
  const groups = Map.groupBy(withoutEchoes(findings), sortOf);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const known = first !== undefined && isUndone(first) ? edited : tried;
    return alike(foldedGroup(group, known.get(first?.versions[0] ?? "") ?? new Set()));
  });
}

const later: readonly Check[] = ["edit", "round trip", "round trip without annotations"];

/** Findings without failures on the way back, or after an edit, which plain objects of that version show, too. */
function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  const plain = findings.filter(({ check }) => !later.includes(check));
  return findings.filter(
    (each) => !later.includes(each.check) || !plain.some((other) => isSameFailure(each, other)),
  );
}

/** The least number of places with a field of one name that are one finding; in references of one type. */
const fewestAlike = 4;
const fewestReferences = 2;

/** Findings at fields of one name all over the object, such as `optional` of each reference to a Secret, as one. */
function alike(group: readonly Finding[]): readonly Finding[] {
  return joined(joined(group, typeOf, fewestReferences), nameOf, fewestAlike);
}

function joined(
  group: readonly Finding[],
  keyOf: (finding: Finding) => string | undefined,
  fewest: number,
): readonly Finding[] {
  return [...Map.groupBy(group, (each) => keyOf(each) ?? each).values()].flatMap((same) => {
    const places = same.flatMap((each) => each.places);
    return same.length < 2 || places.length < fewest ? same : [{ ...smallestOf(same), places }];
  });
}

function nameOf({ place }: Finding): string {
  return place.slice(place.lastIndexOf(".") + 1);
}

function typeOf(finding: Finding): string | undefined {
  return finding.reference === undefined ? undefined : `${finding.reference}: ${nameOf(finding)}`;
}

/** The kinds with each finding about a field of references shown once: in later kinds it is one line that says where. */
export function foldedAcross<T extends { readonly kind: string; readonly findings: readonly Finding[] }>(
  kinds: readonly T[],
): readonly T[] {
  const known = new Map<string, string>();
  return kinds.map((kind) => {
    const findings = kind.findings.map((finding): Finding => {
      const type = typeOf(finding);
      if (type === undefined) return finding;
      const key = JSON.stringify([sortOf(finding), type]);
      const first = known.get(key) ?? kind.kind;
      known.set(key, first);
      return first === kind.kind ? finding : { ...finding, message: `as in ${first}`, views: [] };
    });
    return { ...kind, findings };
  });
}

/** Whether a finding is about the place that was edited, and not about what the edit took along. */
function isUndone({ check, versions, views }: Finding): boolean {
  return check === "edit" && views[0]?.what !== versions[0];
}

/** Findings that may stand together: of one kind, on one way, for the same reason. */
function sortOf(finding: Finding): string {
  const { kind, check, versions, message } = finding;
  const reason = kind === "refused" || kind === "crashed" ? message : "";
  return JSON.stringify([kind, check, versions, isUndone(finding), reason]);
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
