import { type Connection, connect, NoCluster } from "../cluster/connection.ts";
import { type Definition, Refused, readDefinition } from "../cluster/definition.ts";
import { type Count, type MigrationMeans, migrate as migrateObjects } from "../cluster/migration.ts";
import { type Pause, patient } from "../cluster/patience.ts";
import type { Kind } from "../kind.ts";
import { loadKinds } from "../kinds.ts";
import { crdName } from "../manifests/crd.ts";
import { RefusedError, UsageError } from "./errors.ts";
import { faultOf, reportOf } from "./migration-report.ts";

/** What `antechamber migrate` is told on its command line. */
export interface MigrateOptions {
  readonly webhooks: readonly string[];
  readonly kubeconfig?: string;
  /** The version that is to go. */
  readonly drop?: string;
  readonly dryRun: boolean;
  readonly pageSize: number;
}

/** What `antechamber migrate` needs of the process. */
export interface MigrateIo {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly pause: Pause;
  /** Ends the migration after the objects that are being written. */
  readonly interrupt: AbortSignal;
  /** Milliseconds between two lines of progress. */
  readonly progressEvery: number;
}

/**
 * Has every stored object written in its CRD's storage version, and trims `status.storedVersions`. CRDs are given by
 * name, plural or kind; without any, those of all kinds. Throws RefusedError where an object could not be written.
 */
export async function migrate(
  words: readonly string[],
  options: MigrateOptions,
  io: MigrateIo,
): Promise<void> {
  const kinds = (await loadKinds(options.webhooks)).all;
  const names = words.length > 0 ? namesOf(words, kinds) : kinds.map(crdName).sort();
  const connection = await orUsage(() => connect(options.kubeconfig));
  try {
    await orUsage(() => migrateAll(names, words.length > 0, options, io, connection));
  } finally {
    connection.close();
  }
}

async function migrateAll(
  names: readonly string[],
  named: boolean,
  options: MigrateOptions,
  io: MigrateIo,
  connection: Connection,
): Promise<void> {
  const asking = patient(connection, io.pause, io.interrupt);
  const definitions = await readDefinitions(names, named, options, io, asking);
  const faults: string[] = [];
  for (const definition of definitions) {
    const fault = io.interrupt.aborted
      ? `${definition.name}: interrupted before it was begun`
      : await migrateOne(definition, options, io, asking);
    if (fault !== undefined) faults.push(fault);
  }
  if (faults.length > 0) throw new RefusedError(faults.join("\n"));
}

/** All are read before the first object is written: what is wrong with what was asked for is said at once. */
async function readDefinitions(
  names: readonly string[],
  named: boolean,
  { drop }: MigrateOptions,
  io: MigrateIo,
  connection: Connection,
): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  for (const name of names) {
    const definition = await readDefinition(connection, name).catch(asUsage);
    if (definition !== undefined) found.push(definition);
    else if (named) throw new UsageError(`${name}: ${connection.server} has no such CRD`);
    else io.note(`${name}: not in this cluster, left out`);
  }
  for (const { name, storage } of found) {
    if (drop !== storage) continue;
    throw new UsageError(
      `--drop ${drop}: this is the version that ${name} is stored in; store another one first`,
    );
  }
  return found;
}

/** Migrates the objects of one CRD and says what became of them; gives back what is wrong. */
async function migrateOne(
  definition: Definition,
  { drop, dryRun, pageSize }: MigrateOptions,
  io: MigrateIo,
  connection: Connection,
): Promise<string | undefined> {
  const writes = dryRun ? "check" : "store";
  const progress = progressOf(definition, io);
  const means: MigrationMeans = { connection, pause: io.pause, signal: io.interrupt, progress };
  try {
    const options = { writes, pageSize, ...(drop === undefined ? {} : { drop }) } as const;
    const outcome = await migrateObjects(definition, options, means);
    if (outcome.outcome !== "finished") return faultOf(definition, outcome);
    for (const line of reportOf(definition, outcome, options)) io.print(line);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return `${definition.name}: ${error.message}`;
    throw error;
  }
}

function progressOf({ name }: Definition, { now, note, progressEvery }: MigrateIo): (count: Count) => void {
  let told = now().getTime();
  return ({ done, total }) => {
    const time = now().getTime();
    if (time - told < progressEvery) return;
    told = time;
    note(`${name}: ${total === undefined ? done : `${done} of ${total}`}`);
  };
}

/** The names of CRDs that words mean: a kind's name, its plural, or the name of any CRD. */
function namesOf(words: readonly string[], kinds: readonly Kind[]): readonly string[] {
  const names = words.map((word) => {
    const lower = word.toLowerCase();
    const meant = kinds.filter(
      (kind) =>
        [kind.name, kind.definition.kind, kind.definition.plural].some(
          (name) => name.toLowerCase() === lower,
        ) || crdName(kind) === lower,
    );
    const [kind] = meant;
    if (meant.length > 1)
      throw new UsageError(`${word}: several kinds are called so; say ${meant.map(crdName).join(" or ")}`);
    if (kind !== undefined) return crdName(kind);
    if (lower.includes(".")) return lower;
    throw new UsageError(`${word}: no kind is called so; there are ${kinds.map(crdName).sort().join(", ")}`);
  });
  return [...new Set(names)];
}

/** Whoever asks for a cluster that cannot be asked is told so as one who used a command wrongly. */
async function orUsage<Value>(work: () => Promise<Value>): Promise<Value> {
  return work().catch((error: unknown) => {
    throw error instanceof NoCluster ? new UsageError(error.message) : error;
  });
}

function asUsage(error: unknown): never {
  throw error instanceof Refused ? new UsageError(error.message) : error;
}
