import type { Connection } from "../../cluster/api/connection.ts";
import { type CrdState, crdStateOf } from "../../cluster/api/crd-state.ts";
import { ApiServerError, readCrd } from "../../cluster/api/requests.ts";
import { readConversion } from "../../cluster/lifecycle/conversion.ts";
import {
  failureOf,
  type MigrationContext,
  type MigrationProgress,
  migrate as migrateObjects,
} from "../../cluster/lifecycle/migration.ts";
import { deadEnd } from "../../cluster/lifecycle/next.ts";
import { RejectedError, UsageError } from "../../errors.ts";
import type { Kind } from "../../kind/kind.ts";
import { crdName } from "../../manifests/crd.ts";
import { counted } from "../../words.ts";
import { rejectUnknownFields } from "../crd-comparison.ts";
import { crdNames, kindsIfAny } from "../crd-names.ts";
import { installationName, rejectTakeover } from "../installation.ts";
import { asUsage, type ClusterIo, withCluster } from "../with-cluster.ts";
import { type ReadCrd, whatIsLost } from "./losses.ts";

/** The options of `antechamber migrate`. */
export interface MigrateOptions {
  readonly webhooks: readonly string[];
  readonly kubeconfig?: string;
  /** Name of the installation; by default that of the kinds' project. */
  readonly name?: string;
  /** The version that is to be removed from the CRD. */
  readonly drop?: string;
  /** The version to write at. */
  readonly through?: string;
  readonly dryRun: boolean;
  /** Whether values may be deleted that the storage version does not have. */
  readonly allowLoss: boolean;
  readonly pageSize: number;
}

/** The input and output of the commands that rewrite objects; an interrupt stops them after the writes in progress. */
export interface MigrateIo extends ClusterIo {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  /** Minimum milliseconds between two lines of progress. */
  readonly progressEvery: number;
}

/**
 * Rewrites every stored object in the storage version of its CRD, and trims `status.storedVersions`. CRDs are given by name,
 * plural or kind; without any, all kinds are migrated. Throws RejectedError if an object could not be written.
 */
export async function migrate(
  words: readonly string[],
  options: MigrateOptions,
  io: MigrateIo,
): Promise<void> {
  const kinds = (await kindsIfAny(options.webhooks)).all;
  if (words.length === 0 && kinds.length === 0)
    throw new UsageError("name the CRDs to migrate: there is no folder of kinds here (--webhooks)");
  const name = await installationName(options.name, options.webhooks);
  await withCluster(options.kubeconfig, io, async ({ connection }) => {
    const names = words.length > 0 ? await crdNames(words, kinds, connection) : kinds.map(crdName).sort();
    const crds = names.map((crd) => ({ kind: "CustomResourceDefinition", metadata: { name: crd } }));
    await rejectTakeover(connection, crds, name).catch(asUsage);
    await migrateAll(names, kinds, words.length > 0, options, io, connection);
  });
}

async function migrateAll(
  names: readonly string[],
  kinds: readonly Kind[],
  named: boolean,
  options: MigrateOptions,
  io: MigrateIo,
  connection: Connection,
): Promise<void> {
  const crds = await readCrdStates(names, named, options, io, connection);
  rejectUnknownFields(
    crds.map(({ state }) => state),
    kinds,
  );
  const faults: string[] = [];
  for (const crd of crds) {
    const fault = io.interrupt.aborted
      ? `${crd.state.name}: interrupted before it started`
      : await migrateOne(crd, options, io, connection);
    if (fault !== undefined) faults.push(fault);
  }
  if (faults.length > 0) throw new RejectedError(faults.join("\n"));
}

