import { writeJson } from "../../json/exact.ts";
import { get, type Json, type JsonObject, listAt, objectAt, set, textAt } from "../../json/json.ts";
import {
  difference,
  type FieldSet,
  fieldsV1,
  intersection,
  isEmpty,
  noFields,
  readFieldsV1,
  union,
  without,
} from "./field-set.ts";
import { type Comparison, compared, fieldsOf, merged, removed, withNamedParents } from "./typed.ts";

/**
 * Who manages which fields of an object (structured-merge-diff, merge/update.go; apimachinery, util/managedfields). Times of
 * entries, the limit on their number, and the annotation of `kubectl apply` are left out.
 */

/** One write, by whom and at which version. */
export interface Managing {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource?: "status";
  /** Fields of a version that the endpoint does not write, as paths. */
  readonly reset: (apiVersion: string) => readonly (readonly string[])[];
  /** The schema of a version, and an object in another one; undefined where there is none. */
  readonly schemaOf: (apiVersion: string) => Json | undefined;
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject | undefined;
}

interface Manager {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  readonly fields: FieldSet;
}

/** By what tells managers apart: an applier is the same at all versions. */
type Managers = ReadonlyMap<string, Manager>;

/** A new object with its managers, after a write other than an apply; `live` is absent for a create. */
export function updatedBy(managing: Managing, live: JsonObject | undefined, next: JsonObject): JsonObject {
  const managers = managersOf(live);
  const [before, after] = [withoutManagers(live ?? emptied(next)), withoutManagers(next)];
  if (live !== undefined && managers.size === 0) return after;
  return withManagers(after, afterUpdate(managing, before, after, managers));
}

/** What an applied object makes of a live one, with managers; or why another manager forbids it. */
export function appliedBy(
  managing: Managing & { readonly force: boolean },
  live: JsonObject | undefined,
  applied: JsonObject,
): { readonly object: JsonObject } | { readonly conflicts: Conflicts } {
  const before = withoutManagers(live ?? emptied(applied));
  const known = managersOf(live);
  const managers =
    live !== undefined && known.size === 0
      ? afterUpdate({ ...managing, manager: "before-first-apply" }, emptied(live), before, known)
      : known;
  const { apiVersion } = managing;
  const schema = managing.schemaOf(apiVersion);
  const mine = { ...identityOf(managing, "Apply"), fields: stripped(fieldsOf(schema, applied), managing) };
  const key = keyOf(mine);
  const last = managers.get(key);
  const next = new Map(managers).set(key, mine);
  const whole = merged(schema, before, applied) as JsonObject;
  const object = last === undefined || isEmpty(last.fields) ? whole : pruned(whole, next, last, managing);
  const { conflicts, others } = released(managing, before, object, next, key);
  if (conflicts.length > 0 && !managing.force) return { conflicts };
  return { object: withManagers(object, others) };
}

/** The fields that other managers hold. */
type Conflicts = readonly { readonly manager: string; readonly fields: readonly string[] }[];

/** The message of a rejected apply (managedfields/internal/conflict.go), without the times of the managers. */
export function messageOf(conflicts: Conflicts): string {
  const [only] = conflicts;
  const count = conflicts.reduce((sum, { fields }) => sum + fields.length, 0);
  if (count === 1 && only !== undefined)
    return `Apply failed with 1 conflict: conflict with ${only.manager}: ${only.fields[0]}`;
  const lines = conflicts
    .toSorted((a, b) => (a.manager < b.manager ? -1 : 1))
    .flatMap(({ manager, fields }) => [`conflicts with ${manager}:`, ...fields.map((each) => `- ${each}`)]);
  return `Apply failed with ${count} conflicts: ${lines.join("\n")}`;
}

function afterUpdate(
  managing: Managing,
  before: JsonObject,
  after: JsonObject,
  managers: Managers,
): Managers {
  const { others, comparison } = released(managing, before, after, managers, undefined);
  const taken = stripped(union(comparison.modified, comparison.added), managing);
  const mine = { ...identityOf(managing, "Update"), fields: taken };
  const key = keyOf(mine);
  if (isEmpty(taken)) return others;
  return new Map(others).set(key, { ...mine, fields: union(taken, others.get(key)?.fields ?? noFields) });
}

