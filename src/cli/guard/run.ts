import { pino } from "pino";
import { readSmallFile } from "../../../certs/reading.ts";
import { repeat } from "../../../certs/source.ts";
import type { WebhookAddress } from "../../cluster/api/webhook-client.ts";
import { UsageError } from "../../errors.ts";
import { Guard } from "../../guard/guard.ts";
import { guardedKindOf, hasSeveralVersions } from "../../guard/guarded-kind.ts";
import { KeptAnswers } from "../../guard/kept-answers.ts";
import { Shadow } from "../../guard/shadow.ts";
import { UpstreamDown } from "../../guard/upstream.ts";
import { Upstreams } from "../../guard/upstreams.ts";
import { type JsonObject, listAt } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { kindsOf } from "../../kind/load-kinds.ts";
import { readInput } from "../../offline/input.ts";
import type { Service } from "../../server/service.ts";
import { type ServeIo, type ServeOptions, serveKinds } from "../serve/run.ts";

/** The options of `antechamber guard`. */
export interface GuardCommandOptions extends ServeOptions {
  readonly upstream: string;
  /** Files and folders with CRDs. */
  readonly crd: readonly string[];
  readonly upstreamCa?: string;
  readonly upstreamServerName?: string;
  readonly upstreamClientCert?: string;
  readonly upstreamClientKey?: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly hub?: string;
  readonly carried: readonly string[];
  readonly refused: "schema" | "fail";
  readonly sameFields: boolean;
  /** Whether the upstream's answers are passed on, and only looked at. */
  readonly shadow: boolean;
  /** Bytes for answers that are kept between reviews. */
  readonly cache: number;
}

/** Starts the service in front of an upstream. Throws UsageError. */
export async function guard(options: GuardCommandOptions, io: ServeIo): Promise<Service> {
  const clock = () => performance.now();
  const upstreams = new Upstreams(clock);
  const kinds = await guardedKinds(options, upstreams, io);
  const kept = new KeptAnswers(options.cache, clock);
  // What a shadow tries is no event of the service.
  const log = options.shadow ? pino({ level: "silent" }) : io.log;
  const guarding = new Guard({ kept, log, clock });
  const shadow = options.shadow
    ? new Shadow({ guard: guarding, log: io.log, clock, random: io.random })
    : undefined;
  if (!options.shadow) warnOfStatus(kinds, io);
  const endProbes = probed(upstreams, kinds, guarding, io);
  return serveKinds(options, kindsOf(kinds), io, {
    handlers: (all, plain) => (shadow ?? guarding).handlers(all, plain),
    upstream: {
      fault: () => upstreams.fault,
      wasReached: () => upstreams.wereReached,
      counts: () => ({
        requests: upstreams.replies,
        refused: options.shadow ? [] : guarding.refused,
        shadow: shadow?.findings ?? [],
        looked: shadow?.looked ?? 0,
      }),
    },
    stop: () => {
      endProbes();
      upstreams.keep(new Set());
    },
  });
}

async function guardedKinds(
  options: GuardCommandOptions,
  upstreams: Upstreams,
  io: ServeIo,
): Promise<readonly Kind[]> {
  const address = await addressOf(options);
  const crds = (await readInput(options.crd, io)).filter(
    ({ value }) => value.kind === "CustomResourceDefinition",
  );
  const several = crds.filter(({ value }) => hasSeveralVersions(value));
  if (several.length === 0)
    throw new UsageError(
      `--crd ${options.crd.join(" ")}: no CRD with several versions: there is nothing to guard`,
    );
  return several.map(({ value, source }) =>
    guardedKindOf(value, source, { ...options, upstream: upstreams.at(address, reviewsOf(value)) }),
  );
}

/** The version of ConversionReview that a CRD lets its webhook be asked with. */
function reviewsOf(crd: JsonObject): "v1" | "v1beta1" {
  const reviews = listAt(crd, "spec", "conversion", "webhook", "conversionReviewVersions");
  return reviews.includes("v1beta1") && !reviews.includes("v1") ? "v1beta1" : "v1";
}

/** Without the field, only an annotation carries what a version cannot say, and a client can drop it. */
function warnOfStatus(kinds: readonly Kind[], { log }: ServeIo): void {
  for (const kind of kinds) {
    const bare = kind.versions.filter(({ carriesStatus }) => !carriesStatus).map(({ name }) => name);
    if (bare.length > 0)
      log.warn(
        { kind: kind.name, versions: bare },
        "the CRD does not declare status.conversionData: a client that drops the annotations of an object drops what is carried",
      );
  }
}

/** Asks the upstream now and again until it has answered: before its first answer the service is not ready. */
function probed(upstreams: Upstreams, kinds: readonly Kind[], guarding: Guard, { log }: ServeIo): () => void {
  let isDone = false;
  const probe = async (): Promise<void> => {
    if (isDone) return;
    isDone = await upstreams.probe(probeMilliseconds);
    if (!isDone) return log.warn({ fault: upstreams.fault }, "the upstream does not answer yet");
    log.info("the upstream answers");
    try {
      for (const { name, hub } of await guarding.withDoubtfulHub(kinds, probeMilliseconds))
        log.warn(
          { kind: name, hub: hub.name },
          "the upstream converts nothing from or to the hub: choose another version with --hub",
        );
    } catch (error) {
      if (!(error instanceof UpstreamDown)) throw error;
      isDone = false;
    }
  };
  void probe();
  return repeat(() => void probe(), 2 * probeMilliseconds);
}

const probeMilliseconds = 2_500;

async function addressOf({ upstream, ...options }: GuardCommandOptions): Promise<WebhookAddress> {
  if (!URL.canParse(upstream) || new URL(upstream).protocol !== "https:")
    throw new UsageError(
      `--upstream ${upstream}: not an https URL; write it like https://127.0.0.1:9443/convert`,
    );
  const { upstreamClientCert, upstreamClientKey } = options;
  if ((upstreamClientCert === undefined) !== (upstreamClientKey === undefined))
    throw new UsageError("--upstream-client-cert and --upstream-client-key belong together");
  return {
    url: upstream,
    ca: await textOf("--upstream-ca", options.upstreamCa),
    cert: await textOf("--upstream-client-cert", upstreamClientCert),
    key: await textOf("--upstream-client-key", upstreamClientKey),
    insecure: options.insecureSkipTlsVerify,
    serverName: options.upstreamServerName,
    timeout: 30_000,
    // A guard never uses so many; what a shadow passes on must not wait.
    connections: 64,
  };
}

async function textOf(name: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const read = await readSmallFile(file);
  if (read.found === "text") return read.text;
  throw new UsageError(`${name}: ${read.found === "fault" ? read.fault : `${file} does not exist`}`);
}
