import { equal } from "../../json/equal.ts";
import { get, type JsonObject, set } from "../../json/json.ts";
import { placeOfPath } from "../../laws/places.ts";
import type { Answer } from "../../schema/index.ts";
import { rewritten } from "./deletions.ts";
import { type Difference, differencesOf } from "./differences.ts";
import { changesOf, type Effect } from "./effects.ts";
import type { Finding } from "./finding.ts";
import { causesOf } from "./mend.ts";
import { isWithin, reasonsOf } from "./reasons.ts";
import { contentOf, type Revision, type RevisionVersion } from "./revision.ts";
import { type Searched, type SearchOptions, search } from "./search.ts";
import { isOfType, labelled } from "./updates.ts";
import { describeDifference } from "./words.ts";

// Between versions without a webhook an API server changes nothing but the apiVersion, and prunes. Where the versions differ, one
// write of a label at another version deletes values.

/** An object that is stored as one version, and written at another, after the change of the CRD. */
interface Passage {
  readonly old: Revision;
  readonly new: Revision;
  readonly stored: RevisionVersion;
  /** The version of the new revision at which it is written. */
  readonly at: RevisionVersion;
}

/** What the new revision destroys between its versions, each with the smallest object found. Deterministic by the seed. */
export function unconvertedFindings(
  old: Revision,
  after: Revision,
  options: SearchOptions,
): readonly Finding[] {
  if (options.isConverted === true && get(after.json, "spec", "conversion") === undefined) return [];
  return passagesOf(old, after).flatMap((passage) => [
    ...oncePerCause(destroyed(passage, options)),
    ...oncePerCause(mistyped(passage, options)),
  ]);
}

/** The first finding of each cause: all fields of an object are lost alike where a list became an object. */
function oncePerCause(findings: readonly Finding[]): readonly Finding[] {
  const causes = Map.groupBy(findings, ({ effect, because }) => JSON.stringify([effect, because]));
  return [...causes.values()].flatMap((alike) => alike.slice(0, 1));
}

function passagesOf(old: Revision, after: Revision): readonly Passage[] {
  if (after.crd.conversion === "Webhook") return [];
  const storage = storageOf(after)?.name;
  const before = old.storedVersions ?? old.versions.filter((each) => each.stored).map(({ name }) => name);
  const mayBeStored = new Set([...before, storage]);
  return after.versions.flatMap((stored) =>
    after.versions
      .filter(({ served }) => served)
      // A client writes at a version, or at another one than that which is stored. The rest is compared as one version.
      .filter(({ name }) => (name === stored.name ? name !== storage : mayBeStored.has(stored.name)))
      .map((at): Passage => ({ old, new: after, stored, at }))
      .filter((passage) => !isAsBefore(passage)),
  );
}

function storageOf({ versions }: Revision): RevisionVersion | undefined {
  return versions.find(({ stored }) => stored);
}

function named({ versions }: Revision, name: string | undefined): RevisionVersion | undefined {
  return versions.find((each) => each.name === name);
}

/** Whether the old revision had no webhook either, and the same versions. */
function isAsBefore({ old, new: after, stored, at }: Passage): boolean {
  const names = [stored.name, at.name, storageOf(after)?.name];
  return (
    old.crd.conversion === "None" &&
    storageOf(old)?.name === storageOf(after)?.name &&
    names.every((name) => equal(named(old, name)?.entry, named(after, name)?.entry))
  );
}

/** The version by whose schema values get lost: the one that is stored where a client writes at its own. */
function targetOf(revision: Revision, stored: string, at: string): RevisionVersion | undefined {
  return at === stored ? storageOf(revision) : named(revision, at);
}

type Judge = (revision: Revision, stored: JsonObject, passage: Passage) => Answer;

/** Searches for objects of which a judge of the new revision loses or refuses something. */
function searched(passage: Passage, judge: Judge, options: SearchOptions) {
  const { new: after, stored, at } = passage;
  const target = targetOf(after, stored.name, at.name) ?? at;
  const through = (object: JsonObject) => {
    const first = stored.store(object);
    if (first.object === undefined) return first;
    const answer = judge(after, first.object, passage);
    return answer.object === undefined
      ? answer
      : { ...answer, object: set(answer.object, "apiVersion", stored.apiVersion) };
  };
  const seeds = options.seeds.filter(({ apiVersion }) => apiVersion === stored.apiVersion);
  return search({ revision: after, old: stored, new: { ...target, store: through } }, { ...options, seeds });
}

/**
 * Whether the old revision did the same: with the object, if it accepted it, or else by its schemas, which differ alike. What a webhook
 * of it did is unknown: nothing is said to be lost in it.
 */
