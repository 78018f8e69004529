import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, type Environment, isContinuousIntegration } from "./binaries.ts";
import type { ApiServer } from "./server.ts";

/** OpenKruise as it is released. */
export interface Kruise {
  /** Its manager: all controllers and webhooks. */
  readonly manager: string;
  /** The manifests that install it, as its `config/default` is built. */
  readonly install: string;
}

/** The message if OpenKruise is not built: which tests do not run, and how to build it. */
export const kruiseLeftOut =
  "tests beside OpenKruise's manager are left out: run `npm run cluster:build` once (needs Go 1.26, takes minutes)";

/** The folder of the Go module that requires OpenKruise. */
export const kruiseSources = join(import.meta.dirname, "kruise");

/** The build of the current module, if there is one. */
export function findKruise(env: Environment = process.env): Kruise | undefined {
  const built = builtKruise(cacheFolder(env, kruiseSources));
  return existsSync(built.manager) && existsSync(built.install) ? built : undefined;
}

/** The same for a test file, as `requireBinaries` gives the API server. */
export function requireKruise(env: Environment = process.env): Kruise | undefined {
  const found = findKruise(env);
  if (found === undefined && isContinuousIntegration(env)) throw new Error(kruiseLeftOut);
  return found;
}

/** The files of a build in a folder, whether they exist or not. */
export function builtKruise(folder: string): Kruise {
  return { manager: join(folder, "kruise-manager"), install: join(folder, "install.yaml") };
}

/** A running manager of OpenKruise. */
export interface Manager {
  /** All that it logged. */
  readonly log: () => string;
  /** Stops it; otherwise it ends with this process. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the manager for an API server in which OpenKruise is installed. Some seconds later it serves its webhooks, and
 * then starts its controllers.
 */
export async function startManager({ manager }: Kruise, server: ApiServer): Promise<Manager> {
  const certificates = await mkdtemp(join(tmpdir(), "antechamber-kruise-"));
  const env = {
    PATH: process.env.PATH,
    KUBECONFIG: server.kubeconfig,
    POD_NAMESPACE: "kruise-system",
    // The API server and the manager itself find its webhooks under this name, not through a Service.
    WEBHOOK_HOST: "localhost",
    WEBHOOK_PORT: String(await freePort()),
    WEBHOOK_CERT_DIR: certificates,
  };
  const child = spawn("sh", ["-c", untilEof, manager, ...flags], { env, stdio: ["pipe", "ignore", "pipe"] });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk;
  });
  const gone = once(child, "close");
  return {
    log: () => log,
    async stop() {
      child.stdin.end();
      await gone;
      await rm(certificates, { recursive: true, force: true });
    },
  };
}

/**
 * Runs a program until standard input ends, which it does when this process ends. The program is killed: if it were asked
 * to stop, it would wait for an API server that has ended.
 */
const untilEof = '"$0" "$@" & cat >/dev/null; kill -KILL $!; wait $!';

const flags = [
  "--enable-leader-election=false",
  "--enable-pprof=false",
  "--metrics-addr=0",
  "--health-probe-addr=0",
  "--v=3",
];

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return address !== null && typeof address === "object" ? address.port : 0;
}
