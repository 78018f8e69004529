import { type FieldSteps, fieldsOfRow } from "../../src/conversion/row-fields.ts";
import { image } from "../../src/conversion/version-chain.ts";
import { equal } from "../../src/json/equal.ts";
import { get, hasNoFields, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import type { Kind } from "../../src/kind/kind.ts";
import type { Schema } from "../../src/schema/model/schema.ts";
import { withoutCarriers } from "../cluster/content.ts";
import { storedObjects } from "../cluster/etcd.ts";
import { metadataOf } from "../cluster/subject.ts";
import { appliedBy, applyAgain, type Outcome, perform, remember, type Tenant, viewsOf } from "./client.ts";
import { carriesInStatus, type Fault, type Views } from "./judge.ts";
import { isServedInTurn } from "./releases.ts";
import type { Step } from "./step.ts";

/** What came of writing the same again. */
export interface Repeated {
  readonly faults: readonly Fault[];
  /** Whether it changed what readers see, for a reason that docs/reference/limits.md gives. */
  readonly isExcused: boolean;
}

const quiet: Repeated = { faults: [], isExcused: false };
const mostRounds = 5;

/**
 * Writes the same again where that should write nothing. An apply may write once more where nothing changes but that etcd
 * now has the hub's defaults, or no null any more. It may change what readers see only in the cases of `hasLostOwnDefaults`, `hasGainedEmpty` and
 * `excusesOf`, and then has to settle.
 */
export async function repeat(
  tenant: Tenant,
  step: Step,
  first: Outcome,
  { before, wanted }: { readonly before: Views; readonly wanted: JsonObject },
): Promise<Repeated> {
  const isSame = step.by === "PUT unchanged" || step.by === "annotations null";
  const isApplied = step.by === "apply" && first.answers.length > 0;
  if (!isSame && !isApplied) return quiet;
  if (isSame && isAtRest(before, tenant.views)) return quiet;
  const isPartGivenUp = first.mayGiveUp === true && changesWords(tenant.kind, before, step, wanted);
  const excusesFor = (then: Views) => {
    if (!isApplied) return 0;
    const excuses = excusesOf(tenant.kind, then, step, appliedBy(tenant, step));
    return isPartGivenUp ? Math.max(1, excuses) : excuses;
  };
  let left: number | undefined;
  let [then, stored] = [tenant.views, await storedOf(tenant)];
  for (let round = 0; round < mostRounds; round++) {
    await (isApplied ? applyAgain(tenant, step) : perform(tenant, step));
    remember(tenant, await viewsOf(tenant.kind, tenant.subject));
    const isExcused = left !== undefined;
    if (isAtRest(then, tenant.views)) return { faults: [], isExcused };
    const next = await storedOf(tenant);
    // Each release carries other leaves, in what it stores and in what it shows.
    if (
      isServedInTurn(tenant.kind) &&
      isSameToReaders(withoutAnyCarriers(then), withoutAnyCarriers(tenant.views))
    )
      return { faults: [], isExcused };
    const isUnseen = isSameToReaders(then, tenant.views);
    const isSettling =
      isUnseen &&
      (isLastOfEntry(step) || hasLostNull(stored, next) || hasGainedDefaults(tenant.kind, stored, next));
    const isOwnDefault = round === 0 && hasLostOwnDefaults(tenant, step, then);
    const isOwnEmpty = round === 0 && hasGainedEmpty(tenant, step, then);
    if (isExcused || !(round === 0 && (isSettling || isOwnDefault || isOwnEmpty))) {
      left ??= excusesFor(then);
      if (left === 0) return { faults: [restless(step, [then, tenant.views], [stored, next])], isExcused };
      left--;
    }
    [then, stored] = [tenant.views, next];
  }
  if (left === Number.POSITIVE_INFINITY) return { faults: [], isExcused: true };
  const says = `${step.by}, ${mostRounds} times the same, writes each time`;
  return { faults: [{ check: "endless", version: step.at, field: "", says }], isExcused: left !== undefined };
}

/**
 * How many more applies may change something, by the limits of docs/reference/limits.md: any number if no status can hold
 * carriers, so that the API server takes the only carrier out of what it compares; two if the client applied an empty map that
 * `sharesRow`, or a field that stands for several: these may go before they come back.
 */
function excusesOf(kind: Kind, views: Views, step: Step, applied: JsonObject): number {
  if (!carriesInStatus(kind.hub, views)) return Number.POSITIVE_INFINITY;
  if (emptyMapsIn(applied).some((map) => sharesRow(kind, step.at, map))) return 2;
  return standsForSeveral(kind, views, step, applied) ? 2 : 0;
}

/**
 * Whether a client applied a field of a spoke in which the lenses combine several values of the hub, and which they cannot
 * make of the hub alone.
 */
function standsForSeveral(kind: Kind, views: Views, { at }: Step, applied: JsonObject): boolean {
  const from = kind.versions.findIndex(({ name }) => name === at);
  const hub = kind.versions.length - 1;
  if (from === hub) return false;
  const said = (content: JsonObject) => image(content, kind.chain, from, hub);
  const back = (content: JsonObject) => image(said(content), kind.chain, hub, from);
  const whole = contentOf(views.get(at));
  return Object.entries(isObject(applied.spec) ? applied.spec : {}).some(([name, value]) => {
    const alone = { spec: { [name]: value } };
    const isLost = [alone, whole].some(
      (content) => !equal(get(back(content), "spec", name), get(content, "spec", name)),
    );
    const without = set(whole, "spec", set(isObject(whole.spec) ? whole.spec : {}, name, undefined));
    return isLost && !equal(said(whole), said(without));
  });
}

/**
 * Whether an apply only took away what the kind's own function had added to applied fields: one that sets defaults in new
 * templates alone, as OpenKruise's does, leaves them out at the second apply, which replaces an atomic list by what was applied.
 */
function hasLostOwnDefaults(tenant: Tenant, step: Step, then: Views): boolean {
  if (tenant.kind.definition.default === undefined || step.by !== "apply") return false;
  const { spec: applied } = appliedBy(tenant, step);
  const [{ spec: old, ...others }, { spec: fresh, ...rest }] = [then, tenant.views].map((views) =>
    contentOf(views.get(step.at)),
  ) as [JsonObject, JsonObject];
  if (!equal(others, rest) || !isObject(old) || !isObject(fresh)) return false;
  const names = new Set([...Object.keys(old), ...Object.keys(fresh)]);
  return [...names].every(
    (name) => equal(get(old, name), get(fresh, name)) || equal(get(fresh, name), get(applied, name)),
  );
}

/** The paths of the empty maps in a value. */
function emptyMapsIn(value: Json, path: FieldSteps = []): readonly FieldSteps[] {
  if (!isObject(value)) return [];
  if (path.length > 0 && hasNoFields(value)) return [path];
  return Object.entries(value).flatMap(([name, each]) => emptyMapsIn(each, [...path, name]));
}

/**
 * Whether a row combines fields of a map with others of its version, or maps the map as a whole to something else. No rows tell of
 * a webhook of another project.
 */
function sharesRow({ chain, versions }: Kind, at: string, map: FieldSteps): boolean {
  if (chain.converter !== undefined) return true;
  const index = versions.findIndex(({ name }) => name === at);
  const sides = [
    { rows: chain.versions[index]?.lens?.rows, side: "older" },
    { rows: chain.versions[index - 1]?.lens?.rows, side: "newer" },
  ] as const;
  const isIn = (field: FieldSteps) => map.every((step, depth) => [step, "[]"].includes(field[depth] ?? ""));
  return sides.some(({ rows = [], side }) =>
    rows.some((row) => {
      const fields = fieldsOfRow(row)[side];
      const inside = fields.filter(isIn);
      const isWhole = row.isSame !== true && inside.some(({ length }) => length === map.length);
      return isWhole || (inside.length > 0 && inside.length < fields.length);
    }),
  );
}

/**
 * Whether an apply only wrote a map, set or list with keys that the client applies empty: where the same client applied something
 * in it before, the API server removes it with the last of that first (docs/reference/limits.md, An empty list or map).
 */
function hasGainedEmpty(tenant: Tenant, step: Step, then: Views): boolean {
  const version = tenant.kind.versions.find(({ name }) => name === step.at);
  const applied = appliedBy(tenant, step);
  if (step.by !== "apply" || hasNoFields(applied) || !hasEmpty(applied, version?.schema.model)) return false;
  const [old, fresh] = [then, tenant.views].map((views) => contentOf(views.get(step.at))) as [
    JsonObject,
    JsonObject,
  ];
  return !equal(old, fresh) && equal(withoutEmpty(old), withoutEmpty(fresh));
}

function withoutEmpty(value: Json): Json {
  if (isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const parts = Object.entries(value).map(([name, each]) => [name, withoutEmpty(each)] as const);
  return Object.fromEntries(parts.filter(([, each]) => !isEmpty(each)));
}

function isEmpty(value: Json): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && hasNoFields(value);
}

function hasEmpty(applied: Json, schema: Schema | undefined): boolean {
  if (schema === undefined) return false;
  if (isArray(applied)) {
    if (applied.length === 0) return schema.listType === "set" || schema.listType === "map";
    return applied.some((item) => hasEmpty(item, schema.items));
  }
  if (!isObject(applied)) return false;
  const parts = Object.entries(applied);
  return (
    parts.length === 0 ||
    parts.some(([name, value]) => hasEmpty(value, schema.properties.get(name) ?? schema.additional))
  );
}

/**
 * Whether a client of the hub changes or gives up a part of an item that a spoke says in one word: the server then removes the
 * word, and the item with it, until the next apply (docs/reference/limits.md, Part of a combined item).
 */
function changesWords(kind: Kind, before: Views, { at }: Step, wanted: JsonObject): boolean {
  const hub = kind.versions.length - 1;
  if (at !== kind.hub.name) return false;
  return kind.versions.slice(0, -1).some((_, spoke) => {
    const [then, now] = [before.get(at) ?? {}, wanted].map((view) =>
      image(contentOf(view), kind.chain, hub, spoke),
    );
    return haveLostWords(then, now);
  });
}

/** Whether a list of texts has lost one: all of it, or a part, so that another one stands in its place. */
function haveLostWords(then: Json | undefined, now: Json | undefined): boolean {
  if (isObject(then) && isObject(now))
    return Object.entries(then).some(([name, value]) => haveLostWords(value, get(now, name)));
  if (!isArray(then) || !isArray(now)) return false;
  return then.some((word) => typeof word === "string" && !now.includes(word));
}

function contentOf(view: JsonObject = {}): JsonObject {
  const { apiVersion: _, kind: __, metadata: ___, ...content } = withoutCarriers(view);
  return content;
}

function restless(
  { at, by }: Step,
  [then, now]: readonly [Views, Views],
  stored: readonly [JsonObject, JsonObject],
): Fault {
  const seen = [...now].flatMap(([name, view]) =>
    differencesIn(readable(then.get(name) ?? {}), readable(view), name),
  );
  const changes = seen.length > 0 ? seen : differencesIn(...stored, "nothing that a reader sees, stored");
  const says = `${by} again writes again: ${changes.join("; ")}`;
  return { check: "restless", version: at, field: "", says };
}

/** What differs in two objects, by fields of spec, status and metadata. */
function differencesIn(then: JsonObject, now: JsonObject, version: string): readonly string[] {
  return ["spec", "status", "metadata"].flatMap((part) => {
    const [old, fresh] = [then, now].map((each) => get(each, part));
    if (!isObject(old) || !isObject(fresh))
      return equal(old, fresh) ? [] : [`${version} ${part} from ${text(old)} to ${text(fresh)}`];
    const names = new Set([old, fresh].flatMap((each) => Object.keys(each)));
    return [...names].flatMap((name) => {
      const [a, b] = [get(old, name), get(fresh, name)];
      return equal(a, b) ? [] : [`${version} ${part}.${name} from ${text(a)} to ${text(b)}`];
    });
  });
}

function text(value: Json | undefined): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 600);
}

