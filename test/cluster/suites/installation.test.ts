import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { kubeconfigText } from "../../../src/cluster/local/kubeconfig.ts";
import { parseJson, writeJson } from "../../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { readYaml } from "../../../src/yaml/yaml.ts";
import { startService } from "../../support/service.ts";
import { type Balancer, startBalancer } from "../balancer.ts";
import { findBinaries, leftOut, requireBinaries } from "../binaries.ts";
import { allComponents, makeCertificate, manifestsIn, serviceNamespace, tokenOf } from "../deployed.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { helm, requireTool, toolLeftOut } from "../tools.ts";

const binaries = requireBinaries();
const program = requireTool(helm);

if (binaries === undefined) it(leftOut, () => {});
else {
  describe("the chart and the kustomizations", () => compared(program ?? ""));
  describe("from nothing to a served kind", () => installed(program ?? ""));
}

const kinds = allComponents.flatMap((name) => ["--set", `kinds.${name}=true`]);

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(path.join(tmpdir(), "antechamber-installation-"));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function compared(command: string): void {
  if (command === "") {
    it(toolLeftOut(helm), () => {});
    return;
  }

  it("the chart passes helm lint", () => {
    expect(run(command, ["lint", "--strict", "manifests/helm"])).toMatchObject({ status: 0 });
  });

  it("by default the chart has the objects of the overlay for managed certificates, without kinds", () => {
    expect(template(command)).toEqual(kustomized("manifests/overlays/managed"));
  });

  it.each(["managed", "cert-manager"])(
    "with all kinds and %s certificates it has those of that overlay",
    async (source) => {
      const copy = await manifestsIn(path.join(scratch, source));
      const flags = ["--set", `certificates.source=${source}`, ...kinds];
      expect(template(command, flags)).toEqual(kustomized(path.join(copy, `overlays/${source}`)));
    },
  );

  it("with an own certificate it has those of that overlay, without the Secret", async () => {
    const manifests = await manifestsIn(scratch);
    const tls = path.join(manifests, "overlays/own-certificate/tls");
    await makeCertificate(tls);
    const ca = readFileSync(path.join(tls, "ca.crt")).toString("base64");
    const objects = kustomized(path.join(manifests, "overlays/own-certificate"));
    const flags = ["--set", "certificates.source=own", "--set", `certificates.caBundle=${ca}`, ...kinds];
    const { "Secret antechamber-tls": secret, ...others } = objects;
    expect(secret).toBeDefined();
    expect(unbroken(template(command, flags))).toEqual(unbroken(others));
  });

  it("with CRDs to guard it has what the component for guards adds", async () => {
    const copy = await manifestsIn(path.join(scratch, "guarded"), ["guard"]);
    const flags = ["--set", "guard.crds={statefulsets.apps.kruise.io}"];
    expect(template(command, flags)).toEqual(kustomized(path.join(copy, "overlays/managed")));
    // That of the configurations that it may write, and that `guard install` makes.
    const { stdout } = run(command, ["template", "antechamber", "manifests/helm", ...flags]);
    expect(stdout).toMatch(/- --name\n +- antechamber-guard\n/);
  });

  it("its monitoring is that of manifests/monitoring", () => {
    const more = template(command, ["--set", "monitoring.enabled=true"]);
    expect(more).toEqual({ ...template(command), ...kustomized("manifests/monitoring") });
  });

  it("its other values arrive", () => {
    const flags = [
      "name=blinds",
      "image.repository=r.example/i",
      "image.tag=v7",
      "replicas=3",
      "args={--log-level,debug}",
      "webhooks={blinds}",
      "kinds.injection=true",
    ];
    const objects = template(
      command,
      flags.flatMap((flag) => ["--set", flag]),
    );
    const deployment = objects["Deployment blinds"];
    expect(get(deployment, "spec", "replicas")).toBe(3);
    const [container] = get(deployment, "spec", "template", "spec", "containers") as readonly Json[];
    expect(get(container, "image")).toBe("r.example/i:v7");
    const folders = ["--webhooks", "webhooks/injection", "webhooks/core", "blinds"];
    expect(get(container, "args")).toEqual([
      "serve",
      "--certs",
      "managed",
      "--log-level",
      "debug",
      ...folders,
    ]);
    expect(Object.keys(objects)).toContain("MutatingWebhookConfiguration blinds-pods");
    const unnamed = Object.keys(objects).filter((key) => / antechamber/.test(key));
    expect(unnamed).toEqual([]);
  });

  it.each([
    ["replicas=0", "/replicas"],
    ["certificates.source=none", "/certificates/source"],
    ["certificates.source=own", "caBundle"],
    ["name=A_b", "/name"],
    ["replica=2", "replica"],
  ])("it rejects %s, naming the place", (flag, place) => {
    const ran = run(command, ["template", "manifests/helm", "--set", flag]);
    expect(ran.status).not.toBe(0);
    expect(ran.stderr).toContain(place);
  });
}

