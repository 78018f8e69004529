import { get, type Json, type JsonObject, listAt, textAt } from "../../json/json.ts";
import type { Pause } from "../../time.ts";
import { metadataPages } from "../api/collection.ts";
import type { Connection } from "../api/connection.ts";
import { type CrdState, readCrdState } from "../api/crd-state.ts";
import { readLease } from "../api/lease.ts";
import { ApiServerError, sentenceOf, writeObject } from "../api/requests.ts";

/** What a migration by the controllers of the cluster works with. */
interface ServerMigrationContext {
  readonly connection: Connection;
  readonly pause: Pause;
  /** Ends waiting; the migration itself goes on. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly note: (line: string) => void;
  /** Milliseconds that it may show no change, apart from a tenth of a second for each object. */
  readonly patience: number;
}

/** The outcome of a migration by the controllers of the cluster. */
type ServerMigration =
  /** Every object is stored in the storage version, and `storedVersions` has that alone. */
  | { readonly outcome: "finished" }
  /** The CRD was changed meanwhile, so `storedVersions` was not trimmed. */
  | { readonly outcome: "crdChanged" }
  | { readonly outcome: "interrupted" }
  /** The API server does not have StorageVersionMigration, or not for this user, which `sentence` then says. */
  | { readonly outcome: "unavailable"; readonly sentence?: string }
  /** It was given up. */
  | { readonly outcome: "failed"; readonly sentence: string };

/**
 * Has the controllers of the cluster rewrite every object of a CRD, and trim `status.storedVersions`, by a
 * StorageVersionMigration, and removes that in the end (pkg/controller/storageversionmigrator of Kubernetes). Goes on with one
 * that an interrupted run has created. Throws ApiServerError, ClusterUnreachable.
 */
export async function migrateByServer(
  crd: CrdState,
  context: ServerMigrationContext,
): Promise<ServerMigration> {
  const { connection, note } = context;
  const found = await findMigrations(connection);
  if (typeof found === "string") return { outcome: "unavailable", sentence: found };
  if (found === undefined) return { outcome: "unavailable" };
  const { path, migrations } = found;
  const earlier = oursOf(crd, migrations);
  // An earlier one that has ended did not trim `storedVersions`.
  if (earlier !== undefined && hasEnded(earlier)) await remove(path, earlier, connection);
  if (earlier === undefined || hasEnded(earlier)) {
    const fault = await create(path, crd, connection);
    if (fault !== undefined) return { outcome: "unavailable", sentence: fault };
  }
  note(`${crd.name}: waiting for the controllers of the cluster to carry out ${kind} ${migrationName(crd)}`);
  const fault = await follow(crd, path, context);
  if (fault === "interrupted") return { outcome: "interrupted" };
  if (fault !== undefined) return { outcome: "failed", sentence: fault };
  const now = await readCrdState(connection, crd.name);
  const isTrimmed = String(now?.storedVersions) === crd.storage && now?.hasFailedMigration === false;
  return { outcome: isTrimmed ? "finished" : "crdChanged" };
}

/** Removes the StorageVersionMigration of an interrupted run if it has ended. Throws ApiServerError. */
export async function removeEnded(crd: CrdState, connection: Connection): Promise<void> {
  const found = await findMigrations(connection);
  if (found === undefined || typeof found === "string") return;
  const ours = oursOf(crd, found.migrations);
  if (ours !== undefined && hasEnded(ours)) await remove(found.path, ours, connection);
}

const kind = "StorageVersionMigration";
const group = "storagemigration.k8s.io";

/** One for each CRD; of a CRD that was deleted and created again it is another one. */
function migrationName({ uid }: CrdState): string {
  return `antechamber-evolve-${uid}`;
}

function oursOf(crd: CrdState, migrations: readonly Json[]): Json | undefined {
  return migrations.find((each) => textAt(each, "metadata", "name") === migrationName(crd));
}

/** The migrations of a cluster; undefined where they are not served, and the reason where they may not be read. */
async function findMigrations(
  connection: Connection,
): Promise<{ readonly path: string; readonly migrations: readonly Json[] } | string | undefined> {
  for (const version of versions) {
    const path = `/apis/${group}/${version}/storageversionmigrations`;
    const answer = await connection.request("GET", path);
    if (answer.status === 200) return { path, migrations: listAt(answer.body, "items") };
    if (answer.status === 403) return sentenceOf(answer);
    if (answer.status !== 404) throw new ApiServerError(`${path} cannot be read: ${sentenceOf(answer)}`);
  }
  return undefined;
}

/** v1alpha1, until v1.34, has other fields. */
const versions = ["v1", "v1beta1"];