function withoutAnyCarriers(views: Views): Views {
  return new Map([...views].map(([name, view]) => [name, withoutCarriers(view)]));
}

function isSameToReaders(then: Views, now: Views): boolean {
  return [...now].every(([name, view]) => equal(readable(view), readable(then.get(name) ?? {})));
}

/** What a reader sees but for the resourceVersion, and for the times and order of managedFields. */
function readable(view: JsonObject): JsonObject {
  const { resourceVersion: _, managedFields: __, ...metadata } = metadataOf(view);
  return { ...view, metadata };
}

/** The API server takes the map of annotations out of the entry of a manager only with the next write. */
function isLastOfEntry({ by }: Step): boolean {
  return by === "annotations null";
}

/** Whether stored labels or annotations were null, and are gone. The API server stores null where an applier gives up the last one. */
function hasLostNull(then: JsonObject, now: JsonObject): boolean {
  return ["labels", "annotations"].some(
    (name) => get(then, "metadata", name) === null && get(now, "metadata", name) === undefined,
  );
}

function hasGainedDefaults({ versions }: Kind, then: JsonObject, now: JsonObject): boolean {
  const { schema } = versions.find(({ apiVersion }) => apiVersion === then.apiVersion) ?? {};
  const [old, fresh] = [contentOf(then), contentOf(now)];
  return schema !== undefined && !equal(old, fresh) && equal(schema.defaulted(old), fresh);
}

/** The object as etcd stores it. */
async function storedOf({ server, kind, subject: { name } }: Tenant): Promise<JsonObject> {
  const { plural, group } = kind.definition;
  const stored = await storedObjects(server, plural, group);
  return stored.find((each) => each.name === name)?.object ?? {};
}

function isAtRest(then: Views, now: Views): boolean {
  const [old, fresh] = [then, now].map((views) =>
    [...views.values()].map((view) => metadataOf(view).resourceVersion ?? ""),
  );
  return equal(old, fresh);
}
