import type { Certificate, RotationState } from "../../../certs/rotation.ts";
import { bundlesIn, leavesIn, readRotation } from "../../../certs/rotation-store.ts";
import { countApiServers, countEndpoints, readMetrics } from "../../cluster/api/api-servers.ts";
import { readTarget, targetName, targetState } from "../../cluster/api/ca-bundles.ts";
import type { Connection } from "../../cluster/api/connection.ts";
import { crdStateOf, readCrdState } from "../../cluster/api/crd-state.ts";
import { readLease } from "../../cluster/api/lease.ts";
import { type RawReport, readRawReports } from "../../cluster/api/replica-reports.ts";
import { ApiServerError } from "../../cluster/api/requests.ts";
import type { AuditFacts } from "../../cluster/lifecycle/audit.ts";
import { readManagers } from "../../cluster/lifecycle/managers.ts";
import { usageIn } from "../../cluster/lifecycle/usage.ts";
import { get, isObject, type Json, type JsonObject, listAt, textAt } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import { rotationNames } from "../../manifests/access.ts";
import { crdName } from "../../manifests/crd.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import { type BundleTarget, bundleTargets } from "../../manifests/targets.ts";
import type { Facts, Holder, KindFacts, Read, Replica, Rotation, TargetFacts, Validity } from "./facts.ts";

/** What is read, and how much of it. */
interface StatusPlace {
  readonly connection: Connection;
  readonly service: ServiceReference;
  /** The name of the webhook configurations. */
  readonly name: string;
  /** The kinds of the project, and the names of those CRDs whose versions are shown. */
  readonly kinds: Kinds;
  readonly crds: readonly string[];
  /** The clock of the API server. */
  readonly now: () => number;
  readonly pageSize: number;
  /** What audit logs say, by the names of CRDs. */
  readonly audit: ReadonlyMap<string, AuditFacts>;
}

/** The pages of objects whose managers are read, for each kind. */
const maxPages = 10;

/** Reads everything that there is to know of an installation; what cannot be read says why. Throws ClusterUnreachable. */
export async function readFacts(place: StatusPlace): Promise<Facts> {
  const { connection, service, kinds, name, crds, now } = place;
  const metrics = await attempt(() => readMetrics(connection));
  const [endpoints, replicas, rotation, lease, apiServers] = await Promise.all([
    attempt(() => countEndpoints(connection, service)),
    attempt(async () => (await readRawReports(connection, service)).map(replicaOf)),
    attempt(async () => rotationOf((await readRotation(connection, service, []))?.state)),
    attempt(async () =>
      holderOf(await readLease(connection, service.namespace, rotationNames(service).lease)),
    ),
    attempt(() => countApiServers(connection)),
  ]);
  const bundles = await Promise.all(
    bundleTargets(kinds, name).map(async (target) => ({
      target,
      state: await attempt(() => readBundles(connection, target, service)),
    })),
  );
  const shown = kinds.all.map((kind) => crdName(kind)).filter((crd) => crds.includes(crd));
  const read: KindFacts[] = [];
  // One after another: each may list thousands of objects.
  for (const crd of shown) read.push(await readKind(crd, place, metrics));
  return {
    server: connection.server,
    service,
    now: now(),
    endpoints,
    replicas,
    rotation,
    lease,
    bundles,
    apiServers,
    kinds: read,
  };
}

async function attempt<Value>(read: () => Promise<Value>): Promise<Read<Value>> {
  try {
    return { value: await read() };
  } catch (error) {
    if (error instanceof ApiServerError) return { unreadable: error.message };
    throw error;
  }
}

function replicaOf({ replica: name, report }: RawReport): Replica {
  const [fault, kinds] = ["fault", "kinds"].map((key) => get(report, key));
  return {
    name,
    serial: textAt(report, "serial"),
    leaves: leavesIn(report),
    ...(typeof fault === "string" ? { fault } : {}),
    versions: isObject(kinds)
      ? Object.fromEntries(Object.keys(kinds).map((crd) => [crd, listAt(kinds, crd).map(String)]))
      : undefined,
  };
}

function rotationOf(state: RotationState | undefined): Rotation | undefined {
  if (state === undefined) return undefined;
  const { phase, authority, next, leaf } = state;
  return {
    phase,
    ...(authority === undefined ? {} : { authority: validityOf(authority) }),
    ...(next === undefined ? {} : { next: validityOf(next) }),
    ...(leaf === undefined ? {} : { leaf: validityOf(leaf) }),
  };
}

/** Without the key. */
function validityOf({ id, notBefore, notAfter }: Certificate): Validity {
  return { id, notBefore, notAfter };
}

function holderOf(lease: Json | undefined): Holder | undefined {
  if (lease === undefined) return undefined;
  const renewed = Date.parse(textAt(lease, "spec", "renewTime"));
  return {
    name: textAt(lease, "spec", "holderIdentity"),
    renewed: Number.isNaN(renewed) ? undefined : renewed,
  };
}

async function readBundles(
  connection: Connection,
  target: BundleTarget,
  service: ServiceReference,
): Promise<TargetFacts> {
  const object = await readTarget(connection, target);
  if (object === undefined) return { is: "missing" };
  if (lacksConversion(target, object)) return { is: "stripped" };
  const state = targetState(target, object, service);
  if (!("bundles" in state))
    return { is: "left alone", reason: state.reason ?? `${targetName(target)} does not name this Service` };
  if (state.isStripped) return { is: "stripped" };
  const [bundle] = bundlesIn(target, object, service);
  return { is: "ours", authorities: (bundle?.certificates ?? []).map(validityOf) };
}

/** Also of a CRD that replicas leave alone: without a webhook the API server changes the apiVersion only. */
function lacksConversion({ kind }: BundleTarget, object: JsonObject): boolean {
  if (kind !== "CustomResourceDefinition") return false;
  const { served } = crdStateOf("", object);
  return served.length > 1 && get(object, "spec", "conversion", "strategy") !== "Webhook";
}

async function readKind(
  crd: string,
  { connection, pageSize, audit }: StatusPlace,
  metrics: Read<string>,
): Promise<KindFacts> {
  const state = await attempt(async () => {
    const found = await readCrdState(connection, crd);
    if (found === undefined) return undefined;
    const { versions, served, storage, storedVersions, hasFailedMigration, group, plural } = found;
    const usage =
      "value" in metrics
        ? { value: versions.map((version) => usageIn(metrics.value, { group, plural, version })) }
        : metrics;
    const managers = await attempt(() => readManagers(connection, found, versions, { pageSize, maxPages }));
    return { versions, served, storage, storedVersions, hasFailedMigration, usage, managers };
  });
  const audited = audit.get(crd);
  return { crd, state, ...(audited === undefined ? {} : { audit: audited }) };
}
