import { equal } from "../../json/equal.ts";
import { get, type JsonObject } from "../../json/json.ts";
import { contentSchemaOf } from "../../laws/content-schema.ts";
import { type ReadOtherwise, readOtherwise } from "./conversion.ts";
import { refusalsOfCrd } from "./crd-update.ts";
import type { Difference } from "./differences.ts";
import type { Effect } from "./effects.ts";
import type { Finding } from "./finding.ts";
import { leastOf } from "./least.ts";
import { validObject } from "./mend.ts";
import { reasonsOf } from "./reasons.ts";
import { bareObject, type Revision, type RevisionVersion } from "./revision.ts";
import { type Searched, type SearchOptions, search } from "./search.ts";
import { unconvertedFindings } from "./unconverted.ts";
import { isOfType, storedUnder } from "./updates.ts";
import { describeDifference, isSameDuration, shortened } from "./words.ts";

/** A difference between the revisions for which no object was found that shows it. */
interface Unshown {
  readonly version: string;
  readonly difference: string;
}

/** What is different between two revisions of a CRD. */
export interface Comparison {
  /** `rooms.home.antechamber.dev`. */
  readonly name: string;
  readonly findings: readonly Finding[];
  /** Why the API server refuses the new CRD as an update of the old one. */
  readonly refusedCrd: readonly string[];
  readonly unshown: readonly Unshown[];
}

/** Compares two revisions of a CRD by objects. Deterministic by the seed. */
export function compareRevisions(old: Revision, after: Revision, options: SearchOptions): Comparison {
  const versions = old.versions.filter(({ served }) => served);
  const compared = versions.map((version) => compareVersion(old, after, version, options));
  const unconverted = unconvertedFindings(old, after, options);
  const shown = new Set(unconverted.flatMap(({ because }) => because));
  return {
    name: old.name,
    findings: [
      ...compared.flatMap(({ findings }) => findings),
      ...readOtherwise(old, after, options).map(conversionFinding),
      ...unconverted,
    ],
    refusedCrd: refusalsOfCrd(old, after),
    unshown: [
      ...compared.flatMap(({ unshown }) => unshown),
      ...unshownOfCrd(old, after).filter(({ difference }) => !shown.has(difference)),
    ],
  };
}

/** A lost value breaks the clients that read it. A changed value is only risky: the author of the kind may have corrected the lens. */
function conversionFinding({ versions, path: _, ...rest }: ReadOtherwise): Finding {
  const isLost = rest.before !== undefined && rest.after === undefined;
  const because = [`${versions}: the lenses differ`];
  return {
    class: isLost ? "breaking" : isSameDuration(rest.before, rest.after) ? "safe" : "risky",
    effect: "read otherwise",
    version: versions,
    ...rest,
    because,
  };
}

type ComparedVersion = Pick<Comparison, "findings" | "unshown">;

function compareVersion(
  old: Revision,
  after: Revision,
  version: RevisionVersion,
  options: SearchOptions,
): ComparedVersion {
  const other = after.versions.find(({ name }) => name === version.name);
  if (other?.served !== true) return { findings: unserved(old, version, after, other), unshown: [] };
  const seeds = [
    ...options.seeds.filter(({ apiVersion }) => apiVersion === version.apiVersion),
    ...withStatus(old, version, other),
  ];
  const forward = search({ revision: old, old: version, new: other }, { ...options, seeds });
  const backward = search({ revision: after, old: other, new: version }, { ...options, seeds, runs: 0 });
  const found = [
    ...findingsOf(forward, version, other),
    ...looserFindings(backward, version.name, forward.differences),
  ];
  const shown = new Set(found.flatMap(({ because }) => because));
  const unshown = forward.differences
    .map(describeDifference)
    .filter((difference) => !shown.has(difference))
    .map((difference) => ({ version: version.name, difference }));
  return { findings: found, unshown: [...unshown, ...unshownOfEntry(version, other)] };
}

/** An object with a status, if one of the two has an endpoint for it and the other one does not. */
function withStatus(
  revision: Revision,
  version: RevisionVersion,
  other: RevisionVersion,
): readonly JsonObject[] {
  const [before, after] = [version, other].map(({ entry }) => get(entry, "subresources", "status"));
  if ((before === undefined) === (after === undefined)) return [];
  const status = get(version.schema, "properties", "status");
  const [name, field] = Object.entries(get(status, "properties") ?? {})[0] ?? [];
  const value = name === undefined ? leastOf(status) : { [name]: leastOf(field) };
  const object = validObject(version, { ...leastObject(revision, version), status: value });
  return object === undefined ? [] : [object];
}

