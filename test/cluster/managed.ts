import { writeFile } from "node:fs/promises";
import path from "node:path";
import { kubeconfigText } from "../../src/cluster/local/kubeconfig.ts";
import { get, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../support/service.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { applied, built, manifestsIn, serviceNamespace, tokenOf, writtenFor } from "./deployed.ts";
import { type Gate, startGate } from "./gate.ts";
import type { ApiServer } from "./server.ts";

/** Replicas that share a managed certificate, behind one address, with the permissions of their service account. */
export interface ManagedStage {
  readonly balancer: Balancer;
  readonly replicas: Member[];
  /** Starts one more replica, under a name of its own or a given one; it gets connections when it is ready. */
  readonly start: (name?: string, env?: Readonly<Record<string, string>>) => Promise<Member>;
  /** Resolves when exactly the present replicas are ready. */
  readonly balanced: () => Promise<void>;
  /** The state of the rotation, with decoded entries; undefined without a Secret. */
  readonly state: () => Promise<Readonly<Record<string, string>> | undefined>;
  readonly stop: () => Promise<void>;
}

/** A replica, and what stands between it and the API server. */
export interface Member {
  readonly name: string;
  readonly service: RunningService;
  readonly gate: Gate;
}

/** The path of the Secret that holds the state. */
export const secretPath = `/api/v1/namespaces/${serviceNamespace}/secrets/antechamber-certificates`;

/** Starts replicas and applies the overlay, for this machine. */
export async function startManaged(
  server: ApiServer,
  folder: string,
  count: number,
  flags: readonly string[],
): Promise<ManagedStage> {
  const overlay = await built(server, path.join(await manifestsIn(folder), "overlays/managed"));
  const access = readYaml(overlay)
    .map(({ value }) => value)
    .filter((each) =>
      /^(Namespace|ServiceAccount|(Cluster)?Role(Binding)?)$/.test(String(get(each, "kind"))),
    );
  await applied(server, ["-f", "-"], access.map((each) => writeYaml(each as JsonObject)).join("---\n"));
  const token = await tokenOf(server);
  const replicas: Member[] = [];
  const balancer = await startBalancer();
  let started = 0;
  const start = async (name = `replica-${++started}`, env: Readonly<Record<string, string>> = {}) => {
    const gate = await startGate(server);
    const kubeconfig = path.join(folder, `kubeconfig-${gate.port}`);
    await writeFile(kubeconfig, kubeconfigText({ url: gate.url, ca: gate.ca, token }));
    const reached = ["--service", `${serviceNamespace}/antechamber:${balancer.port}`];
    const place = ["--certs", "managed", ...reached, "--replica", name, "--host", "127.0.0.1"];
    const service = await startService(
      [...place, "--kubeconfig", kubeconfig, "--log-level", "info", ...flags],
      env,
    );
    const member = { name, service, gate };
    replicas.push(member);
    balancer.to(...replicas.map((each) => each.service));
    return member;
  };
  await Promise.all(Array.from({ length: count }, () => start()));
  await applied(server, ["-f", "-"], writtenFor(overlay, balancer.port));
  return {
    balancer,
    replicas,
    start,
    balanced: async () => {
      balancer.to(...replicas.map(({ service }) => service));
      await balancer.hasReady(...replicas.map(({ service }) => service));
    },
    state: async () => {
      const { status, body } = await server.request("GET", secretPath);
      return status === 200 ? decoded(get(body, "data")) : undefined;
    },
    stop: async () => {
      await Promise.all(replicas.map(({ service }) => service.stop()));
      await Promise.all([balancer.close(), ...replicas.map(({ gate }) => gate.close())]);
    },
  };
}

function decoded(data: Json | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(isObject(data) ? data : {}).map(([key, value]) => [key, atob(String(value))]),
  );
}
