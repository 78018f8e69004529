import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { get, type JsonObject, listAt, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import type { RunningService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { establishCrd } from "../crd.ts";
import {
  applied,
  built,
  type Deployed,
  makeCertificate,
  manifestsIn,
  serviceNamespace,
  startDeployed,
  writtenFor,
} from "../deployed.ts";
import { createNamespace, untilReady } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
// The last claims take away what the others speak of.
else describe("the deployment", { shuffle: false }, claims);

const account = `system:serviceaccount:${serviceNamespace}:antechamber`;

function claims(): void {
  let server: ApiServer;
  let folder: string;
  let deployed: Deployed;
  let service: RunningService;

  beforeAll(async () => {
    server = await startApiServer();
    folder = await mkdtemp(path.join(tmpdir(), "antechamber-deployment-"));
    deployed = await startDeployed(server, folder);
    service = deployed.service;
    // As in a renewal, where the CA that comes is trusted beside the one that goes.
    const own = path.join(deployed.manifests, "overlays/own-certificate");
    await makeCertificate(path.join(own, "new"));
    await appendFile(path.join(own, "tls/ca.crt"), await readFile(path.join(own, "new/ca.crt")));
    await deployed.apply("own-certificate");
    await untilReady(server);
  }, 120_000);

  afterAll(async () => {
    await Promise.all([server?.stop(), service?.process.exitCode === null && service.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("is accepted by an API server without an overlay", async () => {
    const text = await built(server, "manifests/base");
    await applied(server, ["--dry-run=server", "--force-conflicts", "-f", "-"], text);
  });

  it("is accepted with cert-manager, too, whose CRDs are stubs here", async () => {
    for (const kind of ["Issuer", "Certificate"]) await establishCrd(server, standIn(kind));
    const text = await built(server, path.join(deployed.manifests, "overlays/cert-manager"));
    await applied(server, ["--dry-run=server", "--force-conflicts", "-f", "-"], text);
    const annotated = readYaml(text).filter(
      ({ value }) => get(value, "metadata", "annotations", "cert-manager.io/inject-ca-from") !== undefined,
    );
    const called = readYaml(text).filter(({ value }) => JSON.stringify(value).includes('"clientConfig"'));
    expect(called.length).toBeGreaterThan(8);
    expect(annotated).toHaveLength(called.length);
  });

  it("leaves the CRDs of OpenKruise's kinds, and its workloads altogether, to OpenKruise beside it", async () => {
    const names = (text: string) =>
      readYaml(text).map(
        ({ value }) => `${String(get(value, "kind"))} ${String(get(value, "metadata", "name"))}`,
      );
    const withKinds = async (...components: readonly string[]) => {
      const copy = await manifestsIn(path.join(folder, components.join("-")), components);
      return built(server, path.join(copy, "overlays/cert-manager"));
    };
    const text = await withKinds("beside-kruise");
    const [whole, beside] = [names(await withKinds("injection", "openkruise")), names(text)];
    const isTheirs = (name: string) => /^CustomResourceDefinition .*\.kruise\.io$/.test(name);
    expect(beside).toEqual(whole.filter((name) => !isTheirs(name)));
    expect(beside).toHaveLength(whole.length - 3);
    expect(text).toContain("name: mutate.sidecarsets.apps.kruise.io");
    expect(text).not.toMatch(/name: \w+\.(?:statefulsets|broadcastjobs)\.apps\.kruise\.io/);
  });

  it("becomes a guard by a component, in front of the CRDs that are named there", async () => {
    const copy = await manifestsIn(path.join(folder, "guard"), ["guard"]);
    const text = await built(server, path.join(copy, "overlays/managed"));
    await applied(server, ["--dry-run=server", "--force-conflicts", "-f", "-"], text);
    const [container] = listAt(podSpec(text), "containers");
    expect(listAt(container, "args")).toEqual([
      "guard",
      "--certs",
      "managed",
      "serve",
      "statefulsets.apps.kruise.io",
    ]);
  });

  it("does not change if it is applied again", async () => {
    const overlay = path.join(deployed.manifests, "overlays/own-certificate");
    const text = writtenFor(await built(server, overlay), service.port);
    const ran = await server.kubectl(["diff", "--server-side", "-f", "-"], { input: text });
    expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 0 });
  });

  it("has pods that a namespace with the restricted profile accepts, while a pod that requests more is rejected", async () => {
    await createNamespace(server, "restricted");
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await server.request("PATCH", "/api/v1/namespaces/restricted", { body: { metadata: { labels } } });
    const spec = podSpec(await built(server, "manifests/base"));
    expect(await tryPod(spec)).toMatchObject({ status: 201 });
    const refused = await tryPod(set(spec, "securityContext", undefined));
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.text).toContain('violates PodSecurity \\"restricted:latest\\"');
  });

  it("lets the service read what its kinds need, and nothing else", async () => {
    const can = async (...what: readonly string[]) =>
      (await server.kubectl(["auth", "can-i", ...what, "--all-namespaces"], { as: account })).stdout.trim();
    expect(await can("list", "rooms.home.antechamber.dev")).toBe("yes");
    expect(await can("watch", "rooms.home.antechamber.dev")).toBe("yes");
    for (const what of [
      "update rooms.home.antechamber.dev",
      "get secrets",
      "list secrets",
      "list pods",
      "create leases",
    ])
      expect(await can(...what.split(" ")), what).toBe("no");
  });

  it("validates with what its service account may read", async () => {
    const made = await createRoom("kitchen", ["over-the-table"]);
    expect(made, made.text).toMatchObject({ status: 201 });
    await vi.waitFor(async () => {
      const refused = await createRoom("pantry", ["over-the-table"]);
      expect(refused.text).toContain("belongs to Room");
    }, 15_000);
  });

  it("is called through its Service, by the Service's name and with the CA of its Secret", async () => {
    const crd = await server.request("GET", `${crds}/rooms.home.antechamber.dev`);
    const config = get(crd.body, "spec", "conversion", "webhook", "clientConfig");
    expect(get(config, "service", "name")).toBe("antechamber");
    const secret = await server.request(
      "GET",
      `/api/v1/namespaces/${serviceNamespace}/secrets/antechamber-tls`,
    );
    expect(get(config, "caBundle")).toBe(get(secret.body, "data", "ca.crt"));
    expect(atob(String(get(config, "caBundle"))).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
    expect(service.logged()).toContain('"msg":"serving"');
  });

  it("can be removed while the objects of a kind stay, readable at their stored version", async () => {
    const made = await createRoom("attic", ["bare-bulb"]);
    expect(made, made.text).toMatchObject({ status: 201 });
    const none = '{"spec":{"conversion":{"strategy":"None","webhook":null}}}';
    await gone("patch", "crd", "rooms.home.antechamber.dev", "--type", "merge", "-p", none);
    for (const kind of ["mutating", "validating"])
      await gone("delete", `${kind}webhookconfiguration`, "-l", "antechamber.dev/installation=antechamber");
    await service.stop();
    await vi.waitFor(async () => {
      const body = { metadata: { labels: { seen: "yes" } } };
      const path = "/apis/home.antechamber.dev/v1/namespaces/default/rooms/attic";
      const changed = await server.request("PATCH", path, { body });
      expect(changed, changed.text).toMatchObject({ status: 200 });
    }, 15_000);
  });

  it("can be deleted as a whole, without waiting for conversion", async () => {
    await gone("delete", "--wait=false", "crd", "-l", "antechamber.dev/installation=antechamber");
    await gone(
      "delete",
      "--wait=false",
      "clusterrolebinding,clusterrole",
      "-l",
      "app.kubernetes.io/name=antechamber",
    );
    await gone("delete", "--wait=false", "namespace", serviceNamespace);
    await vi.waitFor(async () => {
      const left = await server.request("GET", crds);
      expect(left.text).not.toContain("home.antechamber.dev");
    }, 15_000);
  });

  async function gone(...args: readonly string[]): Promise<void> {
    const ran = await server.kubectl(args);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }

  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  function tryPod(spec: JsonObject) {
    const body = { apiVersion: "v1", kind: "Pod", metadata: { name: "antechamber" }, spec };
    return server.request("POST", "/api/v1/namespaces/restricted/pods?dryRun=All", { body });
  }

  function createRoom(name: string, lights: readonly string[]) {
    const spec = { lights: lights.map((each) => ({ name: each })) };
    const body = { apiVersion: "home.antechamber.dev/v1", kind: "Room", metadata: { name }, spec };
    return server.request("POST", "/apis/home.antechamber.dev/v1/namespaces/default/rooms", { body });
  }
}

function podSpec(text: string): JsonObject {
  const deployment = readYaml(text).find(({ value }) => get(value, "kind") === "Deployment");
  return get(deployment?.value, "spec", "template", "spec") as JsonObject;
}

function standIn(kind: string): JsonObject {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.cert-manager.io` },
    spec: {
      group: "cert-manager.io",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