function wasSo(
  { effect, object }: Searched["shown"][number],
  judge: Judge,
  passage: Passage,
  differences: readonly Difference[],
): boolean {
  const { old, new: after, stored, at } = passage;
  const version = named(old, stored.name);
  if (old.crd.conversion === "Webhook" || version === undefined || named(old, at.name)?.served !== true)
    return false;
  const first = version.store(object).object;
  if (first === undefined) {
    const before = targetOf(old, stored.name, at.name);
    if (before?.name !== targetOf(after, stored.name, at.name)?.name) return false;
    const known = new Set(differencesOf(version.schema, before?.schema ?? {}).map(describeDifference));
    return reasonsOf(effect, differences).every((difference) => known.has(describeDifference(difference)));
  }
  const answer = judge(old, first, passage);
  if (answer.object === undefined) return effect.effect === "refused";
  return changesOf(contentOf(first), contentOf(answer.object)).some(
    ({ path }) => placeOfPath(path, version.schema) === effect.place,
  );
}

/** What a write of a label at the other version makes of a stored object. */
const written: Judge = ({ crd }, stored, { at }) => {
  const after = rewritten(crd, stored, [at.name], labelled);
  return "refused" in after ? after.refused : { allowed: true, object: after.object, warnings: [] };
};

function destroyed(passage: Passage, options: SearchOptions): readonly Finding[] {
  const { shown, differences } = searched(passage, written, options);
  return shown.flatMap((each): readonly Finding[] => {
    const { effect, object } = each;
    const stored = passage.stored.store(object).object;
    if (stored === undefined || wasSo(each, written, passage, differences)) return [];
    const after = written(passage.new, stored, passage);
    const where = { ...whereOf(passage, effect), because: becauseOf(passage, effect, differences) };
    if (effect.effect === "refused") {
      const read = passage.new.crd.read(stored, passage.at.name);
      return [
        {
          class: "breaking",
          effect: "refused update",
          ...where,
          message: effect.message ?? "",
          old: stored,
          object: labelled(read),
        },
      ];
    }
    // What was in the object that the client wrote, and no longer is; not what only a default had filled in.
    const isLost = effect.effect === "pruned" || (effect.before !== undefined && effect.after !== undefined);
    if (!isLost || after.object === undefined) return [];
    return [
      {
        class: "breaking",
        effect: "destroyed",
        ...where,
        before: effect.before,
        after: effect.after,
        old: stored,
        object: after.object,
      },
    ];
  });
}

/** The types of values that the other version does not declare: an answer for each object with one. */
const typed: Judge = ({ crd }, stored, { at }) => {
  const read = crd.read(stored, at.name);
  const causes = causesOf(at, read).filter(({ message }) => isOfType(message));
  if (causes.length === 0) return { allowed: true, object: stored, warnings: [] };
  const details = { causes: causes.map(({ field, message }) => ({ field, message })) };
  return { allowed: false, status: { details }, warnings: [] };
};

function mistyped(passage: Passage, options: SearchOptions): readonly Finding[] {
  const { stored, at } = passage;
  const isTyped = ({ keyword, before }: Difference) =>
    before !== undefined && ["type", "x-kubernetes-int-or-string"].includes(keyword);
  if (!differencesOf(stored.schema, at.schema).some(isTyped)) return [];
  const { shown, differences } = searched(passage, typed, options);
  return shown.flatMap((each): readonly Finding[] => {
    const { effect, object } = each;
    const before = stored.store(object).object;
    if (effect.effect !== "refused" || before === undefined || wasSo(each, typed, passage, differences))
      return [];
    const because = becauseOf(passage, effect, differences);
    const message = effect.message ?? "";
    return [
      { class: "risky", effect: "mistyped", ...whereOf(passage, effect), message, object: before, because },
    ];
  });
}

function whereOf({ stored, at }: Passage, { place, field }: Effect) {
  const version = stored.name === at.name ? at.name : `${stored.name} → ${at.name}`;
  return { version, place, field };
}

/** What of the change brings the loss about, and the differences between the two versions. */
function becauseOf(
  { old, new: after, stored, at }: Passage,
  effect: Effect,
  differences: readonly Difference[],
): readonly string[] {
  const [storageBefore, storage] = [storageOf(old)?.name, storageOf(after)?.name];
  const absent =
    get(after.json, "spec", "conversion") === undefined
      ? ": spec.conversion is absent (pass --converted if it is added later)"
      : "";
  const strategy = `conversion.strategy ${old.crd.conversion === "Webhook" ? "Webhook → None" : `None${absent}`}`;
  const moved = storageBefore === storage ? [] : [`storage version ${storageBefore} → ${storage}`];
  const added = old.versions.some(({ name }) => name === at.name) ? [] : ["version added"];
  const other = stored.name === at.name ? storage : at.name;
  return [
    strategy,
    ...moved,
    ...added,
    ...typesOr(reasonsOf(effect, differences), effect, differences).map(
      (difference) => `${stored.name} and ${other}: ${describeDifference(difference)}`,
    ),
  ];
}

/** The topmost change of a type above a place, by which all below it is lost; otherwise the other reasons. */
function typesOr(
  reasons: readonly Difference[],
  { place }: Effect,
  differences: readonly Difference[],
): readonly Difference[] {
  const type = differences.find(
    (each) => each.keyword === "type" && each.before !== undefined && isWithin(place, each.place),
  );
  return type === undefined ? reasons : [type];
}
