import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isObject, type JsonObject, listAt, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { antechamber } from "../../support/cli.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { expectOk, patient } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { haveTargets, type RunningTarget, startTarget, targetsLeftOut } from "../webhook-targets.ts";
import { until } from "./served.ts";

// From a cluster whose Go webhook loses data to a guarded one, and back: OpenKruise's StatefulSet, by commands alone.

if (requireBinaries() === undefined) it(leftOut, () => {});
else if (!haveTargets()) it(targetsLeftOut, () => {});
else describe("a CRD that is taken over", { shuffle: false }, claims);

const name = "statefulsets.apps.kruise.io";
const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
const webhooksPath = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/antechamber-guard";

function claims(): void {
  let server: ApiServer;
  let kruise: RunningTarget;
  let before: JsonObject;
  const services: RunningService[] = [];

  beforeAll(async () => {
    [server, kruise] = await Promise.all([startApiServer(), startTarget("kruise")]);
    const [document] = readYaml(readFileSync(kruise.crd("statefulsets"), "utf8"));
    const caBundle = readFileSync(kruise.caFile).toString("base64");
    const webhook = { clientConfig: { url: kruise.url, caBundle }, conversionReviewVersions: ["v1"] };
    const crd = isObject(document?.value) ? document.value : {};
    const body = set(crd, "spec", "conversion", { strategy: "Webhook", webhook });
    await expectOk(server.request("POST", crdPath.slice(0, crdPath.lastIndexOf("/")), { body }));
    await until(async () => (await server.request("GET", sets("v1alpha1"))).status === 200, "the CRD");
    before = await read(crdPath);
  }, 60_000);
  afterAll(async () => {
    await Promise.all(services.map((each) => each.stop()));
    await Promise.all([server?.stop(), kruise?.stop()]);
  });

  const sets = (version: string, set = "") =>
    `/apis/apps.kruise.io/${version}/namespaces/default/statefulsets${set === "" ? "" : `/${set}`}`;

  async function read(path: string): Promise<JsonObject> {
    const found = await expectOk(patient(() => server.request("GET", path)));
    return isObject(found) ? found : {};
  }

  async function made(set: string): Promise<void> {
    const template = {
      metadata: { labels: { app: "a" } },
      spec: { containers: [{ name: "main", image: "nginx" }] },
    };
    const body = {
      apiVersion: "apps.kruise.io/v1beta1",
      kind: "StatefulSet",
      metadata: { name: set, namespace: "default" },
      spec: {
        replicas: 1,
        serviceName: "a",
        selector: { matchLabels: { app: "a" } },
        template,
        ordinals: { start: 3 },
      },
    };
    await expectOk(patient(() => server.request("POST", sets("v1beta1"), { body })));
  }

  /** As `kubectl replace` of what was read at the old version; says what is left of a field that this has no place for. */
  async function ordinalsAfterReplace(set_: string, replicas: number) {
    const view = await read(sets("v1alpha1", set_));
    const body = set(view, "spec", "replicas", replicas);
    await expectOk(patient(() => server.request("PUT", sets("v1alpha1", set_), { body })));
    const stored = await read(sets("v1beta1", set_));
    expect(get(stored, "spec", "replicas")).toBe(replicas);
    return get(stored, "spec", "ordinals");
  }

  const command = (...args: readonly string[]) =>
    antechamber(["guard", ...args, "--kubeconfig", server.kubeconfig]);

  async function serve(...args: readonly string[]): Promise<RunningService> {
    const service = await startService(
      ["serve", name, "--kubeconfig", server.kubeconfig, ...args],
      {},
      undefined,
      "guard",
    );
    services.push(service);
    return service;
  }

  const at = ({ port, caFile }: RunningService) => ["--url", `https://127.0.0.1:${port}`, "--ca", caFile];
  const metricsOf = ({ opsPort }: RunningService) => `http://127.0.0.1:${opsPort}/metrics`;
  const metric = async (service: RunningService, line: string) =>
    (await (await fetch(metricsOf(service))).text()).includes(line);

  it("loses a field with a write at the old version, before", async () => {
    await made("alone");
    expect(await ordinalsAfterReplace("alone", 2)).toBe(undefined);
  });

  it("is planned without a write", async () => {
    const { code, stdout } = await command("plan", name, "--url", "https://127.0.0.1:1");
    expect(code).toBe(0);
    expect(stdout).toContain("versions v1alpha1, v1beta1; stored as v1beta1; converted by");
    expect(stdout).toContain("1. register the webhook mutate.statefulsets.apps.kruise.io");
    expect(stdout).toContain("2. point spec.conversion at https://127.0.0.1:1");
    expect(stdout).toContain("do not declare status.conversionData");
    expect((await read(crdPath)).spec).toEqual(before.spec);
  });

  it("is not handed over to a guard that is not there", async () => {
    const { code, stderr } = await command("install", name, "--url", "https://127.0.0.1:1");
    expect(code).toBe(1);
    expect(stderr).toContain("https://127.0.0.1:1 answers no ConversionReview: connect ECONNREFUSED");
    expect((await read(crdPath)).spec).toEqual(before.spec);
  });

  it("is seen from the shadow: what it loses, and that the guard would keep it", async () => {
    const shadow = await serve("--shadow");
    expect(await command("install", name, "--shadow", ...at(shadow))).toMatchObject({ code: 0 });
    expect((await server.request("GET", webhooksPath)).status).toBe(404);
    await made("shadowed");
    const found = `antechamber_shadow_findings_total{kind="StatefulSet.apps.kruise.io",from="v1beta1",to="v1alpha1",outcome="lost",field="spec.ordinals",guarded="kept"} `;
    await until(async () => {
      await read(sets("v1alpha1", "shadowed"));
      return metric(shadow, found);
    }, "the shadow to see the loss");
    expect(await ordinalsAfterReplace("shadowed", 2)).toBe(undefined);
    const { code, stdout } = await command("status", "--metrics", metricsOf(shadow));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /v1beta1 → v1alpha1: spec\.ordinals lost \d+×, the guard keeps it: .*default\/shadowed/,
    );
  });

  let guard: RunningService;
  it("loses nothing once it is installed, also without a carrier in status", async () => {
    // Three commands from a webhook that loses to one that does not: serve, plan, install.
    const begun = performance.now();
    guard = await serve();
    expect(await command("plan", name, ...at(guard))).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await command("install", name, ...at(guard));
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("converted by the guard");
    // API servers act by a changed CRD within moments.
    await until(async () => {
      await read(sets("v1alpha1"));
      return (await read(webhooksPath)).kind === "MutatingWebhookConfiguration";
    }, "the guard to be asked");
    await made("guarded");
    expect(await ordinalsAfterReplace("guarded", 2)).toEqual({ start: 3 });
    console.log(`guarded after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
    expect(await ordinalsAfterReplace("guarded", 3)).toEqual({ start: 3 });
    const apply = {
      body: {
        apiVersion: "apps.kruise.io/v1alpha1",
        kind: "StatefulSet",
        metadata: { name: "guarded" },
        spec: { replicas: 4 },
      },
      contentType: "application/apply-patch+yaml",
    };
    const path = `${sets("v1alpha1", "guarded")}?fieldManager=git&force=true`;
    await expectOk(patient(() => server.request("PATCH", path, apply)));
    expect((await read(sets("v1beta1", "guarded"))).spec).toMatchObject({
      replicas: 4,
      ordinals: { start: 3 },
    });
    const shown = await command("status");
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining("webhooks for writes: mutate.")]);
  });

  it("is followed: a field that a version gains is carried from then on", async () => {
    const crd = await read(crdPath);
    const versions = listAt(crd, "spec", "versions").filter(isObject);
    const spec = ["schema", "openAPIV3Schema", "properties", "spec", "properties", "extra"] as const;
    const wider = versions.map((each) =>
      each.name === "v1beta1" ? set(each, ...spec, { type: "string" }) : each,
    );
    await expectOk(server.request("PUT", crdPath, { body: set(crd, "spec", "versions", wider) }));
    await until(async () => guard.logged().includes("the CRD has changed"), "the guard to see the CRD");
    const extra = { body: { spec: { extra: "e" } }, contentType: "application/merge-patch+json" };
    await until(async () => {
      await expectOk(patient(() => server.request("PATCH", sets("v1beta1", "guarded"), extra)));
      return get(await read(sets("v1beta1", "guarded")), "spec", "extra") === "e";
    }, "the field to be stored");
    expect(await ordinalsAfterReplace("guarded", 5)).toEqual({ start: 3 });
    expect(get(await read(sets("v1beta1", "guarded")), "spec", "extra")).toBe("e");
  });

  /** As an operator does that writes its CRD at each start. */
  async function putBack(): Promise<void> {
    await until(async () => {
      const crd = await read(crdPath);
      const body = set(crd, "spec", "conversion", get(before, "spec", "conversion"));
      return (await server.request("PUT", `${crdPath}?fieldManager=kruise-manager`, { body })).status === 200;
    }, "the CRD to be written");
  }

  it("is missed when another manager puts its conversion back, and taken over again by the same command", async () => {
    await putBack();
    await until(() => metric(guard, `antechamber_guard_put_back{crd="${name}"} 1`), "the metric");
    const { code, stderr } = await command("status", name);
    expect(code).toBe(1);
    expect(stderr).toContain("another manager has put spec.conversion back (kruise-manager, ");
    expect(await command("install", name, ...at(guard))).toMatchObject({ code: 0 });
    await until(() => metric(guard, `antechamber_guard_put_back{crd="${name}"} 0`), "the metric");
  });

  it("is defended by a guard that may", async () => {
    const defender = await serve("--defend");
    await putBack();
    await until(
      async () => defender.logged().includes("spec.conversion is taken over again"),
      "the CRD to be taken over again",
    );
    expect(await command("status", name)).toMatchObject({ code: 0 });
    await defender.stop();
  });

  it("is given back: its conversion is what it was, and its webhook alone serves its objects", async () => {
    expect(await command("uninstall", name)).toMatchObject({ code: 0 });
    const after = await read(crdPath);
    expect(get(after, "spec", "conversion")).toEqual(get(before, "spec", "conversion"));
    expect(get(after, "metadata", "annotations")).toEqual(get(before, "metadata", "annotations"));
    expect((await server.request("GET", webhooksPath)).status).toBe(404);
    await Promise.all(services.map((each) => each.stop()));
    await until(
      async () => get(await read(sets("v1alpha1", "guarded")), "spec", "replicas") === 5,
      "the webhook to convert alone",
    );
    expect((await read(sets("v1beta1", "guarded"))).spec).toMatchObject({ ordinals: { start: 3 } });
    expect(await command("status")).toMatchObject({ code: 0, stdout: "no CRD is guarded\n" });
  });

  it("is put back at once if the guard cannot be called, whose CA is in its Secret", async () => {
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "guard" } };
    const body = { ...service, spec: { ports: [{ port: 443 }] } };
    await expectOk(server.request("POST", "/api/v1/namespaces/default/services", { body }));
    const slice = {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "guard", labels: { "kubernetes.io/service-name": "guard" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"] }],
      ports: [{ port: 9443 }],
    };
    const slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    await expectOk(server.request("POST", slices, { body: slice }));
    const early = await command("install", name, "--service", "default/guard");
    expect([early.code, early.stderr]).toEqual([
      2,
      expect.stringContaining("the CA of the guard's certificate is not known: give it with --ca <file>"),
    ]);
    const managed = await serve("--certs", "managed", "--service", "default/guard");
    const ready = `http://127.0.0.1:${managed.opsPort}/readyz`;
    await until(async () => (await fetch(ready)).status === 200, "the certificate");
    const { code, stderr } = await command("install", name, "--service", "default/guard");
    expect(code).toBe(1);
    expect(stderr).toContain("the guard does not convert, so spec.conversion was put back: ");
    expect(stderr).toContain("guard.default.svc");
    // The API server may take some time to see what the CRD says now.
    await until(
      async () => (await server.request("GET", sets("v1alpha1", "guarded"))).status === 200,
      "the conversion that was put back",
    );
    expect(get(await read(crdPath), "spec", "conversion")).toEqual(get(before, "spec", "conversion"));
    expect(await command("uninstall", name)).toMatchObject({ code: 0 });
    await managed.stop();
  });

  it("keeps its conversion if the guard is in front of the webhook, at its address", async () => {
    const front = await serve("--in-front", "--upstream", kruise.url, "--upstream-ca", kruise.caFile);
    const crd = await read(crdPath);
    // As behind a Service whose port is the guard's now, with the same certificate.
    const clientConfig = {
      url: `https://127.0.0.1:${front.port}/convert`,
      caBundle: Buffer.from(front.ca).toString("base64"),
    };
    const conversion = {
      strategy: "Webhook",
      webhook: { clientConfig, conversionReviewVersions: ["v1"] },
    };
    await expectOk(server.request("PUT", crdPath, { body: set(crd, "spec", "conversion", conversion) }));
    expect(await command("install", name, "--in-front")).toMatchObject({ code: 0 });
    expect((await read(crdPath)).spec).toMatchObject({ conversion });
    await until(async () => {
      await read(sets("v1alpha1", "guarded"));
      const text = await (await fetch(metricsOf(front))).text();
      return text.includes('antechamber_conversion_requests_total{kind="StatefulSet.apps.kruise.io"');
    }, "the guard to be asked");
    await made("fronted");
    expect(await ordinalsAfterReplace("fronted", 2)).toEqual({ start: 3 });
    expect(await ordinalsAfterReplace("fronted", 3)).toEqual({ start: 3 });
    expect(await command("uninstall", name)).toMatchObject({ code: 0 });
    expect((await read(crdPath)).spec).toMatchObject({ conversion });
    expect((await server.request("GET", webhooksPath)).status).toBe(404);
  });
}
