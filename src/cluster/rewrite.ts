import { get, isArray, type Json, type JsonObject } from "../json/json.ts";
import type { ClusterResponse, Connection } from "./connection.ts";
import { type CrdState, mergePatch, metadataOnly, requestVersion, sentenceOf } from "./crd-state.ts";
import type { Pause } from "./retry.ts";

/** How objects are rewritten. */
export interface RewriteOptions {
  /** The version whose managedFields entries are removed. */
  readonly drop?: string;
  /** The version to write at, which has every object converted; without it the storage version. */
  readonly through?: string;
  /** `check`: every write is a dry run. */
  readonly writes: "store" | "check";
}

/** What rewriting works with. */
export interface RewriteContext {
  readonly connection: Connection;
  readonly pause: Pause;
  /** Ends waiting, and stops the migration after the writes in progress. */
  readonly signal: AbortSignal;
}

/** The result for one object; `dropped`: written without the managedFields entries of the dropped version. */
export type RewriteResult =
  | { readonly outcome: "written" | "dropped" | "gone" }
  | { readonly outcome: "failed"; readonly status: number; readonly sentence: string };

/**
 * Has the server rewrite one object, given its metadata. An object that is invalid at one version (it is older than the
 * schema, or bypassed it) may be valid at another; it is stored in the storage version all the same.
 */
export async function rewrite(
  item: Json,
  crd: CrdState,
  options: RewriteOptions,
  context: RewriteContext,
): Promise<RewriteResult> {
  const first = options.through ?? requestVersion(crd);
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

function failed(answer: ClusterResponse): RewriteResult {
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
