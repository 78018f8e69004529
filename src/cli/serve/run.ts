import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { type ClientAuthorities, clientAuthorities } from "../../../certs/clients.ts";
import { filesSource } from "../../../certs/files.ts";
import type { CertificateSource } from "../../../certs/source.ts";
import { KindsInForce } from "../../cluster/follow/kinds-in-force.ts";
import { ListerFeed, needsOf } from "../../cluster/follow/replica.ts";
import { UsageError } from "../../errors.ts";
import { get } from "../../json/json.ts";
import type { Kind, Kinds } from "../../kind/kind.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import type { NativeKind } from "../../kind/native.ts";
import { handlersOf } from "../../offline/review-context.ts";
import type { Behind, Handlers } from "../../server/app.ts";
import { KeptAnswers } from "../../server/kept-answers.ts";
import { ReviewThread } from "../../server/large/review-thread.ts";
import { startRecorder } from "../../server/record/recorder.ts";
import { type Service, startService, type UpstreamState } from "../../server/service.ts";
import { loadTracing } from "../../server/tracing.ts";
import { pause, timers } from "../../time.ts";
import { counted } from "../../words.ts";
import { readGates } from "../gates.ts";
import { type ListerSourceIo, type Listers, listersFrom } from "../lister-sources.ts";
import { shellWord } from "../shell-word.ts";
import type { ManagedServeOptions } from "./managed-options.ts";
import { reviewThreadModule, threadData } from "./review-thread.ts";

/** The options of `antechamber serve`. */
export interface ServeOptions {
  readonly host?: string;
  readonly port: number;
  readonly opsPort: number;
  readonly webhooks: readonly string[];
  /** Files and folders of objects for the listers; without them and without `certDir`, the examples of the kinds. */
  readonly with?: readonly string[];
  /** A kubeconfig: the listers watch its cluster. In a pod the default is its own cluster. */
  readonly kubeconfig?: string;
  /** `Name=true,Other=false`. */
  readonly featureGates?: string;
  /** Where the certificate comes from; by default `files` with `certDir`, otherwise `local`: one for localhost. */
  readonly certs?: CertificateOrigin;
  /** Folder with tls.crt and tls.key. */
  readonly certDir?: string;
  /** The certificate that the replicas share, with `managed`. */
  readonly managed?: ManagedServeOptions;
  /** Additional names for the generated certificate. */
  readonly certHost: readonly string[];
  /** PEM file of the CAs that must have signed client certificates; without it no client certificate is requested. */
  readonly clientCa?: string;
  /** File to which the CA certificate is written for clients. */
  readonly caOut?: string;
  /** Milliseconds from the first signal until new requests are rejected. */
  readonly grace: number;
  /** Bytes for all request bodies in progress; the default fits a pod of 1 GiB. */
  readonly bodyMemory?: number;
  /** Bytes for answers to conversions that are kept for when they are asked again; 0 for none. */
  readonly keptAnswers?: number;
  /** Folder to which every review is written with its response. */
  readonly record?: string;
}

/** `local`: made for this run; `files`: from `certDir`; `managed`: shared by the replicas, and rotated by them. */
type CertificateOrigin = "local" | "files" | "managed";

/** The input and output of `antechamber serve`. */
export interface ServeIo extends Omit<ListerSourceIo, "gates"> {
  readonly print: (line: string) => void;
  readonly folder: string;
}

/** What answers for kinds that have no folder, beside those that have one: it waits for another service. */
interface Guarding {
  readonly handlers: (kinds: Kinds, plain: Pick<Handlers, "mutate" | "validate">) => Handlers;
  readonly upstream: UpstreamState;
  readonly behind?: Behind;
  /** Follows what changes, from the moment on at which kinds can be replaced; `authority` is the CA of the service, where it changes. */
  readonly follow?: (kinds: KindsInForce, authority: () => string | undefined) => void;
  readonly stop: () => Promise<void>;
}

/** Starts the service; every configuration error is reported before it listens. */
export async function serve(options: ServeOptions, io: ServeIo): Promise<Service> {
  return serveKinds(options, await loadKinds(options.webhooks), io);
}

