import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Environment } from "../../cluster/api/access.ts";
import { readServerVersion } from "../../cluster/api/requests.ts";
import { type LocalApiServer, startLocalApiServer } from "../../cluster/local/api-server.ts";
import { kubeconfigText } from "../../cluster/local/kubeconfig.ts";
import { findPrograms, type Programs } from "../../cluster/local/programs.ts";
import { messageOf, UsageError } from "../../errors.ts";
import { type KubernetesVersion, kubernetesVersionOf } from "../../schema/index.ts";
import { pageText } from "../play/page-text.ts";
import { type PlayServer, startPlayServer } from "../play/server.ts";
import { watchFolders } from "../watch.ts";
import { type Generation, startGeneration } from "./generation.ts";
import { hints } from "./hints.ts";
import { examplesOf } from "./page.ts";
import { register } from "./register.ts";

/** The options of `antechamber dev`. */
interface DevOptions {
  readonly webhooks: readonly string[];
  /** The file for the kubeconfig, removed at the end. */
  readonly kubeconfigOut: string;
  readonly featureGates?: string;
  /** The release that the API server must be of. */
  readonly kubernetesVersion?: KubernetesVersion;
}

/** The input and output of `antechamber dev`: hints are printed, progress is noted. */
interface DevIo {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
  readonly env: Environment;
  readonly folder: string;
}

/** A running `antechamber dev`. */
interface Dev {
  /** Settles when the API server has ended by itself, with the end of its log. */
  readonly failed: Promise<string>;
  /** Stops everything and removes the kubeconfig. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts a real API server and serves the kinds to it, anew at each change of their files. Kinds that are invalid leave the
 * service before in place. Throws UsageError if there are no programs of an API server.
 */
export async function dev(options: DevOptions, io: DevIo): Promise<Dev> {
  const { kubernetesVersion, ...rest } = options;
  const programs = programsOf(io, kubernetesVersion);
  const kubeconfig = path.resolve(io.folder, options.kubeconfigOut);
  await checkKubeconfig(kubeconfig, options.kubeconfigOut);
  io.note("starting an API server …");
  const server = await startLocalApiServer(programs);
  const session = new Session(server, { options: rest, io, kubeconfig, programs });
  try {
    const version = await readServerVersion(server.connection);
    if (kubernetesVersion !== undefined && kubernetesVersionOf(version) !== kubernetesVersion)
      throw new UsageError(
        `--kubernetes-version ${kubernetesVersion}: the programs found are of ${version}; ${howToGet(kubernetesVersion)}`,
      );
    io.note(`Kubernetes ${version}`);
    await writeFile(kubeconfig, kubeconfigText(server, contextName), { mode: 0o600 });
    await chmod(kubeconfig, 0o600);
    await session.start();
  } catch (error) {
    await session.stop();
    throw error;
  }
  return { failed: session.failed, stop: () => session.stop() };
}

const contextName = "antechamber-dev";

/** How to get the programs of a release. */
function howToGet(release: KubernetesVersion): string {
  return `set KUBEBUILDER_ASSETS to a folder with those of ${release} (setup-envtest use ${release} -p path), or, in a checkout of antechamber, run npm run cluster:build -- --kubernetes ${release}`;
}

function programsOf({ env }: DevIo, release: KubernetesVersion | undefined): Programs {
  let programs: Programs | undefined;
  try {
    programs = findPrograms(env, release);
  } catch (error) {
    throw new UsageError(messageOf(error), { cause: error });
  }
  if (programs !== undefined) return programs;
  throw new UsageError(
    [
      "there are no programs of an API server here. Either",
      '  export KUBEBUILDER_ASSETS="$(go run sigs.k8s.io/controller-runtime/tools/setup-envtest@latest use -p path)"',
      "which downloads kube-apiserver, etcd and kubectl (KUBEBUILDER_ASSETS names their folder), or, in a checkout of antechamber,",
      "  npm run cluster:build",
      "which builds them once for all projects (needs Go 1.26, takes minutes)",
    ].join("\n"),
  );
}

/** A kubeconfig of the user's own must not be overwritten. */
async function checkKubeconfig(file: string, given: string): Promise<void> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw new UsageError(`--kubeconfig-out ${given}: ${error.message}`);
  });
  if (text === undefined || text.includes(`"${contextName}"`)) return;
  throw new UsageError(
    `--kubeconfig-out ${given}: the file exists and is not of antechamber dev; name another`,
  );
}

