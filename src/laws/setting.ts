import fc from "fast-check";
import { carrierField, detach } from "../conversion/carriers.ts";
import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import type { Kind, Version } from "../kind/kind.ts";
import { requiredInStatus } from "../kind/required-status.ts";
import { sortedKeys, wired } from "./bare.ts";
import { decoded } from "./decode.ts";
import { type Edit, edited, editsIn, editsOf } from "./edits.ts";
import type { Engine } from "./engine.ts";
import { harvestsOf } from "./harvest.ts";
import { listEditsOf } from "./list-edits.ts";
import { type Objects, objectsOf } from "./objects.ts";
import type { Recording } from "./recording.ts";

/** A kind with an engine, and with objects and edits of each of its versions, to test laws on. */
export interface Setting {
  readonly kind: Kind;
  readonly engine: Engine;
  readonly hub: number;
  /** Indexes of all versions but the hub, oldest first. */
  readonly spokes: readonly number[];
  readonly objects: readonly Objects[];
  readonly edits: readonly fc.Arbitrary<readonly Edit[]>[];
  /** Edits of lists of objects without keys; undefined for a version that has none. */
  readonly listEdits: readonly (fc.Arbitrary<Edit> | undefined)[];
  /** Objects with carriers that earlier releases wrote. */
  readonly recordings: readonly Recording[];
}

/** Prepares a kind for testing. */
export function settingOf(whole: Kind, engine: Engine, recordings: readonly Recording[] = []): Setting {
  const kind = withRoomInStatus(withQuietStatus(whole));
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
    listEdits: kind.versions.map((_, version) => listEditsOf(kind, version, found[version] ?? new Map())),
  };
}

/**
 * A kind whose defaults below status are not set in a status that holds nothing but a carrier. An API server sets them there, which
 * docs/reference/limits.md says: no controller wrote them, and nothing is lost.
 */
function withQuietStatus(kind: Kind): Kind {
  const versions = kind.versions.map((version): Version => {
    const defaulted: Version["defaulted"] = (object) => {
      const { status } = object;
      const filled = version.defaulted(object);
      return isCarrierAlone(status) ? set(filled, "status", status) : filled;
    };
    return { ...version, defaulted };
  });
  return { ...kind, versions, hub: versions.at(-1) ?? kind.hub, examples: kind.examples, chain: kind.chain };
}

function isCarrierAlone(status: Json | undefined): status is JsonObject {
  return isObject(status) && Object.keys(status).every((name) => name === carrierField);
}

/**
 * A kind of which no law counts on a carrier in status, where the status of a version requires fields: a status for the carrier alone
 * would lack them, and an API server refuses every write of such an object. Until a controller writes status, the annotation is the
 * only carrier, as without a status subresource (docs/reference/limits.md).
 */
function withRoomInStatus(kind: Kind): Kind {
  if (!kind.versions.some((each) => requiredInStatus(each).length > 0)) return kind;
  const versions = kind.versions.map((version): Version => ({ ...version, carriesStatus: false }));
  return { ...kind, versions, hub: versions.at(-1) ?? kind.hub, examples: kind.examples, chain: kind.chain };
}

/** An object in another version, over the wire and back. Parsing text again that was parsed before would change nothing. */
export function trip({ kind, engine }: Setting, object: JsonObject, from: number, to: number): JsonObject {
  return wired(engine.convert(sortedKeys(object) as JsonObject, kind.chain, from, to));
}

/** A version by its index. */
export function versionAt({ kind }: Setting, version: number): Version {
  return kind.versions[version] ?? kind.hub;
}

/** The names of versions as a path: `v1 → v1beta1 → v1`. */
export function wayOf(setting: Setting, ...versions: readonly number[]): string {
  return versions.map((each) => versionAt(setting, each).name).join(" → ");
}

/**
 * How a hub object came about: at which version it was created, what was written since, and which carrier was dropped.
 */
export interface History {
  readonly version: number;
  readonly object: JsonObject;
  readonly writes: readonly { readonly version: number; readonly edits: readonly Edit[] }[];
  readonly dropped: "none" | "annotations" | "status";
  readonly defaulted: boolean;
}

/** Histories of hub objects: with fresh, stale, single or missing carriers, and some without any. */
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

