import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Ran, run } from "../../../src/cluster/local/child.ts";
import { get, type Json, type JsonObject, listAt } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { storedObjects } from "../etcd.ts";
import { expectOk } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { until } from "./served.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("a CRD of another project, outside of any folder of kinds", { shuffle: false }, claims);

const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const crdPath = `${crdsPath}/lamps.shop.example`;
const noConversion = { spec: { conversion: { strategy: "None", webhook: null } } };
const gone = { service: { namespace: "default", name: "gone", path: "/convert", port: 443 } };

function claims(): void {
  let server: ApiServer;
  let folder: string;
  beforeAll(async () => {
    [server, folder] = await Promise.all([
      startApiServer(),
      mkdtemp(path.join(tmpdir(), "antechamber-any-crd-")),
    ]);
  }, 100_000);
  afterAll(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Lamps of v1alpha2, of which v1 lacks a field; v1 is then stored and served by a webhook that is not there. */
  beforeEach(async () => {
    await server.request("PATCH", crdPath, { body: noConversion });
    await server.request("DELETE", crdPath);
    await until(async () => (await server.request("GET", crdPath)).status === 404, "the CRD to be gone");
    await expectOk(server.request("POST", crdsPath, { body: crdOf("v1alpha2", { strategy: "None" }) }));
    await until(async () => (await write("old", "v1alpha2")).status === 201, "the kind to be served");
  });

  it("is found by every name that kubectl takes, and shown with who converts it", async () => {
    for (const word of ["lamps.shop.example", "lamps", "lamp", "Lamp", "lm"]) {
      const ran = await antechamber("status", word);
      expect(ran, ran.stdout + ran.stderr).toMatchObject({ code: 1 });
      expect(ran.stdout).toContain("nothing converts between its versions");
      expect(ran.stdout).toMatch(/^ {2}lamps\.shop\.example +v1alpha2 +yes +yes/m);
      expect(ran.stdout).toMatch(/^ {2}lamps\.shop\.example +nothing: the strategy is None/m);
      expect(ran.stdout).not.toContain("antechamber-system");
    }
  }, 120_000);

  it("is not confused with what no CRD defines, or with what is not there", async () => {
    for (const command of ["status", "evolve", "uninstall"]) {
      const built = await antechamber(command, "nodes");
      expect(built).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("nodes: Node of v1 is not defined by a CRD"),
      });
      expect(await antechamber(command, "doors")).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^doors: no resource of \S+ has this name, kubectl get crds/),
      });
    }
    expect(await antechamber("evolve", "plan", "nodes")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("After the CRD comes run or plan or status"),
    });
    expect(await antechamber("status")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("name the CRDs to look at"),
    });
    expect(await antechamber("evolve", "lamps")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("say what is to change: --serve, --storage or --retire"),
    });
  }, 120_000);

  it("is rewritten and retired without its folder, but not where the strategy None would delete fields", async () => {
    const refused = await antechamber("evolve", "lamps", "--storage", "v1", "--settle", "1s");
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("lose v1alpha2 spec.old (not in v1)"),
    });
    expect(await stored("old")).toMatchObject({ apiVersion: "shop.example/v1alpha2" });
    const plan = await antechamber("evolve", "lamps", "--storage", "v1", "--allow-loss", "--dry-run");
    expect(plan.stdout.split("\n")).toEqual([
      "lamps.shop.example: the aim: all objects are stored as v1",
      "  now: versions v1alpha2, v1; served v1alpha2, v1; storage version v1alpha2; storedVersions v1alpha2",
      "  1. store new writes as v1 (undo: --storage with the version before)",
      "  2. rewrite all objects as v1, then trim storedVersions",
      "  then done",
      "  dry run of step 1: the API server would accept it; nothing was written",
      "",
    ]);
    expect(await versions()).toMatchObject({ storage: "v1alpha2" });
    const ran = await antechamber("evolve", "lamps", "--storage", "v1", "--allow-loss", "--settle", "1s");
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(await stored("old")).toMatchObject({ apiVersion: "shop.example/v1", spec: { size: 1 } });
    const later = await antechamber("evolve", "lamps", "plan", "--retire", "v1alpha2");
    expect(later.stdout).toMatch(
      /then blocked: no client is known to use v1alpha2 since [-\d]+T[:\d]+Z; if that stays so, it may go from [-\d]+T[:\d]+Z on, in 7 d:/,
    );
    const retire = ["--retire", "v1alpha2", "--settle", "1s", "--unused-for", "0s"];
    const retired = await antechamber("evolve", "lamps", ...retire);
    expect(retired, retired.stderr).toMatchObject({ code: 0 });
    expect(await versions()).toMatchObject({ versions: ["v1"], stored: ["v1"] });
  }, 200_000);

  describe("whose conversion webhook is gone", () => {
    beforeEach(async () => {
      const { spec } = crdOf("v1", { strategy: "None" });
      await expectOk(server.request("PATCH", crdPath, { body: { spec: spec ?? null } }));
      // The API server stores new objects in it a moment later.
      await until(async () => {
        await server.request("DELETE", at("v1", "new"));
        await expectOk(write("new", "v1"));
        return get(await stored("new"), "apiVersion") === "shop.example/v1";
      }, "the storage version v1");
      await convertAt(gone, "new", "v1alpha2");
    });

    it("has objects that API servers still show and change as is said, and others that they do not", async () => {
      const { stdout, code } = await antechamber("status", "lamps");
      expect(code).toBe(1);
      expect(stdout).toMatch(/lamps\.shop\.example +the Service default\/gone +it does not exist/);
      expect(stdout).toContain(
        "lamps.shop.example: the Service default/gone converts this kind and does not answer: it does not exist. Objects stored as v1 can be used at v1 alone; those stored as v1alpha2 can only be read, at that version, and the CRD cannot be deleted. antechamber uninstall lamps.shop.example plan shows the way out",
      );
      const patch = { body: { metadata: { labels: { a: "b" } } } };
      const allowed = async (name: string, version: string) => ({
        read: (await server.request("GET", at(version, name))).status,
        changed: (await server.request("PATCH", at(version, name), patch)).status,
      });
      const not = { read: 500, changed: 500 };
      expect(await allowed("new", "v1alpha2")).toEqual(not);
      expect(await allowed("new", "v1")).toEqual({ read: 200, changed: 200 });
      expect(await allowed("old", "v1")).toEqual(not);
      // Deletions at v1alpha2 fail while the API server has the object in its watch cache: it encodes the copy to compare
      // revisions (apiserver, pkg/storage/etcd3/store.go, getStateFromObject).
      expect(await allowed("old", "v1alpha2")).toEqual({ ...not, read: 200 });
      await expectOk(server.request("DELETE", at("v1", "new")));
      await expectOk(server.request("DELETE", crdPath));
      await until(async () => {
        const conditions = listAt((await server.request("GET", crdPath)).body, "status", "conditions");
        return conditions.some((each) => get(each, "reason") === "InstanceDeletionFailed");
      }, "the API server to say that the CRD cannot be deleted");
      const { stderr } = await antechamber("uninstall", "lamps");
      expect(stderr).toContain("Clients could delete v1alpha2 spec.old (not in v1)");
      await expectOk(server.request("PATCH", crdPath, { body: noConversion }));
      await until(async () => (await server.request("GET", crdPath)).status === 404, "the CRD to be gone");
    }, 120_000);

    it("is led out of it although that is assumed alone, of a URL while all objects are stored in one version", async () => {
      await expectOk(server.request("PATCH", crdPath, { body: noConversion }));
      await until(
        async () => (await server.request("DELETE", at("v1", "old"))).status === 200,
        "no conversion",
      );
      await convertAt({ url: "https://127.0.0.1:1/convert", service: null }, "new", "v1alpha2");
      expect(await antechamber("status", "lamps")).toMatchObject({ code: 0 });
      const assumed = ["--assume", "webhook-gone", "--allow-loss", "--dry-run"];
      const { stdout } = await antechamber("uninstall", "lamps", ...assumed);
      expect(stdout).toMatch(
        / {2}1\. store new writes as v1alpha2 .*\n {2}2\. remove the conversion .*\n {2}then done\n {2}dry run of step 1/,
      );
    }, 120_000);

    it("is led out of it: nothing is written without --allow-loss, and with it no stored field is gone", async () => {
      await expectOk(server.request("POST", `${admission}`, { body: configuration }));
      for (const command of [
        ["evolve", "lamps", "--retire", "v1alpha2"],
        ["migrate", "lamps"],
      ])
        expect(await antechamber(...command)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining("antechamber uninstall lamps.shop.example plan shows the way out"),
        });
      const refused = await antechamber("uninstall", "lamps");
      expect(refused).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("Clients could delete v1alpha2 spec.old (not in v1)"),
      });
      const plan = await antechamber("uninstall", "lamps", "--allow-loss", "--dry-run");
      expect(plan, plan.stderr).toMatchObject({ code: 0 });
      expect(plan.stdout).toContain("; webhooks lamps.shop.example\n");
      expect(plan.stdout).toMatch(
        / {2}1\. store new writes as v1alpha2 .*\n {2}2\. remove the webhooks .*\n {2}3\. remove the conversion/,
      );
      expect(plan.stdout).toContain("dry run of step 1: the API server would accept it");
      expect(await versions()).toMatchObject({ storage: "v1", strategy: "Webhook" });
      const ran = await antechamber("uninstall", "lamps", "--allow-loss");
      expect(ran, ran.stderr).toMatchObject({ code: 0 });
      expect(await versions()).toMatchObject({ storage: "v1alpha2", strategy: "None" });
      const left = listAt(await expectOk(server.request("GET", `${admission}/others`)), "webhooks");
      expect(left.map((each) => get(each, "name"))).toEqual(["elsewhere.shop.example", "all.shop.example"]);
      const patch = { body: { spec: { size: 2 } } };
      await until(
        async () => (await server.request("PATCH", at("v1alpha2", "old"), patch)).status === 200,
        "API servers to see it",
      );
      expect(await stored("old")).toMatchObject({ spec: { size: 2, old: "x" } });
      await expectOk(server.request("DELETE", at("v1", "new")));
      expect(await antechamber("uninstall", "lamps")).toMatchObject({ code: 0 });
      await expectOk(server.request("DELETE", `${admission}/others`));
    }, 200_000);
  });

  function antechamber(...args: readonly string[]): Promise<Ran> {
    const script = 'cd "$0" && exec "$@"';
    const command = [process.execPath, path.resolve("src/cli.ts"), ...args];
    const kubeconfig = ["--kubeconfig", server.kubeconfig];
    return run({ command: "sh", args: ["-c", script, folder, ...command, ...kubeconfig] }, process.env);
  }

  /** Sets a webhook that is not there, and waits until an object cannot be read at another version. */
  async function convertAt(clientConfig: JsonObject, name: string, version: string): Promise<void> {
    const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
    const body = { spec: { conversion: { strategy: "Webhook", webhook } } };
    await expectOk(server.request("PATCH", crdPath, { body }));
    await until(
      async () => (await server.request("GET", at(version, name))).status === 500,
      "API servers to call the webhook",
    );
  }

  function write(name: string, version: string) {
    const spec = { size: 1, ...(version === "v1" ? {} : { old: "x" }) };
    const body = { apiVersion: `shop.example/${version}`, kind: "Lamp", metadata: { name }, spec };
    return server.request("POST", at(version), { body });
  }

  async function stored(name: string): Promise<Json | undefined> {
    const objects = await storedObjects(server, "lamps", "shop.example");
    return objects.find((each) => each.name === name)?.object;
  }

  async function versions() {
    const crd = await expectOk(server.request("GET", crdPath));
    const all = listAt(crd, "spec", "versions");
    return {
      versions: all.map((each) => get(each, "name")),
      storage: get(all.find((each) => get(each, "storage") === true) ?? null, "name"),
      stored: get(crd, "status", "storedVersions"),
      strategy: get(crd, "spec", "conversion", "strategy"),
    };
  }
}

