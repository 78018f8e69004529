import {
  applyBundle,
  type CalledAt,
  readTarget,
  type TargetState,
  targetName,
  targetState,
} from "../src/cluster/api/ca-bundles.ts";
import type { Connection } from "../src/cluster/api/connection.ts";
import { applyNamed, type NamedObject, patchNamed, readNamed } from "../src/cluster/api/named-object.ts";
import { messageOf } from "../src/errors.ts";
import { jsonIn } from "../src/json/exact.ts";
import { get, isArray, type Json, type JsonObject, objectAt, textAt } from "../src/json/json.ts";
import { rotationNames } from "../src/manifests/access.ts";
import type { ServiceReference } from "../src/manifests/reach.ts";
import type { BundleTarget } from "../src/manifests/targets.ts";
import { factsOf } from "./keypair.ts";
import type { ReplicaStore } from "./managed.ts";
import type { Bundle, Certificate, Report, ReportedLeaf, RotationState } from "./rotation.ts";
import { certificatesIn, entriesOf, secretKeys, stateIn } from "./rotation-secret.ts";
import type { ReadBundle, RotationStore, VersionedState } from "./rotator.ts";

/** Where a rotation is kept in a cluster, and by which replica it is read and written. */
export interface RotationPlace {
  readonly connection: Connection;
  readonly service: ServiceReference;
  readonly targets: readonly BundleTarget[];
  /** The names for which the certificate is valid. */
  readonly hosts: readonly string[];
  /** The name of this replica, different from those of the others. */
  readonly replica: string;
  /** The time of the API server. */
  readonly now: () => number;
  /** The versions that this replica serves, by the name of a CRD: `antechamber evolve` reads them. */
  readonly served: Readonly<Record<string, readonly string[]>>;
}

/** The Secret that holds the state. */
export function secretOf(service: ServiceReference): NamedObject {
  return { kind: "Secret", namespace: service.namespace, name: rotationNames(service).secret };
}

/** The state and the bundles of a rotation as objects of a cluster. */
export function rotationStore(place: RotationPlace): RotationStore {
  const { connection, targets, replica, service, now } = place;
  const secret = secretOf(service);
  const faults = new WriteFaults(now);
  return {
    now,
    readBundles: async () =>
      (await Promise.all(targets.map((target) => readBundle(place, target, faults)))).flat(),
    readState: () => readState(place),
    readReports: () => readReports(place),
    createState: (state) =>
      applyNamed(connection, secret, `antechamber-${replica}`, { type: "Opaque", data: dataOf(state) }),
    replaceState: (state, version) => {
      const none = Object.fromEntries(secretKeys.map((key) => [key, null]));
      return patchNamed(connection, secret, version, { data: { ...none, ...dataOf(state) } });
    },
  };
}

/** What a replica needs of it; `bundles` are those that its informers have. */
export function replicaStore(
  place: RotationPlace,
  bundles: ReplicaStore["bundles"],
): ReplicaStore & { readonly withdraw: () => Promise<void> } {
  const { now, served: kinds } = place;
  let isReported = false;
  let isWithdrawn = false;
  // One after the other: a report that overtook its withdrawal would stay.
  let last: Promise<void> = Promise.resolve();
  const applyNext = (text: string | undefined) => {
    const write = () => applyReport(place, text);
    last = last.then(write, write);
    return last;
  };
  return {
    now,
    bundles,
    readState: async () => (await readState(place))?.state,
    report: async (leaves, served, fault) => {
      if (isWithdrawn || (leaves.length === 0 && !isReported)) return;
      isReported = true;
      const serial = served === undefined ? "" : factsOf(served.pem).serial;
      const wrong = fault === undefined ? {} : { fault: fault.slice(0, 500) };
      await applyNext(JSON.stringify({ serial, leaves, kinds, ...wrong }));
    },
    /** Removes the report of a replica that ends. */
    withdraw: async () => {
      isWithdrawn = true;
      if (isReported) await applyNext(undefined);
    },
  };
}

/** What an object says of its bundles, in terms of certificates; empty if they are not ours. */
export function bundlesIn(target: BundleTarget, object: JsonObject, service: CalledAt): readonly Bundle[] {
  const state = targetState(target, object, service);
  return "bundles" in state ? [bundleOf(target, state)] : [];
}

function bundleOf(target: BundleTarget, { bundles, isStripped }: TargetState): Bundle {
  const [first = [], ...others] = bundles.map(certificatesIn);
  const isCommon = ({ id }: Certificate) => others.every((each) => each.some((other) => other.id === id));
  const certificates = first.filter(isCommon);
  const text = textOf(certificates);
  const isClean = !isStripped && bundles.every((each) => each === text);
  return { target: targetName(target), certificates, isClean };
}

