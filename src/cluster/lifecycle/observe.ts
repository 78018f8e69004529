import { jsonIn } from "../../json/exact.ts";
import { get, type Json, type JsonObject, listAt } from "../../json/json.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { BundleTarget } from "../../manifests/targets.ts";
import { countApiServers, readMetrics } from "../api/api-servers.ts";
import { leaveAlone, listTargets, readTarget } from "../api/ca-bundles.ts";
import type { Connection } from "../api/connection.ts";
import { type CrdState, crdStateOf } from "../api/crd-state.ts";
import { readRawReports } from "../api/replica-reports.ts";
import type { AuditFacts } from "./audit.ts";
import { addressOf, lossesBetween, readConversion } from "./conversion.ts";
import { readManagers } from "./managers.ts";
import { type EvolutionState, type Goal, type Leaving, leavingOf } from "./next.ts";
import { usageIn } from "./usage.ts";

/** A kind in a cluster, and the project that defines it. */
export interface EvolvedKind {
  readonly connection: Connection;
  /** The name of its CRD. */
  readonly crd: string;
  /** The entries of its versions in `spec.versions`, as the project's folder has them; none if no folder defines the kind. */
  readonly entries: readonly JsonObject[];
  /** The name of the webhook configurations. */
  readonly installation: string;
  /** The Service of the replicas, which names the object with their reports. */
  readonly service: ServiceReference;
  /** The clock of the API server, in milliseconds since 1970. */
  readonly now: () => number;
  /** Objects per page of a list. */
  readonly pageSize: number;
  /** Whether the operator knows that the conversion webhook answers no call. */
  readonly isWebhookGone: boolean;
  /** What audit logs say of the kind. */
  readonly audit?: AuditFacts;
}

/** The facts, and the CRD that they were read from. */
export interface Observation {
  readonly state: EvolutionState;
  readonly object: JsonObject;
  readonly crd: CrdState;
}

/** Reads the facts that decide the next step towards a goal; undefined without the CRD. Throws ApiServerError. */
export async function observe(kind: EvolvedKind, goal: Goal): Promise<Observation | undefined> {
  const object = await readTarget(kind.connection, { kind: "CustomResourceDefinition", name: kind.crd });
  if (object === undefined) return undefined;
  const crd = crdStateOf(kind.crd, object);
  const [replicas, webhooks, converted] = await Promise.all([
    readReplicas(kind),
    goal.goal === "uninstall" ? readWebhooks(kind, object, crd) : [],
    readConversion(kind.connection, crd, object),
  ]);
  const conversion =
    kind.isWebhookGone && converted !== undefined
      ? { fault: "it is assumed to be gone", ...converted }
      : converted;
  const changedAt = lastChange(object);
  const state = {
    crd: kind.crd,
    versions: crd.versions,
    served: crd.served,
    storage: crd.storage,
    storedVersions: crd.storedVersions,
    hasFailedMigration: crd.hasFailedMigration,
    ...(conversion === undefined ? {} : { conversion }),
    losses: lossesBetween(crd),
    isForeign: kind.entries.length === 0 && conversion?.at !== serviceAddress(kind),
    isLeftAlone: get(object, "metadata", "annotations", leaveAlone) === "false",
    webhooks: webhooks.map(({ webhook }) => webhook),
    defined: kind.entries.map((entry) => String(get(entry, "name"))),
    replicas,
    now: kind.now(),
    ...(changedAt === undefined ? {} : { changedAt }),
  };
  const version = leavingOf(goal, state);
  // Objects cannot be listed where nothing converts them.
  if (version === undefined || version === crd.storage || conversion?.fault !== undefined)
    return { state, object, crd };
  return { state: { ...state, leaving: await readLeaving(kind, object, crd, version) }, object, crd };
}

/** The annotation of a CRD that notes since when a version was not used. */
export function usageAnnotation(version: string): string {
  return `antechamber.dev/unused-${version}`;
}

function serviceAddress({ service: { namespace, name } }: EvolvedKind): string | undefined {
  return addressOf({ service: { namespace, name } });
}

/** A webhook of a kind, and the configuration that it is in. */
interface FoundWebhook {
  readonly webhook: string;
  readonly target: BundleTarget;
  readonly object: JsonObject;
}

/**
 * The admission webhooks that are about nothing but this kind: those of the installation, and those that are called where the CRD
 * is converted. Throws ApiServerError.
 */
export async function readWebhooks(
  kind: EvolvedKind,
  object: JsonObject,
  { group, plural }: CrdState,
): Promise<readonly FoundWebhook[]> {
  const at = addressOf(get(object, "spec", "conversion", "webhook", "clientConfig"));
  const isOfKind = (webhook: Json) => {
    const rules = listAt(webhook, "rules");
    const groups = rules.flatMap((rule) => listAt(rule, "apiGroups"));
    const resources = rules.flatMap((rule) => listAt(rule, "resources"));
    return (
      rules.length > 0 &&
      groups.every((each) => each === group) &&
      resources.every((each) => String(each).split("/")[0] === plural)
    );
  };
  const found = await Promise.all(
    (["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] as const).map((each) =>
      listTargets(kind.connection, each),
    ),
  );
  return found.flat().flatMap(({ target, object: configuration }) => {
    const isOurs = kind.entries.length > 0 && target.name === kind.installation;
    return listAt(configuration, "webhooks")
      .filter(isOfKind)
      .filter((each) => isOurs || (at !== undefined && addressOf(get(each, "clientConfig")) === at))
      .map((each) => ({ webhook: String(get(each, "name")), target, object: configuration }));
  });
}

async function readReplicas({ connection, service, crd }: EvolvedKind): Promise<EvolutionState["replicas"]> {
  const reports = await readRawReports(connection, service);
  return reports.map(({ replica: name, report }) => {
    const kinds = get(report, "kinds");
    if (kinds === undefined) return { name };
    return { name, versions: listAt(kinds, crd).map(String) };
  });
}

/** A time in managedFields has whole seconds, so the change was up to a second later. */
function lastChange(object: JsonObject): number | undefined {
  const times = listAt(object, "metadata", "managedFields")
    .filter((entry) => get(entry, "subresource") === undefined)
    .map((entry) => Date.parse(String(get(entry, "time"))))
    .filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times) + 1_000;
}

async function readLeaving(
  kind: EvolvedKind,
  object: JsonObject,
  crd: CrdState,
  version: string,
): Promise<Leaving> {
  const { connection, pageSize } = kind;
  const { group, plural } = crd;
  const [metrics, apiServers, { of }] = await Promise.all([
    readMetrics(connection),
    countApiServers(connection),
    readManagers(connection, crd, [version], { pageSize }),
  ]);
  const usage = usageIn(metrics, { group, plural, version });
  const { objects: managed = 0, managers = [] } = of.get(version) ?? {};
  const recorded = recordedIn(get(object, "metadata", "annotations", usageAnnotation(version)));
  const known = { version, usage, apiServers, managed, managers };
  return {
    ...known,
    ...(recorded === undefined ? {} : { recorded }),
    ...(kind.audit === undefined ? {} : { audit: kind.audit }),
  };
}

function recordedIn(annotation: Json | undefined): Leaving["recorded"] {
  const value = typeof annotation === "string" ? jsonIn(annotation) : undefined;
  const [start, requests, since] = ["start", "requests", "since"].map((key) => get(value, key));
  if (typeof start !== "string" || typeof requests !== "number" || typeof since !== "number")
    return undefined;
  return { usage: { start, requests, watches: 0 }, since };
}