function at(version: string, name?: string): string {
  return `/apis/shop.example/${version}/namespaces/default/lamps${name === undefined ? "" : `/${name}`}`;
}

function crdOf(storage: string, conversion: JsonObject): JsonObject {
  const integer = { type: "integer" };
  const version = (name: string, more: JsonObject) => {
    const spec = { type: "object", properties: { size: integer, ...more } };
    const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
    return { name, served: true, storage: name === storage, schema };
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "lamps.shop.example" },
    spec: {
      group: "shop.example",
      names: { kind: "Lamp", plural: "lamps", shortNames: ["lm"] },
      scope: "Namespaced",
      versions: [version("v1alpha2", { old: { type: "string" } }), version("v1", {})],
      conversion,
    },
  };
}

const admission = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Of its three webhooks, one is about lamps alone and called where they are converted. */
const configuration: JsonObject = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "others" },
  webhooks: [
    ["lamps.shop.example", "gone", "lamps"],
    ["elsewhere.shop.example", "elsewhere", "lamps"],
    ["all.shop.example", "gone", "*"],
  ].map(([name = "", service = "", resource = ""]) => ({
    name,
    clientConfig: { service: { namespace: "default", name: service } },
    rules: [
      { apiGroups: ["shop.example"], apiVersions: ["*"], operations: ["CREATE"], resources: [resource] },
    ],
    failurePolicy: "Ignore",
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  })),
};
