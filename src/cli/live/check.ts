import { type ListPage, listPages } from "../../cluster/api/collection.ts";
import type { Connection } from "../../cluster/api/connection.ts";
import { type CrdState, readCrdState } from "../../cluster/api/crd-state.ts";
import { Interrupted, RejectedError, UsageError } from "../../errors.ts";
import { get, type JsonObject } from "../../json/json.ts";
import { asUsage, withConnection } from "../with-cluster.ts";

/** The options of commands that check the objects of a cluster. */
export interface LiveOptions {
  /** By default KUBECONFIG, `~/.kube/config`, or the service account of the pod. */
  readonly kubeconfig?: string;
  /** How many objects of each kind to check; without it all. */
  readonly sample?: number;
  readonly output: string;
}

/** What the check of a cluster needs of the process. */
export interface LiveIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly interrupt: AbortSignal;
}

/** Reads something of the cluster before its objects are checked. Throws UsageError if that cannot be read. */
export function askCluster<Answer>(
  { kubeconfig }: Pick<LiveOptions, "kubeconfig">,
  ask: (connection: Connection) => Promise<Answer>,
): Promise<Answer> {
  return withConnection(kubeconfig, (connection) => ask(connection).catch(asUsage));
}

/** A kind whose objects are checked. */
export interface LiveKind {
  /** `rooms.home.antechamber.dev`. */
  readonly crd: string;
  readonly kind: string;
  /** Names of the versions that are known here. */
  readonly versions: readonly string[];
  /** What is wrong with an object as it is stored; empty if nothing is. */
  readonly faults: (object: JsonObject) => readonly string[];
}

/**
 * Checks the stored objects of kinds in a cluster, page by page, and prints each one with faults as soon as it is found. Throws
 * RejectedError if there was one, UsageError if the cluster cannot be read.
 */
export async function checkLive(kinds: readonly LiveKind[], options: LiveOptions, io: LiveIo): Promise<void> {
  if (options.output !== "text" && options.output !== "json")
    throw new UsageError(`-o ${options.output}: with --live the output is text or json`);
  await askCluster(options, async (connection) => {
    const totals = { checked: 0, faulty: 0, seen: 0 };
    for (const kind of kinds) await checkKind(kind, totals, { connection, ...options }, io);
    const sampled = options.sample === undefined ? "" : ` (sampled from ${totals.seen})`;
    io.note(`${totals.checked} stored objects checked${sampled}, ${totals.faulty} with faults`);
    if (io.interrupt.aborted)
      throw new Interrupted("interrupted before all objects were checked", io.interrupt.reason);
    if (totals.faulty > 0)
      throw new RejectedError(`${totals.faulty} of ${totals.checked} objects have faults`);
  });
}

interface Totals {
  checked: number;
  faulty: number;
  seen: number;
}

type LiveContext = LiveOptions & { readonly connection: Connection };

async function checkKind(kind: LiveKind, totals: Totals, context: LiveContext, io: LiveIo): Promise<void> {
  const crd = await readCrdState(context.connection, kind.crd);
  if (crd === undefined) return io.note(`${kind.crd}: not in this cluster, skipped`);
  const version = versionToRead(crd, kind);
  const pages = objectPages(crd, { ...kind, version }, context.connection, io.interrupt);
  await checkObjects(kind, totals, pages, { ...context, io });
}

/** All objects of a CRD at one of its versions. */
function objectPages(
  { name, group, plural }: CrdState,
  { version, kind }: { readonly version: string; readonly kind: string },
  connection: Connection,
  signal: AbortSignal,
): AsyncIterable<ListPage> {
  const collection = {
    path: `/apis/${group}/${version}/${plural}`,
    accept: { list: "application/json" },
    apiVersion: `${group}/${version}`,
    kind,
  };
  return listPages(connection, collection, { name: `the objects of ${name}`, onExpiry: "rest", signal });
}

/** The stored version, which needs no conversion, or else a served one that is known here. */
function versionToRead({ name, storage, served }: CrdState, { versions }: LiveKind): string {
  const found = [storage, ...served].find((each) => served.includes(each) && versions.includes(each));
  if (found !== undefined) return found;
  throw new UsageError(
    `${name}: the cluster serves ${served.join(", ")}, and the versions known here are ${versions.join(", ")}`,
  );
}

async function checkObjects(
  kind: LiveKind,
  totals: Totals,
  pages: AsyncIterable<ListPage>,
  { io, ...options }: LiveOptions & { readonly io: LiveIo },
): Promise<void> {
  let stride: number | undefined;
  let seen = 0;
  let noted = io.now().getTime();
  for await (const { items, remaining } of pages) {
    stride ??= strideOf(options.sample, items.length + (remaining ?? 0));
    for (const object of items) {
      if (seen++ % stride === 0) check(kind, object, totals, options, io);
      if (io.now().getTime() - noted < 1_000) continue;
      noted = io.now().getTime();
      io.note(`${kind.crd}: ${seen} objects`);
    }
  }
  totals.seen += seen;
}

/** Every how many objects one is checked, so that a sample comes from the whole list. */
function strideOf(sample: number | undefined, total: number): number {
  return sample === undefined ? 1 : Math.max(1, Math.ceil(total / sample));
}

function check(
  { crd, faults }: LiveKind,
  object: JsonObject,
  totals: Totals,
  { output }: LiveOptions,
  { print }: LiveIo,
): void {
  totals.checked++;
  const found = faults(object);
  if (found.length === 0) return;
  totals.faulty++;
  const name = nameOf(object);
  if (output === "json") print(JSON.stringify({ crd, object: name, faults: found }));
  else print([`${crd} ${name}`, ...found.map((fault) => `  ${fault}`)].join("\n"));
}

function nameOf(object: JsonObject): string {
  const [namespace, name] = [get(object, "metadata", "namespace"), get(object, "metadata", "name")];
  return typeof namespace === "string" ? `${namespace}/${name}` : String(name);
}
