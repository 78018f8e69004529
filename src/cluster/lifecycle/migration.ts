import { get, isArray, type Json, type JsonObject } from "../../json/json.ts";
import type { Pause } from "../../time.ts";
import { counted } from "../../words.ts";
import { metadataPages } from "../api/collection.ts";
import type { ClusterResponse, Connection } from "../api/connection.ts";
import { type CrdState, readCrdState, requestVersion, trimStoredVersions } from "../api/crd-state.ts";
import { mergePatch, metadataOnly, sentenceOf } from "../api/requests.ts";

/** How objects are rewritten. */
export interface MigrationOptions {
  /** The version whose managedFields entries are removed. */
  readonly drop?: string;
  /** The version to write at, which has every object converted; without it the storage version. */
  readonly through?: string;
  /** `check`: every write is a dry run. */
  readonly writes: "store" | "check";
  /** Objects per page of a list. */
  readonly pageSize: number;
}

/** What a migration works with. */
export interface MigrationContext {
  readonly connection: Connection;
  readonly pause: Pause;
  /** Ends waiting, and stops the migration after the writes in progress. */
  readonly signal: AbortSignal;
  /** Called after each object. */
  readonly progress: (count: MigrationProgress) => void;
}

/** The progress of a pass over the objects. */
export interface MigrationProgress {
  readonly done: number;
  /** Absent if the server does not say. */
  readonly total?: number;
  /** How many had managedFields entries of the dropped version. */
  readonly dropped: number;
}

/** An object that could not be written, `namespace/name`, and the message of the server. */
interface Failure {
  readonly object: string;
  readonly sentence: string;
}

/** The outcome of a migration. Only a finished one has trimmed `status.storedVersions`. */
export type Outcome = MigrationProgress &
  (
    | { readonly outcome: "finished" }
    | { readonly outcome: "interrupted" }
    | { readonly outcome: "failed"; readonly failures: readonly Failure[] }
    /** The CRD was changed meanwhile; the sentence says how. */
    | { readonly outcome: "crdChanged"; readonly sentence: string }
  );

/**
 * Has the server rewrite every object of a CRD in the storage version, and then trims `status.storedVersions`. An empty patch
 * is enough: the server encodes the object for etcd and writes it if the bytes differ, which they do if the version differs
 * (apiserver/pkg/storage/etcd3/store.go, GuaranteedUpdate). Idempotent. Throws ApiServerError, ClusterUnreachable.
 */
export async function migrate(
  start: CrdState,
  options: MigrationOptions,
  context: MigrationContext,
): Promise<Outcome> {
  let crd = start;
  for (let passes = 1; ; passes++) {
    const pass = await rewriteAll(crd, options, context);
    if (pass.outcome !== "finished" || options.writes === "check") return pass;
    const now = await readCrdState(context.connection, crd.name);
    const sentence = crdChanged(crd, now, passes);
    if (sentence !== undefined || now === undefined)
      return { ...pass, outcome: "crdChanged", sentence: sentence ?? "" };
    // A changed spec may have had another storage version in between, so objects must be written again.
    if (now.generation === crd.generation && (await trimStoredVersions(context.connection, now))) return pass;
    crd = now;
  }
}

function crdChanged(before: CrdState, now: CrdState | undefined, passes: number): string | undefined {
  if (now?.uid !== before.uid) return "it was deleted meanwhile";
  if (now.storage !== before.storage) {
    return `its storage version became ${now.storage} meanwhile, and was ${before.storage}`;
  }
  return passes < 5 ? undefined : "it keeps changing";
}

/** Parallel writes: enough to use an API server and a webhook well, without slowing down other clients. */
const writers = 8;
/** After so many failures the rest would fail for the same reason. */
const maxFailures = 100;

async function rewriteAll(
  crd: CrdState,
  options: MigrationOptions,
  context: MigrationContext,
): Promise<Outcome> {
  const failures: Failure[] = [];
  const count = { done: 0, dropped: 0 };
  for await (const page of metadataPages(crd, options.pageSize, context.connection)) {
    const total =
      page.remaining === undefined ? {} : { total: count.done + page.items.length + page.remaining };
    const shouldContinue = () => !context.signal.aborted && failures.length < maxFailures;
    await inParallel(page.items, shouldContinue, async (item) => {
      const written = await rewrite(item, crd, options, context);
      if (written.outcome === "failed") failures.push({ object: nameOf(item), sentence: written.sentence });
      if (written.outcome === "dropped") count.dropped++;
      count.done++;
      context.progress({ ...count, ...total });
    });
    if (context.signal.aborted) return { ...count, ...total, outcome: "interrupted" };
    if (failures.length >= maxFailures) break;
  }
  return failures.length > 0 ? { ...count, outcome: "failed", failures } : { ...count, outcome: "finished" };
}

async function inParallel<Item>(
  items: readonly Item[],
  shouldContinue: () => boolean,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let hasFailed = false;
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (hasFailed || !shouldContinue()) return;
      await work(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: writers }, worker));
}