/** A target that does not exist, or is not ours, has no bundle. */
async function readBundle(
  place: RotationPlace,
  target: BundleTarget,
  faults: WriteFaults,
): Promise<readonly ReadBundle[]> {
  const { connection, service } = place;
  try {
    const object = await readTarget(connection, target);
    if (object === undefined) return [];
    return bundlesIn(target, object, service).map((bundle) => ({
      ...bundle,
      ...faults.of(target),
      write: async (certificates) => {
        const fault = await faultOf(() =>
          applyBundle(connection, target, object, textOf(certificates), service),
        );
        faults.set(target, fault);
        return fault;
      },
    }));
  } catch (error) {
    // One target that may not be read does not keep the others from being written.
    const fault = messageOf(error);
    return [
      { target: targetName(target), certificates: [], isClean: false, fault, write: async () => fault },
    ];
  }
}

/** A write that failed is repeated after a while, and the others go on meanwhile. */
class WriteFaults {
  readonly #now: () => number;
  readonly #faults = new Map<string, { readonly fault: string; readonly at: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  of(target: BundleTarget): { readonly fault?: string } {
    const known = this.#faults.get(targetName(target));
    return known === undefined || Math.abs(this.#now() - known.at) > patience ? {} : { fault: known.fault };
  }

  set(target: BundleTarget, fault: string | undefined): void {
    const name = targetName(target);
    if (fault === undefined) this.#faults.delete(name);
    else this.#faults.set(name, { fault, at: this.#now() });
  }
}

/** Milliseconds. */
const patience = 5_000;

function readState({ connection, service, hosts }: RotationPlace): Promise<VersionedState | undefined> {
  return readRotation(connection, service, hosts);
}

/** Reads the state of a rotation; undefined without the Secret. Throws ApiServerError. */
export async function readRotation(
  connection: Connection,
  service: ServiceReference,
  hosts: readonly string[],
): Promise<VersionedState | undefined> {
  const object = await readNamed(connection, secretOf(service));
  if (object === undefined) return undefined;
  const entries = Object.entries(objectAt(object, "data")).map(([key, value]) => [
    key,
    typeof value === "string" ? Buffer.from(value, "base64").toString() : "",
  ]);
  const version = textAt(object, "metadata", "resourceVersion");
  return { state: stateIn(Object.fromEntries(entries), hosts), version };
}

function dataOf(state: RotationState): JsonObject {
  const entries = Object.entries(entriesOf(state));
  return Object.fromEntries(entries.map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
}

function reportsOf(service: ServiceReference): NamedObject {
  return { kind: "ConfigMap", namespace: service.namespace, name: rotationNames(service).reports };
}

/** Every replica applies its own key, as a field manager of its own. */
async function applyReport(
  { connection, service, replica }: RotationPlace,
  report: string | undefined,
): Promise<void> {
  const data = report === undefined ? {} : { [replica]: report };
  await applyNamed(connection, reportsOf(service), `antechamber-${replica}`, { data }, "force");
}

/** The CAs and validity in a report; undefined if it is damaged. */
export function leavesIn(report: Json | undefined): readonly ReportedLeaf[] | undefined {
  const leaves = get(report, "leaves");
  return isArray(leaves) ? leaves.flatMap(leafIn) : undefined;
}

async function readReports({ connection, service, now }: RotationPlace): Promise<readonly Report[]> {
  const object = await readNamed(connection, reportsOf(service));
  const reports = Object.entries(objectAt(object, "data")).flatMap(([replica, text]) => {
    const leaves = leavesIn(typeof text === "string" ? jsonIn(text) : undefined);
    // A damaged report is applied anew by its replica, within the propagation delay.
    return leaves === undefined ? [] : [{ replica, leaves }];
  });
  const version = get(object, "metadata", "resourceVersion");
  const gone = reports.filter((report) => isForgotten(report, now()));
  if (gone.length > 0 && typeof version === "string") {
    const none = Object.fromEntries(gone.map(({ replica }) => [replica, null]));
    await patchNamed(connection, reportsOf(service), version, { data: none });
  }
  return reports.filter((report) => !gone.includes(report));
}

/** Of a replica that ended without a word, long ago. */
function isForgotten({ leaves }: Report, now: number): boolean {
  return leaves.every(({ notAfter }) => notAfter < now - hour);
}

const hour = 60 * 60 * 1000;

function leafIn(leaf: Json): readonly ReportedLeaf[] {
  const [issuer, notBefore, notAfter] = ["issuer", "notBefore", "notAfter"].map((key) => get(leaf, key));
  const isLeaf = typeof issuer === "string" && typeof notBefore === "number" && typeof notAfter === "number";
  return isLeaf ? [{ issuer, notBefore, notAfter }] : [];
}

function textOf(certificates: readonly Certificate[]): string {
  return certificates.map(({ pem }) => pem).join("");
}

async function faultOf(write: () => Promise<boolean>): Promise<string | undefined> {
  try {
    // A write that came too late is decided anew in the next round.
    await write();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
