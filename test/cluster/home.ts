import { setTimeout as wait } from "node:timers/promises";
import { run } from "../../src/cluster/local/child.ts";
import { type RunningService, startService } from "../support/service.ts";
import { type ApiServer, startApiServer } from "./server.ts";

/** A real API server with the kinds of a home, served by our service in a process of its own. */
export interface Home extends ApiServer {
  readonly service: RunningService;
  /** Creates a namespace, so that the objects of a test are separate from others. */
  readonly createNamespace: (name: string) => Promise<void>;
}

/** The API group of the home kinds. */
export const group = "home.antechamber.dev";

/**
 * Starts both and registers the service as its users do: what `antechamber manifests` prints goes to kubectl. Ready
 * when conversion and admission both work at both versions.
 */
export async function startHome(
  webhooks: readonly string[] = ["webhooks"],
  flags: readonly string[] = [],
): Promise<Home> {
  const args = ["--webhooks", ...webhooks, "--log-level", "info"];
  const [server, service] = await Promise.all([startApiServer({ flags }), startService(args)]);
  const stop = async () => {
    await Promise.all([server.stop(), service.stop()]);
  };
  try {
    await register(server, { url: `https://127.0.0.1:${service.port}`, caFile: service.caFile, webhooks });
    await untilReady(server);
  } catch (cause) {
    await stop();
    throw new Error(`${(cause as Error).message}\n${service.logged()}`, { cause });
  }
  return { ...server, service, stop, createNamespace: (name) => createNamespace(server, name) };
}

/** Creates a namespace. */
export async function createNamespace(server: ApiServer, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const { status, text } = await server.request("POST", "/api/v1/namespaces", { body });
  if (status !== 201) throw new Error(`namespace ${name}: ${status} ${text}`);
}

/** The URL at which an API server calls a service, and the CA that it trusts for it. */
export interface Address {
  readonly url: string;
  readonly caFile: string;
  /** The folder of its kinds, or several; without it those of this repository. */
  readonly webhooks?: string | readonly string[];
  /** The name of its webhook configurations, beside those of another service. */
  readonly name?: string;
}

/** Applies what `antechamber manifests` prints; it takes effect some milliseconds later. */
export async function register(server: ApiServer, { url, caFile, webhooks, name }: Address): Promise<void> {
  const named = name === undefined ? [] : ["--name", name];
  const folders = webhooks === undefined ? [] : ["--webhooks", ...[webhooks].flat()];
  const args = ["src/cli.ts", "manifests", "--url", url, "--ca", caFile, ...named, ...folders];
  const printed = await run({ command: process.execPath, args }, process.env);
  if (printed.code !== 0) throw new Error(`the manifests are not printed: ${printed.stderr}`);
  const applied = await server.kubectl(["apply", "-f", "-"], { input: printed.stdout });
  if (applied.code !== 0) throw new Error(`the manifests are refused: ${applied.stderr}`);
}

/** CRDs are served and webhooks called some milliseconds after they were registered. */
export async function untilReady(server: ApiServer): Promise<void> {
  const end = Date.now() + 30_000;
  for (;;) {
    const missing = await stillMissing(server);
    if (missing === undefined) return;
    if (Date.now() > end) throw new Error(`the kinds are not ready: ${missing}`);
    await wait(20);
  }
}

/** What does not work yet. Both writes are dry runs, which leave nothing behind. */
async function stillMissing(server: ApiServer): Promise<string | undefined> {
  for (const plural of ["lights", "locks", "rooms"]) {
    for (const version of ["v1beta1", "v1"]) {
      const path = `/apis/${group}/${version}/${plural}`;
      const { status, text } = await server.request("GET", path);
      if (status !== 200) return `${path} answers ${status} ${text}`;
    }
  }
  const path = `/apis/${group}/v1/namespaces/default/lights/probe?fieldManager=probe&dryRun=All`;
  const mutated = await server.request("PATCH", path, light("v1", { device: { address: "matter://probe" } }));
  if (!mutated.text.includes('"protocol":"Matter"')) return `no mutation yet: ${mutated.text}`;
  const old = light("v1beta1", { firmware: "1" });
  const judged = await server.request("PATCH", path.replace("/v1/", "/v1beta1/"), old);
  const warning = String(judged.headers.warning);
  return warning.includes("is retired") ? undefined : `no validation yet: ${judged.text} ${warning}`;
}

function light(version: string, spec: { readonly [name: string]: string | { readonly address: string } }) {
  const body = { apiVersion: `${group}/${version}`, kind: "Light", metadata: { name: "probe" }, spec };
  return { body, contentType: "application/apply-patch+yaml" };
}
