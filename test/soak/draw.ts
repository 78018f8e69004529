import fc from "fast-check";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../src/json/json.ts";
import type { Path } from "../../src/json/path.ts";
import { fromHub, type Kind, toHub } from "../../src/kind/kind.ts";
import { type Edit, edited } from "../../src/laws/edits.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import { type Setting, settingOf } from "../../src/laws/setting.ts";
import { withoutCarriers } from "../cluster/content.ts";
import { metadataOf } from "../cluster/subject.ts";
import { type Draw, pick } from "../cluster/suites/draw.ts";
import { intended, type Tenant } from "./client.ts";
import { carriesInStatus } from "./judge.ts";
import { isValid } from "./life.ts";
import { type Change, changed, changesBetween, type Step, type Way } from "./step.ts";

/** What objects and steps of a kind are drawn from. */
export interface Source {
  readonly kind: Kind;
  readonly setting: Setting;
  /** By version: values that examples have, by the places where they stand, indexes and keys left out. */
  readonly values: readonly ReadonlyMap<string, readonly Json[]>[];
  readonly objects: readonly (readonly JsonObject[])[];
}

/** Prepares a kind to be drawn from. */
export function sourceOf(kind: Kind): Source {
  const objects = kind.versions.map((_, version) =>
    kind.examples.map((example) =>
      contentOf(withoutCarriers(fromHub(kind, toHub(kind, example.object, example.version), version))),
    ),
  );
  const values = objects.map((these) => {
    const found = new Map<string, Json[]>();
    for (const object of these)
      for (const { path, value } of partsOf(object))
        found.set(patternOf(path), [...(found.get(patternOf(path)) ?? []), value]);
    return found;
  });
  return { kind, setting: settingOf(kind, servingEngine), values, objects };
}

/** An object to begin with, and its version: mostly an example. */
export function drawObject(source: Source, draw: Draw): { readonly at: string; readonly object: JsonObject } {
  const { kind, setting, objects } = source;
  const index = Math.floor(draw() * kind.versions.length);
  const version = kind.versions[index] ?? kind.hub;
  const identity = { apiVersion: version.apiVersion, kind: kind.definition.kind };
  const other = draw() < 0.3 ? sample(setting.objects[index]?.valid, draw) : undefined;
  const isUsable = (content: JsonObject) =>
    isValid(kind, version, {
      ...identity,
      ...content,
      metadata: { ...metadataOf(content), ...placeOf(kind) },
    });
  const usable = [...(other === undefined ? [] : [contentOf(other)]), ...turned(objects[index] ?? [], draw)];
  const content = usable.find(isUsable);
  if (content !== undefined) return { at: version.name, object: { ...identity, ...content } };
  return drawObject(source, draw);
}

function placeOf({ definition: { scope } }: Kind): JsonObject {
  return { name: "one", ...(scope === "Cluster" ? {} : { namespace: "soak" }) };
}

function turned<Item>(items: readonly Item[], draw: Draw): readonly Item[] {
  const at = Math.floor(draw() * items.length);
  return [...items.slice(at), ...items.slice(0, at)];
}

const usual: readonly Way[] = [
  ...repeated<Way>("PUT", 4),
  ...repeated<Way>("bare PUT", 3),
  ...repeated<Way>("merge PATCH", 3),
  ...repeated<Way>("apply", 3),
  "apply less",
  "stale PUT",
  "PUT unchanged",
  "PUT unchanged",
  "annotations null",
];

/** Of an annotation: the server admits 256 KiB of all annotations together. */
const sizes = [0, 100, 200, 250, 255];

const careful: readonly Way[] = ["PUT", "PUT", "merge PATCH", "apply", "apply less", "PUT unchanged"];

const ofStatus: readonly Way[] = [
  "PUT of /status",
  "rebuilt /status",
  "rebuilt /status",
  "stale /status",
  "merge PATCH of /status",
  "merge PATCH of /status",
];

/** A step for an object as it is now; a client that finds nothing to change writes what it read. */
export function drawStep(source: Source, tenant: Tenant, draw: Draw): Step {
  const { kind } = source;
  const index = Math.floor(draw() * kind.versions.length);
  const version = kind.versions[index] ?? kind.hub;
  if (!version.served) return drawStep(source, tenant, draw);
  if (draw() < 0.02) return { at: version.name, by: "recreate" };
  // Rare, since the API server takes seconds for each change of a CRD.
  if (draw() < 0.004) return { at: version.name, by: "storage" };
  const hasStatus = carriesInStatus(version, tenant.views);
  if (hasStatus && draw() < 0.02) return { at: version.name, by: "annotate", size: pick(draw, sizes) };
  // A kind without a status subresource has the annotation alone: who drops it loses data, as docs/reference/limits.md says.
  const by = hasStatus && draw() < 0.3 ? pick(draw, ofStatus) : pick(draw, hasStatus ? usual : careful);
  if (by === "PUT unchanged" || by === "annotations null") return { at: version.name, by };
  const isStale = by.startsWith("stale");
  const bare: Step = {
    at: version.name,
    by,
    ...(by.startsWith("apply") ? { manager: pick(draw, ["ida", "bo"]) } : {}),
    ...(isStale ? { ago: 1 + Math.floor(draw() * 5) } : {}),
  };
  for (let attempt = 0; attempt < 8; attempt++) {
    if (isStale && draw() < 0.5) return bare;
    const changes = drawChanges(source, index, intended(tenant, bare), bare, draw);
    const step = { ...bare, changes };
    if (changes.length > 0 && isValid(kind, version, intended(tenant, step))) return step;
  }
  return isStale ? bare : { at: version.name, by: "PUT unchanged" };
}

