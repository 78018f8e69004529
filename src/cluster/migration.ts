import { get, type Json } from "../json/json.ts";
import { type CrdState, readCrdState, trimStoredVersions } from "./crd-state.ts";
import { metadataPages } from "./metadata-pages.ts";
import { type RewriteContext, type RewriteOptions, rewrite } from "./rewrite.ts";

/** The options of a migration. */
export interface MigrationOptions extends RewriteOptions {
  readonly pageSize: number;
}

/** What a migration works with. */
export interface MigrationContext extends RewriteContext {
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
export interface Failure {
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

function nameOf(item: Json): string {
  const namespace = get(item, "metadata", "namespace");
  const name = String(get(item, "metadata", "name"));
  return typeof namespace === "string" ? `${namespace}/${name}` : name;
}
