import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { ApiServerError, type CrdState, sentenceOf } from "./crd-state.ts";
import { readLease } from "./lease.ts";
import { metadataPages } from "./metadata-pages.ts";
import type { Pause } from "./retry.ts";

/** What a migration by the controllers of the cluster works with. */
export interface ServerMigrationContext {
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
export type ServerMigration =
  /** Objects are rewritten; `storedVersions` is trimmed, unless the CRD was changed meanwhile. */
  | { readonly outcome: "finished" }
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
  const found = await findMigrations(context.connection);
  if (typeof found === "string") return { outcome: "unavailable", sentence: found };
  if (found === undefined) return { outcome: "unavailable" };
  const name = migrationName(crd);
  const path = `${found.path}/${name}`;
  const earlier = named(found.migrations, name);
  // An earlier one that has ended did not trim `storedVersions`.
  if (earlier !== undefined && hasEnded(earlier)) await remove(path, earlier, context.connection);
  if (earlier === undefined || hasEnded(earlier)) {
    const fault = await create(found.path, crd, context.connection);
    if (fault !== undefined) return { outcome: "unavailable", sentence: fault };
  }
  context.note(`${crd.name}: waiting for the controllers of the cluster to carry out ${kind} ${name}`);
  return follow(crd, found.path, context);
}

/** Removes the StorageVersionMigration of an interrupted run if it has ended. Throws ApiServerError. */
export async function removeEnded(crd: CrdState, connection: Connection): Promise<void> {
  const found = await findMigrations(connection);
  if (found === undefined || typeof found === "string") return;
  const ours = named(found.migrations, migrationName(crd));
  if (ours !== undefined && hasEnded(ours))
    await remove(`${found.path}/${migrationName(crd)}`, ours, connection);
}

const kind = "StorageVersionMigration";
const group = "storagemigration.k8s.io";

/** One for each CRD; of a CRD that was deleted and created again it is another one. */
function migrationName({ uid }: CrdState): string {
  return `antechamber-evolve-${uid}`;
}

/** The migrations of a cluster; undefined where they are not served, and the reason where they may not be read. */
async function findMigrations(
  connection: Connection,
): Promise<{ readonly path: string; readonly migrations: readonly Json[] } | string | undefined> {
  for (const version of versions) {
    const path = `/apis/${group}/${version}/storageversionmigrations`;
    const answer = await connection.request("GET", path);
    if (answer.status === 200) return { path, migrations: itemsOf(answer) };
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

/** Waits for the end; gives up, and removes it, where it shows no change for too long. */
async function follow(
  crd: CrdState,
  path: string,
  context: ServerMigrationContext,
): Promise<ServerMigration> {
  const { connection, now, pause, signal } = context;
  const name = migrationName(crd);
  const patience = context.patience + 100 * (await countObjects(crd, connection));
  const toStart = Math.min(patience, (await hasControllers(context)) ? mostToStart : leastToStart);
  let changedAt = now();
  let before = "";
  for (;;) {
    if (signal.aborted) return { outcome: "interrupted" };
    const answer = await connection.request("GET", path);
    if (answer.status !== 200) throw new ApiServerError(`${path} cannot be read: ${sentenceOf(answer)}`);
    const ours = named(itemsOf(answer), name);
    if (ours === undefined) return failed(`${kind} ${name} was deleted by another client`);
    const ended = endOf(ours, name);
    if (ended !== undefined) {
      await remove(`${path}/${name}`, ours, connection);
      return ended;
    }
    // The migrations of one resource run one after another.
    const all = itemsOf(answer).filter((each) => isOf(crd, each));
    const limit = all.some(isStarted) ? patience : toStart;
    const state = JSON.stringify(all);
    if (state !== before) [before, changedAt] = [state, now()];
    else if (now() - changedAt > limit) {
      await remove(`${path}/${name}`, ours, connection);
      return failed(stuckText(ours, name, limit));
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
    const renewed = get(lease, "spec", "renewTime");
    return typeof renewed === "string" && now() - Date.parse(renewed) < mostToStart;
  } catch (error) {
    if (error instanceof ApiServerError) return true;
    throw error;
  }
}

function isStarted(migration: Json): boolean {
  return condition(migration, "Running") !== undefined;
}

function endOf(migration: Json, name: string): ServerMigration | undefined {
  if (!hasEnded(migration)) return undefined;
  const failure = condition(migration, "Failed");
  if (get(failure, "status") !== "True") return { outcome: "finished" };
  return failed(`${kind} ${name} failed: ${String(get(failure, "message"))}`);
}

/** Whether it has succeeded or failed, and the controllers have then trimmed `storedVersions` or left it. */
function hasEnded(migration: Json): boolean {
  const isTrue = (type: string) => get(condition(migration, type), "status") === "True";
  return (isTrue("Succeeded") || isTrue("Failed")) && !isTrue("Running");
}

function stuckText(migration: Json, name: string, patience: number): string {
  const seconds = Math.ceil(patience / 1000);
  const running = condition(migration, "Running");
  if (running === undefined)
    return `no controller has started ${kind} ${name} within ${seconds} s; they run in kube-controller-manager, from v1.37 on by default, before with --feature-gates=StorageVersionMigrator=true`;
  return `${kind} ${name} has not changed for ${seconds} s: ${String(get(running, "message"))}`;
}

function failed(sentence: string): ServerMigration {
  return { outcome: "failed", sentence };
}

/** Deletes the migration as it was read; it may be gone already. */
async function remove(path: string, migration: Json, connection: Connection): Promise<void> {
  const uid = get(migration, "metadata", "uid") ?? null;
  const body: JsonObject = { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid } };
  const answer = await connection.request("DELETE", path, { body });
  if (![200, 404, 409].includes(answer.status))
    throw new ApiServerError(`${path} cannot be deleted: ${sentenceOf(answer)}`);
}

async function countObjects(crd: CrdState, connection: Connection): Promise<number> {
  for await (const { items, remaining = 0 } of metadataPages(crd, 1, connection))
    return items.length + remaining;
  return 0;
}

function itemsOf({ body }: ClusterResponse): readonly Json[] {
  const items = get(body, "items");
  return isArray(items) ? items : [];
}

function named(migrations: readonly Json[], name: string): Json | undefined {
  return migrations.find((each) => get(each, "metadata", "name") === name);
}

function isOf({ group, plural }: CrdState, migration: Json): boolean {
  const resource = get(migration, "spec", "resource");
  return get(resource, "group") === group && get(resource, "resource") === plural;
}

function condition(migration: Json, type: string): Json | undefined {
  const conditions = get(migration, "status", "conditions");
  return (isArray(conditions) ? conditions : []).find((each) => isObject(each) && each.type === type);
}