function drawChanges(
  source: Source,
  index: number,
  base: JsonObject,
  { by }: Step,
  draw: Draw,
): readonly Change[] {
  const isOfStatus = by.endsWith("/status");
  const after =
    draw() < 0.5
      ? edited(base, sample(source.setting.edits[index], draw) ?? ([] as readonly Edit[]))
      : tweaked(source, index, base, isOfStatus ? "status" : "spec", draw);
  const isHere = ({ path: [first, second] }: Change) =>
    isOfStatus
      ? first === "status"
      : first !== "status" && (first !== "metadata" || second === "labels" || second === "annotations");
  return changesBetween(base, after).filter(isHere);
}

/** The object with one thing changed that is there: a value, or the items of a list. */
function tweaked(source: Source, index: number, base: JsonObject, part: string, draw: Draw): JsonObject {
  const inner = base[part];
  const parts = (isObject(inner) ? partsOf(inner) : []).map(({ path, value }) => ({
    path: [part, ...path],
    value,
  }));
  if (parts.length === 0) return base;
  const lists = parts.filter(({ value }) => isArray(value));
  const leaves = parts.filter(({ value }) => !isArray(value) && !isObject(value));
  const { path, value } = pick(
    draw,
    lists.length > 0 && draw() < 0.5 ? lists : leaves.length > 0 ? leaves : parts,
  );
  const known = source.values[index]?.get(patternOf(path)) ?? [];
  if (isArray(value)) return changed(base, [{ path, value: shuffled(value, known, draw) }]);
  if (draw() < 0.2) return changed(base, [typeof path.at(-1) === "number" ? { path, value } : { path }]);
  return changed(base, [{ path, value: another(value, known, draw) }]);
}

function another(value: Json, known: readonly Json[], draw: Draw): Json {
  if (known.length > 0 && draw() < 0.6) return pick(draw, known);
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return Math.trunc(value) + (draw() < 0.5 ? 1 : -1);
  return typeof value === "string" ? `${value}${Math.floor(draw() * 10)}` : value;
}

function shuffled(list: readonly Json[], known: readonly Json[], draw: Draw): readonly Json[] {
  const at = Math.floor(draw() * list.length);
  const chance = draw();
  if (chance < 0.25) return list.toSpliced(at, 1);
  if (chance < 0.4) return [...list.slice(at), ...list.slice(0, at)];
  const others = known.flatMap((each) => (isArray(each) ? each : []));
  const fresh = others.length > 0 && draw() < 0.5 ? pick(draw, others) : (list[at] ?? null);
  if (chance < 0.8) return list.toSpliced(at + 1, 0, renamed(fresh, draw));
  return list.length > 0 ? list.with(at, renamed(list[at] ?? null, draw)) : list;
}

/** The item with one of its texts changed: what would be its name, if it has one. */
function renamed(item: Json, draw: Draw): Json {
  if (typeof item === "string") return `${item}${Math.floor(draw() * 10)}`;
  if (!isObject(item)) return item;
  const names = Object.keys(item).filter((name) => typeof item[name] === "string");
  const name =
    names.includes("name") && draw() < 0.7 ? "name" : names.length > 0 ? pick(draw, names) : undefined;
  return name === undefined ? item : set(item, name, `${item[name]}${Math.floor(draw() * 10)}`);
}

interface Part {
  readonly path: Path;
  readonly value: Json;
}

function partsOf(value: Json, path: Path = []): readonly Part[] {
  const below = isArray(value)
    ? value.flatMap((item, index) => partsOf(item, [...path, index]))
    : isObject(value)
      ? Object.entries(value).flatMap(([name, each]) => partsOf(each, [...path, name]))
      : [];
  return path.length === 0 ? below : [{ path, value }, ...below];
}

function patternOf(path: Path): string {
  return path.map((step) => (typeof step === "number" ? "[]" : step)).join(".");
}

function contentOf({ metadata, apiVersion: _, kind: __, ...content }: JsonObject): JsonObject {
  const labels = get(metadata, "labels");
  return labels === undefined ? content : { ...content, metadata: { labels } };
}

function sample<Value>(values: fc.Arbitrary<Value> | undefined, draw: Draw): Value | undefined {
  if (values === undefined) return undefined;
  return fc.sample(values, { numRuns: 1, seed: Math.floor(draw() * 2 ** 31) })[0];
}

function repeated<Item>(item: Item, times: number): readonly Item[] {
  return Array.from({ length: times }, () => item);
}
