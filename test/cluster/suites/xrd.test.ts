import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { crdsOfXrd } from "../../../src/offline/xrd.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { antechamber } from "../../support/cli.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type ApiServer, startApiServer } from "../server.ts";

// Crossplane writes the CRDs of an XRD in full each time that it looks at it: it reads the CRD for its resource version alone, and
// updates it with what it makes of the XRD (crossplane, internal/controller/apiextensions/definition/reconciler.go, NewClientApplicator;
// crossplane-runtime, pkg/resource/api.go, APIUpdatingApplicator). What others wrote into the CRD is gone then.

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("CRDs that are written as Crossplane writes them", claims);

const file = "test/cases/xrd/databases.yaml";
const crdsPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const name = "xdatabases.platform.example.org";
const objects = (version: string) => `/apis/platform.example.org/${version}/xdatabases`;

function claims(): void {
  let folder: string;
  let service: RunningService;
  let server: ApiServer;
  let crds: readonly JsonObject[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "antechamber-xrd-"));
    await antechamber(["import", file, "--out", `${folder}/webhooks`]);
    service = await startService(["--webhooks", `${folder}/webhooks`]);
    server = await startApiServer();
    crds = crdsOfXrd("printed", await printed(`${folder}/webhooks`));
    for (const crd of crds) await update(crd);
    await server.until(crdsPath, ({ object }) => isServed(object));
    const body = {
      apiVersion: "platform.example.org/v1beta1",
      kind: "XDatabase",
      metadata: { name: "main" },
      spec: { class: "small", storageGB: 20, backup: { days: 7 } },
    };
    expect(await server.request("POST", objects("v1beta1"), { body })).toMatchObject({ status: 201 });
  }, 240_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), service?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("convert before and after each of its updates, which change nothing", async () => {
    const before = await stored();
    expect(await shown()).toEqual([{ days: 7 }]);
    for (const crd of [...crds, ...crds]) await update(crd);
    expect(await stored()).toEqual(before);
    expect(await shown()).toEqual([{ days: 7 }]);
  });

  it("have their conversion and its CA again after an update, whatever another client made of them", async () => {
    const conversion = get(await stored(), "spec", "conversion");
    const body = { spec: { conversion: { strategy: "None", webhook: null } } };
    expect(await server.request("PATCH", `${crdsPath}/${name}`, { body })).toMatchObject({ status: 200 });
    for (const crd of crds) await update(crd);
    expect(get(await stored(), "spec", "conversion")).toEqual(conversion);
    expect(get(conversion, "webhook", "clientConfig", "caBundle")).toBe(btoa(service.ca));
    await expect.poll(shown).toEqual([{ days: 7 }]);
  });

  async function printed(webhooks: string): Promise<JsonObject> {
    const reach = ["--url", `https://127.0.0.1:${service.port}`, "--ca", service.caFile];
    const { code, stdout, stderr } = await antechamber([
      "manifests",
      "--webhooks",
      webhooks,
      "--xrd",
      file,
      ...reach,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const found = readYaml(stdout).find(({ value }) => get(value, "kind") === "CompositeResourceDefinition");
    if (!isObject(found?.value)) throw new Error("manifests printed no XRD");
    return found.value;
  }

  /** Creates a CRD, or updates it in full. */
  async function update(crd: JsonObject): Promise<void> {
    const path = `${crdsPath}/${get(crd, "metadata", "name")}`;
    const { status, body: current } = await server.request("GET", path);
    const version = get(current, "metadata", "resourceVersion");
    const answer =
      status === 404
        ? await server.request("POST", crdsPath, { body: crd })
        : await server.request("PUT", path, { body: set(crd, "metadata", "resourceVersion", version) });
    expect(answer.status, answer.text).toBeLessThan(300);
  }

  async function stored(): Promise<Json | undefined> {
    return (await server.request("GET", `${crdsPath}/${name}`)).body;
  }

  /** The backups that a client of the older version reads: a list of at most one. */
  async function shown(): Promise<Json | undefined> {
    return get((await server.request("GET", `${objects("v1alpha1")}/main`)).body, "spec", "backup");
  }
}

function isServed(crd: Json): boolean {
  const conditions = get(crd, "status", "conditions");
  return (
    get(crd, "metadata", "name") === name &&
    Array.isArray(conditions) &&
    conditions.some((each) => get(each, "type") === "Established" && get(each, "status") === "True")
  );
}
