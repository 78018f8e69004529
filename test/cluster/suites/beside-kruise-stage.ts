import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { applied, type Deployed, startDeployed } from "../deployed.ts";
import { createNamespace } from "../home.ts";
import { type Kruise, type Manager, startManager } from "../kruise.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { pods, sidecarSets } from "./injection-stage.ts";

/** A real API server with OpenKruise as it is released, and our service next to it, which is not called yet. */
export interface KruiseStage extends ApiServer {
  readonly manager: Manager;
  readonly deployed: Deployed;
  /** OpenKruise's manifests of some kinds, as a list. */
  readonly install: (...kinds: readonly string[]) => string;
}

/** Installs and starts all of it, in the order of OpenKruise's own instructions. */
export async function startKruiseStage(kruise: Kruise): Promise<KruiseStage> {
  const folder = await mkdtemp(join(tmpdir(), "antechamber-beside-"));
  const server = await startApiServer();
  const manifests = readYaml(await readFile(kruise.install, "utf8")).map(({ value }) => value);
  const install = (...kinds: readonly string[]) =>
    writeJson(listOf(manifests.filter((each) => kinds.includes(String(get(each, "kind"))))));
  const [manager, deployed] = await Promise.all([
    installKruise(kruise, server, install),
    startDeployed(server, folder),
  ]);
  return {
    ...server,
    manager,
    deployed,
    install,
    async stop() {
      await Promise.all([manager.stop(), deployed.service.stop()]);
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The webhook configurations come last: until the manager serves them, requests fail. */
async function installKruise(
  kruise: Kruise,
  server: ApiServer,
  install: KruiseStage["install"],
): Promise<Manager> {
  await applied(server, ["-f", "-"], install("Namespace", "CustomResourceDefinition"));
  await createNamespace(server, "shop");
  await applied(server, ["-f", "-"], install(...configurations.map(({ kind }) => kind)));
  return startManager(kruise, server);
}

/** Registers our webhooks by the component `beside-kruise`, with our own certificate. */
export async function standBeside({ deployed }: KruiseStage): Promise<string> {
  const file = join(deployed.manifests, "overlays/own-certificate/kustomization.yaml");
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace(/^components:\n(- .*\n)+/m, "components:\n- ../../components/beside-kruise\n"),
  );
  return deployed.apply("own-certificate");
}

/** The mutating and the validating webhook configuration of a name. */
export function configurationsOf(name: (kind: "mutating" | "validating") => string) {
  return (["mutating", "validating"] as const).map((kind) => ({
    kind: `${kind === "mutating" ? "Mutating" : "Validating"}WebhookConfiguration`,
    path: `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${name(kind)}`,
  }));
}

/** OpenKruise's. */
export const configurations = configurationsOf((kind) => `kruise-${kind}-webhook-configuration`);

/** Removes webhooks from configurations, and the template from which OpenKruise's manager would restore them. */
export async function takeOut(
  server: ApiServer,
  paths: readonly { readonly path: string }[],
  isOut: (name: string) => boolean,
): Promise<void> {
  for (const { path } of paths) {
    const { metadata, webhooks, ...rest } = await objectAt(server, path);
    const annotations = Object.entries(get(metadata, "annotations") ?? {}).filter(
      ([key]) => key !== "template",
    );
    const body = {
      ...rest,
      metadata: { ...(isObject(metadata) ? metadata : {}), annotations: Object.fromEntries(annotations) },
      webhooks: itemsOf(webhooks).filter((each) => !isOut(String(get(each, "name")))),
    };
    const answer = await server.request("PUT", path, { body });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  }
}

/** The names of the webhooks in OpenKruise's configurations. */
export async function entriesOf(stage: KruiseStage): Promise<readonly string[]> {
  const found = await Promise.all(configurations.map(({ path }) => objectAt(stage, path)));
  return found.flatMap((each) => itemsOf(get(each, "webhooks")).map((entry) => String(get(entry, "name"))));
}

/** Milliseconds within which OpenKruise and the API server have done what they are about to do, on a busy machine, too. */
export const patience = 40_000;

/** Reads an object until it is as expected; the error of a timeout shows the last response. */
export async function objectAt(
  server: ApiServer,
  path: string,
  check: (object: JsonObject) => void = () => {},
): Promise<JsonObject> {
  return vi.waitFor(
    async () => {
      const { body, status, text } = await server.request("GET", path);
      if (status !== 200 || !isObject(body)) throw new Error(`${path}: ${status} ${text}`);
      check(body);
      return body;
    },
    { timeout: patience, interval: 50 },
  );
}

export const setPath = (name: string, version = "v1beta1") => `${sidecarSets(version)}/${name}`;
export const podPath = (name: string) => `${pods("shop")}/${name}`;

/** Patches an object; throws if the API server rejects it. */
export async function change(
  server: ApiServer,
  path: string,
  body: JsonObject,
  contentType = "application/merge-patch+json",
): Promise<JsonObject> {
  const answer = await server.request("PATCH", path, { body, contentType });
  if (answer.status !== 200 || !isObject(answer.body)) throw new Error(`refused: ${answer.text}`);
  return answer.body;
}

/**
 * Acts as the kubelet: the pod becomes not ready while containers with a new image start, and then ready again.
 */
export async function runPod(server: ApiServer, name: string): Promise<void> {
  const pod = await objectAt(server, podPath(name));
  const containerStatuses = itemsOf(get(pod, "spec", "containers")).map((each) => {
    const image = String(get(each, "image"));
    const state = { running: { startedAt: "2026-01-01T00:00:00Z" } };
    return {
      name: get(each, "name") ?? "",
      image,
      imageID: idOf(image),
      ready: true,
      restartCount: 0,
      state,
    };
  });
  await report(server, name, { conditions: [{ type: "Ready", status: "False" }] });
  const conditions = [{ type: "Ready", status: "True" }];
  await report(server, name, { phase: "Running", conditions, containerStatuses });
}

/** The image ID that this kubelet reports for an image. */
export const idOf = (image: string): string => `sha256:${Buffer.from(image).toString("hex")}`;

async function report(server: ApiServer, name: string, status: JsonObject): Promise<void> {
  await change(server, `${podPath(name)}/status`, { status }, "application/strategic-merge-patch+json");
}

export function itemsOf(list: Json | undefined): readonly Json[] {
  return isArray(list) ? list : [];
}

function listOf(items: readonly Json[]): JsonObject {
  return { apiVersion: "v1", kind: "List", items };
}