/** The same for kinds that are loaded. */
export async function serveKinds(
  options: ServeOptions,
  loaded: Kinds,
  io: ServeIo,
  guarding?: Guarding,
): Promise<Service> {
  const gates = readGates(options.featureGates ?? "", [...loaded.all, ...loaded.natives]);
  const clients = options.clientCa === undefined ? undefined : await clientsOf(options.clientCa, io);
  const origin = originOf(options);
  const { certificates, stop } = await certificatesFrom(origin, options, loaded, io);
  const listers = await listersFrom({ ...options, isTrial: origin === "local" }, loaded, {
    ...io,
    gates,
  }).catch(async (error: unknown) => {
    await stop?.();
    throw error;
  });
  const kinds = new KindsInForce(loaded, { ...timers, log: io.log });
  kinds.follow(listers.of);
  // Of a certificate that is not rotated, the CA is the one that was given when the service was registered.
  guarding?.follow?.(kinds, () => (certificates.phase === undefined ? undefined : certificates.authority()));
  const plain = handlersOf(kinds, listers.of, gates, io);
  const handlers = guarding?.handlers(kinds, plain) ?? plain;
  await untilListed(listers, io);
  const service = await listen({
    // What waits for another service does so on the main thread.
    ...(guarding === undefined
      ? { thread: threadOf(options, loaded, kinds, listers, io) }
      : {
          upstream: guarding.upstream,
          ...(guarding.behind === undefined ? {} : { behind: guarding.behind }),
        }),
    handlers: options.record === undefined ? handlers : await recorded(handlers, options.record, io.log),
    certificates,
    ...(clients === undefined ? {} : { clients }),
    kept: guarding === undefined ? keptOf(options, kinds) : undefined,
    ...(options.bodyMemory === undefined ? {} : { limits: { memoryBytes: options.bodyMemory } }),
    ...listenAddress(options.host, origin),
    port: options.port,
    opsPort: options.opsPort,
    grace: options.grace,
    log: io.log,
    tracing: await loadTracing(),
    listers: {
      states: listers.states,
      crds: () => kinds.differences(),
      stop: async () => {
        kinds.stop();
        await Promise.all([guarding?.stop(), listers.stop(), stop?.()]);
      },
    },
  });
  await announce(options, kinds, certificates, service, io);
  return service;
}

/** What is recorded is answered anew each time. */
function keptOf({ keptAnswers = 0, record }: ServeOptions, kinds: KindsInForce): KeptAnswers | undefined {
  return keptAnswers === 0 || record !== undefined
    ? undefined
    : new KeptAnswers(keptAnswers, () => kinds.generation());
}

function threadOf(
  { webhooks, featureGates }: ServeOptions,
  loaded: Kinds,
  crds: KindsInForce,
  listers: Listers,
  { log }: ServeIo,
): ReviewThread {
  return new ReviewThread({
    module: reviewThreadModule,
    data: threadData(webhooks, featureGates),
    feed: new ListerFeed(needsOf(loaded), listers.of),
    crds,
    log,
  });
}

/**
 * Waits for the CRDs, so that the first conversions know them. Only for a moment: an API server that does not answer must not
 * keep the service from serving another one.
 */
async function untilListed({ crdsListed }: Listers, { log }: ServeIo): Promise<void> {
  const waiting = new AbortController();
  const listed = crdsListed.then(() => true);
  const isListed = await Promise.race([listed, pause(mostWaiting, waiting.signal).then(() => false)]);
  waiting.abort();
  if (!isListed) log.warn("the CRDs could not be read yet; until then the schemas of this release are used");
}

const mostWaiting = 3_000;

/** Starts the service; an unavailable port or address is a UsageError. */
async function listen(options: Parameters<typeof startService>[0]): Promise<Service> {
  try {
    return await startService(options);
  } catch (error) {
    options.certificates.stop();
    const { code, syscall, port, address } = error as NodeJS.ErrnoException & {
      port?: number;
      address?: string;
    };
    if (syscall !== "listen" && syscall !== "getaddrinfo") throw error;
    throw new UsageError(unavailable(address ?? options.host, port, code, options), { cause: error });
  }
}

