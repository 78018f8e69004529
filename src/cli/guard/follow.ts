import { collectionOf } from "../../cluster/api/ca-bundles.ts";
import { ClusterUnreachable, type Connection, connect } from "../../cluster/api/connection.ts";
import { ApiServerError } from "../../cluster/api/requests.ts";
import { Informer } from "../../cluster/follow/informer.ts";
import type { KindsInForce } from "../../cluster/follow/kinds-in-force.ts";
import {
  conversionManagers,
  guardedAnnotation,
  placeOf,
  takeBack,
  takeoverOf,
} from "../../cluster/lifecycle/takeover.ts";
import { UsageError } from "../../errors.ts";
import { hasSeveralVersions } from "../../guard/guarded-kind.ts";
import { equal } from "../../json/equal.ts";
import { get, type JsonObject, textAt } from "../../json/json.ts";
import type { Kind } from "../../kind/kind.ts";
import { pause } from "../../time.ts";
import { crdNamed, crdNames } from "../crd-names.ts";
import type { ServeIo } from "../serve/run.ts";

/** How CRDs of a cluster are followed. */
interface FollowOptions {
  readonly kubeconfig?: string;
  /** Whether a conversion that another manager puts back is taken over again. */
  readonly defend: boolean;
}

/** The CRDs of a cluster that a guard serves. */
interface FollowedCrds {
  /** As they were when the service started. */
  readonly crds: readonly JsonObject[];
  /** The names of those whose conversion another manager has put back, and of the others. */
  readonly places: () => readonly { readonly crd: string; readonly isPutBack: boolean }[];
  /** Makes a kind of a CRD, and replaces the present one, each time that a CRD changes. */
  readonly follow: (
    kindOf: (crd: JsonObject) => Kind,
    kinds: KindsInForce,
    authority: () => string | undefined,
  ) => void;
  readonly stop: () => Promise<void>;
}

/** Reads the named CRDs. Throws UsageError if one is missing or cannot be guarded. */
export async function followedCrds(
  words: readonly string[],
  options: FollowOptions,
  io: ServeIo,
): Promise<FollowedCrds> {
  const connection = await connect(options.kubeconfig, io.env).catch(asUsage);
  try {
    const names = await crdNames(words, [], connection).catch(asUsage);
    const crds = await Promise.all(names.map((name) => convertedCrd(name, connection).catch(asUsage)));
    return new Following(crds, connection, options, io);
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function convertedCrd(name: string, connection: Connection): Promise<JsonObject> {
  const crd = await crdNamed(name, connection);
  if (!hasSeveralVersions(crd))
    throw new UsageError(`${name}: has one version, so there is nothing to convert`);
  return crd;
}

function asUsage(error: unknown): never {
  if (error instanceof ClusterUnreachable || error instanceof ApiServerError)
    throw new UsageError(error.message, { cause: error });
  throw error;
}

class Following implements FollowedCrds {
  readonly crds: readonly JsonObject[];
  readonly #connection: Connection;
  readonly #options: FollowOptions;
  readonly #io: ServeIo;
  readonly #informers: Informer[] = [];
  readonly #present = new Map<string, JsonObject>();
  readonly #defended = new Set<string>();
  readonly #stopping = new AbortController();

  constructor(crds: readonly JsonObject[], connection: Connection, options: FollowOptions, io: ServeIo) {
    this.crds = crds;
    this.#connection = connection;
    this.#options = options;
    this.#io = io;
    for (const crd of crds) this.#present.set(nameOf(crd), crd);
  }

  readonly places = () =>
    [...this.#present].map(([crd, object]) => ({ crd, isPutBack: placeOf(object) === "put back" }));

  readonly follow: FollowedCrds["follow"] = (kindOf, kinds, authority) => {
    for (const name of this.#present.keys()) {
      const informer = new Informer({
        ...this.#io,
        name: `CustomResourceDefinition.apiextensions.k8s.io/${name}`,
        connection: this.#connection,
        locate: async () => collectionOf({ kind: "CustomResourceDefinition", name }),
        keep: (object) => object,
        pause,
      });
      informer.onChange(({ after }) => {
        if (after === undefined) this.#io.log.warn({ crd: name }, "the CRD is gone");
        else this.#see(name, after, kindOf, kinds, authority);
      });
      informer.start();
      this.#informers.push(informer);
    }
  };

  readonly stop = async () => {
    this.#stopping.abort();
    await Promise.all(this.#informers.map((informer) => informer.stop()));
    this.#connection.close();
  };

  #see(
    name: string,
    crd: JsonObject,
    kindOf: (crd: JsonObject) => Kind,
    kinds: KindsInForce,
    authority: () => string | undefined,
  ): void {
    const { log } = this.#io;
    const before = this.#present.get(name) ?? {};
    this.#present.set(name, crd);
    const place = placeOf(crd);
    const hasChanged = [["spec"], ["metadata", "annotations", guardedAnnotation]].some(
      (path) => !equal(get(before, ...path), get(crd, ...path)),
    );
    if (hasChanged) {
      try {
        kinds.replace(kindOf(crd));
        log.info({ crd: name, conversion: place }, "the CRD has changed");
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        log.error(
          { crd: name, reason: error.message },
          "the CRD cannot be guarded as it is now; the one before counts",
        );
      }
    }
    if (place !== "put back") return;
    const managers = conversionManagers(crd);
    if (hasChanged || placeOf(before) !== place)
      log.warn(
        { crd: name, managers },
        "another manager has put spec.conversion back: the guard converts nothing",
      );
    if (this.#options.defend) void this.#defend(name, authority);
  }

  /** Takes over again, until that lasts. */
  async #defend(name: string, authority: () => string | undefined): Promise<void> {
    if (this.#defended.has(name)) return;
    this.#defended.add(name);
    const { log } = this.#io;
    while (!this.#stopping.signal.aborted) {
      try {
        const crd = await convertedCrd(name, this.#connection);
        const takeover = takeoverOf(crd);
        if (takeover === undefined || placeOf(crd) !== "put back") break;
        const taken = await takeBack(this.#connection, crd, takeover, authority());
        if (taken === "written") log.warn({ crd: name }, "spec.conversion is taken over again");
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        log.error({ crd: name, reason: error.message }, "spec.conversion cannot be taken over again");
      }
      // A manager that writes all the time must not be answered all the time.
      await pause(patience, this.#stopping.signal);
    }
    this.#defended.delete(name);
  }
}

function nameOf(crd: JsonObject): string {
  return textAt(crd, "metadata", "name");
}

/** Milliseconds from one defence of a CRD to the next. */
const patience = 10_000;
