import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import {
  cacheFolder,
  type Environment,
  isContinuousIntegration,
  moduleFile,
  type Release,
  releaseOf,
  sourceFolder,
} from "./binaries.ts";

/** The package of the program that runs the StorageVersionMigration controllers of kube-controller-manager. */
export const migratorSources = join(sourceFolder, "migrator");

/** What is left out where it has not been built, and how to get it. */
export const migratorLeftOut =
  "tests with the StorageVersionMigration controllers are left out: run `npm run cluster:build` once (needs Go 1.26, takes a minute)";

/** The folder for a build with the modules of a release. */
export function migratorFolder(env: Environment = process.env, release: Release = releaseOf(env)): string {
  return cacheFolder(env, sourceFolder, moduleFile(release), migratorSources);
}

/** The program in a folder, whether it exists or not. */
export function migratorProgram(folder: string): string {
  return join(folder, "storage-version-migrator");
}

/** The program for a test file; in CI it must have been built. */
export function requireMigrator(env: Environment = process.env): string | undefined {
  const program = migratorProgram(migratorFolder(env));
  if (existsSync(program)) return program;
  if (isContinuousIntegration(env)) throw new Error(migratorLeftOut);
  return undefined;
}

/** Controllers that run until they are stopped, or until this process ends. */
export interface Migrator {
  readonly stop: () => Promise<void>;
}

/** Starts the controllers; resolves when they run. */
export async function startMigrator(program: string, kubeconfig: string): Promise<Migrator> {
  const args = ["--kubeconfig", kubeconfig, "--until-eof"];
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log = (log + chunk).slice(-20_000);
  });
  const ended = once(child, "close");
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, "line"), ended.then(() => [undefined])]);
  if (line !== "READY") throw new Error(`${program} did not start: ${log}`);
  return { stop: () => end(child, ended) };
}

async function end(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  await ended;
}
