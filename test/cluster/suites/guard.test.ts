import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject, set, textAt } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type GuardedTarget, registerGuard, startGuard } from "../guarded.ts";
import { expectOk, patient } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { haveTargets, type RunningTarget, startTarget, targetsLeftOut } from "../webhook-targets.ts";

// Conversion webhooks of other projects, in Go, behind the guard on a real API server. No code is written for any of their kinds.

if (requireBinaries() === undefined) it(leftOut, () => {});
else if (!haveTargets()) it(targetsLeftOut, () => {});
else describe("behind the guard", { shuffle: false }, claims);

function claims(): void {
  let server: ApiServer;
  let kruise: RunningTarget;
  let shipwright: RunningTarget;
  const guards: GuardedTarget[] = [];

  beforeAll(async () => {
    [server, kruise, shipwright] = await Promise.all([
      startApiServer(),
      startTarget("kruise"),
      startTarget("shipwright"),
    ]);
    guards.push(
      await startGuard(kruise, [kruise.crd("statefulsets"), kruise.crd("advancedcronjobs")]),
      await startGuard(shipwright, [shipwright.crd("builds")]),
    );
    for (const guard of guards) await registerGuard(server, guard);
  }, 120_000);
  afterAll(async () => {
    await Promise.all(guards.map(({ stop }) => stop()));
    await Promise.all([server?.stop(), kruise?.stop(), shipwright?.stop()]);
  });

  const at = (group: string, version: string, plural: string, name = "") =>
    `/apis/${group}/${version}/namespaces/default/${plural}${name === "" ? "" : `/${name}`}`;
  const sets = (version: string, name = "") => at("apps.kruise.io", version, "statefulsets", name);

  async function read(path: string): Promise<JsonObject> {
    const found = await expectOk(patient(() => server.request("GET", path)));
    if (!isObject(found)) throw new Error(`${path}: no object`);
    return found;
  }

  async function write(method: "POST" | "PUT", path: string, body: JsonObject): Promise<JsonObject> {
    const made = await expectOk(patient(() => server.request(method, path, { body })));
    return isObject(made) ? made : {};
  }

  async function apply(path: string, body: JsonObject, manager: string): Promise<JsonObject> {
    const query = `${path}?fieldManager=${manager}&force=true`;
    const details = { body, contentType: "application/apply-patch+yaml" };
    const made = await expectOk(patient(() => server.request("PATCH", query, details)));
    return isObject(made) ? made : {};
  }

  const template = {
    metadata: { labels: { app: "a" } },
    spec: { containers: [{ name: "main", image: "nginx" }] },
  };
  /** What OpenKruise's own conversion to v1alpha1 drops. */
  const dropped = {
    ordinals: { start: 3 },
    reserveOrdinals: [2, 5],
    lifecycle: { preDelete: { markPodNotReady: true } },
    scaleStrategy: { maxUnavailable: 3 },
  };

  async function made(name: string): Promise<JsonObject> {
    const selector = { matchLabels: { app: "a" } };
    return write("POST", sets("v1beta1"), {
      apiVersion: "apps.kruise.io/v1beta1",
      kind: "StatefulSet",
      metadata: { name, namespace: "default" },
      spec: { replicas: 1, serviceName: "a", selector, template, ...dropped },
    });
  }

  async function keepsWhatIsDropped(name: string): Promise<Json> {
    const { spec } = await read(sets("v1beta1", name));
    expect(spec).toMatchObject(dropped);
    return spec ?? null;
  }

  it("a StatefulSet keeps through a replace at the old version, without annotations, what its webhook drops", async () => {
    await made("replaced");
    const view = await read(sets("v1alpha1", "replaced"));
    expect(get(view, "spec", "ordinals")).toBe(undefined);
    const edited = set(set(view, "spec", "replicas", 4), "metadata", "annotations", undefined);
    await write("PUT", sets("v1alpha1", "replaced"), edited);
    expect(get(await keepsWhatIsDropped("replaced"), "replicas")).toBe(4);
  });

  it("keeps it when a file is applied at the old version, which writes once and owns what it says", async () => {
    await made("applied");
    const file = {
      apiVersion: "apps.kruise.io/v1alpha1",
      kind: "StatefulSet",
      metadata: { name: "applied", labels: { team: "a" } },
      spec: { replicas: 2 },
    };
    const first = await apply(sets("v1alpha1", "applied"), file, "git");
    for (const _ of [1, 2]) {
      const again = await apply(sets("v1alpha1", "applied"), file, "git");
      expect(get(again, "metadata", "resourceVersion")).toBe(get(first, "metadata", "resourceVersion"));
    }
    expect(get(await keepsWhatIsDropped("applied"), "replicas")).toBe(2);
    const entries = get(first, "metadata", "managedFields");
    const own = (Array.isArray(entries) ? entries : []).find((entry) => get(entry, "manager") === "git");
    expect(get(own, "fieldsV1", "f:spec")).toEqual({ "f:replicas": {} });
  });

  it("keeps it when status is written at the old version by a client that knows nothing else", async () => {
    await made("reported");
    const view = await read(sets("v1alpha1", "reported"));
    const status = {
      availableReplicas: 1,
      currentReplicas: 1,
      readyReplicas: 1,
      replicas: 1,
      updatedReplicas: 1,
    };
    await write("PUT", `${sets("v1alpha1", "reported")}/status`, { ...view, status });
    await keepsWhatIsDropped("reported");
    expect(get(await read(sets("v1beta1", "reported")), "status", "readyReplicas")).toBe(1);
  });

  it("an unchanged write at the old version stores nothing", async () => {
    await made("untouched");
    const view = await read(sets("v1alpha1", "untouched"));
    const first = await write("PUT", sets("v1alpha1", "untouched"), view);
    const again = await write("PUT", sets("v1alpha1", "untouched"), first);
    expect(get(again, "metadata", "resourceVersion")).toBe(get(first, "metadata", "resourceVersion"));
  });

  const builds = (version: string, name = "") => at("shipwright.io", version, "builds", name);

  it("a Build on which its webhook panics can be listed, read, edited and deleted at both versions", async () => {
    const names = ["sound", "panics"];
    for (const name of names) {
      const when = [{ name: "a", type: "Image", image: { names: ["a"] } }];
      await write("POST", builds("v1beta1"), {
        apiVersion: "shipwright.io/v1beta1",
        kind: "Build",
        metadata: { name, namespace: "default" },
        spec: {
          source: { type: "Git", git: { url: "https://git/a" } },
          strategy: { name: "s", kind: "BuildStrategy" },
          output: { image: "registry/a" },
          ...(name === "panics" ? { trigger: { when } } : {}),
        },
      });
    }
    for (const version of ["v1alpha1", "v1beta1"]) {
      const { items } = await read(builds(version));
      expect((Array.isArray(items) ? items : []).map((each) => textAt(each, "metadata", "name"))).toEqual(
        names.toSorted(),
      );
    }
    const view = await read(builds("v1alpha1", "panics"));
    expect(get(view, "spec", "output", "image")).toBe("registry/a");
    await write("PUT", builds("v1alpha1", "panics"), set(view, "spec", "output", "image", "registry/b"));
    expect((await read(builds("v1beta1", "panics"))).spec).toMatchObject({
      output: { image: "registry/b" },
      trigger: { when: [{ name: "a", type: "Image", image: { names: ["a"] } }] },
    });
    const deleted = await server.request("DELETE", builds("v1alpha1", "panics"));
    expect(deleted.status).toBe(200);
  });

  it("an upstream that is gone is named to the client, and what needs no conversion goes on", async () => {
    await made("outlasting");
    const ops = `http://127.0.0.1:${guards[0]?.service.opsPort}/readyz`;
    expect(await (await fetch(ops)).text()).toBe("ok\n");
    await kruise.stop();
    const patch = { body: { spec: { replicas: 7 } }, contentType: "application/merge-patch+json" };
    const failed = await server.request("PATCH", sets("v1alpha1", "outlasting"), patch);
    expect(failed.status).toBe(500);
    expect(failed.text).toContain("cannot be used: connect ECONNREFUSED");
    const ready = await fetch(ops);
    expect([ready.status, await ready.text()]).toEqual([200, expect.stringContaining("but the upstream")]);
    await keepsWhatIsDropped("outlasting");
  });
}
