import type { Certificate, RotationState } from "../../../certs/rotation.ts";
import { bundlesIn, leavesIn, readRotation } from "../../../certs/rotation-store.ts";
import { countApiServers, countEndpoints, readMetrics } from "../../cluster/api/api-servers.ts";
import { readTarget, targetName, targetState, urlIn } from "../../cluster/api/ca-bundles.ts";
import type { Connection } from "../../cluster/api/connection.ts";
import { crdStateOf } from "../../cluster/api/crd-state.ts";
import { readLease } from "../../cluster/api/lease.ts";
import { type RawReport, readRawReports } from "../../cluster/api/replica-reports.ts";
import { ApiServerError, readCrd } from "../../cluster/api/requests.ts";
import type { AuditFacts } from "../../cluster/lifecycle/audit.ts";
import { lossesBetween, readConversion } from "../../cluster/lifecycle/conversion.ts";
import { readManagers } from "../../cluster/lifecycle/managers.ts";
import { usageIn } from "../../cluster/lifecycle/usage.ts";
import { get, isObject, type Json, type JsonObject, listAt, textAt } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import { rotationNames } from "../../manifests/access.ts";
import { crdName } from "../../manifests/crd.ts";
import { installationOf } from "../../manifests/installation.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import { type BundleTarget, bundleTargets } from "../../manifests/targets.ts";
import { crdModelOf, isConverted } from "../../schema/model/crd.ts";
import type {
  Facts,
  Holder,
  Installation,
  KindFacts,
  Read,
  Replica,
  Rotation,
  TargetFacts,
  Validity,
} from "./facts.ts";

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

/** Reads everything that there is to know of CRDs and their installation; what cannot be read says why. Throws ClusterUnreachable. */
export async function readFacts(place: StatusPlace): Promise<Facts> {
  const { connection, kinds, crds, now } = place;
  const metrics = await attempt(() => readMetrics(connection));
  // Kinds of Kubernetes itself have no CRD.
  const isInstalled = crds.length === 0 || kinds.all.some((kind) => crds.includes(crdName(kind)));
  const [installation, apiServers] = await Promise.all([
    isInstalled ? readInstallation(place) : undefined,
    attempt(() => countApiServers(connection)),
  ]);
  const read: KindFacts[] = [];
  // One after another: each may list thousands of objects.
  for (const crd of crds) read.push(await readKind(crd, place, metrics));
  return {
    server: connection.server,
    now: now(),
    ...(installation === undefined ? {} : { installation }),
    apiServers,
    kinds: read,
  };
}

async function readInstallation({ connection, service, kinds, name }: StatusPlace): Promise<Installation> {
  const bundles = await Promise.all(
    bundleTargets(kinds, name).map(async (target) => ({
      target,
      state: await attempt(() => readBundles(connection, target, service, name)),
    })),
  );
  const url = bundles
    .map(({ state }) => ("value" in state && state.value.is === "ours" ? state.value.url : undefined))
    .find((each) => each !== undefined);
  const [endpoints, replicas, rotation, lease] = await Promise.all([
    url === undefined ? attempt(() => countEndpoints(connection, service)) : undefined,
    attempt(async () => (await readRawReports(connection, service)).map(replicaOf)),
    attempt(async () => rotationOf((await readRotation(connection, service, []))?.state)),
    attempt(async () =>
      holderOf(await readLease(connection, service.namespace, rotationNames(service).lease)),
    ),
  ]);
  return {
    service,
    ...(url === undefined ? {} : { url }),
    ...(endpoints === undefined ? {} : { endpoints }),
    replicas,
    rotation,
    lease,
    bundles,
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
  installation: string,
): Promise<TargetFacts> {
  const object = await readTarget(connection, target);
  if (object === undefined) return { is: "missing" };
  if (lacksConversion(target, object)) return { is: "stripped" };
  const url = installationOf(object) === installation ? urlIn(object) : undefined;
  const at = url === undefined ? service : { url };
  const state = targetState(target, object, at);
  if (!("bundles" in state))
    return { is: "left alone", reason: state.reason ?? `${targetName(target)} does not name this Service` };
  if (state.isStripped) return { is: "stripped" };
  const [bundle] = bundlesIn(target, object, at);
  const authorities = (bundle?.certificates ?? []).map(validityOf);
  return { is: "ours", authorities, ...(url === undefined ? {} : { url }) };
}

/** Also of a CRD that replicas leave alone: without a webhook the API server changes the apiVersion only. */
function lacksConversion({ kind }: BundleTarget, object: JsonObject): boolean {
  if (kind !== "CustomResourceDefinition") return false;
  const crd = crdModelOf(object);
  return crd.spec.versions.filter(({ served }) => served).length > 1 && !isConverted(crd);
}

async function readKind(
  crd: string,
  { connection, kinds, pageSize, audit }: StatusPlace,
  metrics: Read<string>,
): Promise<KindFacts> {
  const state = await attempt(async () => {
    const object = await readCrd(connection, crd);
    if (object === undefined) return undefined;
    const found = crdStateOf(crd, object);
    const { versions, served, storage, storedVersions, hasFailedMigration, group, plural } = found;
    const usage =
      "value" in metrics
        ? { value: versions.map((version) => usageIn(metrics.value, { group, plural, version })) }
        : metrics;
    const conversion = await attempt(() => readConversion(connection, found, object));
    // Where nothing converts them, objects cannot be listed, which is one problem and not two.
    const isDead = "value" in conversion && conversion.value?.fault !== undefined;
    const isUnconverted = "value" in conversion && conversion.value === undefined;
    const losses = isUnconverted ? lossesBetween(found) : [];
    const managers = isDead
      ? { value: { of: new Map(), isComplete: false } }
      : await attempt(() => readManagers(connection, found, versions, { pageSize, maxPages }));
    const state = { versions, served, storage, storedVersions, hasFailedMigration };
    return { ...state, conversion, losses, usage, managers };
  });
  const audited = audit.get(crd);
  const isDefined = kinds.all.some((kind) => crdName(kind) === crd);
  return { crd, isDefined, state, ...(audited === undefined ? {} : { audit: audited }) };
}
