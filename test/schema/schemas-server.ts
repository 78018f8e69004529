import { setTimeout as wait } from "node:timers/promises";
import { get, isArray, isObject, type JsonObject, set } from "../../src/json/json.ts";
import type { Answer as HttpAnswer } from "../cluster/client.ts";
import type { ApiServer } from "../cluster/server.ts";
import { type Answer, answerOf, comparable, type Recorded, withoutServersOwn } from "./schemas-answers.ts";
import { digestOf, type Write } from "./schemas-cases.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What a server says of a CRD that it may take or not; nothing is left of it. */
export async function askCrd(server: ApiServer, crd: JsonObject): Promise<Answer> {
  const ask = async () => toAnswer(await server.request("POST", `${crds}?dryRun=All`, { body: crd }));
  return ask().catch(() => ask().catch(() => panicked(server, crd)));
}

/** The answer for a CRD at which the server panics: it logs the panic, and closes the connection without a response. */
async function panicked(server: ApiServer, crd: JsonObject): Promise<Answer> {
  const alive = await server.request("GET", "/livez");
  if (alive.status !== 200)
    throw new Error(`the API server ended at ${JSON.stringify(crd)}:\n${server.log()}`);
  return { allowed: false, message: panic, causes: [{ message: panic }] };
}

/** The message of the only cause, where the server panics. */
export const panic = "the API server panics";

/** Creates CRDs, all at once, and resolves when writes to their kinds are answered without delay. */
export async function createKinds(server: ApiServer, all: readonly JsonObject[]): Promise<void> {
  await inTurns(all, 4, async (crd) => {
    const answer = await server.request("POST", crds, { body: crd });
    if (answer.status !== 201) throw new Error(`the CRD is refused: ${answer.text}\n${JSON.stringify(crd)}`);
  });
  await inTurns(all, 8, (crd) => untilServed(server, crd));
  // A kind is young for two seconds from the condition Established on: until then a POST waits (test/cluster/crd.ts).
  await Promise.all(all.map((crd) => server.request("POST", `${pathsOf(crd)[0]}?dryRun=All`, { body: {} })));
}

export async function deleteKinds(server: ApiServer, all: readonly JsonObject[]): Promise<void> {
  await inTurns(all, 4, (crd) => server.request("DELETE", `${crds}/${String(get(crd, "metadata", "name"))}`));
}

/** What a server says of each write, asked as often as `times` says since some answers are a matter of chance. */
export async function askWrites(
  server: ApiServer,
  crd: JsonObject,
  writes: readonly Write[],
  times = 1,
): Promise<ReadonlyMap<string, Recorded>> {
  const asked = await inTurns(writes, 8, async (write, index) => {
    const recorded = await askWrite(
      server,
      crd,
      write,
      `thing-${(started++).toString(36)}-${index.toString(36)}`,
      times,
    );
    return [digestOf(write), recorded] as const;
  });
  return new Map(asked);
}

/** Whether an object can be what was there before a write: its metadata and embedded objects' have to be readable. */
export async function canBeStored(server: ApiServer, crd: JsonObject, old: JsonObject): Promise<boolean> {
  const body = { ...old, apiVersion: `${String(get(crd, "spec", "group"))}/anything` };
  const lax = await server.request("POST", `${pathOf(crd, body)}?dryRun=All`, { body });
  return lax.status === 201;
}

/** Runs a task on each item, so many at a time. */
export async function inTurns<T, R>(
  items: readonly T[],
  atOnce: number,
  task: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      results[index] = await task(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

// Names differ from run to run of this process, so that what is asked twice does not meet itself.
let started = 0;

async function askWrite(
  server: ApiServer,
  crd: JsonObject,
  write: Write,
  name: string,
  times: number,
): Promise<Recorded> {
  const stored = write.old === undefined ? undefined : await storeOld(server, crd, write.old, name);
  const answers = new Map<string, Answer>();
  for (let time = 0; time < times; time++) {
    const answer = await (stored === undefined
      ? server.request("POST", `${pathOf(crd, write.object)}?dryRun=All`, { body: write.object })
      : server.request(
          "PUT",
          `${pathOf(crd, write.object)}/${name}${write.subresource === "status" ? "/status" : ""}?dryRun=All`,
          {
            body: updateOf(write.object, stored, name),
          },
        ));
    const known = toAnswer(answer);
    answers.set(comparable(known), known);
  }
  const distinct = [...answers].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, answer]) => answer);
  const old = stored === undefined ? undefined : withoutServersOwn(stored);
  return { answers: distinct, ...(isObject(old) ? { old } : {}) };
}