/** All managers but one without the fields that changed, and those of them that were theirs (Updater.update). */
function released(
  { apiVersion, reset, schemaOf, convert }: Managing,
  before: JsonObject,
  after: JsonObject,
  managers: Managers,
  but: string | undefined,
): { readonly others: Managers; readonly comparison: Comparison; readonly conflicts: Conflicts } {
  const between = (version: string, old: JsonObject, now: JsonObject) =>
    filtered(compared(schemaOf(version), old, now), reset(version));
  const comparison = between(apiVersion, before, after);
  const known = new Map<string, Comparison | undefined>([[apiVersion, comparison]]);
  const comparisonAt = (version: string): Comparison | undefined => {
    if (known.has(version)) return known.get(version);
    const [old, now] = [convert(before, version), convert(after, version)];
    const found = old === undefined || now === undefined ? undefined : between(version, old, now);
    known.set(version, found);
    return found;
  };
  const conflicts: { manager: string; fields: readonly string[] }[] = [];
  const others = [...managers].flatMap(([key, each]): readonly (readonly [string, Manager])[] => {
    if (key === but) return isEmpty(each.fields) ? [] : [[key, each]];
    const changes = comparisonAt(each.apiVersion);
    if (changes === undefined) return [];
    const disputed = intersection(each.fields, union(changes.modified, changes.added));
    if (!isEmpty(disputed)) conflicts.push({ manager: named(each), fields: pathsIn(disputed) });
    const fields = difference(difference(each.fields, disputed), changes.removed);
    return isEmpty(fields) ? [] : [[key, { ...each, fields }]];
  });
  return { others: new Map(others), comparison, conflicts };
}

/** An object without what its applier no longer applies and no other manager holds (Updater.prune). */
function pruned(whole: JsonObject, managers: Managers, last: Manager, managing: Managing): JsonObject {
  const { apiVersion, schemaOf, convert } = managing;
  const here = convert(whole, last.apiVersion);
  if (here === undefined) return whole;
  const schema = schemaOf(last.apiVersion);
  const cut = objectOf(removed(schema, here, withNamedParents(schema, last.fields)), here);
  const left = withOwned(here, cut, last.apiVersion, managers, managing);
  const atLast = convert(left, last.apiVersion) ?? left;
  const [kept, had, mine] = [fieldsOf(schema, atLast), fieldsOf(schema, here), last.fields].map((each) =>
    withNamedParents(schema, each),
  ) as [FieldSet, FieldSet, FieldSet];
  const result = objectOf(removed(schema, here, intersection(difference(had, kept), mine)), here);
  return convert(result, apiVersion) ?? result;
}

/** Puts back what other managers hold, or this one still does: at the version of the last apply first (addBackOwnedItems). */
function withOwned(
  whole: JsonObject,
  cut: JsonObject,
  first: string,
  managers: Managers,
  { schemaOf, convert }: Managing,
): JsonObject {
  const byVersion = Map.groupBy(managers.values(), ({ apiVersion }) => apiVersion);
  const versions = [...byVersion.keys()].sort((a, b) => Number(b === first) - Number(a === first));
  let [merged, left] = [whole, cut];
  for (const version of versions) {
    const [all, some] = [convert(merged, version), convert(left, version)];
    if (all === undefined || some === undefined) continue;
    const schema = schemaOf(version);
    const owned = (byVersion.get(version) ?? []).reduce((sum, { fields }) => union(sum, fields), noFields);
    const [had, kept, held] = [fieldsOf(schema, all), fieldsOf(schema, some), owned].map((each) =>
      withNamedParents(schema, each),
    ) as [FieldSet, FieldSet, FieldSet];
    merged = all;
    left = objectOf(removed(schema, all, difference(had, union(kept, held))), all);
  }
  return left;
}

