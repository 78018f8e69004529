import type { Logger } from "pino";
import type { Environment } from "../src/cluster/api/access.ts";
import { bundlePart, collectionOf, targetName } from "../src/cluster/api/ca-bundles.ts";
import type { Collection } from "../src/cluster/api/collection.ts";
import type { Connection } from "../src/cluster/api/connection.ts";
import { type DeploymentEvent, recordEvent } from "../src/cluster/api/events.ts";
import { LeaseHolder } from "../src/cluster/api/lease.ts";
import { collectionOfNamed } from "../src/cluster/api/named-object.ts";
import { serverClock } from "../src/cluster/api/server-clock.ts";
import { Informer } from "../src/cluster/follow/informer.ts";
import type { JsonObject } from "../src/json/json.ts";
import type { Kinds } from "../src/kind/kind.ts";
import { NotSynced } from "../src/kind/lister.ts";
import { rotationNames } from "../src/manifests/access.ts";
import { crdName } from "../src/manifests/crd.ts";
import type { ServiceReference } from "../src/manifests/reach.ts";
import { type BundleTarget, bundleTargets } from "../src/manifests/targets.ts";
import { pause } from "../src/time.ts";
import { rotationIssuer } from "./issuer.ts";
import { ManagedSource } from "./managed.ts";
import type { Bundle, RotationSettings } from "./rotation.ts";
import { RotationLoop } from "./rotation-loop.ts";
import { bundlesIn, type RotationPlace, replicaStore, rotationStore, secretOf } from "./rotation-store.ts";
import { Rotator } from "./rotator.ts";
import { repeat } from "./source.ts";

/** The options of managed certificates. */
interface ManagedOptions {
  /** The Service that the CRDs and webhook configurations name. */
  readonly service: ServiceReference;
  /** The name of the webhook configurations. */
  readonly name: string;
  /** The name of this replica, different from those of the others. */
  readonly replica: string;
  /** The names for which the certificate is valid. */
  readonly hosts: readonly string[];
  readonly settings: RotationSettings;
}

/** The clock, log, source of randomness and environment of managed certificates. */
export interface ManagedIo {
  readonly log: Logger;
  readonly now: () => Date;
  readonly random: () => number;
  readonly env: Environment;
}

/** A certificate that the replicas share, and what rotates it. */
export interface ManagedCertificates {
  readonly source: ManagedSource;
  /** Stops, gives the Lease up, and withdraws the report of this replica. */
  readonly stop: () => Promise<void>;
}

/** Starts to take part in the rotation; the certificate comes later. */
export async function managedCertificates(
  options: ManagedOptions,
  kinds: Kinds,
  direct: Connection,
  io: ManagedIo,
): Promise<ManagedCertificates> {
  const { settings } = options;
  const clock = () => performance.now();
  const { connection, now } = serverClock(direct, clock, io.now);
  const targets = bundleTargets(kinds, options.name);
  const served = Object.fromEntries(
    kinds.all.map((kind) => [crdName(kind), kind.versions.map(({ name }) => name)]),
  );
  const place: RotationPlace = { ...options, connection, targets, now, served };
  const watched = watchObjects(place, io);
  const replica = replicaStore(place, watched.bundles);
  const source = new ManagedSource(replica);
  const rotator = new Rotator(rotationStore(place), rotationIssuer(options.hosts, settings), settings, clock);
  const lease = new LeaseHolder({ ...leaseOf(options), connection, clock, now });
  const record = (event: DeploymentEvent) => recordEvent(place, event);
  const loop = new RotationLoop({ rotator, lease, settings, log: io.log, record, clock });
  watched.start(() => {
    source.refresh();
    loop.wake();
  });
  loop.start();
  await source.start(repeat, settings.propagationDelay / 3);
  return {
    source,
    stop: async () => {
      source.stop();
      const failed = (error: unknown) => io.log.warn({ err: error }, "the report of this replica stays");
      const orderly = Promise.all([loop.stop(), watched.stop(), replica.withdraw().catch(failed)]);
      // Without an API server there is nothing to give up: the Lease and the report expire.
      await Promise.race([orderly, pause(patience, new AbortController().signal)]);
      direct.close();
    },
  };
}

/** Milliseconds for the last requests of a process. */
const patience = 3_000;

function leaseOf({ service, replica }: ManagedOptions) {
  return { namespace: service.namespace, name: rotationNames(service).lease, identity: replica };
}

/** Follows the bundles, and that the Secret changes. */
function watchObjects(place: RotationPlace, io: ManagedIo) {
  const { connection, targets, service } = place;
  const informerOf = (name: string, collection: Collection, keep: (object: JsonObject) => JsonObject) =>
    new Informer({ ...io, connection, pause, name, locate: async () => collection, keep });
  const objects = targets.map((target) => ({
    target,
    informer: informerOf(targetName(target), collectionOf(target), bundlePart),
  }));
  const secret = secretOf(service);
  // Without its data: the state is read anew when it has changed.
  const state = informerOf(
    `Secret ${secret.name}`,
    collectionOfNamed(secret),
    ({ data: _, ...rest }) => rest,
  );
  const informers = [state, ...objects.map(({ informer }) => informer)];
  const memo = new BundleMemo(service);
  return {
    /** Undefined until all are listed. */
    bundles: (): readonly Bundle[] | undefined => {
      try {
        return objects.flatMap(({ target, informer }) =>
          informer.list("").flatMap((object) => memo.of(target, object)),
        );
      } catch (error) {
        if (error instanceof NotSynced) return undefined;
        throw error;
      }
    },
    start: (changed: () => void) => {
      for (const informer of informers) {
        informer.onChange(changed);
        informer.start();
      }
    },
    stop: () => Promise.all(informers.map((informer) => informer.stop())),
  };
}

/** The bundles of objects, which are asked for with every health check, and parsed once. */
class BundleMemo {
  readonly #service: ServiceReference;
  readonly #known = new WeakMap<JsonObject, readonly Bundle[]>();

  constructor(service: ServiceReference) {
    this.#service = service;
  }

  of(target: BundleTarget, object: JsonObject): readonly Bundle[] {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const bundles = bundlesIn(target, object, this.#service);
    this.#known.set(object, bundles);
    return bundles;
  }
}
