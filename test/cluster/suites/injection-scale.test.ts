import { readFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sidecarSets as many } from "../../../bench/injection-objects.ts";
import { writeJson } from "../../../src/json/exact.ts";
import { get, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { establishCrd } from "../crd.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { created, sidecarSets } from "./injection-stage.ts";

// The goals are for the package as it is shipped, on a machine that is not shared: `npm run build && SCALE=1 npx vitest run
// injection-scale`. SCALE=2 makes as many objects, and allows twice the goals. Without it the sources serve a tenth of the objects.
const goals = { seconds: 2, mebibytes: 286 };
const factor = Number(process.env.SCALE ?? 0);
const isWhole = factor > 0;
const counts = isWhole ? { sets: 10_000, namespaces: 5_000 } : { sets: 1_000, namespaces: 500 };

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("a service in a cluster of many SidecarSets and Namespaces", claims);

function claims(): void {
  let server: ApiServer;
  beforeAll(async () => {
    server = await startApiServer();
    await establishCrd(server, await plainCrd());
    await Promise.all([
      putAll(server, sidecarSets(), many(counts.sets)),
      putAll(server, "/api/v1/namespaces", namespaces(counts.namespaces)),
    ]);
  }, 300_000);
  afterAll(() => server?.stop());

  it("lists all of them within seconds, in little memory", async () => {
    const began = Date.now();
    const given = ["--kubeconfig", server.kubeconfig, "--log-level", "info"];
    const service = await (isWhole
      ? startService([...given, "--webhooks", "dist/webhooks"], {}, "dist/src/cli.js")
      : startService(given));
    try {
      await expect
        .poll(() => [...listed(service).keys()], { timeout: 60_000, interval: 20 })
        .toEqual(expect.arrayContaining(["SidecarSet.apps.kruise.io", "Namespace"]));
      const found = listed(service);
      expect(found.get("SidecarSet.apps.kruise.io")?.objects).toBe(counts.sets);
      const seconds = (Math.max(...[...found.values()].map(({ time }) => time)) - began) / 1000;
      const listing = [...found].map(([kind, { milliseconds }]) => `${kind} ${milliseconds} ms`).join(", ");
      const mebibytes = await residentMiB(service);
      console.log(
        `${counts.sets} SidecarSets, ${counts.namespaces} Namespaces: known after ${seconds.toFixed(2)} s (${listing}); ` +
          `RSS ${mebibytes.toFixed(0)} MiB`,
      );
      if (!isWhole) return;
      expect(seconds).toBeLessThan(goals.seconds * factor);
      expect(mebibytes).toBeLessThan(goals.mebibytes * factor);
    } finally {
      await service.stop();
    }
  }, 120_000);
}

interface Listed {
  readonly time: number;
  readonly objects: number;
  readonly milliseconds: number;
}

/** What the service has logged about its first lists, by kind. */
function listed(service: RunningService): ReadonlyMap<string, Listed> {
  const lines = service
    .logged()
    .split("\n")
    .filter((line) => line.includes('"all objects listed"'));
  return new Map(lines.map((line) => JSON.parse(line)).map((each) => [String(each.kind), each as Listed]));
}

async function residentMiB({ opsPort }: RunningService): Promise<number> {
  const text = await (await fetch(`http://localhost:${opsPort}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20;
}

/** The CRD of SidecarSets without a webhook: objects are written faster, and none is at an old version. */
async function plainCrd(): Promise<JsonObject> {
  const [crd] = readYaml(
    await readFile("manifests/components/openkruise/sidecarsets.apps.kruise.io.yaml", "utf8"),
  );
  const { value } = crd ?? {};
  if (!isObject(value) || !isObject(value.spec)) throw new Error("the CRD of SidecarSets is not an object");
  return { ...value, spec: { ...value.spec, conversion: { strategy: "None" } } };
}

function namespaces(count: number): readonly JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: `team-${index}`, labels: { team: `team-${index % 50}`, tier: "backend" } },
  }));
}

/** Creates the first, and puts what became of it into etcd under all other names: thousands in a second. */
async function putAll(server: ApiServer, path: string, objects: readonly JsonObject[]): Promise<void> {
  const [first, ...others] = objects;
  if (first === undefined) return;
  const made = await created(server, path, first);
  const folder = path.replace(/^\/apis?\/(?:v1\/)?/, "/registry/").replace("/v1beta1", "");
  for (let from = 0; from < others.length; from += 100) {
    const success = others.slice(from, from + 100).map((each, index) => {
      const uid = `4b3a0c1e-0000-4000-8000-${String(from + index).padStart(12, "0")}`;
      const { resourceVersion: _, ...given } = made.metadata as JsonObject;
      const stored = { ...given, ...(each.metadata as JsonObject), uid };
      const key = base64(`${folder}/${get(each, "metadata", "name")}`);
      return { requestPut: { key, value: base64(writeJson({ ...made, ...each, metadata: stored })) } };
    });
    await askEtcd(server, "/v3/kv/txn", { success });
  }
}

/** Asks etcd's JSON gateway, through its socket file. */
async function askEtcd(server: ApiServer, path: string, body: Json): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { "content-type": "application/json" };
  request({ socketPath: join(server.dir, "etcd.sock"), path, method: "POST", headers }, resolve)
    .once("error", reject)
    .end(writeJson(body));
  const response = await promise;
  const said = await text(response);
  if (response.statusCode !== 200) throw new Error(`etcd ${path}: ${response.statusCode} ${said}`);
}

function base64(value: string): string {
  return Buffer.from(value).toString("base64");
}
