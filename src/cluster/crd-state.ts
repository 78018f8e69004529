import { get, isArray, isObject, type Json } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { reducedCrd, schemasOf } from "./crd-shapes.ts";

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

/** The API server rejected a request; the message is its own. */
export class ApiServerError extends Error {
  override readonly name = "ApiServerError";
}

/** The API server does not have a kind. */
export class UnknownKind extends ApiServerError {}

/** Reads a CRD by name; undefined if it does not exist. Throws ApiServerError. */
export async function readCrdState(connection: Connection, name: string): Promise<CrdState | undefined> {
  const answer = await connection.request("GET", `${crds}/${encodeURIComponent(name)}`);
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new ApiServerError(`${name} cannot be read: ${sentenceOf(answer)}`);
  return crdStateOf(name, answer.body);
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
  const body = { metadata: { resourceVersion }, status };
  const path = `${crds}/${encodeURIComponent(name)}/status?fieldManager=antechamber`;
  const answer = await connection.request("PATCH", path, { body, contentType: mergePatch });
  if (answer.status === 409 || answer.status === 404) return false;
  if (answer.status !== 200) {
    throw new ApiServerError(`the status of ${name} cannot be written: ${sentenceOf(answer)}`);
  }
  return true;
}

const storageMigrating = "StorageMigrating";

export const mergePatch = "application/merge-patch+json";

/** The error message of a response: that of its Status, or else its text. */
export function sentenceOf({ status, body, text }: Omit<ClusterResponse, "retryAfter">): string {
  const message = get(body, "message");
  const sentence = typeof message === "string" && message !== "" ? message : text.trim();
  return sentence === "" ? `HTTP ${status}` : sentence.slice(0, 2_000);
}

/** The version for requests. Any would do; at the storage version only objects stored in others are converted. */
export function requestVersion({ storage, served }: CrdState): string {
  return served.includes(storage) ? storage : (served[0] ?? storage);
}

/** The Accept header for metadata only, which is enough to rewrite objects. */
export function metadataOnly(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** The state in a CRD as it was read. */
export function crdStateOf(name: string, body: Json | undefined): CrdState {
  const spec = get(body, "spec");
  const listed = get(spec, "versions");
  const versions = isArray(listed) ? listed : [];
  const namesOf = (these: readonly Json[]) => these.map((version) => text(get(version, "name")));
  const stored = get(body, "status", "storedVersions");
  const listedConditions = get(body, "status", "conditions");
  const conditions = isArray(listedConditions) ? listedConditions : [];
  const migration = conditions.find((each) => get(each, "type") === storageMigrating);
  const generation = get(body, "metadata", "generation");
  return {
    name,
    group: text(get(spec, "group")),
    plural: text(get(spec, "names", "plural")),
    uid: text(get(body, "metadata", "uid")),
    generation: typeof generation === "number" ? generation : 0,
    resourceVersion: text(get(body, "metadata", "resourceVersion")),
    storage: namesOf(versions.filter((version) => get(version, "storage") === true))[0] ?? "",
    versions: namesOf(versions),
    served: namesOf(versions.filter((version) => get(version, "served") === true)),
    storedVersions: isArray(stored) ? stored.map(text) : [],
    hasFailedMigration: get(migration, "reason") === "MigrationFailed",
    conditions,
    schemas: isObject(body) ? schemasOf(reducedCrd(body)) : "{}",
  };
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
