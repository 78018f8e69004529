import type { Logger } from "pino";
import { apiVersionOf, kindName } from "../../apimachinery/resource.ts";
import { get, isObject, type JsonObject, listAt, textAt } from "../../json/json.ts";
import { type Kind, type Kinds, toHub, versionIndex } from "../../kind/kind.ts";
import { type Lister, type ListerNeed, noObjects } from "../../kind/lister.ts";
import type { Pause } from "../../time.ts";
import type { Collection } from "../api/collection.ts";
import type { Connection } from "../api/connection.ts";
import { reducedCrd } from "../api/crd-shapes.ts";
import { ApiServerError, metadataOnly, sentenceOf, UnknownKind } from "../api/requests.ts";
import { Informer, type InformerState } from "./informer.ts";
import { crdNeedsOf, isCrdNeed } from "./kinds-in-force.ts";

/** The options of cluster listers. */
interface ClusterListersOptions {
  readonly connection: Connection;
  readonly kinds: Kinds;
  readonly pause: Pause;
  readonly now: () => Date;
  readonly random: () => number;
  readonly log: Logger;
}

/** The listers of a cluster, kept up to date by informers until `stop`. */
export interface ClusterListers {
  readonly of: (need: ListerNeed) => Lister;
  readonly states: () => readonly InformerState[];
  /** Resolves when the CRDs of the kinds were listed. */
  readonly crdsListed: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts an informer for each need of the kinds, and for each of their CRDs; equal needs share one. */
export function clusterListers(options: ClusterListersOptions): ClusterListers {
  const informers = new Map<string, Informer>();
  const { all, natives } = options.kinds;
  const needs = [...all, ...natives]
    .flatMap(({ definition }) => Object.values(definition.needs ?? {}))
    .filter((need) => isMet(need, options.kinds));
  const crdNeeds = crdNeedsOf(options.kinds);
  for (const need of [...needs, ...crdNeeds]) {
    if (!informers.has(needKey(need))) informers.set(needKey(need), informerOf(need, options));
  }
  for (const informer of informers.values()) informer.start();
  return {
    of: (need) => {
      if (!isMet(need, options.kinds)) return noObjects;
      const informer = informers.get(needKey(need));
      if (informer === undefined) throw new Error(`no kind declares the need ${needKey(need)}`);
      return informer;
    },
    crdsListed: Promise.all(crdNeeds.map((need) => informers.get(needKey(need))?.whenSynced())).then(
      () => {},
    ),
    states: () => [...informers.values()].map((informer) => informer.state()),
    stop: async () => {
      await Promise.all([...informers.values()].map((informer) => informer.stop()));
    },
  };
}

/** Whether a need is for objects that this service is to know (see ListerNeed). */
function isMet({ group, kind, ifServed = false }: ListerNeed, kinds: Kinds): boolean {
  return !ifServed || kinds.find(group, kind) !== undefined;
}

/** A key for a need, the same for equal needs. */
export function needKey({
  group,
  kind,
  namespace = "",
  name = "",
  metadataOnly = false,
}: ListerNeed): string {
  return [kindName(group, kind), namespace, name, metadataOnly ? "metadata" : ""].join("/");
}

function informerOf(need: ListerNeed, options: ClusterListersOptions): Informer {
  const kind = options.kinds.find(need.group, need.kind);
  return new Informer({
    ...options,
    // Each CRD has a lister of its own, so that permission for these CRDs is enough.
    name: kindName(need.group, need.kind) + (isCrdNeed(need) ? `/${need.name}` : ""),
    isOptional: need.optional === true,
    locate: () => locate(need, kind, options.connection),
    keep: (object) => {
      if (isCrdNeed(need)) return reducedCrd(object);
      const reduced = withoutManagedFields(object);
      const version = kind === undefined ? undefined : versionIndex(kind, object.apiVersion);
      return kind === undefined || version === undefined ? reduced : toHub(kind, reduced, version);
    },
  });
}

/** managedFields are about as large as the object, and no kind uses them. */
function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The collection of a need: for custom kinds at the newest version that the server has, too, else at its preferred one. */
async function locate(need: ListerNeed, kind: Kind | undefined, connection: Connection): Promise<Collection> {
  const version = await versionIn(need, kind, connection);
  const apiVersion = apiVersionOf(need.group, version);
  const root = need.group === "" ? `/api/${version}` : `/apis/${apiVersion}`;
  const resource = await resourceIn(root, need, connection);
  const inNamespace = need.namespace === undefined ? "" : `/namespaces/${encodeURIComponent(need.namespace)}`;
  return {
    path: `${root}${inNamespace}/${resource}`,
    query: need.name === undefined ? {} : { fieldSelector: `metadata.name=${need.name}` },
    accept: need.metadataOnly
      ? { list: metadataOnly("PartialObjectMetadataList"), watch: metadataOnly("PartialObjectMetadata") }
      : { list: "application/json", watch: "application/json" },
    apiVersion,
    kind: need.kind,
  };
}

async function versionIn(need: ListerNeed, kind: Kind | undefined, connection: Connection): Promise<string> {
  if (need.group === "") return "v1";
  const answer = await connection.request("GET", `/apis/${need.group}`);
  if (answer.status !== 200) {
    const message = `the API server does not know the group ${need.group}: ${sentenceOf(answer)}`;
    throw answer.status === 404 ? new UnknownKind(message) : new ApiServerError(message);
  }
  const names = listAt(answer.body, "versions").map((each) => get(each, "version"));
  const own = kind?.versions.findLast(({ name }) => names.includes(name))?.name;
  const preferred = get(answer.body, "preferredVersion", "version");
  const version = kind === undefined ? preferred : own;
  if (typeof version !== "string") {
    throw new UnknownKind(`the API server serves no known version of ${kindName(need.group, need.kind)}`);
  }
  return version;
}

async function resourceIn(root: string, need: ListerNeed, connection: Connection): Promise<string> {
  const answer = await connection.request("GET", root);
  if (answer.status !== 200) throw new ApiServerError(`${root}: ${sentenceOf(answer)}`);
  const names = listAt(answer.body, "resources")
    .filter((each) => get(each, "kind") === need.kind)
    .map((each) => textAt(each, "name"));
  const name = names.find((each) => each !== "" && !each.includes("/"));
  if (name === undefined) {
    throw new UnknownKind(`the API server does not have ${kindName(need.group, need.kind)} below ${root}`);
  }
  return name;
}
