import { setTimeout as wait } from "node:timers/promises";
import type { ClusterResponse, Connection } from "../../cluster/api/connection.ts";
import { parseJson } from "../../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, listAt } from "../../json/json.ts";
import type { Generation } from "./generation.ts";
import type { ServedKind } from "./messages.ts";

/** The part of an API server that registering needs. */
type Registry = Pick<Connection, "request">;

/**
 * Applies the CRDs and webhook configurations of a service, and resolves when the API server serves all versions. A sentence if
 * the API server rejects one; then nothing is applied.
 */
export async function register(
  server: Registry,
  { description }: Generation,
  isStopped: () => boolean,
): Promise<string | undefined> {
  const documents = documentsIn(description.documents);
  for (const query of ["&dryRun=All", ""]) {
    for (const document of documents) {
      const { status, body, text } = await apply(server, document, query);
      if (status >= 300) return `${nameOf(document)} is rejected: ${get(body, "message") ?? text}`;
    }
  }
  for (const kind of description.kinds) {
    await createNamespaces(server, kind);
  }
  const endpoints = description.kinds.flatMap((kind) => kind.served.map((version) => ({ kind, version })));
  for (const { kind, version } of endpoints) {
    const fault = await untilServed(server, kind, version, isStopped);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function documentsIn(text: string): readonly JsonObject[] {
  const documents = parseJson(text);
  return isArray(documents) ? documents.filter(isObject) : [];
}

function apply(server: Registry, document: JsonObject, query: string): Promise<ClusterResponse> {
  const [group] = String(document.apiVersion).split("/");
  const plural = `${String(document.kind).toLowerCase()}s`;
  const path = `/apis/${group}/v1/${plural}/${get(document, "metadata", "name")}`;
  return server.request("PATCH", `${path}?fieldManager=antechamber-dev&force=true${query}`, {
    body: document,
    contentType: "application/apply-patch+yaml",
  });
}

function nameOf(document: JsonObject): string {
  return `${document.kind} ${get(document, "metadata", "name")}`;
}

/** The namespaces of the examples, so that they can be applied. */
async function createNamespaces(server: Registry, { namespaces }: ServedKind): Promise<void> {
  for (const name of namespaces) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    const { status, text } = await server.request("POST", "/api/v1/namespaces", { body });
    if (status !== 201 && status !== 409) throw new Error(`namespace ${name}: ${status} ${text}`);
  }
}

/** A version is served some milliseconds after its CRD was applied; discovery and OpenAPI, which kubectl asks, follow. */
async function untilServed(
  server: Registry,
  kind: ServedKind,
  version: string,
  isStopped: () => boolean,
): Promise<string | undefined> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (isStopped() || (await isServed(server, kind, version))) return undefined;
    await wait(100);
  }
  return `${kind.name} is not served at ${version}: see the conditions of its CRD`;
}

async function isServed(server: Registry, { group, plural }: ServedKind, version: string): Promise<boolean> {
  const api = `/apis/${group}/${version}`;
  const listed = await server.request("GET", `${api}/${plural}?limit=1`);
  if (listed.status !== 200) return false;
  const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const discovered = await server.request("GET", "/apis", { accept });
  if (!isDiscovered(discovered.body, group, version, plural)) return false;
  return (await server.request("GET", `/openapi/v3${api}`)).status === 200;
}

/** Whether an APIGroupDiscoveryList has a resource. */
function isDiscovered(body: Json | undefined, group: string, version: string, plural: string): boolean {
  const groups = listAt(body, "items").filter((each) => get(each, "metadata", "name") === group);
  const versions = groups.flatMap((each) => listAt(each, "versions"));
  const resources = versions
    .filter((each) => get(each, "version") === version)
    .flatMap((each) => listAt(each, "resources"));
  return resources.some((each) => get(each, "resource") === plural);
}
