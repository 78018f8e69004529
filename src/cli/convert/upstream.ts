import { pino } from "pino";
import { UsageError } from "../../errors.ts";
import { AnswerCache } from "../../guard/answer-cache.ts";
import { Guard } from "../../guard/guard.ts";
import { guardedKindOf } from "../../guard/guarded-kind.ts";
import { UpstreamDown } from "../../guard/upstream.ts";
import { Upstreams } from "../../guard/upstreams.ts";
import type { JsonObject } from "../../json/json.ts";
import { kindsOf } from "../../kind/load-kinds.ts";
import type { InputIo } from "../../offline/input.ts";
import type { Gauge } from "../console.ts";
import { crdsIn, givenOf, upstreamOf } from "../upstream.ts";
import type { UpstreamOptions } from "../upstream-options.ts";
import type { FileConverter, Job } from "./file-converter.ts";

/**
 * Converts objects by the webhooks of CRDs, as a guard in front of them does. What the upstream refuses fails: a view by the
 * schemas belongs into no file. A field that it forgets is shown. Throws UsageError.
 */
export async function upstreamConverter(
  options: UpstreamOptions,
  io: InputIo & Gauge,
): Promise<FileConverter> {
  const { crd } = options;
  if (crd === undefined)
    throw new UsageError("--upstream: which kinds does it convert? give the files of their CRDs with --crd");
  const clock = () => performance.now();
  const upstreams = new Upstreams(clock);
  const given = await givenOf(options);
  const kinds = (await crdsIn(crd, io)).map(({ value, source }) => {
    const upstream = upstreamOf(value, source, given, upstreams);
    return guardedKindOf(value, source, { upstream, carried: [], refused: "fail", sameFields: true });
  });
  const guard = new Guard({
    cache: new AnswerCache(cacheBytes, clock),
    log: pino({ level: "silent" }),
    clock,
  });
  return {
    kinds: kindsOf(kinds),
    others: "give the CRDs of others with --crd",
    convert: (jobs) => convertBy(guard, jobs, io),
    close: () => upstreams.keep(new Set()),
  };
}

async function convertBy(
  guard: Guard,
  jobs: readonly Job[],
  { rewrite }: Gauge,
): Promise<readonly (JsonObject | Error)[]> {
  const done = new Map<Job, JsonObject | Error>();
  const ways = Map.groupBy(jobs, ({ kind, target }) => kind.versions[target] ?? kind.hub);
  for (const [{ apiVersion }, all] of ways)
    for (let at = 0; at < all.length; at += batch) {
      rewrite?.(`${done.size}/${jobs.length} objects converted`);
      const some = all.slice(at, at + batch);
      for (const [job, outcome] of await converted(guard, some, apiVersion)) done.set(job, outcome);
    }
  rewrite?.("");
  return jobs.map((job) => done.get(job) ?? job.input.value);
}

/** Throws UsageError if the upstream cannot be reached. */
async function converted(guard: Guard, jobs: readonly Job[], desired: string) {
  const [first] = jobs;
  if (first === undefined) return [];
  const call = { caller: "convert", milliseconds: patience };
  const objects = jobs.map(({ input }) => input.value);
  const outcomes = await guard.convertAll(first.kind, objects, desired, call);
  return jobs.flatMap((job): readonly (readonly [Job, JsonObject | Error])[] => {
    const outcome = outcomes.get(job.input.value);
    if (outcome instanceof UpstreamDown) throw new UsageError(outcome.message);
    return outcome === undefined ? [] : [[job, outcome]];
  });
}

/** Objects that are converted together, as many as a client lists. */
const batch = 100;

/** Milliseconds for them. */
const patience = 60_000;

const cacheBytes = 64 * 1024 ** 2;
