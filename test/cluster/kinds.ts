import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import type { Answer } from "./client.ts";
import { group } from "./home.ts";
import type { ApiServer } from "./server.ts";

/** The home kinds, by their plurals. */
export const plurals = ["lights", "locks", "rooms"];
export const versions = ["v1beta1", "v1"];

/** The path of a kind's objects in the namespace `default`, or of one of them. */
export function pathOf(plural: string, version: string, name?: string): string {
  return `/apis/${group}/${version}/namespaces/default/${plural}${name === undefined ? "" : `/${name}`}`;
}

/** The path of a kind's CRD. */
export function crdPath(plural: string, ofGroup = group): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${ofGroup}`;
}

/** The examples of a kind, of every version. */
export function examplesOf(plural: string): readonly JsonObject[] {
  return versions.flatMap((version) => {
    const folder = join("webhooks/home", plural.slice(0, -1), "examples", version);
    const documents = readdirSync(folder).flatMap((file) =>
      readYaml(readFileSync(join(folder, file), "utf8")),
    );
    return documents.map(({ value }) => value).filter(isObject);
  });
}

/** Creates an object in the namespace `default`, at the version it is of, and then its status. */
export async function create(server: ApiServer, plural: string, object: JsonObject): Promise<void> {
  const { status, ...rest } = object;
  const path = pathOf(plural, String(object.apiVersion).split("/").at(-1) ?? "");
  const metadata = { ...(isObject(rest.metadata) ? rest.metadata : {}), namespace: "default" };
  const made = await expectOk(patient(() => server.request("POST", path, { body: { ...rest, metadata } })));
  if (status === undefined || !isObject(made)) return;
  const body = { ...made, status };
  const statusPath = `${path}/${get(made, "metadata", "name")}/status`;
  await expectOk(patient(() => server.request("PUT", statusPath, { body })));
}

/** Asks again where the API server has no answer for a moment, since it replaces what serves a kind whose CRD has changed. */
export async function patient(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 && answer.status !== 429) return answer;
    await wait(50);
  }
}

/** All objects of a kind in the namespace `default`, by name; a cache that is just being filled is asked again. */
export async function list(server: ApiServer, plural: string, version: string): Promise<JsonObject> {
  for (;;) {
    const answer = await server.request("GET", pathOf(plural, version));
    if (answer.status === 429) {
      await wait(50);
      continue;
    }
    const items = get(await expectOk(Promise.resolve(answer)), "items");
    const entries = (isArray(items) ? items : []).map((item): [string, Json] => [
      String(get(item, "metadata", "name")),
      item,
    ]);
    return Object.fromEntries(entries);
  }
}

/** A kind, by what its CRD is called. */
export interface StoredKind {
  readonly group: string;
  readonly plural: string;
}

/** Sets the storage version of a kind of the home, which takes effect some milliseconds later. */
export async function setStorage(server: ApiServer, plural: string, version: string): Promise<void> {
  await setStorageOf(server, { group, plural }, version);
}

/** The same of any kind. */
export async function setStorageOf(
  server: ApiServer,
  { group: ofGroup, plural }: StoredKind,
  version: string,
): Promise<void> {
  const path = crdPath(plural, ofGroup);
  const crd = await expectOk(server.request("GET", path));
  const entries = get(crd, "spec", "versions");
  const body = {
    spec: {
      versions: (isArray(entries) ? entries : []).filter(isObject).map((entry) => ({
        ...entry,
        storage: entry.name === version,
      })),
    },
  };
  await expectOk(server.request("PATCH", path, { body }));
}

/** The versions that a kind's CRD says objects are stored in. */
export async function storedVersions(server: ApiServer, plural: string): Promise<Json | undefined> {
  return get(await expectOk(server.request("GET", crdPath(plural))), "status", "storedVersions");
}

/** The body of a response; throws if the request was rejected. */
export async function expectOk(asked: Promise<Answer>): Promise<Json | undefined> {
  const { status, text, body } = await asked;
  if (status >= 300) throw new Error(`refused with ${status}: ${text}`);
  return body;
}