function installed(command: string): void {
  it("takes two commands with kubectl", async () => {
    await takesTwo("kubectl", async (server, balancer) => {
      const copy = await manifestsIn(path.join(scratch, "copy"), ["injection"]);
      const manifests = forThisMachine(copy, "kustomized", balancer.port);
      const overlay = path.join(manifests, "overlays/managed");
      return server.kubectl(["apply", "--server-side", "-k", overlay]);
    });
  }, 120_000);

  if (command === "") it(toolLeftOut(helm), () => {});
  else
    it("takes two commands with helm", async () => {
      await takesTwo("helm", async (server, balancer) => {
        const chart = forThisMachine("manifests/helm", "chart", balancer.port);
        const where = [
          "--namespace",
          serviceNamespace,
          "--create-namespace",
          "--kubeconfig",
          server.kubeconfig,
        ];
        const { status, stderr, stdout } = run(command, [
          "install",
          "antechamber",
          chart,
          "--set",
          "kinds.injection=true",
          ...where,
        ]);
        expect(stdout).toContain("Antechamber serves its kinds when a replica is ready");
        return { code: status, stderr };
      });
    }, 120_000);
}

/** The first command installs, the pods of the Deployment start, and the second command creates an object. */
async function takesTwo(
  name: string,
  install: (
    server: ApiServer,
    balancer: Balancer,
  ) => Promise<{ readonly code: unknown; readonly stderr: string }>,
): Promise<void> {
  const [server, balancer] = await Promise.all([startApiServer(), startBalancer()]);
  onTestFinished(async () => {
    await server.stop();
    await balancer.close();
  });
  expect(await install(server, balancer)).toMatchObject({ code: 0 });
  const pods = await startPods(server, balancer, path.join(scratch, `${name}.kubeconfig`));
  await balancer.hasReady(...pods);
  const example = "webhooks/injection/policy/examples/v1beta1/mesh.yaml";
  const created = await server.kubectl(["create", "-f", example]);
  expect(created).toMatchObject({ code: 0, stderr: "" });
  const [object] = readYaml(readFileSync(example, "utf8"));
  const old = ["get", "injectionpolicies.v1alpha1.injection.antechamber.dev", "-o", "json"];
  const read = await server.kubectl([...old, String(get(object?.value, "metadata", "name"))]);
  expect(JSON.parse(read.stdout).apiVersion).toBe("injection.antechamber.dev/v1alpha1");
}