/** Stores an object, valid or not, and gives back how it is shown at the version that is going to be written. */
async function storeOld(
  server: ApiServer,
  crd: JsonObject,
  old: JsonObject,
  name: string,
): Promise<JsonObject> {
  const lax = versionsOf(crd).includes("anything") ? "anything" : undefined;
  const written =
    lax === undefined ? old : { ...old, apiVersion: `${String(get(crd, "spec", "group"))}/${lax}` };
  const body = named(written, name);
  const created = await server.request("POST", pathOf(crd, body), { body });
  if (created.status !== 201) throw new Error(`what was there before is refused: ${created.text}`);
  if (lax === undefined && isObject(old.status) && hasStatus(crd, old)) {
    const next = { ...(isObject(created.body) ? created.body : {}), status: old.status };
    const put = await server.request("PUT", `${pathOf(crd, old)}/${name}/status`, { body: next });
    if (put.status !== 200) throw new Error(`the status that was there before is refused: ${put.text}`);
  }
  const shown = await server.request("GET", `${pathOf(crd, old)}/${name}`);
  if (shown.status !== 200 || !isObject(shown.body)) throw new Error(`cannot be read: ${shown.text}`);
  return shown.body;
}

function toAnswer(answer: HttpAnswer): Answer {
  const allowed = answer.status === 200 || answer.status === 201;
  return answerOf(allowed, answer.body, warningsOf(answer));
}

/** The texts of the headers `Warning: 299 - "…"`. */
function warningsOf({ headers }: HttpAnswer): readonly string[] {
  // Node reads headers as Latin 1, and the server writes UTF-8.
  const text = Buffer.from([headers.warning ?? []].flat().join(", "), "latin1").toString("utf8");
  return [...text.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) =>
    quoted.replaceAll(/\\(.)/g, "$1"),
  );
}

function updateOf(object: JsonObject, stored: JsonObject, name: string): JsonObject {
  const resourceVersion = get(stored, "metadata", "resourceVersion") ?? "";
  const { metadata } = named(object, name);
  return { ...object, metadata: isObject(metadata) ? { resourceVersion, ...metadata } : (metadata ?? null) };
}

function named(object: JsonObject, name: string): JsonObject {
  const { metadata } = object;
  return isObject(metadata) ? set(object, "metadata", { ...metadata, name }) : object;
}

function pathOf(crd: JsonObject, object: JsonObject): string {
  const plural = String(get(crd, "spec", "names", "plural"));
  const namespaced = get(crd, "spec", "scope") === "Namespaced" ? "/namespaces/default" : "";
  return `/apis/${String(object.apiVersion)}${namespaced}/${plural}`;
}

function versionsOf(crd: JsonObject): readonly string[] {
  const versions = get(crd, "spec", "versions");
  return isArray(versions) ? versions.map((version) => String(get(version, "name"))) : [];
}

/** Where the objects of each version are. */
function pathsOf(crd: JsonObject): readonly string[] {
  const group = String(get(crd, "spec", "group"));
  return versionsOf(crd).map((version) => pathOf(crd, { apiVersion: `${group}/${version}` }));
}

function hasStatus(crd: JsonObject, object: JsonObject): boolean {
  const versions = get(crd, "spec", "versions");
  const name = String(object.apiVersion).split("/")[1];
  const version = isArray(versions) ? versions.find((it) => get(it, "name") === name) : undefined;
  return get(version, "subresources", "status") !== undefined;
}

async function untilServed(server: ApiServer, crd: JsonObject): Promise<void> {
  const end = Date.now() + 60_000;
  for (const path of pathsOf(crd)) {
    for (;;) {
      const { status, text } = await server.request("GET", `${path}?limit=1`);
      if (status === 200) break;
      if (Date.now() > end) throw new Error(`${path} is not served: ${status} ${text}`);
      await wait(50);
    }
  }
}
