import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../../../certs/authority.ts";
import { replicaStore } from "../../../certs/rotation-store.ts";
import { applyBundle, readTarget, targetState } from "../../../src/cluster/api/ca-bundles.ts";
import { type Connection, connect } from "../../../src/cluster/api/connection.ts";
import { recordEvent } from "../../../src/cluster/api/events.ts";
import { LeaseHolder } from "../../../src/cluster/api/lease.ts";
import { applyNamed, patchNamed, readNamed } from "../../../src/cluster/api/named-object.ts";
import { serverClock } from "../../../src/cluster/api/server-clock.ts";
import { kubeconfigText } from "../../../src/cluster/local/kubeconfig.ts";
import { get, type JsonObject, set } from "../../../src/json/json.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import { bundleTargets } from "../../../src/manifests/targets.ts";
import { readYaml, writeYaml } from "../../../src/yaml/yaml.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { applied, built, manifestsIn, serviceNamespace, tokenOf } from "../deployed.ts";
import { crdPath, expectOk } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the objects of a managed certificate", claims);

const service = { namespace: serviceNamespace, name: "antechamber" };
const account = `system:serviceaccount:${serviceNamespace}:antechamber`;
const target = { kind: "CustomResourceDefinition", name: "rooms.home.antechamber.dev" } as const;

