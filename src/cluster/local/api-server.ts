import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, connect } from "../api/connection.ts";
import { startChild } from "./child.ts";
import { type Access, kubeconfigAccess } from "./kubeconfig.ts";
import { clusterLaunch } from "./launch.ts";
import type { Programs } from "./programs.ts";

/** A real API server with an etcd of its own, on loopback. Access is that of an administrator. */
export interface LocalApiServer extends Access {
  readonly connection: Connection;
  /** The file of the kubeconfig. */
  readonly kubeconfig: string;
  /** The folder with all files of this server; `stop` removes it. */
  readonly dir: string;
  readonly pid: number;
  /** The last 64 KiB of the server's log. */
  log(): string;
  /** Settles when the server has ended, by itself or not. */
  readonly ended: Promise<void>;
  /** Stops the server, which otherwise ends with this process. */
  stop(): Promise<void>;
}

/** Starts an API server with more flags, which take precedence: ready in seconds, as many at once as memory allows (300 MB each). */
export async function startLocalApiServer(
  programs: Programs,
  flags: readonly string[] = [],
): Promise<LocalApiServer> {
  // Short, for it holds a socket, whose path may have about a hundred bytes.
  const dir = join(tmpdir(), `antechamber-${randomBytes(6).toString("hex")}`);
  const remove = () => rm(dir, { recursive: true, force: true });
  const child = await startChild(clusterLaunch(programs, dir, flags), 90_000).catch(async (cause) => {
    await remove();
    throw cause;
  });
  const kubeconfig = join(dir, "kubeconfig");
  const access = kubeconfigAccess(await readFile(kubeconfig, "utf8"));
  const connection = await connect(kubeconfig);
  return {
    ...access,
    connection,
    kubeconfig,
    dir,
    pid: child.pid,
    log: child.log,
    ended: child.ended,
    async stop() {
      connection.close();
      await child.stop();
      await remove();
    },
  };
}
