import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { get } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, releaseOf, requireBinaries } from "../binaries.ts";
import { group, untilReady } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// An API server reads what `antechamber manifests --static` wrote from its disk; only the CRDs are applied.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("webhooks from the disk of an API server", claims);

// It is on by default since v1.37.
const gates =
  releaseOf(process.env) === "1.36" ? ["--feature-gates=ManifestBasedAdmissionControlConfig=true"] : [];

function claims(): void {
  let folder: string;
  let service: RunningService;
  let server: ApiServer;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "antechamber-static-"));
    service = await startService(["--webhooks", "webhooks"]);
    const crds = await writeStatic();
    const file = join(folder, "admission.yaml");
    server = await startApiServer({ flags: [...gates, `--admission-control-config-file=${file}`] });
    const applied = await server.kubectl(["apply", "-f", "-"], { input: crds });
    expect(applied.stderr).toBe("");
    await untilReady(server);
  }, 240_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), service?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("set defaults, validate and convert, as those of the API do", async () => {
    const path = `/apis/${group}/v1beta1/namespaces/default/lights`;
    const body = {
      apiVersion: `${group}/v1beta1`,
      kind: "Light",
      metadata: { name: "hall" },
      spec: { address: "matter://hall", powered: true },
    };
    expect(await server.request("POST", path, { body })).toMatchObject({ status: 201 });
    const hub = await server.request("GET", `/apis/${group}/v1/namespaces/default/lights/hall`);
    expect(get(hub.body, "spec", "device", "protocol")).toBe("Matter");
  });

  it("mutate pods", async () => {
    const body = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "plain" },
      spec: { containers: [{ name: "app", image: "app" }] },
    };
    const path = "/api/v1/namespaces/default/pods?dryRun=All";
    const before = await podReviews();
    expect((await server.request("POST", path, { body })).status).toBe(201);
    expect(await podReviews()).toBe(before + 1);
  });

  it("are not objects of the API, so that no client can remove them", async () => {
    for (const plural of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]) {
      const { body } = await server.request("GET", `/apis/admissionregistration.k8s.io/v1/${plural}`);
      expect(get(body, "items")).toEqual([]);
    }
  });

  async function podReviews(): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
    const counts = text.matchAll(/^antechamber_admission_requests_total\{kind="Pod"[^}]*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Runs the command as its users do; gives back what it printed. */
  async function writeStatic(): Promise<string> {
    const url = `https://127.0.0.1:${service.port}`;
    const args = ["src/cli.ts", "manifests", "--url", url, "--ca", service.caFile, "--static", folder];
    const { code, stdout, stderr } = await run({ command: process.execPath, args }, process.env);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return stdout;
  }
}