function claims(): void {
  let server: ApiServer;
  let connection: Connection;
  let overlay: string;

  beforeAll(async () => {
    server = await startApiServer();
    overlay = await built(server, path.join(await manifestsIn(server.dir), "overlays/managed"));
    await applied(server, ["-f", "-"], overlay);
    const kubeconfig = path.join(server.dir, "account");
    await writeFile(kubeconfig, kubeconfigText({ ...server, token: await tokenOf(server) }));
    connection = await connect(kubeconfig);
  }, 100_000);
  afterAll(async () => {
    connection?.close();
    await server?.stop();
  });

  it("may be read and written by the service account, and no others of their kinds", async () => {
    const places = {
      CustomResourceDefinition: "apiextensions.k8s.io/customresourcedefinitions",
      MutatingWebhookConfiguration: "admissionregistration.k8s.io/mutatingwebhookconfigurations",
      ValidatingWebhookConfiguration: "admissionregistration.k8s.io/validatingwebhookconfigurations",
    };
    for (const { kind, name } of bundleTargets(await loadKinds(["webhooks"]), "antechamber")) {
      expect(await may("patch", places[kind], name), name).toBe(true);
      expect(await may("delete", places[kind], name), name).toBe(false);
    }
    expect(await may("create", "/secrets", "antechamber-certificates")).toBe(true);
    expect(await may("get", "/configmaps", "antechamber-replicas")).toBe(true);
    for (const [verb, resource, name] of [
      ["create", "/secrets", ""],
      ["list", "/secrets", ""],
      ["get", "/secrets", "antechamber-tls"],
      ["delete", "/secrets", "antechamber-certificates"],
      ["patch", "/configmaps", "kube-root-ca.crt"],
      ["create", "coordination.k8s.io/leases", ""],
      ["patch", "apiextensions.k8s.io/customresourcedefinitions", "others.example.org"],
      ["list", "apiextensions.k8s.io/customresourcedefinitions", ""],
      ["create", "/events", ""],
      ["delete", "/events", "antechamber.caswitched"],
      ["patch", "apps/deployments", "antechamber"],
    ] as const)
      expect(await may(verb, resource, name), `${verb} ${resource} ${name}`).toBe(false);
  });

  it("are created by an apply, and by one replica only", async () => {
    const secret = { kind: "Secret", namespace: serviceNamespace, name: "antechamber-certificates" } as const;
    const data = (text: string) => ({ type: "Opaque", data: { phase: btoa(text) } });
    const made = await Promise.all(
      ["a", "b", "c"].map((name) => applyNamed(connection, secret, `antechamber-${name}`, data(name))),
    );
    expect(made.filter((isMade) => isMade)).toHaveLength(1);
    const read = await readNamed(connection, secret);
    const version = String(get(read, "metadata", "resourceVersion"));
    expect(
      await patchNamed(connection, secret, version, { data: { phase: btoa("later"), gone: null } }),
    ).toBe(true);
    expect(await patchNamed(connection, secret, version, data("too late"))).toBe(false);
    expect(get(await readNamed(connection, secret), "data", "phase")).toBe(btoa("later"));
    const other = { ...secret, name: "another" };
    await expect(applyNamed(connection, other, "antechamber-a", data("a"))).rejects.toThrow(/forbidden/);
  });

  it("a report that is on its way when its replica ends does not stay", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isFirst = true;
    const slow: Connection = {
      ...connection,
      request: async (...request) => {
        const isHeld = isFirst;
        isFirst = false;
        if (isHeld) await held;
        return connection.request(...request);
      },
    };
    const place = {
      connection: slow,
      service,
      targets: [],
      hosts: [],
      replica: "slow",
      now: Date.now,
      served: {},
    };
    const replica = replicaStore(place, () => []);
    const leaf = { issuer: "a", notBefore: 0, notAfter: Date.now() + 1e9 };
    const reported = replica.report([leaf], undefined, undefined);
    const withdrawn = replica.withdraw();
    release();
    await Promise.all([reported, withdrawn]);
    const name = { kind: "ConfigMap", namespace: serviceNamespace, name: "antechamber-replicas" } as const;
    expect(get(await readNamed(connection, name), "data", "slow")).toBeUndefined();
  });

  it("events are on the Deployment, one for each reason, with the number of times", async () => {
    const place = { connection, service, replica: "pod-1", now: () => Date.now() };
    const event = { reason: "CASwitched", type: "Normal", message: "first" } as const;
    await recordEvent(place, event);
    await recordEvent(place, { ...event, message: "second" });
    await recordEvent(place, {
      reason: "CertificateRotationFailed",
      type: "Warning",
      message: "x".repeat(5_000),
    });
    const other = { reason: "Other", type: "Normal", message: "not permitted" } as const;
    await expect(recordEvent(place, other)).rejects.toThrow(/forbidden/);
    const { stdout } = await server.kubectl([
      "describe",
      "deployment",
      "antechamber",
      "-n",
      serviceNamespace,
    ]);
    expect(stdout).toMatch(/Normal +CASwitched +\S+ \(x2 over \S+\) +antechamber +second/);
    expect(stdout).toMatch(/Warning +CertificateRotationFailed +\S+ +antechamber +x{1000}$/m);
  });

  it("a bundle is written only to the object as it was read, and all that is ours with it", async () => {
    const pem = (await createAuthority({ commonName: "a", now: new Date(), days: 1 })).certificate;
    const read = (await readTarget(connection, target)) as JsonObject;
    const body = { metadata: { labels: { changed: "since" } } };
    await expectOk(server.request("PATCH", crdPath("rooms"), { body }));
    expect(await applyBundle(connection, target, read, pem, service)).toBe(false);
    const left = targetState(target, (await readTarget(connection, target)) as JsonObject, service);
    expect(left).not.toMatchObject({ bundles: [pem] });
    const again = (await readTarget(connection, target)) as JsonObject;
    expect(await applyBundle(connection, target, again, pem, service)).toBe(true);
    expect(targetState(target, (await readTarget(connection, target)) as JsonObject, service)).toEqual({
      bundles: [pem],
      isStripped: false,
    });
  });

  it("a CRD without a conversion webhook is mended only if it has the label of an installation", async () => {
    const read = (await readTarget(connection, target)) as JsonObject;
    const stripped = set(read, "spec", { ...(read.spec as JsonObject), conversion: { strategy: "None" } });
    expect(targetState(target, stripped, service)).toMatchObject({ isStripped: true });
    const theirs = set(stripped, "metadata", { name: target.name });
    expect(targetState(target, theirs, service)).toEqual({
      reason: expect.stringContaining("antechamber.dev/installation"),
    });
  });

  it("a bundle survives that the manifests are applied again, in either way", async () => {
    const pem = (await createAuthority({ commonName: "a", now: new Date(), days: 1 })).certificate;
    const crd = readYaml(overlay).find(({ value }) => get(value, "metadata", "name") === target.name)?.value;
    const written = async () => {
      const read = (await readTarget(connection, target)) as JsonObject;
      expect(await applyBundle(connection, target, read, pem, service)).toBe(true);
    };
    await written();
    await applied(server, ["-f", "-"], writeYaml(crd as JsonObject));
    const ran = await server.kubectl(["apply", "-f", "-"], { input: writeYaml(crd as JsonObject) });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    const state = targetState(target, (await readTarget(connection, target)) as JsonObject, service);
    expect(state).toEqual({ bundles: [pem], isStripped: false });
  });

  it("the Lease has one holder, until it gives it up or is not heard of", async () => {
    let time = 0;
    const holder = (identity: string) => {
      const clock = () => time;
      const options = { connection, namespace: serviceNamespace, name: "antechamber" };
      return new LeaseHolder({ ...options, identity, clock, now: () => Date.now() });
    };
    const [a, b] = [holder("a"), holder("b")];
    const held = await Promise.all([a.attempt(), b.attempt()]);
    expect(held.filter((isHeld) => isHeld)).toHaveLength(1);
    const [first, second] = held[0] ? [a, b] : [b, a];
    expect([await first.attempt(), await second.attempt()]).toEqual([true, false]);
    time += 4_000;
    expect([await second.attempt(), await first.attempt()]).toEqual([false, true]);
    time += 7_500;
    expect(first.isHeld()).toBe(false);
    expect(await second.attempt()).toBe(false);
    time += 8_500;
    expect(await second.attempt()).toBe(true);
    expect(await first.attempt()).toBe(false);
    await second.release();
    expect(second.isHeld()).toBe(false);
    expect(await first.attempt()).toBe(true);
  });

  it("time is that of the API server, whatever the clock of this machine says", async () => {
    let monotonic = 0;
    const clock = serverClock(
      connection,
      () => monotonic,
      () => new Date(0),
    );
    expect(clock.now()).toBe(0);
    await clock.connection.request("GET", crdPath("rooms"));
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000);
    const before = clock.now();
    monotonic += 400;
    expect(clock.now()).toBe(before + 400);
    monotonic += 3_600_000;
    await clock.connection.request("GET", crdPath("rooms"));
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(5_000);
  });

  /** Whether the service account may do something to a resource, given as `group/resource`. */
  async function may(verb: string, resource: string, name: string): Promise<boolean> {
    const [group = "", plural = ""] = resource.split("/");
    const resourceAttributes = { verb, group, resource: plural, name, namespace: serviceNamespace };
    const body = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec: { user: account, resourceAttributes },
    };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    return get(await expectOk(server.request("POST", path, { body })), "status", "allowed") === true;
  }
}
