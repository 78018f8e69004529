import { once } from "node:events";
import { dirname, join } from "node:path";
import { KubeConfig } from "@kubernetes/client-node";
import { pino } from "pino";
import { Cluster } from "../../examples/home/cluster.ts";
import { startControllers } from "../../examples/home/controllers.ts";
import { startDevices } from "../../examples/home/devices.ts";
import { serveActions } from "../../examples/home/front-end.ts";
import { serve } from "../../src/cli/serve/run.ts";
import { get, isObject, type JsonObject } from "../../src/json/json.ts";
import type { Service } from "../../src/server/service.ts";
import { findBinaries } from "./binaries.ts";
import { createNamespace, group, register, untilReady } from "./home.ts";
import { examplesOf, expectOk, plurals } from "./kinds.ts";
import { type ApiServer, startApiServer } from "./server.ts";

// node test/cluster/main.ts [kube-apiserver flags]: an API server with the example objects of the home kinds, for experiments, until Ctrl-C.

if (import.meta.main) await main(process.argv.slice(2));

async function main(flags: readonly string[]): Promise<void> {
  const binaries = findBinaries();
  if (binaries === undefined) {
    process.stderr.write(
      "kube-apiserver is not built yet: run `npm run cluster:build` once (needs Go 1.26, takes minutes), " +
        "or set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl.\n",
    );
    process.exitCode = 2;
    return;
  }
  // Manifests and examples are found relative to this folder.
  process.chdir(join(import.meta.dirname, "../.."));
  const ended = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const server = await startApiServer({ flags, binaries });
  process.stdout.write(
    `export KUBECONFIG=${server.kubeconfig}\nexport PATH=${dirname(binaries.kubectl)}:$PATH\n`,
  );
  const service = await serveHome(server);
  try {
    await register(server, { url: `https://127.0.0.1:${service.port}`, caFile: caFileOf(server) });
    await untilReady(server);
    await applyExamples(server);
    const living = await startLiving(server);
    process.stderr.write(guideOf(server, service, living.actions));
    await ended;
    await living.stop();
  } finally {
    await Promise.all([service.close(), server.stop()]);
  }
}

/** The example of a home that runs, in this process: controllers, simulated devices, and actions at a URL. */
async function startLiving(server: ApiServer): Promise<{ actions: string; stop: () => Promise<void> }> {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const cluster = new Cluster(config);
  const stopped = new AbortController();
  const devices = await startDevices({ port: 0, latency: 50, failures: 0.05 });
  const log = (line: string) => process.stderr.write(`${line}\n`);
  const options = { cluster, devices: devices.url, now: () => new Date(), log, signal: stopped.signal };
  await startControllers(options);
  const frontEnd = await serveActions(cluster, 0);
  return {
    actions: `${frontEnd.url}/actions`,
    async stop() {
      stopped.abort();
      await Promise.all([frontEnd.stop(), devices.stop()]);
    },
  };
}

/** Serves in this process, so that nothing keeps running after it, however it ends. */
async function serveHome(server: ApiServer): Promise<Service> {
  const record = process.env.ANTECHAMBER_RECORD;
  const options = {
    port: 0,
    opsPort: 0,
    webhooks: ["webhooks"],
    certHost: [],
    caOut: caFileOf(server),
    grace: 0,
    ...(record ? { record } : {}),
  };
  return serve(options, {
    print: () => {},
    now: () => new Date(),
    random: Math.random,
    env: {},
    log: pino({ level: "warn" }, pino.destination(2)),
    folder: server.dir,
    readStdin: async () => "",
  });
}

function caFileOf(server: ApiServer): string {
  return join(server.dir, "antechamber-ca.crt");
}

/** Applies the examples of all kinds in a namespace `home`, with their status. */
async function applyExamples(server: ApiServer): Promise<void> {
  await createNamespace(server, "home");
  await server.kubectl(["config", "set-context", "--current", "--namespace=home"]);
  for (const plural of plurals) await Promise.all(examplesOf(plural).map((it) => apply(server, plural, it)));
}

async function apply(server: ApiServer, plural: string, example: JsonObject): Promise<void> {
  const name = get(example, "metadata", "name");
  const path = `/apis/${example.apiVersion}/namespaces/home/${plural}/${name}`;
  const applied = async (query: string, body: JsonObject) =>
    expectOk(
      server.request("PATCH", `${path}${query}`, { body, contentType: "application/apply-patch+yaml" }),
    );
  const { status, ...rest } = example;
  await applied("?fieldManager=examples", rest);
  if (!isObject(status)) return;
  const { apiVersion = null, kind = null } = example;
  await applied("/status?fieldManager=controller", {
    apiVersion,
    kind,
    metadata: { name: name ?? null },
    status,
  });
}

function guideOf(server: ApiServer, { port }: Service, actions: string): string {
  const old = (plural: string) => `${plural}.v1beta1.${group}`;
  const action = '{"action":"switch_on","room":"bedroom","namespace":"home"}';
  const lamp = `{apiVersion: ${group}/v1, kind: Light, metadata: {name: lamp}, spec: {device: {address: "matter://lamp"}}}`;
  return `
A Kubernetes API server (${server.url}), Antechamber (https://127.0.0.1:${port}) and a simulated home (docs/learn/home.md) are running.
In a second shell, paste the two lines above and try:

  # a client of the old version dims a room; kubectl get lights --watch, in a third shell, shows the lights follow
  kubectl patch ${old("rooms")} bedroom --type=merge -p '{"spec":{"brightness":"30%"}}'
  kubectl wait room bedroom --for=condition=Ready
  # a switch on the wall: the answer is what was applied; without dryRun the lights are switched on
  curl -sS -d '${action}' '${actions}?dryRun=true'
  # the same rooms in both versions
  kubectl get rooms
  kubectl get ${old("rooms")}
  kubectl explain room.spec.lights
  # written at the old version, read at the new one, and nothing else is changed
  kubectl patch ${old("rooms")} bedroom --type=merge -p '{"spec":{"temperature":"75F"}}'
  kubectl get room bedroom -o yaml
  kubectl edit ${old("rooms")} bedroom
  # a default: the address says the protocol
  echo '${lamp}' | kubectl apply -f - -o yaml
  # a denial: this lock is jammed
  kubectl patch lock back-door --type=merge -p '{"spec":{"desiredState":"Unlocked"}}'
  # what a removal of v1beta1 would begin with
  npx antechamber migrate lights locks rooms --dry-run --drop v1beta1

Ctrl-C ends them, and all that is in them is gone.
`;
}
