import type { Logger } from "pino";
import { kindName } from "../apimachinery/resource.ts";
import { ClusterUnreachable, connect } from "../cluster/api/connection.ts";
import type { InformerState } from "../cluster/follow/informer.ts";
import { clusterListers } from "../cluster/follow/listers.ts";
import { UsageError } from "../errors.ts";
import type { JsonObject } from "../json/json.ts";
import type { Kinds } from "../kind/kind.ts";
import type { Lister, ListerNeed } from "../kind/lister.ts";
import { type InputIo, readInput } from "../offline/input.ts";
import { offlineListers } from "../offline/listers.ts";
import { pause } from "../time.ts";

/** The source of the objects for the listers. */
interface ListerSourceOptions {
  /** Files and folders. */
  readonly with?: readonly string[];
  /** A kubeconfig: the objects of its cluster. */
  readonly kubeconfig?: string;
  /** Whether the service runs with a generated certificate, for a trial: then the examples of the kinds are listed. */
  readonly isTrial: boolean;
}

/** The clock, log and environment of the listers. */
export interface ListerSourceIo extends InputIo {
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: Logger;
  /** The feature gates that the user set. */
  readonly gates: ReadonlyMap<string, boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The listers of a service. */
export interface Listers {
  readonly of: (need: ListerNeed) => Lister;
  /** The state of each informer. */
  readonly states: () => readonly InformerState[];
  /** Resolves when the CRDs of the kinds were listed, if they are. */
  readonly crdsListed: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Listers over files, or over a cluster: that of the given kubeconfig, or in a pod its own. */
export async function listersFrom(
  options: ListerSourceOptions,
  kinds: Kinds,
  io: ListerSourceIo,
): Promise<Listers> {
  if (options.with !== undefined && options.kubeconfig !== undefined) {
    throw new UsageError(
      "--with and --kubeconfig exclude each other: objects come from files or from a cluster",
    );
  }
  if (options.with !== undefined) {
    return fromObjects(
      (await readInput(options.with, io)).map(({ value }) => value),
      kinds,
      io,
    );
  }
  if (options.kubeconfig !== undefined || isInPod(io.env)) return fromCluster(options.kubeconfig, kinds, io);
  // Examples are for a trial: they must not decide about the writes of a real cluster.
  if (options.isTrial) return fromObjects(examplesOf(kinds), kinds, io);
  const needs = [...kinds.all, ...kinds.natives].flatMap(({ definition }) =>
    Object.values(definition.needs ?? {}).map((need) => kindName(need.group, need.kind)),
  );
  if (needs.length > 0) {
    io.log.warn({ needs }, "the listers are empty: pass objects with --with, or a cluster with --kubeconfig");
  }
  return fromObjects([], kinds, io);
}

/** Whether the kubelet has set the address of the API server. */
function isInPod(env: ListerSourceIo["env"]): boolean {
  return (env.KUBERNETES_SERVICE_HOST ?? "") !== "";
}

function fromObjects(objects: readonly JsonObject[], kinds: Kinds, { now, gates }: ListerSourceIo): Listers {
  return {
    of: offlineListers(objects, kinds, { now, gates }),
    states: () => [],
    crdsListed: Promise.resolve(),
    stop: async () => {},
  };
}

function examplesOf({ all, natives }: Kinds): readonly JsonObject[] {
  return [...all, ...natives].flatMap(({ examples }) => examples.map(({ object }) => object));
}

async function fromCluster(
  kubeconfig: string | undefined,
  kinds: Kinds,
  io: ListerSourceIo,
): Promise<Listers> {
  const connection = await connect(kubeconfig, io.env).catch((error: unknown) => {
    if (error instanceof ClusterUnreachable) throw new UsageError(error.message, { cause: error });
    throw error;
  });
  io.log.info({ server: connection.server }, "the listers watch a cluster");
  const listers = clusterListers({ ...io, connection, kinds, pause });
  return {
    ...listers,
    stop: async () => {
      await listers.stop();
      connection.close();
    },
  };
}
