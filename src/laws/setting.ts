import fc from "fast-check";
import { carrierField } from "../conversion/carriers.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Kind, Version } from "../kind.ts";
import { wired } from "./bare.ts";
import { decoded } from "./decode.ts";
import { type Edit, edited, editsIn, editsOf } from "./edits.ts";
import type { Engine } from "./engine.ts";
import { harvestsOf } from "./harvest.ts";
import { type Objects, objectsOf } from "./objects.ts";
import type { Recording } from "./recording.ts";

/** A kind with an engine, and objects and edits of each of its versions to try laws on. */
export interface Setting {
  readonly kind: Kind;
  readonly engine: Engine;
  readonly hub: number;
  /** Indexes of all versions but the hub, oldest first. */
  readonly spokes: readonly number[];
  readonly objects: readonly Objects[];
  readonly edits: readonly fc.Arbitrary<readonly Edit[]>[];
  /** Objects with carriers that earlier releases wrote. */
  readonly recordings: readonly Recording[];
}

/** Prepares a kind to be tried. */
export function settingOf(kind: Kind, engine: Engine, recordings: readonly Recording[] = []): Setting {
  const found = harvestsOf(kind, engine);
  const hub = kind.versions.length - 1;
  return {
    kind,
    engine,
    recordings,
    hub,
    spokes: [...kind.versions.keys()].slice(0, -1),
    objects: kind.versions.map((_, version) => objectsOf(kind, version, found[version] ?? new Map())),
    edits: kind.versions.map((_, version) =>
      fc.array(editsOf(kind, version, found[version] ?? new Map()), { minLength: 1, maxLength: 3 }),
    ),
  };
}

/** An object in another version, over the wire both ways. */
export function trip({ kind, engine }: Setting, object: JsonObject, from: number, to: number): JsonObject {
  return wired(engine.convert(wired(object), kind.ladder, from, to));
}

/** A version by its index. */
export function versionAt({ kind }: Setting, version: number): Version {
  return kind.versions[version] ?? kind.hub;
}

/** Names of versions, as a counterexample tells its way: `v1 → v1beta1 → v1`. */
export function wayOf(setting: Setting, ...versions: readonly number[]): string {
  return versions.map((each) => versionAt(setting, each).name).join(" → ");
}

/** How a hub object came about: where it was made, who wrote it since, and which carrier somebody dropped. */
export interface History {
  readonly version: number;
  readonly object: JsonObject;
  readonly writes: readonly { readonly version: number; readonly edits: readonly Edit[] }[];
  readonly dropped: "none" | "annotations" | "status";
  readonly defaulted: boolean;
}

/** Histories of hub objects: with carriers that are fresh, stale, single or missing, and some without any. */
export function historiesOf(setting: Setting): fc.Arbitrary<History> {
  const { kind, hub, objects, edits } = setting;
  const versions = [...kind.versions.keys()];
  const starts = versions.map((version) => {
    const { valid, partial } = objects[version] as Objects;
    return fc
      .oneof({ arbitrary: valid, weight: 2 }, { arbitrary: partial, weight: 1 })
      .map((object) => ({ version, object }));
  });
  const write = fc.oneof(
    ...versions.map((version) =>
      (edits[version] as fc.Arbitrary<readonly Edit[]>).map((these) => ({ version, edits: these })),
    ),
  );
  return fc
    .record({
      start: fc.oneof(starts[hub] as (typeof starts)[number], ...starts),
      writes: fc.array(write, { maxLength: 2 }),
      dropped: fc.constantFrom<History["dropped"][]>("none", "none", "none", "annotations", "status"),
      defaulted: fc.boolean(),
    })
    .map(({ start, ...rest }) => ({ ...start, ...rest }));
}

/** The hub object that a history leads to. */
export function storedBy(setting: Setting, history: History): JsonObject {
  return lived(setting, history, () => undefined);
}

/** A history as sentences. */
export function stepsOf(setting: Setting, history: History): readonly string[] {
  const steps: string[] = [];
  lived(setting, history, (said) => steps.push(...said()));
  return steps;
}

function lived(
  setting: Setting,
  history: History,
  tell: (said: () => readonly string[]) => void,
): JsonObject {
  const { hub, kind } = setting;
  const { version, writes, dropped, defaulted } = history;
  const read = (each: JsonObject, at: number) => readAt(setting, each, at);
  let object = read(trip(setting, read(history.object, version), version, hub), hub);
  tell(() => [`create at ${versionAt(setting, version).name}`]);
  for (const { version: at, edits } of writes) {
    const view = trip(setting, object, hub, at);
    const written = read(edited(view, edits), at);
    object = at === hub ? kept(setting, written, view) : read(trip(setting, written, at, hub), hub);
    tell(() => editsIn(view, edits).map((each) => `${versionAt(setting, at).name}: ${each}`));
  }
  if (dropped !== "none") tell(() => [`drop the carrier in ${dropped}`]);
  if (dropped === "annotations" && isObject(object.metadata))
    object = set(object, "metadata", set(object.metadata, "annotations", undefined));
  if (dropped === "status" && isObject(object.status))
    object = set(object, "status", set(object.status, carrierField, undefined));
  if (defaulted) tell(() => ["read with the hub's defaults"]);
  return defaulted ? kind.hub.defaulted(object) : object;
}

/** An object as the server reads it in a version. */
export function readAt(setting: Setting, object: JsonObject, version: number): JsonObject {
  return decoded(object, versionAt(setting, version));
}

/** A write at the hub of the whole object: what the keeper does to a main write, and to one of /status. */
export function kept({ engine }: Setting, written: JsonObject, before: JsonObject): JsonObject {
  const write = { operation: "UPDATE", atHub: true } as const;
  const main = engine.keep(written, before, { ...write, subresource: "" });
  return engine.keep(main, before, { ...write, subresource: "status" });
}

/** An object whose metadata an engine may rely on: what is no object there is none. */
export function withMetadata(object: JsonObject): JsonObject {
  return isObject(get(object, "metadata")) ? object : set(object, "metadata", {});
}

/** Whether an object has a place for a carrier: annotations or a status that are an object, nothing or null. */
export function canCarry({ kind }: Setting, object: JsonObject): boolean {
  const holds = (container: Json | undefined) =>
    container === undefined || container === null || isObject(container);
  return holds(get(object, "metadata", "annotations")) || (kind.hub.carriesStatus && holds(object.status));
}