function leastObject(revision: Revision, version: RevisionVersion): JsonObject {
  return { ...(leastOf(contentSchemaOf(version.entry)) as JsonObject), ...bareObject(revision, version) };
}

function unserved(
  old: Revision,
  version: RevisionVersion,
  after: Revision,
  other: RevisionVersion | undefined,
): readonly Finding[] {
  const object = validObject(version, leastObject(old, version));
  if (object === undefined) return [];
  const answer = after.crd.write({ object });
  if (answer.allowed) return [];
  const because = `${version.name}: ${other === undefined ? "version removed" : "served true → false"}`;
  const message = String(get(answer.status, "message"));
  const where = { version: version.name, place: "", field: "", message };
  return [{ class: "breaking", effect: "unserved", ...where, object, because: [because] }];
}

function findingsOf(
  { shown, updates, differences }: Searched,
  old: RevisionVersion,
  after: RevisionVersion,
): readonly Finding[] {
  const objects = shown
    .filter(({ effect }) => effect.effect !== "kept")
    .map(({ effect, object }): Finding => {
      const found = effect.effect === "refused" ? storedUnder({ old, new: after }, object) : undefined;
      const stored = found && isOfType(effect.message ?? "") ? { ...found, breaksLists: true } : found;
      return {
        class: classOf(effect),
        ...effect,
        version: old.name,
        object,
        ...(stored === undefined ? {} : { stored }),
        because: becauseOf(effect, differences),
      };
    });
  const refused = updates.map(({ place, message, before, after: object }): Finding => {
    const because = becauseOf({ place }, rules(differences));
    const where = { version: old.name, place, field: place, message };
    return { class: "breaking", effect: "refused update", ...where, old: before, object, because };
  });
  return [...objects, ...refused];
}

function classOf({ effect, before, after }: Effect): Finding["class"] {
  if (effect !== "defaulted") return "breaking";
  return isSameDuration(before, after) ? "safe" : "risky";
}

/** What the new revision accepts or keeps and the old one did not, from a search in the other direction. */
function looserFindings(
  { shown, updates }: Searched,
  version: string,
  differences: readonly Difference[],
): readonly Finding[] {
  const objects = shown.flatMap(({ effect, object }) => looser(effect, object, version, differences));
  const accepted = updates.map(({ place, message, before, after }): Finding => {
    const because = becauseOf({ place }, rules(differences));
    const where = { version, place, field: place, message };
    return { class: "safe", effect: "accepted update", ...where, old: before, object: after, because };
  });
  return [...objects, ...accepted];
}

function looser(
  shown: Effect,
  object: JsonObject,
  version: string,
  differences: readonly Difference[],
): readonly Finding[] {
  const { effect, place, field, message, before } = shown;
  const because = becauseOf(shown, differences);
  const where = { class: "safe", version, place, field, object, because } as const;
  if (effect === "refused" && message !== undefined) return [{ ...where, effect: "accepted", message }];
  return effect === "pruned" ? [{ ...where, effect: "kept", after: before }] : [];
}

/** Those that can refuse an update although the object is valid. */
function rules(differences: readonly Difference[]): readonly Difference[] {
  return differences.filter(({ keyword }) => keyword === "x-kubernetes-validations");
}

/** The differences that a finding shows, in words. */
function becauseOf(effect: Pick<Effect, "place" | "message">, differences: readonly Difference[]) {
  return reasonsOf(effect, differences).map(describeDifference);
}

/** Differences beside the schema of a version. */
function unshownOfEntry(old: RevisionVersion, after: RevisionVersion): readonly Unshown[] {
  const paths = [["subresources", "scale"], ["selectableFields"], ["deprecated"]] as const;
  return paths.flatMap((path) => {
    const [before, now] = [get(old.entry, ...path), get(after.entry, ...path)];
    if (equal(before, now)) return [];
    const difference = `${path.join(".")} ${shortened(before)} → ${shortened(now)}`;
    return [{ version: old.name, difference }];
  });
}

function unshownOfCrd(old: Revision, after: Revision): readonly Unshown[] {
  const storage = ({ versions }: Revision) => versions.find(({ stored }) => stored)?.name;
  const strategy = ({ crd }: Revision) => crd.conversion;
  const changes = [
    ["storage version", storage(old), storage(after)],
    ["conversion.strategy", strategy(old), strategy(after)],
  ] as const;
  const added = after.versions.filter(({ name }) => !old.versions.some((each) => each.name === name));
  return [
    ...added.map(({ name }) => ({ version: name, difference: "version added" })),
    ...changes
      .filter(([, before, now]) => before !== now)
      .map(([what, before, now]) => ({ version: "", difference: `${what} ${before} → ${String(now)}` })),
  ];
}