/** Why a port cannot be listened on, and the option that names it. `::` stands for every address. */
function unavailable(
  address: string | undefined,
  port: number | undefined,
  code: string | undefined,
  options: { readonly port: number; readonly opsPort?: number },
): string {
  const where = address === undefined || address === "::" ? "" : ` of ${address}`;
  const names = [
    ...(port === undefined || port === options.port ? ["--port"] : []),
    ...(port === options.opsPort ? ["--ops-port"] : []),
  ];
  const number = port ?? options.port;
  if (code === "EADDRINUSE" && names.length > 1)
    return `port ${number}: --port and --ops-port are the same; choose another one for one of them`;
  if (code === "EADDRINUSE")
    return `port ${number}${where} is already in use by another process; end that, or choose another ${names.join(" or ")}`;
  const why = code === "EACCES" ? "this user may not listen on it" : `it cannot be listened on (${code})`;
  return `port ${number}${where}: ${why}; choose another ${names.join(" or ")}`;
}

/** A generated certificate is valid for localhost only, so the service then listens there unless `host` is given. */
function listenAddress(host: string | undefined, origin: CertificateOrigin): { host?: string } {
  if (host !== undefined) return { host };
  return origin === "local" ? { host: "127.0.0.1" } : {};
}

function originOf({ certs, certDir }: ServeOptions): CertificateOrigin {
  const origin = certs ?? (certDir === undefined ? "local" : "files");
  if (origin === "files" && certDir === undefined)
    throw new UsageError("--certs files needs a folder with tls.crt and tls.key: add --cert-dir <folder>");
  if (origin !== "files" && certDir !== undefined)
    throw new UsageError(`--cert-dir and --certs ${origin} exclude each other; leave one of them out`);
  return origin;
}

async function recorded(handlers: Handlers, folder: string, log: Logger): Promise<Handlers> {
  const recorder = await startRecorder({ folder, log }).catch((error: Error) => {
    throw new UsageError(`--record ${folder}: ${error.message}`);
  });
  log.warn(
    { folder },
    "every review is recorded, without the data of Secrets and environment variables; all other data is included",
  );
  return {
    convert: recorder.on("convert", handlers.convert),
    mutate: recorder.on("mutate", handlers.mutate),
    validate: recorder.on("validate", handlers.validate),
  };
}

async function clientsOf(file: string, io: ServeIo): Promise<ClientAuthorities> {
  const clients = await clientAuthorities({ file: path.resolve(io.folder, file) }).catch((error: Error) => {
    throw new UsageError(`--client-ca ${file}: ${error.message}`);
  });
  clients.onFault((fault) => io.log.warn({ fault }, "the client CAs have a problem"));
  clients.onChange(() => io.log.info("the client CAs were reloaded"));
  return clients;
}

interface Certificates {
  readonly certificates: CertificateSource;
  readonly stop?: () => Promise<void>;
}

/** What issues certificates is loaded only where one is issued: with node-forge it takes 20 ms of the start, and 8 MiB. */
async function certificatesFrom(
  origin: CertificateOrigin,
  options: ServeOptions,
  kinds: Kinds,
  io: ServeIo,
): Promise<Certificates> {
  if (origin === "managed") {
    const { managedFrom } = await import("./managed-options.ts");
    const { source, stop } = await managedFrom(options.managed ?? {}, options, kinds, io);
    return { certificates: source, stop };
  }
  return {
    certificates: origin === "local" ? await ownSource(options, io) : await mountedSource(options, io),
  };
}

async function ownSource(options: ServeOptions, io: ServeIo): Promise<CertificateSource> {
  const { localSource } = await import("../../../certs/local.ts");
  const given = options.host === undefined ? options.certHost : [options.host, ...options.certHost];
  return localSource({ hosts: given, now: io.now });
}

async function mountedSource({ certDir = "" }: ServeOptions, io: ServeIo): Promise<CertificateSource> {
  const source = await filesSource({ directory: certDir, now: io.now });
  const warn = (fault: string) => io.log.warn({ fault }, "the certificate on disk has a problem");
  source.onFault(warn);
  source.onChange(() => io.log.info("the certificate was reloaded"));
  if (!source.ready()) {
    source.stop();
    const fault = source.fault() ?? "contains no certificate";
    const hint = fault.endsWith("is missing")
      ? "; the folder must hold tls.crt and tls.key, as antechamber certs writes them, or as a Secret of type kubernetes.io/tls is mounted"
      : "";
    throw new UsageError(`--cert-dir ${certDir}: ${fault}${hint}`);
  }
  const fault = source.fault();
  if (fault !== undefined) warn(fault);
  return source;
}

