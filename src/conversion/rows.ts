import { define, hasNoFields, isObject, type Json, type JsonObject, own } from "../json/json.ts";
import type { Lens } from "./lens.ts";

/** Converts one value both ways. Each way returns undefined for what the other version cannot say, and for a wrong type. */
export interface Codec {
  readonly up: (older: Json) => Json | undefined;
  readonly down: (newer: Json) => Json | undefined;
}

/** The values of some fields, by short names; a field that is not there is undefined. */
type Parts<Name extends string> = { readonly [name in Name]?: Json | undefined };

/** Fields that are mapped together: where they stand in each version, and each way as a function of the values found. */
export interface Group<Older extends string = string, Newer extends string = string> {
  readonly older: Readonly<Record<Older, string>>;
  readonly newer: Readonly<Record<Newer, string>>;
  readonly up: (older: Parts<Older>) => Parts<Newer>;
  readonly down: (newer: Parts<Newer>) => Parts<Older>;
  /** Newer fields that share one older field with others (see Lens): unless given, all of a group that has fewer older ones. */
  readonly shared?: readonly string[];
  /** Older fields that are spread over several newer ones (see Lens). */
  readonly spread?: readonly string[];
}

/** Maps several fields of one version to several of the other: `{ level: "spec.level" }` names each by its path. */
export function group<Older extends string, Newer extends string>(
  definition: Group<Older, Newer>,
): Group<Older, Newer> {
  return definition;
}

/** What `move` knows of its field besides the codec: `shared` and `spread` as in a group. */
export type MoveOptions = Pick<Group, "shared" | "spread">;

/** Maps one field to one, the value as it is or through a codec: `move("spec.floor", "spec.location.floor")`. */
export function move(
  older: string,
  newer: string,
  codec?: Codec,
  options?: MoveOptions,
): Group<"value", "value"> {
  return {
    ...options,
    older: { value: older },
    newer: { value: newer },
    up: ({ value }) => ({ value: value === undefined || codec === undefined ? value : codec.up(value) }),
    down: ({ value }) => ({ value: value === undefined || codec === undefined ? value : codec.down(value) }),
  };
}

/**
 * A lens from groups. What no group names passes through untouched; a name that both versions use for different
 * things is never copied, since it belongs to the group. Null is not mapped: it counts as absent.
 */
export function lens(...groups: readonly Group[]): Lens {
  const named = [
    ...groups.flatMap((each) => Object.values(each.older)),
    ...groups.flatMap((each) => Object.values(each.newer)),
  ];
  const taken = branchOf(named.map(toKeys));
  const up = groups.map((each) => mappingOf(each.older, each.newer, each.up));
  const down = groups.map((each) => mappingOf(each.newer, each.older, each.down));
  return {
    up: (older) => mapObject(older, taken, up),
    down: (newer) => mapObject(newer, taken, down),
    shared: groups.flatMap((each) => each.shared ?? sharedOf(each)),
    spread: groups.flatMap((each) => each.spread ?? []),
    follow: (field) => {
      const moved = groups.filter((each) => Object.values(each.older).some((path) => isBelow(field, path)));
      return moved.length === 0 ? [field] : moved.flatMap((each) => newerFieldsOf(field, each));
    },
  };
}

/** Of several newer fields that become fewer older ones each shares an older one with others, as far as can be seen here. */
function sharedOf({ older, newer }: Group): readonly string[] {
  const fields = Object.values(newer);
  return fields.length > Object.keys(older).length ? fields : [];
}

/** Where a field that a group moves stands in the newer version: below its new place, or all over the group. */
function newerFieldsOf(field: string, { older, newer }: Group): readonly string[] {
  const [from, to] = [Object.values(older), Object.values(newer)];
  const [source] = from;
  return from.length === 1 && to.length === 1 && source !== undefined
    ? to.map((target) => target + field.slice(source.length))
    : to;
}

function isBelow(field: string, path: string): boolean {
  return field === path || field.startsWith(`${path}.`);
}

/** The fields named below one object: whole ones are taken out, branches lead further down. */
type Branch = ReadonlyMap<string, Branch | "whole">;

/** Writes what a group maps from the source into the result. */
type MapGroup = (source: JsonObject, result: Draft) => void;

/** An object that may still be changed, as may every object that a group's path leads through: `without` copied them. */
type Draft = Record<string, Json>;

function mapObject(source: JsonObject, taken: Branch, mappings: readonly MapGroup[]): JsonObject {
  const result = without(source, taken);
  for (const mapGroup of mappings) mapGroup(source, result);
  return result;
}

function mappingOf(
  from: Readonly<Record<string, string>>,
  to: Readonly<Record<string, string>>,
  map: (parts: Parts<string>) => Parts<string>,
): MapGroup {
  const [sources, targets] = [partsOf(from), partsOf(to)];
  return (source, result) => {
    const parts: Record<string, Json | undefined> = {};
    for (const { name, path } of sources) parts[name] = valueAt(source, path);
    const mapped = map(parts);
    for (const { name, path } of targets) {
      const value = mapped[name];
      if (value !== undefined) put(result, path, value);
    }
  };
}

/** A part of a group and its path. */
interface Part {
  readonly name: string;
  readonly path: readonly string[];
}

function partsOf(paths: Readonly<Record<string, string>>): readonly Part[] {
  return Object.entries(paths).map(([name, path]) => ({ name, path: toKeys(path) }));
}

/** The value at a path; undefined for null. */
function valueAt(source: JsonObject, path: readonly string[]): Json | undefined {
  let here: Json | undefined = source;
  for (const key of path) {
    here = own(here, key);
    if (here === undefined) return undefined;
  }
  return here ?? undefined;
}

/** The object without the fields that groups name; a container that only this emptied goes too. */
function without(object: JsonObject, taken: Branch): Draft {
  const kept: Draft = {};
  for (const key in object) {
    const value = object[key] as Json;
    const branch = taken.get(key);
    if (branch === "whole") continue;
    if (branch === undefined || !isObject(value)) {
      define(kept, key, value);
      continue;
    }
    const rest = without(value, branch);
    if (!hasNoFields(rest) || hasNoFields(value)) define(kept, key, rest);
  }
  return kept;
}

/** Sets the value at a path of a group. Parents that are missing are made, and what stands in their way is replaced. */
function put(result: Draft, path: readonly string[], value: Json): void {
  let here = result;
  const last = path.length - 1;
  for (let at = 0; at < last; at++) {
    const key = path[at] as string;
    const inner = own(here, key);
    if (isObject(inner)) here = inner as Draft;
    else {
      const made: Draft = {};
      define(here, key, made);
      here = made;
    }
  }
  define(here, path[last] as string, value);
}

function branchOf(paths: readonly (readonly string[])[]): Branch {
  const below = Map.groupBy(
    paths.filter((path) => path.length > 0),
    ([key = ""]) => key,
  );
  return new Map(
    [...below].map(([key, these]) => [
      key,
      these.some((path) => path.length === 1)
        ? ("whole" as const)
        : branchOf(these.map((path) => path.slice(1))),
    ]),
  );
}

function toKeys(path: string): readonly string[] {
  return path.split(".");
}
