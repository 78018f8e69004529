import { appendFile, cp, writeFile } from "node:fs/promises";
import path from "node:path";
import { certs } from "../../src/cli/certs/run.ts";
import { kubeconfigText } from "../../src/cluster/local/kubeconfig.ts";
import { isObject } from "../../src/json/json.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../support/service.ts";
import type { ApiServer } from "./server.ts";

/** Where the service is deployed. */
export const serviceNamespace = "antechamber-system";

/** A service that runs like a pod of its Deployment, and the manifests that it is deployed with. */
export interface Deployed {
  readonly service: RunningService;
  /** A copy of `manifests/`, with a certificate in `overlays/own-certificate/tls`. */
  readonly manifests: string;
  /** Applies an overlay, for this machine; resolves with what was applied. */
  readonly apply: (overlay: string) => Promise<string>;
}

/** Makes the service's account, and starts the service under it; no webhook is registered yet. */
export async function startDeployed(server: ApiServer, folder: string): Promise<Deployed> {
  const manifests = await manifestsIn(folder);
  const tls = path.join(manifests, "overlays/own-certificate/tls");
  await makeCertificate(tls);
  const access = allComponents.map((name) => `manifests/components/${name}/access.yaml`);
  const files = ["manifests/base/namespace.yaml", "manifests/base/access.yaml", ...access];
  await applied(
    server,
    files.flatMap((file) => ["-f", file]),
  );
  const kubeconfig = path.join(folder, "kubeconfig");
  await writeFile(kubeconfig, kubeconfigText({ ...server, token: await tokenOf(server) }));
  const listen = ["--host", "127.0.0.1", "--kubeconfig", kubeconfig, "--log-level", "info"];
  const service = await startService(["--cert-dir", tls, ...listen]);
  return {
    service,
    manifests,
    async apply(overlay) {
      const text = writtenFor(await built(server, path.join(manifests, "overlays", overlay)), service.port);
      await applied(server, ["-f", "-"], text);
      return text;
    },
  };
}

/** All components of kinds. */
export const allComponents = ["home", "injection", "openkruise"];

/** A copy of `manifests/` in a folder, whose overlays include components; returns where it is. */
export async function manifestsIn(
  folder: string,
  components: readonly string[] = allComponents,
): Promise<string> {
  const manifests = path.join(folder, "manifests");
  await cp("manifests", manifests, { recursive: true });
  const lines = components.map((name) => `- ../../components/${name}\n`);
  for (const overlay of components.length === 0 ? [] : ["managed", "cert-manager", "own-certificate"]) {
    const file = path.join(manifests, "overlays", overlay, "kustomization.yaml");
    await appendFile(file, `components:\n${lines.join("")}`);
  }
  return manifests;
}

/** Makes a certificate for the service's name in a folder. */
export async function makeCertificate(out: string): Promise<void> {
  const hosts = [`antechamber.${serviceNamespace}.svc`];
  await certs({ out, host: hosts, days: 1, force: true }, { print: () => {}, now: () => new Date() });
}

/** What `kubectl kustomize` makes of a folder. */
export async function built(server: ApiServer, overlay: string): Promise<string> {
  const ran = await server.kubectl(["kustomize", overlay]);
  if (ran.code !== 0) throw new Error(`${overlay} cannot be built: ${ran.stderr}`);
  return ran.stdout;
}

/** Applies manifests on the server's side. */
export async function applied(server: ApiServer, args: readonly string[], input = ""): Promise<void> {
  const ran = await server.kubectl(["apply", "--server-side", ...args], { input });
  if (ran.code !== 0) throw new Error(`the manifests are refused: ${ran.stderr}`);
}

/** Without a pod network, the host name of the Service leads to this machine, at the port of the service. */
export function writtenFor(text: string, port: number): string {
  const documents = readYaml(text.replaceAll(/^(\s+)port: 443$/gm, `$1port: ${port}`));
  return documents
    .map(({ value }) =>
      isObject(value) && value.kind === "Service"
        ? writeYaml({ ...value, spec: { type: "ExternalName", externalName: "localhost" } })
        : writeYaml(value),
    )
    .join("---\n");
}

/** A token of the service account. */
export async function tokenOf(server: ApiServer): Promise<string> {
  const ran = await server.kubectl(["create", "token", "antechamber", "--namespace", serviceNamespace]);
  if (ran.code !== 0) throw new Error(`the service's account gets no token: ${ran.stderr}`);
  return ran.stdout.trim();
}