async function announce(
  options: ServeOptions,
  kinds: Kinds,
  certificates: CertificateSource,
  service: Service,
  io: ServeIo,
): Promise<void> {
  const authority = certificates.authority();
  // A generated certificate is useless without its CA; the CA of a mounted one is written only on request.
  const isLocal = originOf(options) === "local";
  const caFile = options.caOut ?? (isLocal ? defaultCaFile : undefined);
  if (caFile !== undefined && authority !== undefined)
    await writeFile(path.resolve(io.folder, caFile), authority);
  const isShown = isLocal && caFile !== undefined;
  for (const line of isShown ? await welcome(options, kinds, service, caFile, io) : []) io.print(line);
  const names = [...kinds.all, ...kinds.natives].map((kind) => kind.name);
  if (names.length === 0)
    io.log.warn(
      "no kinds are served: name their folders with --webhooks, or add a component to the installation",
    );
  // Last, and nothing is awaited after it: the process that waits for this line may send a signal at once, and the handler
  // is installed next.
  io.log.info({ port: service.port, opsPort: service.opsPort, kinds: names }, "serving");
}

const defaultCaFile = "antechamber-ca.crt";

/** The text for a first run: the ports, the kinds, a curl command for each endpoint, and where further reviews are. */
async function welcome(
  options: ServeOptions,
  kinds: Kinds,
  service: Service,
  caFile: string,
  io: ServeIo,
): Promise<readonly string[]> {
  const origin = `https://localhost:${service.port}`;
  const lines = [
    `Antechamber serves ${origin}/convert, /mutate and /validate; /livez, /readyz and /metrics on http://localhost:${service.opsPort}`,
    ...kinds.all.map((kind) => `  ${kind.name}: ${kind.versions.map(({ name }) => name).join(", ")}`),
    ...kinds.natives.map(({ name, definition }) => `  ${name}: ${definition.version} (built in)`),
    `The certificate was generated for this run; its CA is in ${caFile}. Press Ctrl-C to stop.`,
  ];
  const reviews = (await Promise.all([...kinds.all, ...kinds.natives].map(reviewsOf))).flat();
  const shown = endpoints.flatMap((endpoint) => reviews.find((each) => each.endpoint === endpoint) ?? []);
  if (shown.length === 0) return lines;
  const commands = shown.flatMap(({ kind, file, endpoint, description }) => [
    "",
    `# ${kind}: ${description}`,
    `curl --cacert ${shellWord(caFile)} -H 'Content-Type: application/json' --data-binary ${shellWord(`@${relative(file, io)}`)} ${origin}/${endpoint}`,
  ]);
  const others = reviews.length - shown.length;
  const place = path.join(
    relative(path.resolve(options.webhooks[0] ?? ""), io),
    "**/reviews/ENDPOINT/*.json",
  );
  const rest = others === 0 ? [] : ["", `${counted(others, "more request")}: ${place}, each for /ENDPOINT.`];
  return [...lines, "Example requests, for a second shell:", ...commands, ...rest];
}

const endpoints = ["convert", "mutate", "validate"] as const;

interface ShownReview {
  readonly kind: string;
  readonly file: string;
  readonly endpoint: string;
  readonly description: string;
}

/** The reviews in the folder of a kind, `reviews/<endpoint>/<name>.json`; `<name>.answer.json` holds the response. */
async function reviewsOf(kind: Kind | NativeKind): Promise<readonly ShownReview[]> {
  const found: ShownReview[] = [];
  for (const endpoint of endpoints) {
    const folder = path.join(kind.folder, "reviews", endpoint);
    const names = await readdir(folder).catch(() => []);
    for (const name of names
      .filter((each) => each.endsWith(".json") && !each.endsWith(".answer.json"))
      .sort()) {
      const file = path.join(folder, name);
      const description = get(JSON.parse(await readFile(file, "utf8")), "description");
      found.push({
        kind: kind.definition.kind,
        file,
        endpoint,
        description: typeof description === "string" ? description : name,
      });
    }
  }
  return found;
}

function relative(file: string, io: ServeIo): string {
  const short = path.relative(io.folder, file);
  return short.startsWith("..") ? file : short;
}
