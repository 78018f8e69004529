import { isNumber, type Json, type JsonObject, type Lister, own, toDouble } from "antechamber";
import { compareBytes, quote } from "antechamber/go";
import { customVersionLabel, kruiseNamespace, sidecarSetNameLabel } from "../../kruise/shared/names.ts";
import { stringAt } from "../../kruise/shared/read.ts";
import { restoredFrom } from "../../kruise/shared/revision.ts";
import type { Fault } from "./clause.ts";
import type { Content } from "./content.ts";
import type { MatchContext } from "./match-context.ts";
import { type PreparedSet, preparedContent, type RevisionRule } from "./sets.ts";

/** Which spec of a SidecarSet a pod gets. */
export interface Chosen {
  readonly content: Content;
  /** The reason, for the explanation: `the current spec`, `revision log-1, named by …`. */
  readonly choice: string;
}

/**
 * The spec that is injected into a new pod: the current one, or the recorded one that `injectionStrategy.revision` names.
 * With the policy `Partial` the recorded one is only for pods that `updateStrategy.selector` does not match and, by chance,
 * for the share in `updateStrategy.partition` (pkg/webhook/pod/mutating/sidecarset.go, getSuitableRevisionSidecarSet).
 */
export function chooseContent(
  { content: contentOf, revision, object }: PreparedSet,
  context: MatchContext,
): Chosen | { readonly fault: Fault } {
  const current = () => {
    const content = contentOf();
    return "fault" in content ? content : { content, choice: "the current spec" };
  };
  if (revision === undefined) return current();
  const found = findRevision(revision, stringAt(own(object, "metadata"), "name"), context);
  if ("fault" in found) return found;
  const old = restored(found.revision, object);
  const name = stringAt(own(found.revision, "metadata"), "name");
  const because = (reason: string) =>
    "fault" in old ? old : { content: old, choice: `revision ${name}, ${reason}` };
  if (revision.isPaused) return because("because the update is paused");
  if (!revision.isPartial) return because("named by injectionStrategy.revision");
  const { selector, oldShare } = revision;
  if (selector !== undefined) {
    if ("fault" in selector) return selector;
    if (!selector.selector.matches(context.labels)) {
      return because("because updateStrategy.selector does not match the pod");
    }
  }
  if (typeof oldShare !== "number") return oldShare;
  return oldShare > 0 && context.draw(stringAt(own(object, "metadata"), "name")) < oldShare
    ? because(`drawn for the ${oldShare * 100}% of pods that keep it`)
    : current();
}

function findRevision(
  { name, customVersion, clause }: RevisionRule,
  set: string,
  { controllerRevisions, revisionNamespace }: MatchContext,
): { readonly revision: JsonObject } | { readonly fault: Fault } {
  if (name !== "") {
    const revision = controllerRevisions.get(revisionNamespace, name);
    return revision === undefined
      ? { fault: { clause, message: `controllerrevisions.apps ${quote(name)} not found: ${whoRecords}` } }
      : { revision };
  }
  // Throws if the revisions are not listed yet.
  controllerRevisions.get(revisionNamespace, "");
  const versions = versionsOf(controllerRevisions).get(keyOf(revisionNamespace, set, customVersion));
  const revision = [...(versions?.values() ?? [])].sort(newestFirst)[0];
  if (revision !== undefined) return { revision };
  const version = quote(customVersion);
  const message = `ControllerRevision.apps ${quote(set)} not found: none has the custom version ${version}; ${whoRecords}`;
  return { fault: { clause, message } };
}

const whoRecords = `OpenKruise's controller records revisions, in namespace ${kruiseNamespace}`;

/** An index of revisions by namespace, SidecarSet and custom version, which follows the lister. */
function versionsOf(lister: Lister): ReadonlyMap<string, ReadonlyMap<string, JsonObject>> {
  const known = versionIndexes.get(lister);
  if (known !== undefined) return known;
  const index = new Map<string, Map<string, JsonObject>>();
  versionIndexes.set(lister, index);
  lister.onChange(({ before, after }) => {
    if (before !== undefined) {
      const revisions = index.get(versionKey(before));
      revisions?.delete(stringAt(own(before, "metadata"), "name"));
      if (revisions?.size === 0) index.delete(versionKey(before));
    }
    if (after !== undefined) {
      const revisions = index.get(versionKey(after)) ?? new Map<string, JsonObject>();
      index.set(versionKey(after), revisions.set(stringAt(own(after, "metadata"), "name"), after));
    }
  });
  return index;
}

const versionIndexes = new WeakMap<Lister, ReadonlyMap<string, ReadonlyMap<string, JsonObject>>>();

function versionKey(revision: JsonObject): string {
  const metadata = own(revision, "metadata");
  const labels = own(metadata, "labels");
  return keyOf(
    stringAt(metadata, "namespace"),
    stringAt(labels, sidecarSetNameLabel),
    stringAt(labels, customVersionLabel),
  );
}

function keyOf(namespace: string, set: string, customVersion: string): string {
  return JSON.stringify([namespace, set, customVersion]);
}

/** Highest revision number first, then newest, then by name. */
function newestFirst(a: JsonObject, b: JsonObject): number {
  const created = (each: JsonObject) => stringAt(own(each, "metadata"), "creationTimestamp");
  const name = (each: JsonObject) => stringAt(own(each, "metadata"), "name");
  return (
    numberOf(own(b, "revision")) - numberOf(own(a, "revision")) ||
    compareBytes(created(b), created(a)) ||
    compareBytes(name(b), name(a))
  );
}

function numberOf(value: Json | undefined): number {
  return isNumber(value) ? toDouble(value) : 0;
}

/** The content of a recorded spec, prepared once for each revision and SidecarSet. */
function restored(revision: JsonObject, sidecarSet: JsonObject): Content | { readonly fault: Fault } {
  const contents = restoredContents.get(revision) ?? new WeakMap<JsonObject, ReturnType<typeof restored>>();
  restoredContents.set(revision, contents);
  const content = contents.get(sidecarSet) ?? preparedContent(restoredFrom(revision, sidecarSet));
  contents.set(sidecarSet, content);
  return content;
}

const restoredContents = new WeakMap<JsonObject, WeakMap<JsonObject, ReturnType<typeof restored>>>();
