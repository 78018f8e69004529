import { type LocalApiServer, startLocalApiServer } from "../../src/cluster/local/api-server.ts";
import { type Ran, run } from "../../src/cluster/local/child.ts";
import { kubectlArgs } from "../../src/cluster/local/launch.ts";
import { type Binaries, findBinaries, leftOut } from "./binaries.ts";
import { type Client, restClient } from "./client.ts";

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

/** A real API server with an etcd of its own, and kubectl. */
export interface ApiServer extends LocalApiServer, Omit<Client, "close"> {
  /** Runs kubectl to its end; any exit code is a result. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<Ran>;
}

/** Starts an API server. kubectl keeps its cache in the server's folder. */
export async function startApiServer(options: ServerOptions = {}): Promise<ApiServer> {
  const binaries = options.binaries ?? findBinaries();
  if (binaries === undefined) throw new Error(leftOut);
  const server = await startLocalApiServer(binaries, options.flags);
  const env = { PATH: process.env.PATH, HOME: server.dir, KUBECONFIG: server.kubeconfig };
  const { close, ...client } = restClient(server);
  return {
    ...server,
    ...client,
    kubectl: (args, { input, as } = {}) =>
      run({ command: binaries.kubectl, args: kubectlArgs(args, as) }, env, input),
    stop: () => {
      close();
      return server.stop();
    },
  };
}
