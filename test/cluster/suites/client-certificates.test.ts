import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createAuthority } from "../../../certs/authority.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { register } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("an API server that has a client certificate", claims);

function claims(): void {
  let server: ApiServer;
  let folder: string;
  let service: RunningService;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "antechamber-clients-"));
    const file = (name: string) => path.join(folder, name);
    const now = new Date();
    const authority = await createAuthority({ commonName: "clients", now, days: 1 });
    const { certificate, key } = await authority.issue({
      hosts: ["kube-apiserver"],
      now,
      days: 1,
      owner: "client",
    });
    await writeFile(file("client-ca.crt"), authority.certificate);
    await writeFile(file("client.crt"), certificate);
    await writeFile(file("client.key"), key);
    await writeFile(file("kubeconfig"), JSON.stringify(kubeconfig(file("client.crt"), file("client.key"))));
    await writeFile(file("admission.yaml"), JSON.stringify(admission(file("kubeconfig"))));
    const flags = [`--admission-control-config-file=${file("admission.yaml")}`];
    [server, service] = await Promise.all([
      startApiServer({ flags }),
      startService(["--client-ca", file("client-ca.crt")]),
    ]);
    await register(server, { url: `https://127.0.0.1:${service.port}`, caFile: service.caFile });
  }, 100_000);

  afterAll(async () => {
    await Promise.all([server?.stop(), service?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("presents it to admission webhooks", async () => {
    await vi.waitFor(async () => {
      const spec = { device: { address: "matter://probe" } };
      const body = {
        apiVersion: "home.antechamber.dev/v1",
        kind: "Light",
        metadata: { name: "probe" },
        spec,
      };
      const made = await server.request("POST", `${lights("v1")}?dryRun=All`, { body });
      expect(made.text).toContain('"protocol":"Matter"');
    }, 10_000);
  });

  it("does not present it to conversion webhooks, and gets its response nevertheless", async () => {
    const body = {
      apiVersion: "home.antechamber.dev/v1",
      kind: "Light",
      metadata: { name: "hall" },
      spec: {},
    };
    const made = await server.request("POST", lights("v1"), { body });
    expect(made, made.text).toMatchObject({ status: 201 });
    const asked = await server.request("GET", `${lights("v1beta1")}/hall`);
    expect(asked, asked.text).toMatchObject({ status: 200 });
    // The certificate was not presented: the same service rejects an admission review without one.
    const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: { uid: "u" } };
    expect((await service.post("/mutate", JSON.stringify(review))).status).toBe(401);
    expect((await service.post("/convert", JSON.stringify(review))).status).toBe(400);
  });
}

/** The credentials of the API server for each webhook: users are named like the host, `name.namespace.svc`, or `*` for all. */
function kubeconfig(certificate: string, key: string) {
  const user = { "client-certificate": certificate, "client-key": key };
  return { apiVersion: "v1", kind: "Config", users: [{ name: "*", user }] };
}

function admission(kubeConfigFile: string) {
  const apiVersion = "apiserver.config.k8s.io/v1";
  const configuration = { apiVersion, kind: "WebhookAdmissionConfiguration", kubeConfigFile };
  const names = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"];
  return {
    apiVersion,
    kind: "AdmissionConfiguration",
    plugins: names.map((name) => ({ name, configuration })),
  };
}

function lights(version: string): string {
  return `/apis/home.antechamber.dev/${version}/namespaces/default/lights`;
}
