import { compareBytes, quote } from "../../../src/go/text.ts";
import { isNumber, toDouble } from "../../../src/json/exact.ts";
import { type Json, type JsonObject, own } from "../../../src/json/json.ts";
import type { Lister } from "../../../src/lister.ts";
import { restoredFrom } from "../../kruise/sidecarset/revision.ts";
import type { Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import { textAt } from "./json-text.ts";
import { type PreparedSet, preparedContent, type RevisionRule } from "./sets.ts";
import type { Surroundings } from "./surroundings.ts";

/** Which spec of a SidecarSet a pod gets. */
export interface Chosen {
  readonly content: Content;
  /** The reason, for a reader: `the current spec`, `revision log-1, which …`. */
  readonly choice: string;
}

/**
 * The spec that goes into a new pod: the current one, or the one that `injectionStrategy.revision` names. With the
 * policy `Partial` the old one only for pods that `updateStrategy.selector` leaves out and, by chance, for the share that
 * its partition says (sidecarset.md 2.3).
 */
export function chooseContent(
  { content: contentOf, revision, object }: PreparedSet,
  surroundings: Surroundings,
): Chosen | { readonly fault: Fault } {
  const current = () => {
    const content = contentOf();
    return "fault" in content ? content : { content, choice: "the current spec" };
  };
  if (revision === undefined) return current();
  const found = findRevision(revision, textAt(own(object, "metadata"), "name"), surroundings);
  if ("fault" in found) return found;
  const old = restored(found.revision, object);
  const name = textAt(own(found.revision, "metadata"), "name");
  const because = (reason: string) =>
    "fault" in old ? old : { content: old, choice: `revision ${name}, ${reason}` };
  if (revision.isPaused) return because("as the update is paused");
  if (!revision.isPartial) return because("which injectionStrategy.revision names");
  const { selector, oldShare } = revision;
  if (selector !== undefined) {
    if ("fault" in selector) return selector;
    if (!selector.selector.matches(surroundings.labels)) {
      return because("as updateStrategy.selector leaves the pod out");
    }
  }
  if (typeof oldShare !== "number") return oldShare;
  return oldShare > 0 && surroundings.draw(textAt(own(object, "metadata"), "name")) < oldShare
    ? because(`drawn for the ${oldShare * 100} % that stay at it`)
    : current();
}

function findRevision(
  { name, customVersion, clause }: RevisionRule,
  set: string,
  { controllerRevisions, revisionNamespace }: Surroundings,
): { readonly revision: JsonObject } | { readonly fault: Fault } {
  if (name !== "") {
    const revision = controllerRevisions.get(revisionNamespace, name);
    return revision === undefined
      ? { fault: { clause, sentence: `controllerrevisions.apps ${quote(name)} not found` } }
      : { revision };
  }
  // Tells apart what is not there from what is not known yet.
  controllerRevisions.get(revisionNamespace, "");
  const versions = versionsOf(controllerRevisions).get(keyOf(revisionNamespace, set, customVersion));
  const revision = [...(versions?.values() ?? [])].sort(newestFirst)[0];
  if (revision !== undefined) return { revision };
  const version = quote(customVersion);
  const sentence = `ControllerRevision.apps ${quote(set)} not found: none has the custom version ${version}`;
  return { fault: { clause, sentence } };
}

/** The revisions of SidecarSets by namespace, set and custom version, kept as a lister tells of changes. */
function versionsOf(lister: Lister): ReadonlyMap<string, ReadonlyMap<string, JsonObject>> {
  const known = versionIndexes.get(lister);
  if (known !== undefined) return known;
  const index = new Map<string, Map<string, JsonObject>>();
  versionIndexes.set(lister, index);
  lister.onChange(({ before, after }) => {
    if (before !== undefined) {
      const revisions = index.get(versionKey(before));
      revisions?.delete(textAt(own(before, "metadata"), "name"));
      if (revisions?.size === 0) index.delete(versionKey(before));
    }
    if (after !== undefined) {
      const revisions = index.get(versionKey(after)) ?? new Map<string, JsonObject>();
      index.set(versionKey(after), revisions.set(textAt(own(after, "metadata"), "name"), after));
    }
  });
  return index;
}

const versionIndexes = new WeakMap<Lister, ReadonlyMap<string, ReadonlyMap<string, JsonObject>>>();

function versionKey(revision: JsonObject): string {
  const metadata = own(revision, "metadata");
  const labels = own(metadata, "labels");
  return keyOf(
    textAt(metadata, "namespace"),
    textAt(labels, "kruise.io/sidecarset-name"),
    textAt(labels, "apps.kruise.io/sidecarset-custom-version"),
  );
}

function keyOf(namespace: string, set: string, customVersion: string): string {
  return JSON.stringify([namespace, set, customVersion]);
}

/** By number, then by age, then by name. */
function newestFirst(a: JsonObject, b: JsonObject): number {
  const created = (each: JsonObject) => textAt(own(each, "metadata"), "creationTimestamp");
  const name = (each: JsonObject) => textAt(own(each, "metadata"), "name");
  return (
    numberOf(own(b, "revision")) - numberOf(own(a, "revision")) ||
    compareBytes(created(b), created(a)) ||
    compareBytes(name(b), name(a))
  );
}

function numberOf(value: Json | undefined): number {
  return isNumber(value) ? toDouble(value) : 0;
}

/** What a recorded spec injects, prepared once for each revision and SidecarSet. */
function restored(revision: JsonObject, sidecarSet: JsonObject): Content | { readonly fault: Fault } {
  const contents = restoredContents.get(revision) ?? new WeakMap<JsonObject, ReturnType<typeof restored>>();
  restoredContents.set(revision, contents);
  const content = contents.get(sidecarSet) ?? preparedContent(restoredFrom(revision, sidecarSet));
  contents.set(sidecarSet, content);
  return content;
}

const restoredContents = new WeakMap<JsonObject, WeakMap<JsonObject, ReturnType<typeof restored>>>();
