import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { localSource } from "../../../certs/local.ts";
import { get } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { antechamber } from "../../support/cli.ts";
import { startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type Home, startHome } from "../home.ts";

// `verify --kubeconfig` finds the URL, the CA and the CRDs of a conversion webhook in a cluster, and takes objects from there.

if (requireBinaries() === undefined) it(leftOut, () => {});
else {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
  }, 120_000);
  afterAll(() => home.stop());

  it("checks the webhook that the CRDs of a cluster name", async () => {
    await home.createNamespace("home");
    const applied = await home.kubectl(["apply", "-f", "webhooks/home/room/examples/v1"]);
    expect(applied.stderr).toBe("");
    const args = ["verify", "--kubeconfig", home.kubeconfig, "--kind", "Room", "--objects", "5"];
    const { code, stdout, stderr } = await antechamber([...args, "--seed", "1", "--runs", "3", "-o", "json"]);
    const [kind, ...others] = JSON.parse(stdout).kinds;
    expect(stderr).not.toContain("Conversion is not lossless");
    expect(kind.kind).toBe("rooms.home.antechamber.dev");
    expect(others).toEqual([]);
    expect(kind.tried).toBeGreaterThan(50);
    expect(code).toBe(0);
  }, 120_000);

  it("asks a webhook behind a Service through the proxy of the API server", async () => {
    // On all addresses: an API server does not proxy to loopback.
    const service = await startService(["--host", "0.0.0.0"]);
    onTestFinished(async () => void (await service.stop()));
    await serviceOf(home, service.port);
    const crd = readFileSync("manifests/components/home/lights.home.antechamber.dev.yaml", "utf8");
    const named = crd.replace("name: antechamber\n", "name: hook\n").replace("antechamber-system", "behind");
    expect((await home.kubectl(["apply", "-f", "-"], { input: named })).stderr).toBe("");
    const args = ["verify", "--kubeconfig", home.kubeconfig, "--kind", "Light", "--summary"];
    const { code, stdout, stderr } = await antechamber([...args, "--seed", "1", "--runs", "2"]);
    expect(stdout, stderr).toContain("/api/v1/namespaces/behind/services/https:hook:443/proxy/convert");
    expect(stdout).toContain("lights.home.antechamber.dev (v1beta1, v1): nothing is lost");
    expect(code).toBe(0);
  }, 120_000);

  it("asks a port-forward at --url, with the CA and the name of the Service from the CRD", async () => {
    const source = await localSource({ now: () => new Date(), hosts: ["lights.forwarded.svc"] });
    source.stop();
    const folder = await mkdtemp(path.join(tmpdir(), "antechamber-forwarded-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { certificate = "", key = "" } = source.current() ?? {};
    await writeFile(path.join(folder, "tls.crt"), certificate);
    await writeFile(path.join(folder, "tls.key"), key);
    const service = await startService(["--cert-dir", folder]);
    onTestFinished(async () => void (await service.stop()));
    const bundle = Buffer.from(source.authority()).toString("base64");
    const clientConfig = {
      service: { namespace: "forwarded", name: "lights", path: "/convert" },
      caBundle: bundle,
    };
    const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
    const [document] = readYaml(
      readFileSync("manifests/components/home/lights.home.antechamber.dev.yaml", "utf8"),
    );
    const crd = document?.value;
    const input = JSON.stringify({ ...Object(crd), spec: { ...Object(get(crd, "spec")), conversion } });
    expect((await home.kubectl(["apply", "-f", "-"], { input })).stderr).toBe("");
    const url = `https://127.0.0.1:${service.port}/convert`;
    const args = ["verify", "--kubeconfig", home.kubeconfig, "--url", url, "--kind", "Light", "--summary"];
    const { code, stdout, stderr } = await antechamber([...args, "--seed", "1", "--runs", "2"]);
    expect(stdout, stderr).toContain(`${url}: seed 1`);
    expect(stdout).toContain("lights.home.antechamber.dev (v1beta1, v1): nothing is lost");
    expect(code).toBe(0);
  }, 120_000);

  it("names the kinds that there are", async () => {
    const args = ["verify", "--kubeconfig", home.kubeconfig, "--kind", "Window"];
    const { code, stderr } = await antechamber(args);
    expect(stderr).toMatch(/--kind Window: unknown kind; known kinds are .*rooms\.home\.antechamber\.dev/);
    expect(code).toBe(2);
  });
}

/** A Service with one pod behind it, which is the service of this test: the API server proxies to addresses of pods alone. */
async function serviceOf(home: Home, port: number): Promise<void> {
  const ip = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address;
  const namespace = "behind";
  const meta = (name: string) => ({ name, namespace });
  const targetRef = { kind: "Pod", name: "pod", namespace };
  await home.createNamespace(namespace);
  const objects = [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: meta("default") },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: meta("pod"),
      spec: { containers: [{ name: "a", image: "a" }] },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: meta("hook"),
      spec: { ports: [{ port: 443, targetPort: port }] },
    },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: meta("hook"),
      subsets: [{ addresses: [{ ip, targetRef }], ports: [{ port }] }],
    },
  ];
  for (const object of objects)
    await succeed(home.kubectl(["apply", "-f", "-"], { input: JSON.stringify(object) }));
  const status = JSON.stringify({ status: { phase: "Running", podIP: ip, podIPs: [{ ip }] } });
  const patch = [
    "patch",
    "pod",
    "pod",
    "-n",
    namespace,
    "--subresource=status",
    "--type=merge",
    "-p",
    status,
  ];
  await succeed(home.kubectl(patch));
}

async function succeed(ran: Promise<{ readonly code: number; readonly stderr: string }>): Promise<void> {
  const { code, stderr } = await ran;
  if (code !== 0) throw new Error(stderr);
}

it("exits with 2 where there is no cluster", async () => {
  const { code, stderr } = await antechamber(["verify", "--kubeconfig", "/nowhere"]);
  expect(stderr).toContain("/nowhere cannot be read");
  expect(code).toBe(2);
});
