import { image } from "../../src/conversion/version-chain.ts";
import { equal } from "../../src/json/equal.ts";
import { writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import { fieldOf, type Path } from "../../src/json/path.ts";
import type { Kind, Version } from "../../src/kind/kind.ts";
import { withoutCarriers } from "../cluster/content.ts";

/** What readers of each version see of an object at one moment. */
export type Views = ReadonlyMap<string, JsonObject>;

/** A claim that did not hold. */
export interface Fault {
  readonly check:
    | "lost" // What a write did not touch is not what it was.
    | "contradicted" // What a write changed reads as something else at another version, though that version can say it.
    | "returned" // The same, and what it reads as is what it was before an earlier write.
    | "unwritten" // The client does not read what it wrote.
    | "refused" // A write that is valid at both versions was refused.
    | "restless" // The same write again wrote again.
    | "endless"; // It does so each time.
  /** Where it is seen. */
  readonly version: string;
  readonly field: string;
  readonly says: string;
  /** The field's steps, where none of them is a key of an item. */
  readonly path?: Path;
}

/** The faults with those marked that brought an earlier value back. */
export function marked(faults: readonly Fault[], past: readonly Views[]): readonly Fault[] {
  return faults.map((fault) => {
    const { check, path, version } = fault;
    const isKeyed = path?.some((step) => String(step).startsWith('["'));
    if (check !== "contradicted" || path === undefined || isKeyed) return fault;
    const [now, ...earlier] = past
      .toReversed()
      .map((views) => valueAt(judged(views.get(version) ?? {}), path));
    return earlier.slice(1).some((then) => equal(then, now)) ? { ...fault, check: "returned" } : fault;
  });
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((here, step) => at(here, step), value);
}

/** The faults of what readers see after a write at a version. */
export function faultsBetween(kind: Kind, before: Views, after: Views, at: string): readonly Fault[] {
  const index = kind.versions.findIndex(({ name }) => name === at);
  const hub = kind.versions.length - 1;
  const faults = kind.versions.flatMap((other, to) => {
    if (to === index) return [];
    // What another spoke shows follows from the hub.
    const from = index === hub || to === hub ? index : hub;
    const passage = passageOf(kind, before, after, from, to);
    const found = uncontrary(kind, passage, [from, to]);
    return found === undefined ? [] : [{ ...found, version: other.name }];
  });
  return faults;
}

/**
 * The first fault. Values that are lost are no fault if they would say something else at the writer's version than was written
 * there: each by itself, and all of them together, since those of an untouched row say nothing else together.
 */
function uncontrary(kind: Kind, passage: Passage, [from, to]: readonly [number, number]): Found | undefined {
  const schema = schemaOf(kind.versions[to] ?? kind.hub);
  const lost: (Found & { readonly path: Path })[] = [];
  const { held } = passage;
  let { holds } = passage;
  for (;;) {
    const found = faultIn({ ...passage, holds }, schema, []);
    const { check, path, field } = found ?? {};
    const isKnown = lost.some((each) => each.field === field);
    if (found !== undefined && (check !== "lost" || path === undefined) && lost.length === 0) return found;
    if (found === undefined || path === undefined || check !== "lost" || isKnown) break;
    lost.push({ ...found, path });
    holds = withHeld(holds, held, path, schema);
  }
  const said = (content: Json | undefined) =>
    isObject(content) ? image(content, kind.chain, to, from) : undefined;
  const says = said(passage.holds);
  if (says === undefined || equal(said(holds), says)) return lost[0];
  return lost.find(({ path }) => equal(said(withHeld(passage.holds, held, path, schema)), says));
}

/** A value with what another one holds at a path, of which a step may be the key of an item. */
function withHeld(
  holds: Json | undefined,
  held: Json | undefined,
  [step, ...rest]: Path,
  schema: Json | undefined,
): Json | undefined {
  if (step === undefined) return held;
  // The write may have removed the whole list.
  const list = holds === undefined && isArray(held) ? [] : holds;
  if (isArray(list) && isArray(held)) {
    const place = (items: readonly Json[]) =>
      typeof step === "number" ? step : items.findIndex((item) => keyOf(item, schema) === step);
    const [then, now] = [held[place(held)], place(list)];
    const item = withHeld(list[now], then, rest, get(schema, "items"));
    const items = item === undefined ? [] : [item];
    return now in list ? list.toSpliced(now, 1, ...items) : [...list, ...items];
  }
  if (typeof step === "number" || isArray(holds)) return held;
  const inner = get(schema, "properties", step) ?? get(schema, "additionalProperties");
  const value = withHeld(get(holds, step), get(held, step), rest, inner);
  return set(isObject(holds) ? holds : {}, step, value);
}

function keyOf(item: Json, schema: Json | undefined): string {
  const keys = get(schema, "x-kubernetes-list-map-keys");
  return JSON.stringify((isArray(keys) ? keys : []).map((key) => get(item, String(key)) ?? null));
}

/** The first field in which a client reads something else at its version than it wrote. */
export function unwritten(kind: Kind, version: Version, meant: JsonObject, after: Views): Fault | undefined {
  // What a kind's own function adds or changes is not modelled.
  if (kind.definition.default !== undefined) return undefined;
  const { prune, defaulted } = version.schema;
  const expected = judged(defaulted(prune(meant).object));
  const read = judged(after.get(version.name) ?? {});
  const found = differenceIn(expected, read, []);
  return found && { check: "unwritten", version: version.name, ...found };
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

/** A field before and after a write: what it held, what the writer's side showed of it, shows now, and what it holds. */
interface Passage {
  readonly held: Json | undefined;
  readonly showed: Json | undefined;
  readonly shows: Json | undefined;
  readonly holds: Json | undefined;
}

function passageOf(kind: Kind, before: Views, after: Views, from: number, to: number): Passage {
  const [source, target] = [kind.versions[from]?.name ?? "", kind.versions[to]?.name ?? ""];
  const seen = (views: Views, name: string) => contentOf(kind, views.get(name) ?? {});
  const isHub = to === kind.versions.length - 1;
  // At the storage version the API server fills in defaults at every read, at others with a write, which says nothing new.
  const { defaulted } = kind.versions[from] ?? kind.hub;
  const shown = (views: Views) => {
    const made = image(defaulted(seen(views, source)), kind.chain, from, to);
    return isHub ? kind.hub.defaulted(made) : made;
  };
  const settle = kind.versions[to]?.lens?.settle;
  const settled = (views: Views, other: Views) => {
    const said = seen(views, target);
    if (settle === undefined) return said;
    return settle(said, image(seen(other, source), kind.chain, from, to + 1));
  };
  return {
    held: settled(before, after),
    showed: shown(before),
    shows: shown(after),
    holds: settled(after, before),
  };
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

type Found = Omit<Fault, "version">;

/** By field, by key, and by item where the items of an atomic list can be told apart. */
function faultIn(passage: Passage, schema: Json | undefined, path: Path): Found | undefined {
  const { held, showed, shows, holds } = passage;
  if (equal(showed, shows)) {
    const found = differenceIn(held, holds, path);
    return found && { check: "lost", ...found };
  }
  const sides = [held, showed, shows, holds];
  const keys = get(schema, "x-kubernetes-list-map-keys");
  const lists = sides.map((side) => (side === undefined ? [] : side));
  if (lists.every(isArray) && sides.some(isArray)) {
    const [a, b, c, d] = lists as [readonly Json[], readonly Json[], readonly Json[], readonly Json[]];
    const sorted = { held: a, showed: b, shows: c, holds: d };
    if (isArray(keys)) return faultInKeyed(sorted, schema, path);
    if (sides.every(isArray)) return faultInItems(sorted, schema, path);
  }
  // Without its required fields the rest of an object would be invalid, so it goes with them (docs/explanation/conversion.md).
  const required = get(schema, "required");
  if (shows === undefined && holds === undefined && isArray(required))
    if (required.some((name) => get(showed, String(name)) !== undefined)) return undefined;
  const isAtomic = get(schema, "x-kubernetes-map-type") === "atomic";
  const isGranular = sides.every(
    (side) => side === undefined || (isObject(side) && Object.keys(side).length > 0),
  );
  if (isGranular && sides.some(isObject) && !isAtomic) return faultInFields(passage, schema, path);
  // Null and empty containers are what a version shows where it can say nothing.
  const isPlain = sides.every((side) => side !== null && (!isObject(side) || Object.keys(side).length > 0));
  if (!isPlain || isAtomic || isArray(holds) || isArray(shows) || equal(shows, holds)) return undefined;
  // A default stands where the parent still has other fields, which the writer did not see.
  if (shows === undefined && equal(holds, get(schema, "default"))) return undefined;
  // Where a spoke is stored, the API server sets no defaults in what it shows of the hub.
  if (holds === undefined && equal(shows, get(schema, "default"))) return undefined;
  return contradiction(passage, path);
}

function contradiction({ showed, shows, holds }: Passage, path: Path): Found {
  const says = `${text(holds)} though the writer changed what says it from ${text(showed)} to ${text(shows)}`;
  return { check: "contradicted", field: fieldOf(path), says, path };
}

function faultInFields(passage: Passage, schema: Json | undefined, path: Path): Found | undefined {
  const names = new Set(Object.values(passage).flatMap((side) => (isObject(side) ? Object.keys(side) : [])));
  for (const name of names) {
    const field = get(schema, "properties", name);
    const sides = mapped(passage, (side) => get(side, name));
    // Of an entry of a map that was removed, either may be so: that its other fields stay, as those of an object do, or that
    // they go with it, as those of an item do.
    if (field === undefined && sides.showed !== undefined && sides.shows === undefined) continue;
    // An empty container says nothing, and does not come back beside a field of its row that the writer changed.
    if (isEmptyContainer(sides.held) && sides.holds === undefined) continue;
    const found = faultIn(sides, field ?? get(schema, "additionalProperties"), [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isEmptyContainer(value: Json | undefined): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

/** An item that was removed is gone with all that the writer could not see of it; a new one may have what an earlier one had. */
function faultInItem(sides: Passage, schema: Json | undefined, path: Path): Found | undefined {
  const { held, showed, shows, holds } = sides;
  if (held === undefined && showed === undefined) return undefined;
  if (showed === undefined || shows !== undefined) return faultIn(sides, schema, path);
  return holds === undefined ? undefined : contradiction(sides, path);
}

type Lists = { readonly [side in keyof Passage]: readonly Json[] };

function faultInKeyed(lists: Lists, schema: Json | undefined, path: Path): Found | undefined {
  const all = [lists.held, lists.showed, lists.shows, lists.holds];
  const keysIn = (list: readonly Json[]) => list.map((item) => keyOf(item, schema));
  if (all.some((list) => new Set(keysIn(list)).size < list.length)) return undefined;
  for (const key of new Set(all.flatMap(keysIn))) {
    const sides = mapped(lists, (list) => list.find((item) => keyOf(item, schema) === key));
    const found = faultInItem(sides, get(schema, "items"), [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Items that the write did not touch, wherever they stand now, and the one item that it changed in place. */
function faultInItems({ held, showed, shows, holds }: Lists, schema: Json | undefined, path: Path) {
  if (!areParallel(held, showed) || !areParallel(holds, shows)) return undefined;
  for (const [now, item] of shows.entries()) {
    const places = showed.flatMap((other, then) => (equal(other, item) ? [then] : []));
    const [then] = places;
    const isAlone = shows.every((other, index) => index === now || !equal(other, item));
    if (then === undefined || places.length > 1 || !isAlone) continue;
    const found = differenceIn(held[then], holds[now], [...path, now]);
    if (found !== undefined) return { check: "lost", ...found } as const;
  }
  if (shows.length !== showed.length) return undefined;
  const [only, ...others] = [...shows.keys()].filter((index) => !equal(showed[index], shows[index]));
  if (only === undefined || others.length > 0) return undefined;
  // What has another name, or shares less than half of its fields with what stood there, counts as another item.
  if (!isRecognised(showed[only], shows[only])) return undefined;
  const sides = { held: held[only], showed: showed[only], shows: shows[only], holds: holds[only] };
  return faultIn(sides, get(schema, "items"), [...path, only]);
}

function isRecognised(then: Json | undefined, now: Json | undefined): boolean {
  if (!isObject(then) || !isObject(now)) return false;
  if (["name", "id", "key", "type"].some((key) => !equal(get(then, key), get(now, key)))) return false;
  const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
  return 2 * names.filter((name) => equal(get(then, name), get(now, name))).length >= names.length;
}

/** Whether items at one place are one item, seen from two versions: they agree in some field. */
function areParallel(items: readonly Json[], shown: readonly Json[]): boolean {
  if (items.length !== shown.length) return false;
  return items.every((item, index) => {
    const other = shown[index];
    // The other version has twins in another order.
    if (!equal(item, other) && shown.some((each) => equal(item, each))) return false;
    if (!isObject(item) || !isObject(other)) return equal(item, other);
    return (
      Object.keys(other).length === 0 ||
      Object.keys(other).some((name) => equal(get(item, name), other[name]))
    );
  });
}

function mapped<Side>(
  passage: { readonly [side in keyof Passage]: Side },
  map: (side: Side) => Json | undefined,
): Passage {
  const { held, showed, shows, holds } = passage;
  return { held: map(held), showed: map(showed), shows: map(shows), holds: map(holds) };
}

function differenceIn(
  expected: Json | undefined,
  actual: Json | undefined,
  path: Path,
): Omit<Found, "check"> | undefined {
  if (equal(expected, actual)) return undefined;
  const steps =
    isObject(expected) && isObject(actual)
      ? [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
      : isArray(expected) && isArray(actual) && expected.length === actual.length
        ? [...expected.keys()]
        : undefined;
  if (steps === undefined)
    return { field: fieldOf(path), says: `${text(actual)} instead of ${text(expected)}`, path };
  for (const step of steps) {
    const found = differenceIn(at(expected, step), at(actual, step), [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function at(value: Json | undefined, step: string | number): Json | undefined {
  return typeof step === "number" ? (isArray(value) ? value[step] : undefined) : get(value, step);
}

function text(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  const whole = writeJson(value);
  return whole.length > 300 ? `${whole.slice(0, 297)}...` : whole;
}