async function create(path: string, crd: CrdState, connection: Connection): Promise<string | undefined> {
  const { name, uid } = crd;
  const owner = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name, uid };
  const body = {
    apiVersion: path.split("/").slice(2, 4).join("/"),
    kind,
    metadata: { name: migrationName(crd), ownerReferences: [owner] },
    spec: { resource: { group: crd.group, resource: crd.plural } },
  };
  const answer = await connection.request("POST", `${path}?fieldManager=antechamber-evolve`, { body });
  // It exists where a request was sent again whose response was lost.
  if (answer.status === 201 || answer.status === 409) return undefined;
  if (answer.status === 403) return sentenceOf(answer);
  throw new ApiServerError(`${kind} ${migrationName(crd)} cannot be created: ${sentenceOf(answer)}`);
}

/** Waits for the end, and removes the migration then, or where it shows no change for too long. Why it failed, if it did. */
async function follow(
  crd: CrdState,
  path: string,
  context: ServerMigrationContext,
): Promise<string | undefined> {
  const { connection, now, pause, signal } = context;
  const name = migrationName(crd);
  const patience = context.patience + 100 * (await countObjects(crd, connection));
  const toStart = Math.min(patience, (await hasControllers(context)) ? mostToStart : leastToStart);
  let [before, changedAt] = ["", now()];
  for (;;) {
    if (signal.aborted) return "interrupted";
    const answer = await connection.request("GET", path);
    if (answer.status !== 200) throw new ApiServerError(`${path} cannot be read: ${sentenceOf(answer)}`);
    // The migrations of one resource run one after another.
    const all = listAt(answer.body, "items").filter((each) => isOf(crd, each));
    const ours = oursOf(crd, all);
    if (ours === undefined) return `${kind} ${name} was deleted by another client`;
    const limit = all.some((each) => condition(each, "Running") !== undefined) ? patience : toStart;
    const state = JSON.stringify(all);
    if (state !== before) [before, changedAt] = [state, now()];
    const isStuck = now() - changedAt > limit;
    if (isStuck || hasEnded(ours)) {
      await remove(path, ours, connection);
      const failure = condition(ours, "Failed");
      if (!hasEnded(ours)) return stuckText(ours, name, limit);
      return isTrue(failure) ? `${kind} ${name} failed: ${String(get(failure, "message"))}` : undefined;
    }
    await pause(pollEvery, signal);
  }
}

const pollEvery = 500;

/** Controllers mark a migration as running as soon as they see it. */
const mostToStart = 60_000;

/** Where no kube-controller-manager holds its Lease; one that runs alone may do without. */
const leastToStart = 5_000;

/** Whether a kube-controller-manager has renewed its Lease lately; assumed of one that may not be read. */
async function hasControllers({ connection, now }: ServerMigrationContext): Promise<boolean> {
  try {
    const lease = await readLease(connection, "kube-system", "kube-controller-manager");
    return now() - Date.parse(textAt(lease, "spec", "renewTime")) < mostToStart;
  } catch (error) {
    if (error instanceof ApiServerError) return true;
    throw error;
  }
}

/** Whether it has succeeded or failed, and the controllers have then trimmed `storedVersions` or left it. */
function hasEnded(migration: Json): boolean {
  const [succeeded, failed, running] = ["Succeeded", "Failed", "Running"].map((type) =>
    isTrue(condition(migration, type)),
  );
  return (succeeded === true || failed === true) && running !== true;
}

function stuckText(migration: Json, name: string, patience: number): string {
  const seconds = Math.ceil(patience / 1000);
  const running = condition(migration, "Running");
  if (running === undefined)
    return `no controller has started ${kind} ${name} within ${seconds} s; they run in kube-controller-manager, from v1.37 on by default, before with --feature-gates=StorageVersionMigrator=true`;
  return `${kind} ${name} has not changed for ${seconds} s: ${String(get(running, "message"))}`;
}

/** Deletes the migration as it was read; it may be gone already. */
async function remove(path: string, migration: Json, connection: Connection): Promise<void> {
  const { name, uid } = {
    name: textAt(migration, "metadata", "name"),
    uid: textAt(migration, "metadata", "uid"),
  };
  const body: JsonObject = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid } };
  const failure = `${path}/${name} cannot be deleted`;
  await writeObject(connection, { method: "DELETE", path: `${path}/${name}`, body, failure });
}

async function countObjects(crd: CrdState, connection: Connection): Promise<number> {
  for await (const { items, remaining = 0 } of metadataPages(crd, 1, connection))
    return items.length + remaining;
  return 0;
}

function isOf({ group, plural }: CrdState, migration: Json): boolean {
  const resource = get(migration, "spec", "resource");
  return get(resource, "group") === group && get(resource, "resource") === plural;
}

function condition(migration: Json, type: string): Json | undefined {
  return listAt(migration, "status", "conditions").find((each) => get(each, "type") === type);
}

function isTrue(condition: Json | undefined): boolean {
  return get(condition, "status") === "True";
}
