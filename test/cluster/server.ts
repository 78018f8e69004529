import { randomBytes } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clusterLaunch, kubectlArgs } from "./argv.ts";
import { type Binaries, findBinaries, leftOut } from "./binaries.ts";
import { type Ran, run, startChild } from "./child.ts";
import { type Client, restClient } from "./client.ts";
import { type Access, kubeconfigAccess } from "./kubeconfig.ts";

export interface ServerOptions {
  /** More flags for kube-apiserver, which take precedence over ours. */
  readonly flags?: readonly string[];
  /** By default those of `findBinaries`. */
  readonly binaries?: Binaries;
}

export interface KubectlOptions {
  readonly input?: string;
  /** The user to impersonate, such as `system:serviceaccount:default:clerk`. */
  readonly as?: string;
}

/** A real API server with an etcd of its own, on loopback. Access is that of an administrator. */
export interface ApiServer extends Access, Omit<Client, "close"> {
  /** The file of the kubeconfig. */
  readonly kubeconfig: string;
  /** The folder with all files of this server and kubectl's cache; `stop` removes it. */
  readonly dir: string;
  readonly pid: number;
  /** Runs kubectl to its end; any exit code is a result. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<Ran>;
  /** The last 64 KiB of the server's log. */
  log(): string;
  /** Stops the server, which otherwise ends with this process. */
  stop(): Promise<void>;
}

/** Starts an API server: ready in seconds, as many at once as memory allows (300 MB each). */
export async function startApiServer(options: ServerOptions = {}): Promise<ApiServer> {
  const binaries = options.binaries ?? findBinaries();
  if (binaries === undefined) throw new Error(leftOut);
  // Short, for it holds a socket, whose path may have about a hundred bytes.
  const dir = join(tmpdir(), `antechamber-${randomBytes(6).toString("hex")}`);
  const remove = () => rm(dir, { recursive: true, force: true });
  const child = await startChild(clusterLaunch(binaries, dir, options.flags ?? []), 90_000).catch(
    async (cause) => {
      await remove();
      throw cause;
    },
  );
  const kubeconfig = join(dir, "kubeconfig");
  const access = kubeconfigAccess(await readFile(kubeconfig, "utf8"));
  const client = restClient(access);
  const env = { PATH: process.env.PATH, HOME: dir, KUBECONFIG: kubeconfig };

  return {
    ...access,
    ...client,
    kubeconfig,
    dir,
    pid: child.pid,
    kubectl: (args, { input, as } = {}) =>
      run({ command: binaries.kubectl, args: kubectlArgs(args, as) }, env, input),
    log: child.log,
    async stop() {
      client.close();
      await child.stop();
      await remove();
    },
  };
}