/** What remains of an object always says what it is. */
function objectOf(value: Json, { apiVersion, kind, metadata }: JsonObject): JsonObject {
  const { name, namespace, uid, generation } = objectAt(metadata);
  const identity = Object.entries({ name, namespace, uid, generation }).filter(
    ([, each]) => each !== undefined,
  );
  const own = { ...objectAt(value), apiVersion: apiVersion ?? "", kind: kind ?? "" };
  return {
    ...own,
    metadata: { ...objectAt(value, "metadata"), ...(Object.fromEntries(identity) as JsonObject) },
  };
}

function emptied({ apiVersion = "", kind = "" }: JsonObject): JsonObject {
  return { apiVersion, kind };
}

/** What no manager holds (stripmeta.go), and what the endpoint does not write. */
function stripped(fields: FieldSet, { apiVersion, reset }: Managing): FieldSet {
  return without(difference(fields, identity), reset(apiVersion));
}

const identity: FieldSet = readFieldsV1({
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": {
    ".": {},
    ...Object.fromEntries(
      [
        "name",
        "namespace",
        "creationTimestamp",
        "selfLink",
        "uid",
        "clusterName",
        "generation",
        "managedFields",
        "resourceVersion",
      ].map((name) => [`f:${name}`, {}] as const),
    ),
  },
});

function filtered(comparison: Comparison, reset: readonly (readonly string[])[]): Comparison {
  const { added, removed: gone, modified } = comparison;
  return { added: without(added, reset), removed: without(gone, reset), modified: without(modified, reset) };
}

function identityOf(
  { manager, apiVersion, subresource }: Managing,
  operation: Manager["operation"],
): Omit<Manager, "fields"> {
  return { manager, operation, apiVersion, subresource: subresource ?? "" };
}

function keyOf({ manager, operation, apiVersion, subresource }: Omit<Manager, "fields">): string {
  return JSON.stringify([manager, operation, operation === "Apply" ? "" : apiVersion, subresource]);
}

function managersOf(object: JsonObject | undefined): Managers {
  return new Map(
    listAt(object, "metadata", "managedFields").map((entry) => {
      const each: Manager = {
        manager: textAt(entry, "manager"),
        operation: textAt(entry, "operation") === "Apply" ? "Apply" : "Update",
        apiVersion: textAt(entry, "apiVersion"),
        subresource: textAt(entry, "subresource"),
        fields: readFieldsV1(get(entry, "fieldsV1")),
      };
      return [keyOf(each), each] as const;
    }),
  );
}

/** The appliers first, then by name: the API server also sorts by time. */
function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const entries = [...managers]
    .sort(([, a], [, b]) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .map(([, { manager, operation, apiVersion, subresource, fields }]) => ({
      manager,
      operation,
      apiVersion,
      fieldsType: "FieldsV1",
      fieldsV1: fieldsV1(fields),
      ...(subresource === "" ? {} : { subresource }),
    }));
  if (entries.length === 0) return withoutManagers(object);
  return set(object, "metadata", set(objectAt(object, "metadata"), "managedFields", entries));
}

function orderOf({ operation, manager, apiVersion, subresource }: Manager): string {
  return [operation, manager, apiVersion, subresource].join("\0");
}

function withoutManagers(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (get(metadata, "managedFields") === undefined) return object;
  return set(object, "metadata", set(metadata as JsonObject, "managedFields", undefined));
}

/** A manager as the message of a conflict calls it (managedfields/internal/conflict.go, printManager). */
function named({ manager, operation, apiVersion, subresource }: Manager): string {
  const where = subresource === "" ? "" : ` with subresource "${subresource}"`;
  return `"${manager}"${where}${operation === "Apply" ? "" : ` using ${apiVersion}`}`;
}

/** The paths of a set as Kubernetes prints them: `.spec.lights[name="a"].brightness`. */
function pathsIn(set: FieldSet, before = ""): readonly string[] {
  const inner = [...set.below]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([step, below]) => pathsIn(below, before + printed(step)));
  return set.has ? [before, ...inner] : inner;
}

function printed(step: string): string {
  const rest = step.slice(2);
  if (step.startsWith("f:")) return `.${rest}`;
  if (step.startsWith("v:")) return `[=${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as JsonObject);
  return `[${keys.map(([key, value]) => `${key}=${writeJson(value)}`).join(",")}]`;
}
