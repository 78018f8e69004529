import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { targetState } from "../../../src/cluster/api/ca-bundles.ts";
import { get, isArray, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml, writeYaml } from "../../../src/yaml/yaml.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { manifestsIn, serviceNamespace } from "../deployed.ts";
import { type Kruise, kruiseLeftOut, requireKruise } from "../kruise.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { helm, requireTool, toolLeftOut } from "../tools.ts";

// A cluster that runs OpenKruise belongs to OpenKruise: whatever of ours is installed, its objects stay as they are.
const kruise = requireBinaries() && requireKruise();
const program = requireTool(helm);
if (requireBinaries() === undefined) it(leftOut, () => {});
else if (kruise === undefined) it(kruiseLeftOut, () => {});
else if (program === undefined) it(toolLeftOut(helm), () => {});
// The chart comes after the kustomization, in its place.
else describe("in a cluster that runs OpenKruise", { shuffle: false }, () => claims(kruise, program));

const places = [
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  "/api/v1/namespaces/default/pods",
];

function claims({ install }: Kruise, helmCommand: string): void {
  let server: ApiServer;
  let before: readonly JsonObject[];

  beforeAll(async () => {
    server = await startApiServer();
    const documents = readYaml(readFileSync(install, "utf8")).map(({ value }) => value as JsonObject);
    const of = (pattern: RegExp) => documents.filter(({ kind }) => pattern.test(String(kind)));
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "shop" }, spec: { containers: [app] } };
    await apply([...of(/^(Namespace|CustomResourceDefinition)$/), pod]);
    await apply(of(/WebhookConfiguration$/));
    before = await theirs();
    expect(before.length).toBeGreaterThan(10);
  }, 60_000);
  afterAll(() => server?.stop());

  it("the kustomization changes nothing of it", async () => {
    const ran = await server.kubectl(["apply", "--server-side", "-k", "manifests/overlays/managed"]);
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
    expect(await theirs()).toEqual(before);
  });

  it("nor does the chart", async () => {
    await server.kubectl(["delete", "-k", "manifests/overlays/managed"]);
    expect(installed("base")).toMatchObject({ status: 0 });
    expect(await theirs()).toEqual(before);
  });

  it("the component openkruise is refused, since its CRDs are somebody else's", async () => {
    const manifests = await manifestsIn(server.dir, ["openkruise"]);
    const overlay = path.join(manifests, "overlays/managed");
    const ran = await server.kubectl(["apply", "--server-side", "-k", overlay]);
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toMatch(/Apply failed with \d+ conflicts?: conflicts? with "helm"/);
    expect(await theirs()).toEqual(before);
  });

  it("whose CRDs the service leaves alone, should it run nevertheless", async () => {
    const service = { namespace: serviceNamespace, name: "antechamber" };
    for (const name of ["sidecarsets", "statefulsets", "broadcastjobs"].map(
      (each) => `${each}.apps.kruise.io`,
    )) {
      const { body } = await server.request("GET", `${places[0]}/${name}`);
      const target = { kind: "CustomResourceDefinition", name } as const;
      const withConversion = targetState(target, body as JsonObject, service);
      const without = set(body as JsonObject, "spec", {
        ...(get(body, "spec") as JsonObject),
        conversion: null,
      });
      expect(withConversion, name).toEqual({ reason: expect.any(String) });
      expect(targetState(target, without, service), name).toEqual({ reason: expect.any(String) });
    }
  });

  it("so is the chart with these kinds", async () => {
    const ran = installed("kinds", ["--set", "kinds.openkruise=true", "--set", "name=second"]);
    expect(ran.status).not.toBe(0);
    expect(ran.stderr).toMatch(
      /\.apps\.kruise\.io" .*exists and cannot be imported into the current release/,
    );
    expect(await theirs()).toEqual(before);
  });

  async function apply(documents: readonly JsonObject[]): Promise<void> {
    const args = ["apply", "--server-side", "--field-manager", "helm", "-f", "-"];
    const ran = await server.kubectl(args, { input: documents.map(writeYaml).join("---\n") });
    expect(ran, ran.stderr).toMatchObject({ code: 0 });
  }

  function installed(release: string, flags: readonly string[] = []) {
    const where = ["--namespace", serviceNamespace, "--create-namespace", "--kubeconfig", server.kubeconfig];
    return spawnSync(helmCommand, ["install", release, "manifests/helm", ...where, ...flags], {
      encoding: "utf8",
    });
  }

  /** OpenKruise's objects and the pods; without status, which controllers write. */
  async function theirs(): Promise<readonly JsonObject[]> {
    const lists = await Promise.all(places.map(async (place) => (await server.request("GET", place)).body));
    return lists.flatMap((list) => itemsOf(list).filter(isTheirs)).map(({ status: _, ...object }) => object);
  }
}

const app = { name: "app", image: "shop" };

function itemsOf(list: Json | undefined): readonly JsonObject[] {
  const items = get(list, "items");
  return isArray(items) ? (items as readonly JsonObject[]) : [];
}

function isTheirs(object: JsonObject): boolean {
  const name = String(get(object, "metadata", "name"));
  return name.endsWith(".kruise.io") || name.startsWith("kruise-") || name === "shop";
}
