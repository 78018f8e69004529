import { get, type Json, type JsonObject, listAt } from "../../json/json.ts";
import { compareVersions } from "../../schema/index.ts";
import { crdModelOf, storageOf } from "../../schema/model/crd.ts";
import type { Connection } from "./connection.ts";
import { reducedCrd, schemasOf } from "./crd-shapes.ts";
import { crdsPath, mergePatch, readCrd, writeObject } from "./requests.ts";

/** The part of a CRD in a cluster that a migration needs. */
export interface CrdState {
  /** `rooms.home.antechamber.dev`. */
  readonly name: string;
  readonly group: string;
  readonly plural: string;
  readonly uid: string;
  /** Increases with every change of the spec. */
  readonly generation: number;
  readonly resourceVersion: string;
  /** The version that new writes are stored in. */
  readonly storage: string;
  readonly versions: readonly string[];
  readonly served: readonly string[];
  /** The versions that objects may be stored in. */
  readonly storedVersions: readonly string[];
  /**
   * Whether the last StorageVersionMigration failed: it has trimmed `storedVersions` all the same, while objects may be stored in
   * other versions (v1.36 and v1.37, pkg/controller/storageversionmigrator/migrationrunner.go, finishCRDMigration).
   */
  readonly hasFailedMigration: boolean;
  /** `status.conditions`. */
  readonly conditions: readonly Json[];
  /** The schemas of its versions, as JSON text (see crd-shapes.ts). */
  readonly schemas: string;
}

/** What a CRD says of its versions. */
export type CrdVersions = Pick<
  CrdState,
  "versions" | "served" | "storage" | "storedVersions" | "hasFailedMigration"
>;

/** Reads a CRD by name; undefined if it does not exist. Throws ApiServerError. */
export async function readCrdState(connection: Connection, name: string): Promise<CrdState | undefined> {
  const found = await readCrd(connection, name);
  return found === undefined ? undefined : crdStateOf(name, found);
}

/**
 * Sets `status.storedVersions` to the storage version alone, after all objects were rewritten; a failed StorageVersionMigration
 * is then no longer of importance, and its condition is removed. Returns false if the CRD was changed since it was read.
 * Throws ApiServerError.
 */
export async function trimStoredVersions(connection: Connection, read: CrdState): Promise<boolean> {
  const { name, resourceVersion, storage, hasFailedMigration } = read;
  const conditions = read.conditions.filter((each) => get(each, "type") !== storageMigrating);
  const status = { storedVersions: [storage], ...(hasFailedMigration ? { conditions } : {}) };
  const written = await writeObject(connection, {
    method: "PATCH",
    path: `${crdsPath}/${encodeURIComponent(name)}/status?fieldManager=antechamber`,
    body: { metadata: { resourceVersion }, status },
    contentType: mergePatch,
    failure: `the status of ${name} cannot be written`,
  });
  return written !== undefined;
}

const storageMigrating = "StorageMigrating";

/** The version for requests. Any would do; at the storage version only objects stored in others are converted. */
export function requestVersion({ storage, served }: Pick<CrdState, "storage" | "served">): string {
  return served.includes(storage) ? storage : (served[0] ?? storage);
}

/** The version that discovery prefers, and with it clients that name none: a StorageVersionMigration too. */
export function preferredVersion({ storage, served }: Pick<CrdState, "storage" | "served">): string {
  return served.toSorted((a, b) => compareVersions(b, a))[0] ?? storage;
}

/** The state in a CRD as it was read. */
export function crdStateOf(name: string, json: JsonObject): CrdState {
  const crd = crdModelOf(json);
  const { group, names, versions } = crd.spec;
  const { uid, generation, resourceVersion } = crd.metadata;
  const conditions = listAt(json, "status", "conditions");
  const migration = conditions.find((each) => get(each, "type") === storageMigrating);
  return {
    name,
    group,
    plural: names.plural,
    uid,
    generation,
    resourceVersion,
    storage: storageOf(crd),
    versions: versions.map((version) => version.name),
    served: versions.filter(({ served }) => served).map((version) => version.name),
    storedVersions: crd.status.storedVersions,
    hasFailedMigration: get(migration, "reason") === "MigrationFailed",
    conditions,
    schemas: schemasOf(reducedCrd(json)),
  };
}
