import { equal } from "../json/equal.ts";
import { get, isObject, type Json, type JsonObject, set } from "../json/json.ts";
import { decoded } from "./decode.ts";
import { readAt, type Setting, trip, versionAt } from "./setting.ts";

/**
 * What an API server does with one object of a kind whose hub is stored, as exactly as the carriers need it: what of a
 * write is the writer's, generation, defaults, pruning, conversion and the comparison with what is stored
 * (kubernetes.md 4.4, 8a, 8d, 8f). Without server-side apply, validation and resourceVersion.
 */
export interface Stored {
  readonly object: JsonObject;
  /** How often anything was stored: a resourceVersion. */
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

/** What the server takes a client's object for, once the keeper was asked and what is not the writer's was put back. */
export function taken(
  setting: Setting,
  before: JsonObject,
  written: JsonObject,
  version: number,
  endpoint: Endpoint,
): JsonObject {
  const { engine, hub } = setting;
  const subresource = endpoint === "main" ? "" : "status";
  const client = requested(setting, written, version);
  const kept = engine.keep(client, before, { operation: "UPDATE", subresource, atHub: version === hub });
  const pruned = readAt(setting, kept, version);
  if (endpoint === "status") return set(before, "status", pruned.status);
  const next = set(withSystemFields(pruned, before), "status", before.status);
  const generation = get(before, "metadata", "generation");
  if (typeof generation !== "number" || equal(spoken(next), spoken(before))) return next;
  return set(next, "metadata", set(next.metadata as JsonObject, "generation", generation + 1));
}

/** The object stored after a write of one that the server took; the very same where nothing changed. */
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

/** What the server takes a created object for: no status, generation 1, a uid of its own. */
export function created(setting: Setting, written: JsonObject, version: number, uid: string): JsonObject {
  const { engine, hub } = setting;
  const client = requested(setting, written, version);
  const kept = engine.keep(client, undefined, {
    operation: "CREATE",
    subresource: "",
    atHub: version === hub,
  });
  const metadata = { ...(isObject(kept.metadata) ? kept.metadata : {}), uid, generation: 1 };
  return readAt(
    setting,
    set(set(kept, "status", undefined), "metadata", set(metadata, "resourceVersion", undefined)),
    version,
  );
}

/** A client's object as the server reads it: pruned, and with the defaults of the version that it is in. */
function requested(setting: Setting, written: JsonObject, version: number): JsonObject {
  return versionAt(setting, version).defaulted(readAt(setting, written, version));
}

/** What of an object counts for its generation: all but metadata and status. */
function spoken(object: JsonObject): JsonObject {
  return set(set(object, "metadata", undefined), "status", undefined);
}

/** Of metadata a writer says labels and annotations; the rest that matters here is the server's. */
function withSystemFields(object: JsonObject, before: JsonObject): JsonObject {
  const own = isObject(before.metadata) ? before.metadata : {};
  const metadata = ["labels", "annotations"].reduce<JsonObject>(
    (here, name) => set(here, name, get(object, "metadata", name) as Json | undefined),
    own,
  );
  return set(object, "metadata", metadata);
}
