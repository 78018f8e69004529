import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { decoded } from "./decode.ts";
import { readAt, type Setting, trip, versionAt } from "./setting.ts";

/**
 * A model of an API server with one object of a kind whose hub is stored, as exact as the carriers need it: which fields of
 * a write count, generation, defaults, pruning, conversion, and the comparison with the stored object
 * (apiextensions-apiserver, pkg/registry/customresource, strategy.go and status_strategy.go). Without server-side apply,
 * validation and resourceVersion.
 */
export interface Stored {
  readonly object: JsonObject;
  /** How often the object was stored: a resourceVersion. */
  readonly revision: number;
}

/** The endpoint that is written. */
export type Endpoint = "main" | "status";

/** The stored object as a client at a version reads it: the hub's defaults, then conversion, then pruning. */
export function read(setting: Setting, { object }: Stored, version: number): JsonObject {
  const { hub, kind } = setting;
  const here = kind.hub.defaulted(readAt(setting, object, hub));
  return version === hub ? here : readAt(setting, trip(setting, here, hub, version), version);
}

/**
 * The object that the server makes of a write: after the keeper, and with the fields restored that the endpoint cannot
 * change.
 */
export function taken(
  setting: Setting,
  before: JsonObject,
  written: JsonObject,
  version: number,
  endpoint: Endpoint,
): JsonObject {
  const { engine, hub, kind } = setting;
  const subresource = endpoint === "main" ? "" : "status";
  const client = requested(setting, written, version);
  const write = { operation: "UPDATE", subresource, atHub: version === hub } as const;
  const kept = engine.keep(client, before, write, kind.chain);
  const pruned = readAt(setting, kept, version);
  if (endpoint === "status") return set(before, "status", pruned.status);
  const next = set(withSystemFields(pruned, before), "status", before.status);
  const generation = get(before, "metadata", "generation");
  if (typeof generation !== "number" || equal(spoken(next), spoken(before))) return next;
  return set(next, "metadata", set(next.metadata as JsonObject, "generation", generation + 1));
}

/** The object stored after a write; the same one if nothing changed. */
export function store(
  setting: Setting,
  stored: Stored | undefined,
  object: JsonObject,
  version: number,
): Stored {
  const { hub } = setting;
  const next = version === hub ? object : trip(setting, object, version, hub);
  const encoded = decoded(next, versionAt(setting, hub));
  if (stored !== undefined && equal(encoded, stored.object)) return stored;
  return { object: encoded, revision: (stored?.revision ?? 0) + 1 };
}

/** The object that the server makes of a created one: without status, with generation 1 and a new uid. */
export function created(setting: Setting, written: JsonObject, version: number, uid: string): JsonObject {
  const { engine, hub, kind } = setting;
  const client = requested(setting, written, version);
  const write = { operation: "CREATE", subresource: "", atHub: version === hub } as const;
  const kept = engine.keep(client, undefined, write, kind.chain);
  const metadata = { ...(isObject(kept.metadata) ? kept.metadata : {}), uid, generation: 1 };
  return readAt(
    setting,
    set(set(kept, "status", undefined), "metadata", set(metadata, "resourceVersion", undefined)),
    version,
  );
}

/** A client's object as the server decodes it: pruned, and with the defaults of its version. */
function requested(setting: Setting, written: JsonObject, version: number): JsonObject {
  return versionAt(setting, version).defaulted(readAt(setting, written, version));
}

/** The part of an object that counts for its generation: everything but metadata and status. */
function spoken(object: JsonObject): JsonObject {
  return set(set(object, "metadata", undefined), "status", undefined);
}

/** Of metadata a writer sets labels and annotations; the other fields that matter here belong to the server. */
function withSystemFields(object: JsonObject, before: JsonObject): JsonObject {
  const own = isObject(before.metadata) ? before.metadata : {};
  const metadata = ["labels", "annotations"].reduce<JsonObject>(
    (here, name) => set(here, name, get(object, "metadata", name) as Json | undefined),
    own,
  );
  return set(object, "metadata", metadata);
}
