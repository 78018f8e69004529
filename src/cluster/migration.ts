import { get, type Json } from "../json/json.ts";
import { type CrdState, readCrdState, trimStoredVersions } from "./crd-state.ts";
import { pages } from "./metadata-pages.ts";
import { type RewriteContext, type RewriteOptions, rewrite } from "./rewrite.ts";

/** What a migration is told. */
export interface MigrationOptions extends RewriteOptions {
  readonly pageSize: number;
}

/** What a migration needs besides. */
export interface MigrationContext extends RewriteContext {
  /** Told after each object. */
  readonly progress: (count: MigrationProgress) => void;
}

/** How far a pass over the objects came. */
export interface MigrationProgress {
  readonly done: number;
  /** Absent where the server does not say. */
  readonly total?: number;
  /** How many had entries of the version to forget. */
  readonly dropped: number;
}

/** An object that could not be written, `namespace/name`, and what the server said. */
export interface Failure {
  readonly object: string;
  readonly sentence: string;
}

/** How a migration ended. Only a finished one has trimmed `status.storedVersions`. */
export type Outcome = MigrationProgress &
  (
    | { readonly outcome: "finished" }
    | { readonly outcome: "interrupted" }
    | { readonly outcome: "failed"; readonly failures: readonly Failure[] }
    /** The CRD is not what it was any more; the sentence says how. */
    | { readonly outcome: "crdChanged"; readonly sentence: string }
  );

/**
 * Has the server write every object of a CRD anew, so that each is stored in the storage version, and then says so in
 * `status.storedVersions`. A patch that changes nothing is enough: the server encodes the object for etcd and writes it
 * where the bytes differ, which they do where the version differs, and leaves it alone where they do not
 * (apiserver/pkg/storage/etcd3/store.go, GuaranteedUpdate). So everything can be repeated. Throws ApiServerError, ClusterUnreachable.
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
    // A changed spec may have had another storage version in between: what was written then must be written again.
    if (now.generation === crd.generation && (await trimStoredVersions(context.connection, now))) return pass;
    crd = now;
  }
}

function crdChanged(before: CrdState, now: CrdState | undefined, passes: number): string | undefined {
  if (now?.uid !== before.uid) return "it was deleted meanwhile";
  if (now.storage !== before.storage) {
    return `its storage version became ${now.storage} meanwhile, and was ${before.storage}`;
  }
  return passes < 5 ? undefined : "it is changed again and again meanwhile";
}

/** Enough to keep an API server and a conversion webhook busy, and not so much that others notice. */
const writers = 8;
/** So many failures have one reason, which writing the rest would not change. */
const mostFailures = 100;

async function rewriteAll(
  crd: CrdState,
  options: MigrationOptions,
  context: MigrationContext,
): Promise<Outcome> {
  const failures: Failure[] = [];
  const count = { done: 0, dropped: 0 };
  for await (const page of pages(crd, options.pageSize, context.connection)) {
    const total =
      page.remaining === undefined ? {} : { total: count.done + page.items.length + page.remaining };
    const goesOn = () => !context.signal.aborted && failures.length < mostFailures;
    await inParallel(page.items, goesOn, async (item) => {
      const written = await rewrite(item, crd, options, context);
      if (written.outcome === "failed") failures.push({ object: nameOf(item), sentence: written.sentence });
      if (written.outcome === "dropped") count.dropped++;
      count.done++;
      context.progress({ ...count, ...total });
    });
    if (context.signal.aborted) return { ...count, ...total, outcome: "interrupted" };
    if (failures.length >= mostFailures) break;
  }
  return failures.length > 0 ? { ...count, outcome: "failed", failures } : { ...count, outcome: "finished" };
}

async function inParallel<Item>(
  items: readonly Item[],
  goesOn: () => boolean,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let broken = false;
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) {
      if (broken || !goesOn()) return;
      await work(item).catch((error: unknown) => {
        broken = true;
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
