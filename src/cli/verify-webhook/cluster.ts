import type { Ask } from "../../checks/index.ts";
import { ClusterUnreachable, type Connection, connect } from "../../cluster/api/connection.ts";
import { crdsPath, sentenceOf } from "../../cluster/api/requests.ts";
import { webhookClient } from "../../cluster/api/webhook-client.ts";
import { UsageError } from "../../errors.ts";
import { parseJson } from "../../json/exact.ts";
import { get, isObject, type JsonObject, listAt, set } from "../../json/json.ts";
import { type CrdModel, crdModelOf, isConverted } from "../../schema/model/crd.ts";
import {
  addressOf,
  type GivenObject,
  subjectsOf,
  type TargetIo,
  type TargetOptions,
  type Targets,
} from "./targets.ts";

/** A way to ask, which may hold connections. */
interface Asking {
  readonly ask: Ask;
  readonly close: () => void;
}

/**
 * The kinds of a cluster whose CRDs name a conversion webhook. A webhook with a URL is asked there; one behind a Service
 * through the API server's proxy, or at `--url`, such as a port-forward, with the CA of the CRD.
 */
export async function clusterTargets(
  options: TargetOptions,
  given: readonly GivenObject[],
  io: TargetIo,
): Promise<Targets> {
  const connection = await connected(options.kubeconfig);
  const found = await listed(connection, crdsPath);
  const crds = found.map((crd) => crdModelOf({ ...typeOfCrds, ...crd })).filter(isConverted);
  if (crds.length === 0) throw new UsageError(`no CRD of ${connection.server} names a conversion webhook`);
  const inputs = crds.map(({ metadata, json }) => ({ source: metadata.name, value: json }));
  const stored: GivenObject[] = [];
  for (const crd of crds) stored.push(...(await storedObjects(connection, crd, options)));
  const subjects = subjectsOf(inputs, options.kind, [...given, ...stored], io);
  const asks = new Map<string, Asking>();
  for (const { crd } of subjects) {
    const name = webhookName(crd);
    if (!asks.has(name)) asks.set(name, await askingOf(connection, crd, options));
  }
  return {
    webhook: options.url ?? [...asks.keys()].join(", "),
    targets: subjects.flatMap(({ subject, crd, examples }) => {
      const asking = asks.get(webhookName(crd));
      return asking === undefined ? [] : [{ subject, examples, ask: asking.ask }];
    }),
    close: () => {
      for (const { close } of asks.values()) close();
      connection.close();
    },
  };
}

async function connected(kubeconfig: string | true | undefined): Promise<Connection> {
  try {
    return await connect(kubeconfig === true ? undefined : kubeconfig);
  } catch (error) {
    if (error instanceof ClusterUnreachable) throw new UsageError(error.message);
    throw error;
  }
}

/** The items of a list; CRDs are few, and of objects only as many as `limit` are taken. */
async function listed(connection: Connection, path: string): Promise<readonly JsonObject[]> {
  const answer = await connection.request("GET", path).catch((error: unknown) => {
    if (error instanceof ClusterUnreachable) throw new UsageError(error.message);
    throw error;
  });
  if (answer.status !== 200) throw new UsageError(`${path} cannot be listed: ${sentenceOf(answer)}`);
  return listAt(answer.body, "items").filter(isObject);
}

/** What items of a list lack, since the list says it of them. */
const typeOfCrds = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };

/** Objects of a kind at each served version, without what only the API server writes. */
async function storedObjects(
  connection: Connection,
  { spec: { group, names, versions } }: CrdModel,
  { objects }: TargetOptions,
): Promise<readonly GivenObject[]> {
  if (objects === 0) return [];
  const found: GivenObject[] = [];
  for (const { name, served } of versions) {
    if (!served) continue;
    const apiVersion = `${group}/${name}`;
    const path = `/apis/${apiVersion}/${names.plural}?limit=${objects}`;
    for (const item of await listed(connection, path)) {
      const metadata = isObject(item.metadata) ? set(item.metadata, "managedFields", undefined) : {};
      found.push({ source: path, value: { ...item, apiVersion, kind: names.kind, metadata } });
    }
  }
  return found;
}

/** What a CRD calls its webhook: the URL, or the path of its Service behind the API server's proxy. */
function webhookName({ spec: { conversion } }: CrdModel): string {
  const { url, service } = conversion.webhook?.clientConfig ?? {};
  if (url !== undefined || service === undefined) return url ?? "";
  const { namespace, name, port, path } = service;
  const named = `https:${name}:${port}`;
  return `/api/v1/namespaces/${namespace}/services/${named}/proxy/${path.replace(/^\//, "")}`;
}

async function askingOf(connection: Connection, crd: CrdModel, options: TargetOptions): Promise<Asking> {
  const { url: own, service, caBundle = "" } = crd.spec.conversion.webhook?.clientConfig ?? {};
  const url = options.url ?? own;
  if (url === undefined) return proxied(connection, webhookName(crd));
  const address = await addressOf(url, options);
  const ca = address.ca ?? (caBundle === "" ? undefined : Buffer.from(caBundle, "base64").toString());
  // A port-forward has another host than the one in the certificate.
  const name = service && `${service.name}.${service.namespace}.svc`;
  const client = webhookClient({ ...address, ca, serverName: address.serverName ?? name });
  return { ask: client.post, close: client.close };
}

/** Asks through the proxy of the API server, which reaches the Service wherever this command runs. */
function proxied(connection: Connection, path: string): Asking {
  let hasAnswered = false;
  const ask: Ask = async (review) => {
    try {
      const { status, text, body } = await connection.request("POST", path, { body: parseJson(review) });
      // The API server answers in place of a webhook that closed the connection, or that it cannot reach.
      const isOwn = status >= 400 && get(body, "kind") === "Status";
      if (isOwn)
        return { state: hasAnswered ? "closed" : "unreachable", sentence: String(get(body, "message")) };
      hasAnswered = true;
      return { state: "answered", status, text };
    } catch (error) {
      if (error instanceof ClusterUnreachable) return { state: "unreachable", sentence: error.message };
      throw error;
    }
  };
  return { ask, close: () => {} };
}