interface SessionOptions {
  readonly options: DevOptions;
  readonly io: DevIo;
  readonly kubeconfig: string;
  readonly programs: Programs;
}

/** The API server with the service of the moment. */
class Session {
  readonly failed: Promise<string>;
  readonly #server: LocalApiServer;
  readonly #given: SessionOptions;
  #current: Generation | undefined;
  #turn: Promise<void> = Promise.resolve();
  #page: PlayServer | undefined;
  #stopWatching = () => {};
  #isStopped = false;
  #stopping: Promise<void> | undefined;

  constructor(server: LocalApiServer, given: SessionOptions) {
    this.#server = server;
    this.#given = given;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.failed = promise;
    server.ended.then(() => {
      if (!this.#isStopped) resolve(server.log());
    });
  }

  async start(): Promise<void> {
    const { options, io } = this.#given;
    const folders = options.webhooks.map((folder) => path.resolve(io.folder, folder));
    const { stop } = watchFolders(folders, (file) => {
      io.note(`${path.relative(io.folder, file)} changed`);
      this.#reload();
    });
    this.#stopWatching = stop;
    this.#reload();
    await this.#turn;
  }

  /** One state after another: changes during a reload are seen by the next one. */
  #reload(): void {
    this.#turn = this.#turn.then(() => (this.#isStopped ? undefined : this.#replace()));
  }

  async #replace(): Promise<void> {
    const { options, io } = this.#given;
    const { kubeconfig, dir } = this.#server;
    const isFirst = this.#current === undefined;
    const order = {
      dev: true,
      kubeconfig,
      folder: dir,
      name: "antechamber-dev",
      isFirst,
      ...options,
    } as const;
    const next = await startGeneration(order);
    const fault = typeof next === "string" ? next : await this.#register(next);
    if (typeof next === "string" || fault !== undefined) {
      if (typeof next !== "string") await next.stop();
      io.note(
        `${fault}\n${this.#current === undefined ? "nothing is served yet" : "the kinds before are still served"}: waiting for a change`,
      );
      return;
    }
    const before = this.#current;
    this.#current = next;
    await before?.stop();
    this.#reportEnd(next);
    const names = next.description.kinds.map(({ name, versions }) => `${name}: ${versions.join(", ")}`);
    for (const name of [...names, ...next.description.natives]) io.note(`serving ${name}`);
    if (isFirst) {
      await this.#startPage();
      for (const line of this.#hints(next)) io.print(line);
    } else await this.#page?.refresh();
  }

  /** The page in which the kinds and the objects of this API server are side by side; a checkout may have none. */
  async #startPage(): Promise<void> {
    const { io } = this.#given;
    const examples = () => examplesOf(this.#current?.description.kinds ?? [], this.#server.connection, io);
    try {
      this.#page = await startPlayServer({ page: await pageText(), examples, port: 0 });
    } catch (error) {
      io.note(error instanceof Error ? error.message : String(error));
    }
  }

  /** Code of a kind may end its thread at any time, such as by an exception in a timer. */
  #reportEnd(generation: Generation): void {
    generation.ended.then((reason) => {
      if (this.#isStopped || this.#current !== generation) return;
      this.#given.io.note(
        `${reason ?? "the service ended"}\nnothing is served any more: waiting for a change`,
      );
    });
  }

  /** A request fails only if the API server is gone, which `failed` reports. */
  async #register(next: Generation): Promise<string | undefined> {
    try {
      return await register(this.#server.connection, next, () => this.#isStopped);
    } catch (error) {
      return `the API server does not answer: ${messageOf(error)}`;
    }
  }

  #hints({ description }: Generation): readonly string[] {
    const { kubeconfig, programs, io } = this.#given;
    const page = this.#page?.url;
    return hints(description.kinds, { kubeconfig, kubectl: programs.kubectl, folder: io.folder, page });
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#stopWatching();
    await this.#turn;
    await this.#page?.stop();
    await this.#current?.stop();
    await Promise.all([this.#server.stop(), rm(this.#given.kubeconfig, { force: true })]);
  }
}