/** Starts a process for each replica of the Deployment, with its arguments and the permissions of its account. */
async function startPods(server: ApiServer, balancer: Balancer, kubeconfig: string) {
  const got = await server.kubectl([
    "get",
    "deployment",
    "antechamber",
    "-n",
    serviceNamespace,
    "-o",
    "json",
  ]);
  const deployment = JSON.parse(got.stdout);
  const [, ...args] = deployment.spec.template.spec.containers[0].args;
  writeFileSync(kubeconfig, kubeconfigText({ ...server, token: await tokenOf(server) }));
  const here = ["--service", `${serviceNamespace}/antechamber:${balancer.port}`, "--host", "127.0.0.1"];
  const replicas = Array.from({ length: deployment.spec.replicas }, (_, index) =>
    startService([...args, ...here, "--kubeconfig", kubeconfig, "--log-level", "info"], {
      ANTECHAMBER_REPLICA: `pod-${index}`,
    }),
  );
  const pods = await Promise.all(replicas);
  onTestFinished(async () => {
    await Promise.all(pods.map((pod) => pod.stop()));
  });
  balancer.to(...pods);
  return pods;
}

/** A copy whose Service leads to a port of this machine, since there is no network of pods. */
function forThisMachine(folder: string, name: string, port: number): string {
  const copy = path.join(scratch, name);
  cpSync(folder, copy, { recursive: true });
  for (const file of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".yaml")) continue;
    const text = readFileSync(path.join(copy, file), "utf8").replaceAll(
      /^( +)port: 443$/gm,
      `$1port: ${port}`,
    );
    const [head = ""] = text.split("\nspec:");
    const local = `${head}\nspec: {type: ExternalName, externalName: localhost}\n`;
    writeFileSync(path.join(copy, file), path.basename(file) === "service.yaml" ? local : text);
  }
  return copy;
}

function template(command: string, flags: readonly string[] = []): Readonly<Record<string, JsonObject>> {
  const ran = run(command, ["template", "antechamber", "manifests/helm", "-n", serviceNamespace, ...flags]);
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  return byName(ran.stdout);
}

function kustomized(folder: string): Readonly<Record<string, JsonObject>> {
  const ran = run(findBinaries()?.kubectl ?? "", ["kustomize", folder]);
  expect(ran).toMatchObject({ status: 0 });
  return byName(ran.stdout);
}

/** Without the line breaks that kustomize adds to a long caBundle. */
function unbroken(objects: Readonly<Record<string, JsonObject>>): Json {
  const bundle = /"caBundle":"[^"]*"/g;
  return parseJson(writeJson(objects).replaceAll(bundle, (found) => found.replaceAll("\\n", "")));
}

/** Objects by kind and name. The namespace is Helm's own matter; what both need not say alike is left out. */
function byName(text: string): Readonly<Record<string, JsonObject>> {
  const objects = readYaml(text).flatMap(({ value }) => (isObject(value) ? [value] : []));
  return Object.fromEntries(
    objects
      .filter(({ kind, webhooks }) => kind !== "Namespace" && !(isArray(webhooks) && webhooks.length === 0))
      .map((object) => [`${object.kind} ${get(object, "metadata", "name")}`, alike(object)]),
  );
}

/** Webhooks in the order of their names, which means nothing. Without the policy by which Helm keeps CRDs, the default of imagePullPolicy, and the defaults of --service and --name. */
function alike(object: JsonObject): JsonObject {
  const { "helm.sh/resource-policy": _, ...annotations } = (get(object, "metadata", "annotations") ??
    {}) as JsonObject;
  const bare = set(
    object,
    "metadata",
    "annotations",
    Object.keys(annotations).length > 0 ? annotations : undefined,
  );
  const { webhooks } = bare;
  const nameOf = (each: Json) => String(get(each, "name"));
  if (isArray(webhooks))
    return set(
      bare,
      "webhooks",
      webhooks.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    );
  if (object.kind !== "Deployment") return bare;
  const containers = get(bare, "spec", "template", "spec", "containers") as readonly JsonObject[];
  const plain = containers.map(({ imagePullPolicy: __, ...container }) => {
    const args = (container.args as readonly string[]).join(" ");
    return { ...container, args: args.replace(/ --service \S+ --name \S+/, "").split(" ") };
  });
  return set(bare, "spec", "template", "spec", "containers", plain);
}

function run(command: string, args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 2 ** 26 });
  return { status, stdout, stderr };
}
