import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Logger } from "pino";
import { type ClientAuthorities, clientAuthorities } from "../../certs/clients.ts";
import { filesSource } from "../../certs/files.ts";
import { localSource } from "../../certs/local.ts";
import type { CertificateSource } from "../../certs/source.ts";
import { ListerFeed, needsOf } from "../cluster/replica.ts";
import { get } from "../json/json.ts";
import type { Kinds } from "../kind.ts";
import { loadKinds } from "../kinds.ts";
import { answerMutation, answerValidation } from "../review/admission.ts";
import { answerConversion } from "../review/conversion.ts";
import type { Handlers } from "../server/app.ts";
import { startRecorder } from "../server/recorder.ts";
import { ReviewThread } from "../server/review-thread.ts";
import { type Service, startService } from "../server/service.ts";
import { TimeSlicer } from "../server/time-slicer.ts";
import { loadTracing } from "../server/tracing.ts";
import { UsageError } from "./errors.ts";
import { readGates } from "./gates.ts";
import { type ListedIo, listersFor } from "./listed.ts";
import { type ReviewThreadData, reviewThreadModule } from "./review-thread.ts";
import { surroundingsOf } from "./surroundings.ts";

/** What `antechamber serve` is told on its command line. */
export interface ServeOptions {
  readonly host?: string;
  readonly port: number;
  readonly opsPort: number;
  readonly webhooks: readonly string[];
  /** Files and folders of objects for the listers; without any, and with a certificate made here, the kinds' examples. */
  readonly with?: readonly string[];
  /** A kubeconfig: the listers then follow its cluster. In a pod they follow the cluster that it runs in. */
  readonly kubeconfig?: string;
  /** `Name=true,Other=false`. */
  readonly featureGates?: string;
  /** Folder with tls.crt and tls.key; without it a certificate is made for this machine alone. */
  readonly certDir?: string;
  /** More names for the certificate that is made. */
  readonly certHost: readonly string[];
  /** PEM of the authorities by which clients' certificates must be signed; without it nobody is asked for one. */
  readonly clientCa?: string;
  /** Where the CA's PEM is written for clients. */
  readonly caOut?: string;
  /** Milliseconds from the first signal until new requests are turned away. */
  readonly grace: number;
  /** Bytes of all bodies that are being read or answered at one time; without it, what a pod of 1 GiB bears. */
  readonly bodyMemory?: number;
  /** Folder for every review that comes, with its answer. */
  readonly record?: string;
}

/** What `antechamber serve` needs of the process. */
export interface ServeIo extends Omit<ListedIo, "gates"> {
  readonly print: (line: string) => void;
  readonly folder: string;
}

/** Starts the service; everything that can be wrong at start is found before it listens. */
export async function serve(options: ServeOptions, io: ServeIo): Promise<Service> {
  const kinds = await loadKinds(options.webhooks);
  const gates = readGates(options.featureGates ?? "", [...kinds.all, ...kinds.natives]);
  const clients = options.clientCa === undefined ? undefined : await clientsOf(options.clientCa, io);
  const certificates = await certificateSource(options, io);
  const listers = await listersFor({ ...options, isTrial: options.certDir === undefined }, kinds, {
    ...io,
    gates,
  });
  const surroundings = surroundingsOf(kinds, listers.of, gates, io);
  const handlers: Handlers = {
    convert: (review) => answerConversion(review, kinds),
    mutate: (review) => answerMutation(review, surroundings),
    validate: (review) => answerValidation(review, surroundings),
  };
  const slices = new TimeSlicer(() => performance.now());
  const thread = new ReviewThread({
    module: reviewThreadModule,
    data: { webhooks: options.webhooks, featureGates: options.featureGates ?? "" } satisfies ReviewThreadData,
    feed: new ListerFeed(needsOf(kinds), listers.of, slices),
    log: io.log,
  });
  const service = await listening({
    thread,
    handlers: options.record === undefined ? handlers : await recorded(handlers, options.record, io.log),
    certificates,
    ...(clients === undefined ? {} : { clients }),
    ...(options.bodyMemory === undefined ? {} : { limits: { memoryBytes: options.bodyMemory } }),
    ...listenAddress(options),
    port: options.port,
    opsPort: options.opsPort,
    grace: options.grace,
    log: io.log,
    tracing: await loadTracing(),
    listers,
  });
  await announce(options, kinds, certificates, service, io);
  return service;
}

/** Starts the service; a port or address that cannot be had is its caller's to change. */
async function listening(options: Parameters<typeof startService>[0]): Promise<Service> {
  try {
    return await startService(options);
  } catch (error) {
    options.certificates.stop();
    const { code, syscall, port, address } = error as NodeJS.ErrnoException & {
      port?: number;
      address?: string;
    };
    if (syscall !== "listen" && syscall !== "getaddrinfo") throw error;
    const sentence =
      code === "EADDRINUSE"
        ? "is taken; choose another --port or --ops-port"
        : `cannot be listened on (${code})`;
    throw new UsageError(
      `${address ?? options.host ?? "every address"}, port ${port ?? options.port}: ${sentence}`,
      { cause: error },
    );
  }
}

