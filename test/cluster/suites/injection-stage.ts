import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { run } from "../../../src/cluster/local/child.ts";
import { parseJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../../support/service.ts";
import type { Answer } from "../client.ts";
import { type Forwarder, startForwarder } from "../forwarder.ts";
import { createNamespace } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";

/** A real API server and our service, which follows it and puts sidecars into its pods. */
export interface Stage extends ApiServer {
  readonly service: RunningService;
  /** The way on which the service looks at the API server. */
  readonly view: Forwarder;
  readonly createNamespace: (name: string, labels?: JsonObject) => Promise<void>;
  /** Applies what `antechamber manifests` prints, of some kinds only where they are named. */
  readonly register: (...kinds: readonly string[]) => Promise<void>;
  /** What the API server wrote down of a request to create a pod, once for each. */
  readonly audited: (pod: string) => Promise<readonly JsonObject[]>;
}

/** Starts both; nothing is registered yet, and the service finds no SidecarSets to follow. */
export async function startStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "antechamber-injection-"));
  const log = join(folder, "audit.log");
  await writeFile(join(folder, "audit.yaml"), JSON.stringify(auditPolicy));
  const flags = [`--audit-policy-file=${join(folder, "audit.yaml")}`, `--audit-log-path=${log}`];
  const server = await startApiServer({ flags });
  await createNamespace(server, "kruise-system");
  await settle(server);
  const forwarder = await startForwarder(Number(new URL(server.url).port));
  const kubeconfig = join(folder, "kubeconfig");
  const text = await readFile(server.kubeconfig, "utf8");
  await writeFile(kubeconfig, text.replaceAll(server.url, `https://127.0.0.1:${forwarder.port}`));
  const service = await startService(["--kubeconfig", kubeconfig, "--log-level", "info"]);
  const manifests = await manifestsOf(service);
  return {
    ...server,
    service,
    view: forwarder,
    createNamespace: (name, labels = {}) => makeNamespace(server, name, labels),
    register: (...kinds) =>
      register(
        server,
        manifests.filter((each) => kinds.length === 0 || kinds.includes(String(get(each, "kind")))),
      ),
    audited: async (pod) => auditedOf(await readFile(log, "utf8"), pod),
    async stop() {
      await Promise.all([server.stop(), service.stop(), forwarder.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const auditPolicy = {
  apiVersion: "audit.k8s.io/v1",
  kind: "Policy",
  omitStages: ["RequestReceived"],
  rules: [
    { level: "Metadata", verbs: ["create"], resources: [{ group: "", resources: ["pods"] }] },
    { level: "None" },
  ],
};

export const sidecarSets = (version = "v1beta1") => `/apis/apps.kruise.io/${version}/sidecarsets`;
export const pods = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;

/** A SidecarSet. */
export function sidecarSet(
  name: string,
  spec: JsonObject,
  { version = "v1beta1", ...metadata }: JsonObject & { readonly version?: string } = {},
): JsonObject {
  return {
    apiVersion: `apps.kruise.io/${version}`,
    kind: "SidecarSet",
    metadata: { name, ...metadata },
    spec,
  };
}

/** A pod with labels and one container, and whatever else is said of it. */
export function pod(
  name: string,
  labels: JsonObject,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...(name.endsWith("-") ? { generateName: name } : { name }), labels, ...metadata },
    spec: { containers: [container("app")], ...spec },
  };
}

export function container(name: string, more: JsonObject = {}): JsonObject {
  return { name, image: `registry.example/${name}:1`, ...more };
}

/** What was made of an object; throws where it is refused. */
export async function created(server: ApiServer, path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await server.request("POST", path, { body });
  if (answer.status !== 201 || !isObject(answer.body)) {
    throw new Error(`refused with ${answer.status}: ${answer.text}`);
  }
  return answer.body;
}

/** The names of what stands in a list of a pod's spec. */
export function namesOf(pod: Json | undefined, list: string): readonly Json[] {
  const items = get(pod, "spec", list) ?? [];
  return (isArray(items) ? items : []).map((each) => get(each, "name") ?? null);
}

export function annotation(object: Json | undefined, key: string): string {
  return String(get(object, "metadata", "annotations", key) ?? "");
}

/** The warnings of an answer. */
export function warningsOf({ headers }: Answer): string {
  return String(headers.warning ?? "");
}

/** The value of a counter of the service. */
export async function counted({ service }: Pick<Stage, "service">, counter: string): Promise<number> {
  const text = await (await fetch(`http://localhost:${service.opsPort}/metrics`)).text();
  const line = text.split("\n").find((each) => each.startsWith(`${counter} `));
  return Number(line?.split(" ").at(-1) ?? 0);
}

/** Asks again and again, as a user would, until it is as awaited. */
export async function until(
  ask: () => Promise<Answer>,
  isAwaited: (answer: Answer) => boolean,
): Promise<Answer> {
  const end = Date.now() + 60_000;
  for (;;) {
    const answer = await ask();
    if (isAwaited(answer)) return answer;
    if (Date.now() > end) throw new Error(`still ${answer.status} ${answer.text}`);
    await wait(50);
  }
}

/** Kruise's settings: the annotations that SidecarSets may write. */
function settle(server: ApiServer): Promise<JsonObject> {
  const rules = [{ allowedAnnotationKeyExprs: ["^example\\.com/"] }];
  return created(server, "/api/v1/namespaces/kruise-system/configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "kruise-configuration" },
    data: { SidecarSet_PatchPodMetadata_WhiteList: JSON.stringify({ rules }) },
  });
}

async function makeNamespace(server: ApiServer, name: string, labels: JsonObject): Promise<void> {
  await created(server, "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels },
  });
}

/** What `antechamber manifests` prints for a service. */
async function manifestsOf({ port, caFile }: RunningService): Promise<readonly Json[]> {
  const args = ["src/cli.ts", "manifests", "--url", `https://127.0.0.1:${port}`, "--ca", caFile];
  const printed = await run({ command: process.execPath, args }, process.env);
  if (printed.code !== 0) throw new Error(`the manifests are not printed: ${printed.stderr}`);
  return readYaml(printed.stdout).map(({ value }) => value);
}

async function register(server: ApiServer, items: readonly Json[]): Promise<void> {
  const input = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const applied = await server.kubectl(["apply", "-f", "-"], { input });
  if (applied.code !== 0) throw new Error(`the manifests are refused: ${applied.stderr}`);
}

function auditedOf(log: string, name: string): readonly JsonObject[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line))
    .filter(isObject)
    .filter((entry) => get(entry, "objectRef", "name") === name);
}
