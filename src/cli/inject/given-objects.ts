import { groupVersionOf, kindName } from "../../apimachinery/resource.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import { type JsonObject, textAt } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import type { Lister, ListerNeed } from "../../kind/lister.ts";
import { crdsOf } from "../../offline/crds.ts";
import type { InputObject } from "../../offline/input.ts";
import { offlineListers } from "../../offline/listers.ts";
import { reviewContextOf } from "../../offline/review-context.ts";
import { answerOf } from "../../offline/write-answer.ts";
import { asCreated } from "../created.ts";
import { whyWithoutKind } from "../unknown.ts";

/** What checking needs beside the objects. */
interface CheckContext {
  readonly kinds: Kinds;
  readonly gates: ReadonlyMap<string, boolean>;
  readonly now: () => Date;
  readonly random: () => number;
  readonly note: (line: string) => void;
}

/**
 * The objects for the listers, checked as `validate` does: by schema, rules and webhooks, unknown fields included, since a selector
 * that is not read selects every pod. Notes those that injection does not read, and a refusal that depends on objects that are not
 * given. Throws RejectedError for those that an API server would reject, UsageError.
 */
export function checkedObjects(inputs: readonly InputObject[], context: CheckContext): readonly JsonObject[] {
  const { kinds } = context;
  for (const input of inputs) {
    const why = whyWithoutKind(input);
    if (why !== undefined) throw new UsageError(`${input.source}: ${why}`);
  }
  const objects = inputs.map(({ source, value }) => ({ source, object: asCreated(value) }));
  const named = new Set(objects.map(({ object }) => nameOf(object)));
  const crds = crdsOf(kinds.all.filter(({ name }) => named.has(name)));
  const faults = objects.flatMap(({ source, object }) => {
    const answer = crds.get(nameOf(object))?.write({ object, fieldValidation: "strict" });
    return answer === undefined || answer.allowed ? [] : [`${source}: ${answer.status?.message}`];
  });
  if (faults.length > 0) throw new RejectedError(faults.join("\n"));
  noteUnread(objects, context);
  const listed = objects.map(({ object }) => object);
  const denied = objects.flatMap(({ source, object }) => {
    const crd = crds.get(nameOf(object));
    if (crd === undefined) return [];
    const missed = new Set<string>();
    const listers = offlineListers(listed, kinds, context);
    const reviews = reviewContextOf(kinds, noting(listers, missed), context.gates, context);
    const options = { fieldValidation: "strict" } as const;
    const answer = answerOf(object, undefined, crd, { ...reviews, mayWait: () => false }, options);
    if (answer.allowed) return [];
    const sentence = `${source}: ${answer.status?.message}`;
    if (missed.size === 0) return [sentence];
    context.note(
      `${sentence}; that may be so because ${[...missed].join(" and ")} is not given: pass it with --with`,
    );
    return [];
  });
  if (denied.length > 0) throw new RejectedError(denied.join("\n"));
  return listed;
}

/** Listers that note what is looked up and is not there. */
function noting(listerOf: (need: ListerNeed) => Lister, missed: Set<string>): (need: ListerNeed) => Lister {
  return (need) => {
    const lister = listerOf(need);
    return {
      ...lister,
      list: (namespace) => {
        const found = lister.list(namespace);
        if (found.length === 0) missed.add(`a ${need.kind}`);
        return found;
      },
      get: (namespace, name) => {
        const found = lister.get(namespace, name);
        if (found === undefined) missed.add(`${need.kind} ${namespace === "" ? "" : `${namespace}/`}${name}`);
        return found;
      },
    };
  };
}

/** Says which kinds of the files injection does not depend on: the name of one may be misspelt. */
function noteUnread(
  objects: readonly { readonly source: string; readonly object: JsonObject }[],
  { kinds, note }: CheckContext,
): void {
  const needs = [...kinds.all, ...kinds.natives].flatMap(({ definition }) =>
    Object.values<ListerNeed>(definition.needs ?? {}),
  );
  const read = new Set(needs.map(({ group, kind }) => kindName(group, kind)));
  const unread = Map.groupBy(
    objects.filter(({ object }) => !read.has(nameOf(object))),
    ({ object }) => `${textAt(object, "kind")} of ${textAt(object, "apiVersion")}`,
  );
  for (const [what, [first, ...more]] of unread) {
    const others = more.length === 0 ? "" : ` and ${more.length} more`;
    note(`${first?.source}${others}: ${what} has no effect on injection`);
  }
}

/** `SidecarSet.apps.kruise.io`. */
function nameOf(object: JsonObject): string {
  return kindName(groupVersionOf(textAt(object, "apiVersion")).group, textAt(object, "kind"));
}