/** A certificate made here is good for this machine alone, and so is the service then, unless it is told otherwise. */
function listenAddress({ host, certDir }: ServeOptions): { host?: string } {
  if (host !== undefined) return { host };
  return certDir === undefined ? { host: "127.0.0.1" } : {};
}

async function recorded(handlers: Handlers, folder: string, log: Logger): Promise<Handlers> {
  const recorder = await startRecorder({ folder, log }).catch((error: Error) => {
    throw new UsageError(`--record ${folder}: ${error.message}`);
  });
  log.warn(
    { folder },
    "every review is recorded; Secrets and environment variables are left out, all else is not",
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
  clients.onFault((fault) => io.log.warn({ fault }, "the authorities of clients are not all good"));
  clients.onChange(() => io.log.info("new authorities of clients are trusted"));
  return clients;
}

async function certificateSource(options: ServeOptions, io: ServeIo): Promise<CertificateSource> {
  if (options.certDir === undefined) {
    const given = options.host === undefined ? options.certHost : [options.host, ...options.certHost];
    return localSource({ hosts: given, now: io.now });
  }
  const source = await filesSource({ directory: options.certDir, now: io.now });
  const warn = (fault: string) => io.log.warn({ fault }, "the certificate on disk is not all good");
  source.onFault(warn);
  source.onChange(() => io.log.info("a new certificate is served"));
  if (!source.ready()) {
    source.stop();
    throw new UsageError(`--cert-dir ${options.certDir}: ${source.fault() ?? "holds no certificate"}`);
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
  // A certificate made here is of no use without its CA; of a mounted one the CA is written only where that is asked.
  const caFile = options.caOut ?? (options.certDir === undefined ? defaultCaFile : undefined);
  if (caFile !== undefined && authority !== undefined)
    await writeFile(path.resolve(io.folder, caFile), authority);
  const isShown = options.certDir === undefined && caFile !== undefined;
  for (const line of isShown ? await welcome(kinds, service, caFile, io) : []) io.print(line);
  const names = [...kinds.all, ...kinds.natives].map((kind) => kind.name);
  // Last, without a turn of the loop after it: whoever waits for this line may send a signal, and it must be heard.
  io.log.info({ port: service.port, opsPort: service.opsPort, kinds: names }, "serving");
}

const defaultCaFile = "antechamber-ca.crt";

/** What a newcomer is shown: the kinds, the ports, and a line to paste for each review that a kind's folder holds. */
async function welcome(
  kinds: Kinds,
  service: Service,
  caFile: string,
  io: ServeIo,
): Promise<readonly string[]> {
  const origin = `https://localhost:${service.port}`;
  const lines = [
    `Antechamber serves ${origin}/convert, /mutate and /validate; /livez, /readyz and /metrics on http://localhost:${service.opsPort}`,
    ...kinds.all.map((kind) => `  ${kind.name}: ${kind.versions.map(({ name }) => name).join(", ")}`),
    ...kinds.natives.map(
      ({ name, definition }) => `  ${name}: ${definition.version}, of the API server's own`,
    ),
    `Its certificate was made for this run; clients trust it through ${caFile}. Ctrl-C ends it.`,
  ];
  for (const kind of [...kinds.all, ...kinds.natives]) {
    for (const { file, road, description } of await reviewsOf(kind)) {
      if (!lines.includes(inSecondShell)) lines.push(inSecondShell);
      const data = quote(`@${relative(file, io)}`);
      lines.push(
        "",
        `# ${kind.definition.kind}: ${description}`,
        `curl --cacert ${quote(caFile)} -H 'Content-Type: application/json' --data-binary ${data} ${origin}/${road}`,
      );
    }
  }
  return lines;
}

const inSecondShell = "Reviews to send from a second shell:";

interface ShownReview {
  readonly file: string;
  readonly road: string;
  readonly description: string;
}

/** The reviews in a kind's folder: `reviews/<road>/<name>.json`, each with a description; answers lie beside them. */
async function reviewsOf(kind: { readonly folder: string }): Promise<readonly ShownReview[]> {
  const found: ShownReview[] = [];
  for (const road of ["convert", "mutate", "validate"]) {
    const folder = path.join(kind.folder, "reviews", road);
    const names = await readdir(folder).catch(() => []);
    for (const name of names
      .filter((each) => each.endsWith(".json") && !each.endsWith(".answer.json"))
      .sort()) {
      const file = path.join(folder, name);
      const description = get(JSON.parse(await readFile(file, "utf8")), "description");
      found.push({ file, road, description: typeof description === "string" ? description : name });
    }
  }
  return found;
}

function relative(file: string, io: ServeIo): string {
  const short = path.relative(io.folder, file);
  return short.startsWith("..") ? file : short;
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