/** Reads all CRDs before the first object is written, so that a wrong argument is reported at once. */
async function readCrdStates(
  names: readonly string[],
  named: boolean,
  { drop, through }: MigrateOptions,
  io: MigrateIo,
  connection: Connection,
): Promise<readonly ReadCrd[]> {
  const found: ReadCrd[] = [];
  for (const name of names) {
    const json = await readCrd(connection, name).catch(asUsage);
    if (json !== undefined) found.push({ json, state: crdStateOf(name, json) });
    else if (named) throw new UsageError(`${name}: no such CRD in ${connection.server}`);
    else io.note(`${name}: not in this cluster, skipped`);
  }
  for (const {
    state: { name, storage },
  } of found) {
    if (drop !== storage) continue;
    throw new UsageError(
      `--drop ${drop}: this is the storage version of ${name}; change the storage version first`,
    );
  }
  for (const {
    state: { name, served },
  } of found) {
    if (through === undefined || served.includes(through)) continue;
    throw new UsageError(
      `--through ${through}: not a served version of ${name}, which serves ${served.join(", ")}`,
    );
  }
  return found;
}

/** Migrates the objects of one CRD and prints the result; returns a message if that failed. */
async function migrateOne(
  read: ReadCrd,
  given: MigrateOptions,
  io: MigrateIo,
  connection: Connection,
): Promise<string | undefined> {
  const { drop, through, dryRun, pageSize } = given;
  const crd = read.state;
  const writes = dryRun ? "check" : "store";
  const progress = progressOf(crd, io);
  const context: MigrationContext = { connection, pause: io.pause, signal: io.interrupt, progress };
  try {
    const conversion = await readConversion(connection, crd, read.json);
    const dead = conversion === undefined ? undefined : deadEnd(crd.name, { ...crd, conversion });
    if (dead !== undefined) return `${crd.name}: ${dead}`;
    const lost = await whatIsLost(read, given, {
      connection,
      signal: io.interrupt,
      note: io.note,
      progress: linesEvery(io, (objects: number) => `${crd.name}: ${objects} objects counted`),
    });
    if (lost !== undefined && !dryRun)
      return `${lost}\n${crd.name}: nothing was written; pass --allow-loss to migrate all the same`;
    const options = {
      writes,
      pageSize,
      ...(drop === undefined ? {} : { drop }),
      ...(through === undefined ? {} : { through }),
    } as const;
    const outcome = await migrateObjects(crd, options, context);
    if (outcome.outcome !== "finished") return failureOf(crd, outcome);
    for (const line of reportOf(crd, outcome, options)) io.print(line);
    return lost;
  } catch (error) {
    if (error instanceof ApiServerError) return `${crd.name}: ${error.message}`;
    throw error;
  }
}

/** The report of a finished migration, with the next step for a version to drop. */
function reportOf(
  crd: CrdState,
  { done, dropped }: MigrationProgress,
  { writes, drop }: { readonly writes: "store" | "check"; readonly drop?: string },
): readonly string[] {
  const { name, storage, storedVersions, served } = crd;
  const objects = counted(done, "object");
  const before = storedVersions.join(", ");
  const stored = before === storage ? `storedVersions: ${storage}` : `storedVersions: ${before} → ${storage}`;
  const forgotten = drop === undefined ? "" : `; ${counted(dropped, "object")} had fields managed at ${drop}`;
  if (writes === "check") {
    return [
      `${name}: dry run, nothing was written: ${objects} can be stored as ${storage}${forgotten}; ${stored}`,
    ];
  }
  const lines = [`${name}: ${objects} stored as ${storage}${forgotten}; ${stored}`];
  if (drop === undefined || !crd.versions.includes(drop)) return lines;
  if (!served.includes(drop)) return [...lines, `${name}: ${drop} can be removed from the CRD`];
  return [
    ...lines,
    `${name}: ${drop} is still served, so writes at it add managedFields entries again; set served: false, run this command again, then remove it from the CRD`,
  ];
}

/** Prints progress on standard error, at most one line in each interval. */
export function progressOf({ name }: CrdState, io: MigrateIo): (count: MigrationProgress) => void {
  return linesEvery(
    io,
    ({ done, total }) => `${name}: ${total === undefined ? done : `${done} of ${total}`}`,
  );
}

function linesEvery<Count>(
  { now, note, progressEvery }: MigrateIo,
  lineOf: (count: Count) => string,
): (count: Count) => void {
  let reported = now().getTime();
  return (count) => {
    const time = now().getTime();
    if (time - reported < progressEvery) return;
    reported = time;
    note(lineOf(count));
  };
}
