import { readSmallFile } from "../../../certs/reading.ts";
import { repeat } from "../../../certs/source.ts";
import { webhookClient } from "../../cluster/api/webhook-client.ts";
import { UsageError } from "../../errors.ts";
import { Guard } from "../../guard/guard.ts";
import {
  type GuardedKind,
  type GuardedOptions,
  guardedKindOf,
  hasSeveralVersions,
} from "../../guard/guarded-kind.ts";
import { KeptAnswers } from "../../guard/kept-answers.ts";
import { Upstream, UpstreamDown } from "../../guard/upstream.ts";
import { listAt } from "../../json/json.ts";
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
  /** Bytes for answers that are kept between reviews. */
  readonly cache: number;
}

/** Starts the service in front of an upstream. Throws UsageError. */
export async function guard(options: GuardCommandOptions, io: ServeIo): Promise<Service> {
  const client = webhookClient(await addressOf(options));
  const { kinds, reviews } = await guardedKinds(options, io);
  const clock = () => performance.now();
  const upstream = new Upstream({ url: options.upstream, client, reviews, clock });
  const kept = new KeptAnswers(options.cache, clock);
  const guarding = new Guard({ kinds, upstream, kept, log: io.log, clock });
  warnOfStatus(kinds, io);
  const endProbes = probed(upstream, guarding, io);
  return serveKinds(options, kindsOf(kinds.map(({ kind }) => kind)), io, {
    handlers: (all, plain) => guarding.handlers(all, plain),
    upstream: {
      fault: () => upstream.fault,
      wasReached: () => upstream.wasReached,
      counts: () => ({ requests: upstream.replies, refused: guarding.refused }),
    },
    stop: () => {
      endProbes();
      upstream.close();
    },
  });
}

async function guardedKinds(
  options: Pick<GuardCommandOptions, "crd"> & GuardedOptions,
  io: ServeIo,
): Promise<{ readonly kinds: readonly GuardedKind[]; readonly reviews: "v1" | "v1beta1" }> {
  const crds = (await readInput(options.crd, io)).filter(
    ({ value }) => value.kind === "CustomResourceDefinition",
  );
  const several = crds.filter(({ value }) => hasSeveralVersions(value));
  if (several.length === 0)
    throw new UsageError(
      `--crd ${options.crd.join(" ")}: no CRD with several versions: there is nothing to guard`,
    );
  const reviews = several.flatMap(({ value }) =>
    listAt(value, "spec", "conversion", "webhook", "conversionReviewVersions"),
  );
  const isOld = reviews.includes("v1beta1") && !reviews.includes("v1");
  return {
    kinds: several.map(({ value, source }) => guardedKindOf(value, source, options)),
    reviews: isOld ? "v1beta1" : "v1",
  };
}

/** Without the field, only an annotation carries what a version cannot say, and a client can drop it. */
function warnOfStatus(kinds: readonly GuardedKind[], { log }: ServeIo): void {
  for (const { kind } of kinds) {
    const bare = kind.versions.filter(({ carriesStatus }) => !carriesStatus).map(({ name }) => name);
    if (bare.length > 0)
      log.warn(
        { kind: kind.name, versions: bare },
        "the CRD does not declare status.conversionData: a client that drops the annotations of an object drops what is carried",
      );
  }
}

/** Asks the upstream now and again until it has answered: before its first answer the service is not ready. */
function probed(upstream: Upstream, guarding: Guard, { log }: ServeIo): () => void {
  let isDone = false;
  const probe = async (): Promise<void> => {
    if (isDone) return;
    isDone = await upstream.probe(probeMilliseconds);
    if (!isDone) return log.warn({ fault: upstream.fault }, "the upstream does not answer yet");
    log.info("the upstream answers");
    try {
      for (const { name, hub } of await guarding.withDoubtfulHub(probeMilliseconds))
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

async function addressOf({ upstream, ...options }: GuardCommandOptions) {
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
    connections: 16,
  };
}

async function textOf(name: string, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const read = await readSmallFile(file);
  if (read.found === "text") return read.text;
  throw new UsageError(`${name}: ${read.found === "fault" ? read.fault : `${file} does not exist`}`);
}
