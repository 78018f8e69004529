import type { Logger } from "pino";
import { connect, NoCluster } from "../cluster/connection.ts";
import type { InformerState } from "../cluster/informer.ts";
import { clusterListers } from "../cluster/listers.ts";
import { offlineListers } from "../cluster/offline.ts";
import type { JsonObject } from "../json/json.ts";
import type { Kinds } from "../kind.ts";
import type { Lister, ListerNeed } from "../lister.ts";
import { kindName } from "../resource.ts";
import { pause } from "../server/life.ts";
import { UsageError } from "./errors.ts";
import { type InputIo, readInput } from "./input.ts";

/** Where objects for the listers come from. */
export interface ListedOptions {
  /** Files and folders. */
  readonly with?: readonly string[];
  /** A kubeconfig, for objects of a cluster. */
  readonly kubeconfig?: string;
  /** Whether the service is tried out on this machine: then the kinds' own examples are listed. */
  readonly isTrial: boolean;
}

/** What listing needs of the process. */
export interface ListedIo extends InputIo {
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: Logger;
  /** Feature gates that were given. */
  readonly gates: ReadonlyMap<string, boolean>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The listers that a service answers with. */
export interface Listers {
  readonly of: (need: ListerNeed) => Lister;
  /** Of each that follows a cluster. */
  readonly states: () => readonly InformerState[];
  readonly stop: () => Promise<void>;
}

/** Listers over files, or over a cluster: the one of a kubeconfig that is given, or the one that we run in. */
export async function listersFor(options: ListedOptions, kinds: Kinds, io: ListedIo): Promise<Listers> {
  if (options.with !== undefined && options.kubeconfig !== undefined) {
    throw new UsageError("--with and --kubeconfig are both given; objects come from files or from a cluster");
  }
  if (options.with !== undefined) {
    return fixed(
      (await readInput(options.with, io)).map(({ value }) => value),
      kinds,
      io,
    );
  }
  if (options.kubeconfig !== undefined || isInPod(io.env)) return following(options.kubeconfig, kinds, io);
  // Examples are for trying things out: in front of a real cluster nobody's write may be judged by them.
  if (options.isTrial) return fixed(examplesOf(kinds), kinds, io);
  const needs = [...kinds.all, ...kinds.natives].flatMap(({ definition }) =>
    Object.values(definition.needs ?? {}).map((need) => kindName(need.group, need.kind)),
  );
  if (needs.length > 0) {
    io.log.warn({ needs }, "nothing is listed: give objects by --with, or a cluster by --kubeconfig");
  }
  return fixed([], kinds, io);
}

/** Where a kubelet tells a container of its API server. */
function isInPod(env: ListedIo["env"]): boolean {
  return (env.KUBERNETES_SERVICE_HOST ?? "") !== "";
}

function fixed(objects: readonly JsonObject[], kinds: Kinds, { now, gates }: ListedIo): Listers {
  return { of: offlineListers(objects, kinds, { now, gates }), states: () => [], stop: async () => {} };
}

function examplesOf({ all, natives }: Kinds): readonly JsonObject[] {
  return [...all, ...natives].flatMap(({ examples }) => examples.map(({ object }) => object));
}

async function following(kubeconfig: string | undefined, kinds: Kinds, io: ListedIo): Promise<Listers> {
  const connection = await connect(kubeconfig).catch((error: unknown) => {
    if (error instanceof NoCluster) throw new UsageError(error.message, { cause: error });
    throw error;
  });
  io.log.info({ server: connection.server }, "objects for the listers come from a cluster");
  const listers = clusterListers({ ...io, connection, kinds, pause });
  return {
    ...listers,
    stop: async () => {
      await listers.stop();
      connection.close();
    },
  };
}
