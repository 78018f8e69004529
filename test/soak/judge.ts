import { fitInto } from "../../src/conversion/shape.ts";
import { image, versionAt } from "../../src/conversion/version-chain.ts";
import { equal } from "../../src/json/equal.ts";
import { writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import type { Path } from "../../src/json/path.ts";
import { differenceOf, valueAt } from "../../src/judge/differences.ts";
import { type Merge, type Trespass, trespassesOf } from "../../src/judge/trespasses.ts";
import type { Kind, Version } from "../../src/kind/kind.ts";
import { rulesOf } from "../../src/laws/groups.ts";
import { withoutCarriers } from "../cluster/content.ts";
import { AskedLens } from "./asked-lens.ts";

/** What readers of each version see of an object at one moment. */
export type Views = ReadonlyMap<string, JsonObject>;

/** A claim that did not hold. */
export interface Fault {
  readonly check:
    | "lost" // What a write did not touch is not what it was.
    | "contradicted" // What a write changed reads as something else at another version, though that version can say it.
    | "returned" // The same, and what it reads as is what it was before an earlier write.
    | "unwritten" // The client does not read what it wrote.
    | "unreadable" // The API server cannot show the object at a version.
    | "refused" // A write that is valid at both versions was refused.
    | "restless" // The same write again wrote again.
    | "endless"; // It does so each time.
  /** Where it is seen. */
  readonly version: string;
  readonly field: string;
  readonly says: string;
  /** The field's steps; items of keyed lists by their keys. */
  readonly path?: Path;
}

/** The faults with those marked that brought an earlier value back. */
export function marked(kind: Kind, faults: readonly Fault[], past: readonly Views[]): readonly Fault[] {
  return faults.map((fault) => {
    const { check, path, version } = fault;
    if (check !== "contradicted" || path === undefined) return fault;
    const schema = schemaOf(kind.versions.find(({ name }) => name === version) ?? kind.hub);
    const [now, ...earlier] = past
      .toReversed()
      .map((views) => valueAt(judged(views.get(version) ?? {}), path, schema));
    return earlier.slice(1).some((then) => equal(then, now)) ? { ...fault, check: "returned" } : fault;
  });
}

/** The version that the API server stores, before a step and after it. */
export interface Stored {
  readonly before: string;
  readonly after: string;
}

/** The first fault of what readers of each other version see after a write at a version. */
export function faultsBetween(
  kind: Kind,
  before: Views,
  after: Views,
  at: string,
  stored: Stored,
): readonly Fault[] {
  const index = kind.versions.findIndex(({ name }) => name === at);
  const hub = kind.versions.length - 1;
  return kind.versions.flatMap((version, to): readonly Fault[] => {
    if (to === index) return [];
    // What another spoke shows follows from the hub.
    const from = index === hub || to === hub ? index : hub;
    const name = kind.versions[from]?.name ?? "";
    const [had, has] = [before, after].map((views) => contentOf(kind, views.get(name) ?? {}));
    const wrote = { before: had ?? {}, after: has ?? {} };
    // No rows say which fields a webhook of another project joins: so none may change beside another one.
    const joins = kind.chain.converter === undefined ? {} : { groups: [] };
    const rules = { ...rulesOf(kind, to, from), ...joins, wrote };
    const found = trespassesOf(mergeOf(kind, before, after, from, to, stored), rules).find(
      (each) => !isUnreported(kind, wrote.before, each),
    );
    if (found === undefined) return [];
    const { how: check, field, path, expected, actual } = found;
    const says =
      check === "lost"
        ? `${text(actual)} instead of ${text(expected)}`
        : `${text(actual)} though the writer changed what says it, to ${text(expected)}`;
    return [{ check, version: version.name, field, says, path }];
  });
}

/**
 * Whether a webhook of another project prints `false` in a status that has something now, and had nothing before. No client said it, so
 * the guard leaves it out (docs/guides/guard.md, prints zero values).
 */
function isUnreported(
  { chain }: Kind,
  before: JsonObject,
  { path: [root], expected, actual }: Trespass,
): boolean {
  const isPrinted = expected === false && actual === undefined && root === "status";
  return chain.converter !== undefined && isPrinted && before.status === undefined;
}

/** The first field in which a client reads something else at its version than it wrote. */
export function unwritten(
  kind: Kind,
  version: Version,
  { meant, ofStatus }: { readonly meant: JsonObject; readonly ofStatus: boolean },
  after: Views,
): Fault | undefined {
  // What a kind's own function adds or changes is not modelled.
  if (kind.definition.default !== undefined) return undefined;
  const { prune, defaulted } = version.schema;
  const filled = defaulted(prune(meant).object);
  // In a write of /status the API server takes nothing else, and sets no defaults elsewhere.
  const expected = judged(ofStatus ? set(meant, "status", filled.status) : filled);
  const read = judged(after.get(version.name) ?? {});
  const found = differenceOf(expected, read);
  if (found === undefined) return undefined;
  const says = `${text(found.actual)} instead of ${text(found.expected)}`;
  return { check: "unwritten", version: version.name, field: found.field, says };
}

/** Whether a version has a status for carriers: where it requires fields of it, not before an object has some. */
export function carriesInStatus(version: Version, views: Views): boolean {
  const required = get(schemaOf(version), "properties", "status", "required");
  if (!isArray(required) || required.length === 0) return version.carriesStatus;
  return version.carriesStatus && judged(views.get(version.name) ?? {}).status !== undefined;
}

/** What people wrote: everything but identity, carriers, and what the server owns. */
export function judged(object: JsonObject): JsonObject {
  const { apiVersion: _, kind: __, metadata, ...content } = withoutCarriers(object);
  const labels = get(metadata, "labels");
  const status = content.status;
  const isEmpty = status === null || (isObject(status) && Object.keys(status).length === 0);
  const said = isEmpty ? set(content, "status", undefined) : content;
  return isObject(labels) && Object.keys(labels).length > 0 ? { ...said, metadata: { labels } } : said;
}

function mergeOf(kind: Kind, before: Views, after: Views, from: number, to: number, stored: Stored): Merge {
  const [source, target] = [kind.versions[from]?.name ?? "", kind.versions[to]?.name ?? ""];
  const seen = (views: Views, name: string) => contentOf(kind, views.get(name) ?? {});
  // At the storage version the API server fills in defaults at every read, at others with a write, which says nothing new.
  const { defaulted } = kind.versions[from] ?? kind.hub;
  const { chain } = kind;
  const shown = (views: Views, isStored: boolean) => {
    const content = defaulted(seen(views, source));
    const made =
      chain.converter instanceof AskedLens
        ? fitInto(
            chain.converter.imageBeside(
              fitInto(content, versionAt(chain, from).shape),
              from,
              to,
              seen(views, target),
            ),
            versionAt(chain, to).shape,
          )
        : image(content, chain, from, to);
    return isStored ? (kind.versions[to] ?? kind.hub).defaulted(made) : made;
  };
  const [base, theirs] = [shown(before, target === stored.before), shown(after, target === stored.after)];
  return {
    ours: withEmptied(seen(before, target), before.get(target), base, theirs),
    base,
    theirs,
    result: seen(after, target),
  };
}

/** A status that a client emptied is an empty map: it may go where the writer changed status (docs/reference/limits.md). */
function withEmptied(
  content: JsonObject,
  view: JsonObject | undefined,
  base: JsonObject,
  theirs: JsonObject,
): JsonObject {
  const isEmptied = content.status === undefined && isObject(view?.status) && isObject(base.status);
  return isEmptied && !equal(base.status, theirs.status) ? set(content, "status", {}) : content;
}

/** What a lens sees of an object; an empty status cannot be told apart from none. */
function contentOf(kind: Kind, object: JsonObject): JsonObject {
  const { metadata, ...content } = judged(object);
  const labels = Object.entries(get(metadata, "labels") ?? {}).filter(([name]) =>
    kind.chain.mapped.labels.includes(name),
  );
  return labels.length > 0
    ? { ...content, metadata: { labels: Object.fromEntries(labels) as JsonObject } }
    : content;
}

function schemaOf({ entry }: Version): Json | undefined {
  return get(entry, "schema", "openAPIV3Schema");
}

function text(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const whole = writeJson(value);
  return whole.length > 300 ? `${whole.slice(0, 297)}...` : whole;
}