/** The message of a migration that stopped early or could not write every object. */
export function failureOf(
  { name }: CrdState,
  outcome: Exclude<Outcome, { readonly outcome: "finished" }>,
): string {
  const far = `${outcome.done}${outcome.total === undefined ? "" : ` of ${outcome.total}`}`;
  const kept = "status.storedVersions is unchanged; run the same command again";
  switch (outcome.outcome) {
    case "interrupted":
      return `${name}: interrupted after ${far} objects; ${kept}: it starts from the beginning`;
    case "crdChanged":
      return `${name}: ${outcome.sentence}; ${kept}`;
    case "failed":
      return [
        `${name}: ${counted(outcome.failures.length, "object")} could not be written; ${kept} after fixing that`,
        ...outcome.failures.map(({ object, sentence }) => `  ${object}: ${sentence}`),
      ].join("\n");
  }
}

function nameOf(item: Json): string {
  const namespace = get(item, "metadata", "namespace");
  const name = String(get(item, "metadata", "name"));
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}

/** The result for one object; `dropped`: written without the managedFields entries of the dropped version. */
type Rewritten =
  | { readonly outcome: "written" | "dropped" | "gone" }
  | { readonly outcome: "failed"; readonly status: number; readonly sentence: string };

/**
 * The versions at which an object is written, one after another where it is invalid: one that is older than the schema of a version,
 * or bypassed it, may be valid at another; it is stored in the storage version all the same.
 */
export function versionsToTry(
  crd: Pick<CrdState, "storage" | "served">,
  { through, drop }: Pick<MigrationOptions, "drop" | "through">,
): readonly string[] {
  const first = through ?? requestVersion(crd);
  return [first, ...crd.served.filter((version) => version !== first && version !== drop)];
}

/** Has the server rewrite one object, given its metadata. */
async function rewrite(
  item: Json,
  crd: CrdState,
  options: MigrationOptions,
  context: MigrationContext,
): Promise<Rewritten> {
  const [first = crd.storage, ...others] = versionsToTry(crd, options);
  const written = await rewriteAt(first, item, crd, options, context);
  if (written.outcome !== "failed" || written.status !== 422) return written;
  for (const version of others) {
    const other = await rewriteAt(version, item, crd, options, context);
    if (other.outcome !== "failed") return other;
  }
  return written;
}

async function rewriteAt(
  version: string,
  item: Json,
  crd: CrdState,
  options: MigrationOptions,
  { connection, pause, signal }: MigrationContext,
): Promise<Rewritten> {
  const path = pathOf(item, version, crd);
  const query = `?fieldManager=antechamber${options.writes === "check" ? "&dryRun=All" : ""}`;
  let known = item;
  for (let attempt = 1; ; attempt++) {
    const body = patchOf(known, crd, options.drop);
    const details = { body, contentType: mergePatch, accept: metadataOnly("PartialObjectMetadata") };
    const answer = await connection.request("PATCH", path + query, details);
    if (answer.status === 200) return { outcome: body === emptyPatch ? "written" : "dropped" };
    if (isGone(answer, item)) return { outcome: "gone" };
    if (answer.status !== 409 || attempt === 10) return failed(answer);
    await pause(attempt * 20, signal);
    const fresh = await connection.request("GET", path, { accept: details.accept });
    if (isGone(fresh, item)) return { outcome: "gone" };
    if (fresh.status !== 200 || fresh.body === undefined) return failed(fresh);
    known = fresh.body;
  }
}

function failed(answer: ClusterResponse): Rewritten {
  return { outcome: "failed", status: answer.status, sentence: sentenceOf(answer) };
}

const emptyPatch: JsonObject = {};

/**
 * The patch of one object: empty, or its managedFields without the entries of a version. These are written as a whole, so
 * the patch applies only to the resourceVersion that was read.
 */
function patchOf(item: Json, crd: CrdState, drop: string | undefined): JsonObject {
  const entries = get(item, "metadata", "managedFields");
  if (drop === undefined || !isArray(entries)) return emptyPatch;
  const kept = entries.filter((entry) => get(entry, "apiVersion") !== `${crd.group}/${drop}`);
  if (kept.length === entries.length) return emptyPatch;
  const resourceVersion = get(item, "metadata", "resourceVersion") ?? null;
  return { metadata: { resourceVersion, managedFields: kept.length > 0 ? kept : [placeholder(crd)] } };
}

/**
 * Replaces all removed managers. Without any entry, the next server-side apply would add a manager `before-first-apply` that
 * owns every field, and conflict with it.
 */
function placeholder({ group, storage }: CrdState): JsonObject {
  return {
    manager: "antechamber",
    operation: "Update",
    apiVersion: `${group}/${storage}`,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": { "f:name": {} } },
  };
}

function pathOf(item: Json, version: string, crd: CrdState): string {
  const { group, plural } = crd;
  const namespace = get(item, "metadata", "namespace");
  const prefix = typeof namespace === "string" ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  const name = encodeURIComponent(String(get(item, "metadata", "name")));
  return `/apis/${group}/${version}/${prefix}${plural}/${name}`;
}

/** Whether the object was deleted; a 404 whose Status does not name it means that the kind was. */
function isGone({ status, body }: ClusterResponse, item: Json): boolean {
  return status === 404 && get(body, "details", "name") === get(item, "metadata", "name");
}
