import { pino } from "pino";
import { repeat } from "../../../certs/source.ts";
import { addressOf } from "../../cluster/lifecycle/conversion.ts";
import { upstreamConfigOf } from "../../cluster/lifecycle/takeover.ts";
import { UsageError } from "../../errors.ts";
import { AnswerCache } from "../../guard/answer-cache.ts";
import { frontOf } from "../../guard/front.ts";
import { Guard } from "../../guard/guard.ts";
import { converterOf, type GuardedOptions, guardedKindOf } from "../../guard/guarded-kind.ts";
import { Shadow } from "../../guard/shadow.ts";
import { Upstreams } from "../../guard/upstreams.ts";
import { type JsonObject, textAt } from "../../json/json.ts";
import { shownPath } from "../../kind/fault.ts";
import type { Kind, Kinds } from "../../kind/kind.ts";
import { kindsOf, loadKinds } from "../../kind/load-kinds.ts";
import type { Service } from "../../server/service.ts";
import { pause } from "../../time.ts";
import { type ServeIo, type ServeOptions, serveKinds } from "../serve/run.ts";
import { defaultService, serviceOf } from "../service-option.ts";
import { crdsIn, type Given, givenOf, upstreamOf } from "../upstream.ts";
import type { UpstreamOptions } from "../upstream-options.ts";
import { followedCrds } from "./follow.ts";

/** The options of `antechamber guard` as a service. */
export interface GuardCommandOptions extends ServeOptions, UpstreamOptions, Omit<GuardedOptions, "upstream"> {
  /** Whether the upstream's answers are passed on, and only looked at. */
  readonly shadow: boolean;
  /** Whether a conversion that another manager puts back is taken over again. */
  readonly defend: boolean;
  /** Whether the guard answers at the address of its upstream, and passes all other requests on. */
  readonly inFront: boolean;
  /** Bytes for answers that are kept between reviews. */
  readonly cache: number;
}

/**
 * Starts the service in front of the webhooks of CRDs, which are in files, or are followed in a cluster, and for kinds in folders
 * beside them. Throws UsageError.
 */
export async function guard(
  words: readonly string[],
  options: GuardCommandOptions,
  io: ServeIo,
): Promise<Service> {
  const clock = () => performance.now();
  const upstreams = new Upstreams(clock);
  const given = await givenOf(options);
  const front = frontFor(options, given);
  const own = await loadKinds(options.webhooks);
  const followed = words.length === 0 ? undefined : await followedCrds(words, options, io);
  if ((followed === undefined) === (options.crd === undefined))
    throw new UsageError(
      "name the CRDs of a cluster to follow, as in antechamber guard serve statefulsets.apps.kruise.io, or give their files with --crd",
    );
  const crds =
    followed?.crds.map((value) => ({ value, source: textAt(value, "metadata", "name") })) ??
    (await crdsIn(options.crd ?? [], io));
  const kindOf = (crd: JsonObject, source: string) => {
    if (given.url === undefined) rejectItself(crd, source, options);
    const upstream = upstreamOf(crd, source, given, upstreams);
    return guardedKindOf(crd, source, { ...options, upstream });
  };
  const kinds = crds.map(({ value, source }) => kindOf(value, source));
  rejectOwn(kinds, own);
  const cache = new AnswerCache(options.cache, clock);
  // Nothing that a shadow tries happens to a caller.
  const log = options.shadow ? pino({ level: "silent" }) : io.log;
  const guarding = new Guard({ cache, log, clock });
  const shadow = options.shadow
    ? new Shadow({ guard: guarding, log: io.log, clock, random: io.random, pause: waited })
    : undefined;
  if (!options.shadow) warnOfStatus(kinds, io);
  const endProbes = probed(upstreams, io);
  return serveKinds(options, kindsOf([...own.all, ...kinds], own.natives), io, {
    handlers: (all, plain) => (shadow ?? guarding).handlers(all, plain),
    upstream: {
      fault: () => upstreams.fault,
      wasReached: () => upstreams.wereReached,
      counts: () => ({
        requests: upstreams.replies,
        refused: options.shadow ? [] : guarding.refused,
        shadow: shadow?.findings ?? [],
        looked: shadow?.looked ?? 0,
        crds: followed?.places() ?? [],
      }),
    },
    ...(front === undefined ? {} : { behind: front }),
    follow: (inForce, authority) =>
      followed?.follow(
        (crd) => {
          const kind = kindOf(crd, textAt(crd, "metadata", "name"));
          const used = inForce.all.filter(({ name }) => name !== kind.name);
          upstreams.keep(new Set([...used, kind].flatMap((each) => converterOf(each)?.upstream ?? [])));
          return kind;
        },
        inForce,
        authority,
      ),
    stop: async () => {
      endProbes();
      front?.close();
      await followed?.stop();
      upstreams.keep(new Set());
    },
  });
}

const never = new AbortController().signal;
const waited = (milliseconds: number) => pause(milliseconds, never);

/** What is passed on, if the guard answers at the address of its upstream. Throws UsageError. */
function frontFor({ inFront }: GuardCommandOptions, { url, ...given }: Given) {
  if (!inFront) return undefined;
  if (url !== undefined) return frontOf({ ...given, url });
  throw new UsageError(
    "--in-front: the CRDs name the address of the guard now; say where the webhook itself is with --upstream <url>",
  );
}

/** A kind has one conversion. Throws UsageError. */
function rejectOwn(guarded: readonly Kind[], own: Kinds): void {
  for (const { name, folder, definition } of guarded) {
    const same = own.find(definition.group, definition.kind);
    if (same !== undefined)
      throw new UsageError(
        `${folder}: ${name} is also the kind in ${shownPath(same.folder)}; leave out this CRD, or that folder of --webhooks`,
      );
  }
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

/** Asks the upstreams for nothing, now and again until they have answered: before that the service is not ready. */
function probed(upstreams: Upstreams, { log }: ServeIo): () => void {
  let isDone = false;
  const probe = async (): Promise<void> => {
    if (isDone) return;
    isDone = await upstreams.probe(probeMilliseconds);
    if (isDone) log.info("the upstream answers");
    else log.warn({ fault: upstreams.fault }, "the upstream does not answer yet");
  };
  void probe();
  return repeat(() => void probe(), 2 * probeMilliseconds);
}

const probeMilliseconds = 2_500;

/** A guard that asks itself would do so again and again. Throws UsageError. */
function rejectItself(crd: JsonObject, source: string, { managed }: GuardCommandOptions): void {
  const service = serviceOf(managed?.service ?? defaultService);
  if (addressOf(upstreamConfigOf(crd)) !== addressOf({ service: { ...service } })) return;
  throw new UsageError(
    `${source}: names this guard, and no annotation says where its webhook was; say so with --upstream <url>`,
  );
}
