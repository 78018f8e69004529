import { setTimeout as wait } from "node:timers/promises";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import type { Client, WatchEvent } from "./client.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/**
 * Creates a CRD and resolves when every served version can be used. That is some milliseconds after the condition
 * Established: before, the path is 404, and then a list without limit may be 429. For two seconds
 * more every POST takes two seconds, so that other API servers can learn of the kind (apiextensions-apiserver,
 * pkg/apiserver/customresource_handler.go, justCreated); to avoid the delay, create with an apply PATCH.
 */
export async function establishCrd(server: Omit<Client, "close">, crd: JsonObject): Promise<void> {
  const created = await server.request("POST", crds, { body: crd });
  if (created.status !== 201) throw new Error(`the CRD is refused: ${created.status} ${created.text}`);
  const name = String(get(crd, "metadata", "name"));
  await server.until(`${crds}?fieldSelector=metadata.name=${name}`, isEstablished);
  for (const path of servedPaths(crd)) await untilListed(server, path);
}

function isEstablished({ object }: WatchEvent): boolean {
  const conditions = get(object, "status", "conditions");
  if (!isArray(conditions)) return false;
  return conditions.some((it) => get(it, "type") === "Established" && get(it, "status") === "True");
}

function servedPaths(crd: JsonObject): readonly string[] {
  const versions = get(crd, "spec", "versions");
  const served = isArray(versions) ? versions.filter((it) => get(it, "served") === true) : [];
  const word = (value: Json | undefined) => (isObject(value) ? "" : String(value));
  const group = word(get(crd, "spec", "group"));
  const plural = word(get(crd, "spec", "names", "plural"));
  return served.map((version) => `/apis/${group}/${word(get(version, "name"))}/${plural}`);
}

async function untilListed(server: Omit<Client, "close">, path: string): Promise<void> {
  const end = Date.now() + 30_000;
  for (;;) {
    const { status, text } = await server.request("GET", path);
    if (status === 200) return;
    if (Date.now() > end) throw new Error(`${path} is not served: ${status} ${text}`);
    await wait(10);
  }
}
