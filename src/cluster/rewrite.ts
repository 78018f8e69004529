import { get, isArray, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { type CrdState, mergePatch, metadataOnly, requestVersion, sentenceOf } from "./crd-state.ts";
import type { Pause } from "./retry.ts";

/** How objects are written. */
export interface RewriteOptions {
  /** The version whose entries in managedFields are forgotten. */
  readonly drop?: string;
  /** `check`: the server checks every write and stores none. */
  readonly writes: "store" | "check";
}

/** What writing needs besides. */
export interface RewriteContext {
  readonly connection: Connection;
  readonly pause: Pause;
  /** Ends waiting, and the migration after the objects that are being written. */
  readonly signal: AbortSignal;
}

/** What became of one object: `dropped` is written, and without the entries to forget. */
export type RewriteResult =
  | { readonly outcome: "written" | "dropped" | "gone" }
  | { readonly outcome: "failed"; readonly status: number; readonly sentence: string };

/**
 * Has the server write one object anew, given its metadata as they were read. An object that a version's schema refuses
 * as it is (it came before the schema, or past it) may pass at another version, and is stored just the same.
 */
export async function rewrite(
  item: Json,
  crd: CrdState,
  options: RewriteOptions,
  context: RewriteContext,
): Promise<RewriteResult> {
  const first = requestVersion(crd);
  const written = await rewriteAt(first, item, crd, options, context);
  if (written.outcome !== "failed" || written.status !== 422) return written;
  for (const version of crd.served) {
    if (version === first || version === options.drop) continue;
    const other = await rewriteAt(version, item, crd, options, context);
    if (other.outcome !== "failed") return other;
  }
  return written;
}

async function rewriteAt(
  version: string,
  item: Json,
  crd: CrdState,
  options: RewriteOptions,
  { connection, pause, signal }: RewriteContext,
): Promise<RewriteResult> {
  const path = pathOf(item, version, crd);
  const query = `?fieldManager=antechamber${options.writes === "check" ? "&dryRun=All" : ""}`;
  let known = item;
  for (let attempt = 1; ; attempt++) {
    const body = patchOf(known, crd, options.drop);
    const details = { body, contentType: mergePatch, accept: metadataOnly("PartialObjectMetadata") };
    const answer = await connection.request("PATCH", path + query, details);
    if (answer.status === 200) return { outcome: body === nothing ? "written" : "dropped" };
    if (isGone(answer, item)) return { outcome: "gone" };
    if (answer.status !== 409 || attempt === 10) return failed(answer);
    await pause(attempt * 20, signal);
    const fresh = await connection.request("GET", path, { accept: details.accept });
    if (isGone(fresh, item)) return { outcome: "gone" };
    if (fresh.status !== 200 || fresh.body === undefined) return failed(fresh);
    known = fresh.body;
  }
}

function failed(answer: ClusterResponse): RewriteResult {
  return { outcome: "failed", status: answer.status, sentence: sentenceOf(answer) };
}

const nothing: JsonObject = {};

/**
 * The patch of one object: nothing at all, or its managedFields without the entries at a version. Those hold for the
 * resourceVersion that was read alone, since they are written as a whole.
 */
function patchOf(item: Json, crd: CrdState, drop: string | undefined): JsonObject {
  const entries = get(item, "metadata", "managedFields");
  if (drop === undefined || !isArray(entries)) return nothing;
  const kept = entries.filter((entry) => get(entry, "apiVersion") !== `${crd.group}/${drop}`);
  if (kept.length === entries.length) return nothing;
  const resourceVersion = get(item, "metadata", "resourceVersion") ?? null;
  return { metadata: { resourceVersion, managedFields: kept.length > 0 ? kept : [placeholder(crd)] } };
}

/**
 * Stands for all managers that are forgotten. Without any entry, the next server-side apply would meet a manager
 * `before-first-apply` that owns every field, and conflict with it.
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
  const place = typeof namespace === "string" ? `namespaces/${encodeURIComponent(namespace)}/` : "";
  const name = encodeURIComponent(String(get(item, "metadata", "name")));
  return `/apis/${group}/${version}/${place}${plural}/${name}`;
}

/** Whether the object is not there any more; without a Status that names it, it is the kind that is not. */
function isGone({ status, body }: ClusterResponse, item: Json): boolean {
  return status === 404 && get(body, "details", "name") === get(item, "metadata", "name");
}