/** The hub object that a history leads to, and all hub objects on the way, from its creation on. */
export function lifeOf(
  setting: Setting,
  history: History,
): { readonly stored: JsonObject; readonly states: readonly JsonObject[] } {
  const states: JsonObject[] = [];
  const stored = lived(
    setting,
    history,
    () => undefined,
    (object) => states.push(object),
  );
  return { stored, states };
}

/** A history in words. */
export function stepsOf(setting: Setting, history: History): readonly string[] {
  const steps: string[] = [];
  lived(setting, history, (describe) => steps.push(...describe()));
  return steps;
}

function lived(
  setting: Setting,
  history: History,
  report: (describe: () => readonly string[]) => void,
  visit: (object: JsonObject) => void = () => undefined,
): JsonObject {
  const { hub, kind } = setting;
  const { version, writes, dropped, defaulted } = history;
  const read = (each: JsonObject, at: number) => readAt(setting, each, at);
  let object = read(trip(setting, read(history.object, version), version, hub), hub);
  report(() => [`create at ${versionAt(setting, version).name}`]);
  visit(object);
  for (const { version: at, edits } of writes) {
    const view = trip(setting, object, hub, at);
    const written = kept(setting, read(edited(view, edits), at), view, at);
    if (isRefused(written, versionAt(setting, at))) {
      report(() => [`${versionAt(setting, at).name}: a write that the server refuses`]);
      continue;
    }
    object = at === hub ? written : read(trip(setting, written, at, hub), hub);
    report(() => editsIn(view, edits).map((each) => `${versionAt(setting, at).name}: ${each}`));
    visit(object);
  }
  // An annotation that overrules the carrier in status is one that the keeper puts back.
  const isKept = dropped === "annotations" && isOverruling(object);
  if (dropped !== "none" && !isKept) report(() => [`drop the carrier in ${dropped}`]);
  if (dropped === "annotations" && !isKept && isObject(object.metadata))
    object = set(object, "metadata", set(object.metadata, "annotations", undefined));
  if (dropped === "status" && isObject(object.status))
    object = set(object, "status", set(object.status, carrierField, undefined));
  if (defaulted) report(() => ["read with the hub's defaults"]);
  return defaulted ? kind.hub.defaulted(object) : object;
}

/** Whether an object's carriers differ: one in status is older than what a write of the main endpoint replaced. */
function isOverruling(object: JsonObject): boolean {
  const { annotations, status } = detach(object);
  return status !== undefined && !equal(annotations[0]?.payload.spokes, status.payload.spokes);
}

/**
 * An object as the server decodes it at a version. Of a status that lacks what it requires, since it holds nothing but a carrier,
 * nothing is left: no server admits it.
 */
export function readAt(setting: Setting, object: JsonObject, version: number): JsonObject {
  const at = versionAt(setting, version);
  const read = decoded(object, at);
  return isRefused(read, at) ? set(read, "status", undefined) : read;
}

/** Whether a server refuses an object since its status holds nothing but a carrier, and lacks what it requires. */
function isRefused({ status }: JsonObject, at: Version): boolean {
  const isCarrier = get(status, carrierField) !== undefined && isCarrierAlone(status);
  return isCarrier && requiredInStatus(at).length > 0;
}

/** A write of the whole object at a version, to the main endpoint and to /status, as the keeper changes it. */
export function kept(
  { engine, hub, kind }: Setting,
  written: JsonObject,
  before: JsonObject,
  version = hub,
): JsonObject {
  const write = { operation: "UPDATE", atHub: version === hub } as const;
  const main = engine.keep(written, before, { ...write, subresource: "" }, kind.chain);
  const status = set(main, "status", written.status);
  return engine.keep(
    status,
    set(main, "status", before.status),
    { ...write, subresource: "status" },
    kind.chain,
  );
}

/** An object whose metadata is an object, as the engine may assume. */
export function withMetadata(object: JsonObject): JsonObject {
  return isObject(get(object, "metadata")) ? object : set(object, "metadata", {});
}

/** Whether an object can hold a carrier: its annotations or its status are an object, absent or null. */
export function canCarry({ kind }: Setting, object: JsonObject): boolean {
  const holds = (container: Json | undefined) =>
    container === undefined || container === null || isObject(container);
  return holds(get(object, "metadata", "annotations")) || (kind.hub.carriesStatus && holds(object.status));
}
