import { parseJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../json/json.ts";
import { rotationNames } from "../../manifests/access.ts";
import { webhookNames } from "../../manifests/installation.ts";
import type { ServiceReference } from "../../manifests/reach.ts";
import type { BundleTarget } from "../../manifests/targets.ts";
import { readTarget } from "../ca-bundles.ts";
import type { Connection } from "../connection.ts";
import { ApiServerError, type CrdState, crdStateOf, sentenceOf } from "../crd-state.ts";
import { metadataPages } from "../metadata-pages.ts";
import { readNamed } from "../named-object.ts";
import { type EvolutionState, type Goal, type Leaving, leavingOf } from "./next.ts";
import { type Usage, usageIn } from "./usage.ts";

/** A kind in a cluster, and the project that defines it. */
export interface EvolvedKind {
  readonly connection: Connection;
  /** The name of its CRD. */
  readonly crd: string;
  /** The entries of its versions in `spec.versions`, as the project's folder has them. */
  readonly entries: readonly JsonObject[];
  /** The name of the webhook configurations. */
  readonly installation: string;
  /** The Service of the replicas, which names the object with their reports. */
  readonly service: ServiceReference;
  /** The clock of the API server, in milliseconds since 1970. */
  readonly now: () => number;
  /** Objects per page of a list. */
  readonly pageSize: number;
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
  const [replicas, webhooks] = await Promise.all([
    readReplicas(kind),
    goal.goal === "uninstall" ? readWebhooks(kind) : [],
  ]);
  const version = leavingOf(goal, crd);
  const leaving =
    version === undefined || version === crd.storage
      ? undefined
      : await readLeaving(kind, object, crd, version);
  const changedAt = lastChange(object);
  const state = {
    crd: kind.crd,
    versions: crd.versions,
    served: crd.served,
    storage: crd.storage,
    storedVersions: crd.storedVersions,
    isConverted: get(object, "spec", "conversion", "strategy") === "Webhook",
    webhooks,
    defined: kind.entries.map((entry) => String(get(entry, "name"))),
    replicas,
    now: kind.now(),
    ...(changedAt === undefined ? {} : { changedAt }),
    ...(leaving === undefined ? {} : { leaving }),
  };
  return { state, object, crd };
}

/** The annotation of a CRD that notes since when a version was not used. */
export function usageAnnotation(version: string): string {
  return `antechamber.dev/unused-${version}`;
}

/** The configurations in which a kind may have webhooks. */
export function configurationsOf({ installation: name }: EvolvedKind): readonly BundleTarget[] {
  return [
    { kind: "MutatingWebhookConfiguration", name },
    { kind: "ValidatingWebhookConfiguration", name },
  ];
}

/** Whether a webhook is one of those that are generated for a CRD. */
export function isWebhookOf(crd: string, webhook: string): boolean {
  return webhook === `mutate.${crd}` || webhook === `validate.${crd}`;
}

async function readWebhooks(kind: EvolvedKind): Promise<readonly string[]> {
  const objects = await Promise.all(
    configurationsOf(kind).map((target) => readTarget(kind.connection, target)),
  );
  return objects
    .flatMap((object) => (object === undefined ? [] : webhookNames(object)))
    .filter((name) => isWebhookOf(kind.crd, name));
}

async function readReplicas({ connection, service, crd }: EvolvedKind): Promise<EvolutionState["replicas"]> {
  const { namespace } = service;
  const name = rotationNames(service).reports;
  const data = get(await readNamed(connection, { kind: "ConfigMap", namespace, name }), "data");
  return Object.entries(isObject(data) ? data : {}).map(([replica, text]) => {
    const kinds = get(typeof text === "string" ? reportIn(text) : undefined, "kinds");
    if (kinds === undefined) return { name: replica };
    const versions = get(kinds, crd);
    return { name: replica, versions: isArray(versions) ? versions.map(String) : [] };
  });
}

function reportIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A time in managedFields has whole seconds, so the change was up to a second later. */
function lastChange(object: JsonObject): number | undefined {
  const entries = get(object, "metadata", "managedFields");
  const times = (isArray(entries) ? entries : [])
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
  const [usage, apiServers, managed] = await Promise.all([
    readUsage(kind.connection, crd, version),
    countApiServers(kind.connection),
    readManaged(kind, crd, version),
  ]);
  const recorded = recordedIn(get(object, "metadata", "annotations", usageAnnotation(version)));
  return { version, usage, apiServers, ...managed, ...(recorded === undefined ? {} : { recorded }) };
}

async function readUsage(
  connection: Connection,
  { group, plural }: CrdState,
  version: string,
): Promise<Usage> {
  const answer = await connection.request("GET", "/metrics", { accept: "text/plain" });
  if (answer.status !== 200)
    throw new ApiServerError(`the metrics of the API server cannot be read: ${sentenceOf(answer)}`);
  return usageIn(answer.text, { group, plural, version });
}

/** The API servers register themselves as the endpoints of the Service `kubernetes`. */
async function countApiServers(connection: Connection): Promise<number> {
  const path =
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dkubernetes";
  const answer = await connection.request("GET", path);
  if (answer.status !== 200)
    throw new ApiServerError(`the endpoints of the API servers cannot be listed: ${sentenceOf(answer)}`);
  const slices = get(answer.body, "items");
  const endpoints = (isArray(slices) ? slices : []).flatMap((slice) => {
    const listed = get(slice, "endpoints");
    return isArray(listed) ? listed : [];
  });
  return new Set(endpoints.map((endpoint) => JSON.stringify(get(endpoint, "addresses")))).size;
}

function recordedIn(annotation: Json | undefined): Leaving["recorded"] {
  const value = typeof annotation === "string" ? reportIn(annotation) : undefined;
  const [start, requests, since] = ["start", "requests", "since"].map((key) => get(value, key));
  if (typeof start !== "string" || typeof requests !== "number" || typeof since !== "number")
    return undefined;
  return { usage: { start, requests, watches: 0 }, since };
}

/** Names at most five managers, so that the message stays short. */
async function readManaged(
  { connection, pageSize }: EvolvedKind,
  crd: CrdState,
  version: string,
): Promise<Pick<Leaving, "managed" | "managers">> {
  let managed = 0;
  const latest = new Map<string, string>();
  for await (const { items } of metadataPages(crd, pageSize, connection)) {
    for (const item of items) {
      const entries = get(item, "metadata", "managedFields");
      const own = (isArray(entries) ? entries : []).filter(
        (entry) => get(entry, "apiVersion") === `${crd.group}/${version}`,
      );
      if (own.length > 0) managed++;
      for (const entry of own) {
        const [manager, time] = [String(get(entry, "manager")), String(get(entry, "time"))];
        if (latest.size < 1_000 && (latest.get(manager) ?? "") < time) latest.set(manager, time);
      }
    }
  }
  const managers = [...latest].sort(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, 5);
  return { managed, managers: managers.map(([name, time]) => `${name} (${time})`) };
}
