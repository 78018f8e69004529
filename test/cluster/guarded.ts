import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { get, isObject, type JsonObject, listAt, set, textAt } from "../../src/json/json.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
import { type RunningService, startService } from "../support/service.ts";
import { expectOk, patient } from "./kinds.ts";
import type { ApiServer } from "./server.ts";
import { until } from "./suites/served.ts";
import type { RunningTarget } from "./webhook-targets.ts";

/** A guard in front of a webhook of another project, and the CRDs of that. */
export interface GuardedTarget {
  readonly service: RunningService;
  readonly crds: readonly JsonObject[];
  readonly stop: () => Promise<void>;
}

/** Starts a guard in a process of its own. The CRDs get the field of status that carriers need. */
export async function startGuard(
  target: Pick<RunningTarget, "url" | "caFile">,
  files: readonly string[],
  args: readonly string[] = [],
): Promise<GuardedTarget> {
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-guarded-"));
  const crds = files
    .flatMap((file) => readYaml(readFileSync(file, "utf8")))
    .flatMap(({ value }) => (isObject(value) ? [withCarrier(value)] : []));
  for (const crd of crds)
    writeFileSync(path.join(folder, `${textAt(crd, "metadata", "name")}.yaml`), writeYaml(crd));
  const upstream = ["--upstream", target.url, "--upstream-ca", target.caFile, "--crd", folder];
  const service = await startService([...upstream, ...args], {}, undefined, "guard");
  return {
    service,
    crds,
    stop: async () => {
      await service.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A CRD whose versions declare the field of status for carriers. */
export function withCarrier(crd: JsonObject): JsonObject {
  const field = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const status = ["schema", "openAPIV3Schema", "properties", "status"] as const;
  const versions = listAt(crd, "spec", "versions")
    .filter(isObject)
    .map((version) => {
      if (get(version, "subresources", "status") === undefined) return version;
      // Some CRDs name a status subresource, and declare no status.
      const declared =
        get(version, ...status) === undefined ? set(version, ...status, "type", "object") : version;
      return set(declared, ...status, "properties", "conversionData", field);
    });
  return set(crd, "spec", "versions", versions);
}

/** Registers a guard with an API server, as an operator would: the CRDs with their conversion, and the mutating webhook. */
export async function registerGuard(server: ApiServer, { service, crds }: GuardedTarget): Promise<void> {
  const caBundle = Buffer.from(service.ca).toString("base64");
  const at = (endpoint: string) => ({ url: `https://127.0.0.1:${service.port}/${endpoint}`, caBundle });
  await createCrds(server, crds, at("convert"));
  const webhooks = crds.map((crd) => ({
    name: `mutate.${textAt(crd, "metadata", "name")}`,
    clientConfig: at("mutate"),
    rules: [
      {
        apiGroups: [textAt(crd, "spec", "group")],
        apiVersions: listAt(crd, "spec", "versions").map((each) => textAt(each, "name")),
        operations: ["CREATE", "UPDATE"],
        resources: [
          textAt(crd, "spec", "names", "plural"),
          `${textAt(crd, "spec", "names", "plural")}/status`,
        ],
      },
    ],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  }));
  const body = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name: `guard-${textAt(crds[0], "spec", "group")}` },
    webhooks,
  };
  const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  await expectOk(server.request("POST", configurations, { body }));
  await untilListed(server, crds);
}

/** Registers a webhook alone, as it is without a guard. */
export async function registerAlone(
  server: ApiServer,
  { url, caFile }: Pick<RunningTarget, "url" | "caFile">,
  file: string,
): Promise<void> {
  const crds = readYaml(readFileSync(file, "utf8")).flatMap(({ value }) => (isObject(value) ? [value] : []));
  await createCrds(server, crds, { url, caBundle: readFileSync(caFile).toString("base64") });
  await untilListed(server, crds);
}

async function createCrds(
  server: ApiServer,
  crds: readonly JsonObject[],
  clientConfig: JsonObject,
): Promise<void> {
  const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
  for (const crd of crds) {
    const body = set(crd, "spec", "conversion", { strategy: "Webhook", webhook });
    await expectOk(
      server.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", { body }),
    );
  }
}

async function untilListed(server: ApiServer, crds: readonly JsonObject[]): Promise<void> {
  for (const crd of crds)
    for (const version of listAt(crd, "spec", "versions").filter((each) => get(each, "served") === true)) {
      const list = `/apis/${textAt(crd, "spec", "group")}/${textAt(version, "name")}/${textAt(crd, "spec", "names", "plural")}`;
      await until(
        async () => (await patient(() => server.request("GET", list))).status === 200,
        `${list} to be served`,
      );
    }
}
