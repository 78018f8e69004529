// The servers that are compared: the built package, and the peers of bench/peers, which Go builds. All listen on loopback.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { createAuthority } from "../certs/authority.ts";
import { parseJson, writeJson } from "../src/json/exact.ts";
import type { JsonObject } from "../src/json/json.ts";
import { Connection, requestOf } from "./connection.ts";
import type { Installed } from "./installed.ts";

/** The programs of bench/peers, and what they share. */
export interface Bench {
  readonly installed: Installed;
  /** Folder with `server` (conversion), `pods` (injection) and `load`. */
  readonly programs: string;
  /** Folder with tls.crt, tls.key and ca.crt. */
  readonly tls: string;
  /** Whether taskset keeps servers on one core and the load on the others. */
  readonly isPinned: boolean;
}

/** A server that runs. */
export interface Running {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  readonly ask: (path: string, review: JsonObject) => Promise<JsonObject>;
  readonly stop: () => Promise<void>;
}

/** What `load` measured. */
export interface Measured {
  readonly reviews: number;
  /** Milliseconds. */
  readonly median: number;
  readonly p99: number;
  /** Microseconds a review. */
  readonly cpu: number;
  /** MiB. */
  readonly peak: number;
}

/** Builds the programs, unless a folder has them already. */
export async function benchOf(installed: Installed, given: string | undefined): Promise<Bench> {
  const programs = path.resolve(given ?? path.join(installed.folder, "peers"));
  if (given === undefined) {
    mkdirSync(programs);
    // The first time, Go fetches some 30 MB of modules. With the flags of test/cluster/build.ts, Go compiles what both need once.
    const flags = ["-buildvcs=false", "-trimpath", "-ldflags", "-s -w"];
    execFileSync("go", ["build", ...flags, "-o", `${programs}/`, "./room/server", "./pods", "./load"], {
      cwd: "bench/peers",
      stdio: ["ignore", "inherit", "inherit"],
    });
  }
  const tls = path.join(installed.folder, "tls");
  await writeCertificate(tls);
  return { installed, programs, tls, isPinned: hasTaskset() };
}

/** Starts a server by its command, given its port. */
export async function start(
  name: string,
  bench: Bench,
  command: (port: number) => readonly string[],
): Promise<Running> {
  const port = await freePort();
  const [program = "", ...args] = pinned(bench, "0", command(port));
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ca = readFileSync(path.join(bench.tls, "ca.crt"), "utf8");
  const connection = await connected(name, port, ca, child);
  return {
    name,
    port,
    pid: child.pid ?? 0,
    ask: async (at, review) =>
      parseJson(String(await connection.ask(requestOf(at, writeJson(review))))) as JsonObject,
    stop: async () => {
      connection.close();
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** Sends the bodies of a folder to a server. */
export async function load(
  bench: Bench,
  server: Running,
  options: Readonly<Record<string, string | number>>,
): Promise<Measured> {
  const given = Object.entries(options).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const [program = "", ...args] = pinned(bench, "1", [
    path.join(bench.programs, "load"),
    ...["-address", `127.0.0.1:${server.port}`, "-pid", `${server.pid}`],
    ...["-ca", path.join(bench.tls, "ca.crt")],
    ...given,
  ]);
  const { stdout } = await promisify(execFile)(program, args).catch((error: { stderr?: string }) => {
    throw new Error(`${server.name}: ${error.stderr}`);
  });
  return JSON.parse(stdout);
}

function pinned({ isPinned }: Bench, core: string, command: readonly string[]): readonly string[] {
  return isPinned ? ["taskset", "-c", core, ...command] : command;
}

function hasTaskset(): boolean {
  try {
    execFileSync("taskset", ["-c", "1", "true"], { stdio: "ignore" });
    return true;
  } catch {
    // Not Linux, or a machine with one core.
    return false;
  }
}

async function writeCertificate(folder: string): Promise<void> {
  const now = new Date();
  const authority = await createAuthority({ commonName: "peers", now, days: 1 });
  const pair = await authority.issue({ hosts: ["localhost", "127.0.0.1"], now, days: 1 });
  mkdirSync(folder);
  writeFileSync(path.join(folder, "tls.crt"), pair.certificate);
  writeFileSync(path.join(folder, "tls.key"), pair.key);
  writeFileSync(path.join(folder, "ca.crt"), authority.certificate);
}

async function connected(name: string, port: number, ca: string, child: ChildProcess): Promise<Connection> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
    const connection = await Connection.open(port, ca).catch(() => undefined);
    if (connection !== undefined) return connection;
    await wait(20);
  }
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}
