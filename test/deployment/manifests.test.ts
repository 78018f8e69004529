import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { crdNeedsOf } from "../../src/cluster/follow/kinds-in-force.ts";
import { get, isArray, type Json, type JsonArray, type JsonObject } from "../../src/json/json.ts";
import type { Kinds } from "../../src/kind/kind.ts";
import { lister } from "../../src/kind/lister.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { instructions, readDockerfile } from "./dockerfile.ts";

const base = documents("manifests/base");
const components = ["home", "injection", "openkruise"];
const parts = components.flatMap((name) => documents(`manifests/components/${name}`));
const webhooks = parts.filter(({ kind }) => String(kind).endsWith("WebhookConfiguration"));
const overlays = documents("manifests/overlays/cert-manager");
const deployment = one(base, "Deployment");
const pod = get(deployment, "spec", "template", "spec") as JsonObject;
const [container] = list(pod, "containers");
const self = { "app.kubernetes.io/name": "antechamber" };

it("every file of the base is listed in it", () => {
  const { resources } = one(base, "Kustomization");
  const files = readdirSync("manifests/base").filter((file) => file !== "kustomization.yaml");
  expect((resources as string[]).toSorted()).toEqual(files.toSorted());
});

it("a pod asks for nothing that Pod Security's restricted profile forbids", () => {
  expect(pod.securityContext).toEqual({
    runAsNonRoot: true,
    runAsUser: 65532,
    runAsGroup: 65532,
    fsGroup: 65532,
    seccompProfile: { type: "RuntimeDefault" },
  });
  expect(list(pod, "containers").map(({ securityContext }) => securityContext)).toEqual([
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
  ]);
  for (const field of ["hostNetwork", "hostPID", "hostIPC", "initContainers"])
    expect(pod[field]).toBeUndefined();
  for (const volume of list(pod, "volumes")) expect(Object.keys(volume)).toEqual(["name", "secret"]);
});

it("its user is the image's", () => {
  const user = instructions(readDockerfile("Dockerfile").stages.at(-1) as never, "USER");
  const { runAsUser, runAsGroup } = pod.securityContext as JsonObject;
  expect(user).toEqual([`${runAsUser}:${runAsGroup}`]);
});

it("its image has the tag of this version, said in one place", () => {
  expect(container?.image).toBe("antechamber");
  expect(one(base, "Kustomization").images).toEqual([{ name: "antechamber", newTag: packageJson.version }]);
});

it("it is probed on the ops port alone", () => {
  const asked = ["startupProbe", "readinessProbe", "livenessProbe"].map((probe) =>
    get(container ?? {}, probe, "httpGet"),
  );
  expect(asked).toEqual([
    { path: "/livez", port: "ops" },
    { path: "/readyz", port: "ops" },
    { path: "/livez", port: "ops" },
  ]);
  expect(list(container ?? {}, "ports")).toEqual([
    { name: "https", containerPort: 9443 },
    { name: "ops", containerPort: 8080 },
  ]);
});

it("it says what it needs, and how much memory it may take", () => {
  expect(get(container ?? {}, "resources")).toEqual({
    requests: { cpu: "100m", memory: "256Mi" },
    limits: { memory: "1Gi" },
  });
});

it("a pod that ends is given the time that draining may take", () => {
  const [grace, calls] = [15, 30];
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace + calls);
});

it("two replicas are spread, and one of them always stays", () => {
  expect(get(deployment, "spec", "replicas")).toBe(2);
  expect(get(deployment, "spec", "strategy", "rollingUpdate")).toEqual({ maxSurge: 1, maxUnavailable: 0 });
  expect(get(one(base, "PodDisruptionBudget"), "spec", "maxUnavailable")).toBe(1);
  const keys = list(pod, "topologySpreadConstraints").map(({ topologyKey }) => topologyKey);
  expect(keys).toEqual(["kubernetes.io/hostname", "topology.kubernetes.io/zone"]);
});

it("whatever selects our pods selects them by the same label", () => {
  const selectors = [
    get(deployment, "spec", "selector", "matchLabels"),
    get(deployment, "spec", "template", "metadata", "labels"),
    get(one(base, "Service"), "spec", "selector"),
    get(one(base, "PodDisruptionBudget"), "spec", "selector", "matchLabels"),
    get(one(base, "NetworkPolicy"), "spec", "podSelector", "matchLabels"),
    ...list(pod, "topologySpreadConstraints").map((each) => get(each, "labelSelector", "matchLabels")),
  ];
  for (const selector of selectors) expect(selector).toEqual(self);
});

it("who calls us names the Service, its port and a certificate that is good for it", () => {
  const { name, namespace } = one(base, "Service").metadata as JsonObject;
  const port = get(list(one(base, "Service").spec as JsonObject, "ports")[0] ?? {}, "port");
  const called = parts.flatMap(clientConfigs);
  expect(called.length).toBeGreaterThan(6);
  for (const config of called) expect(get(config, "service")).toMatchObject({ name, namespace, port });
  const certificate = overlays.find((each) => get(each, "spec", "secretName") === secretName());
  expect(get(certificate ?? {}, "spec", "dnsNames")).toEqual([`${name}.${namespace}.svc`]);
});

it("both overlays bring the Secret that the pods mount", () => {
  expect(overlays.map((each) => get(each, "spec", "secretName"))).toContain(secretName());
  const own = one(documents("manifests/overlays/own-certificate"), "Kustomization");
  expect(get(list(own, "secretGenerator")[0] ?? {}, "name")).toBe(secretName());
});

it("no webhook stands in the way of our own pods, or of the cluster's", () => {
  const others = webhooks
    .filter((each) => String(each.kind).endsWith("WebhookConfiguration"))
    .flatMap((each) => list(each, "webhooks"))
    .filter((each) =>
      list(each, "rules").some(({ apiGroups }) => ["", "apps", "policy"].includes(String(apiGroups))),
    );
  for (const { name, namespaceSelector } of others) {
    const [expression] = list(namespaceSelector as JsonObject, "matchExpressions");
    expect(expression, String(name)).toEqual({
      key: "kubernetes.io/metadata.name",
      operator: "NotIn",
      values: expect.arrayContaining(["kube-system", "antechamber-system"]),
    });
  }
});

let kinds: Kinds;
beforeAll(async () => {
  kinds = await loadKinds(["webhooks"]);
});

it("without kinds the service has no CRD, no webhook and no permission", () => {
  expect(base.map(({ kind }) => kind)).not.toContain("CustomResourceDefinition");
  expect(base.filter(({ kind }) => String(kind).includes("Role"))).toEqual([]);
  const configurations = base.filter(({ kind }) => String(kind).endsWith("WebhookConfiguration"));
  expect(configurations.map((each) => each.webhooks)).toEqual([[], []]);
  expect(list(container ?? {}, "args").at(-1)).toBe("--webhooks");
});

it("each component adds the folders of its kinds to what the service loads, and each kind is in one of them", () => {
  const folders = components.flatMap((name) =>
    list(one(documents(`manifests/components/${name}`), "Component"), "patches")
      .flatMap(({ patch }) => (patch === undefined ? [] : readYaml(String(patch))))
      .flatMap(({ value }) => value as JsonArray)
      .map((operation) => String(get(operation, "value"))),
  );
  const found = [...kinds.all, ...kinds.natives].map(({ folder }) =>
    folders.filter((each) => !path.relative(each, folder).startsWith("..")),
  );
  for (const each of found) expect(each).toHaveLength(1);
});

it("the chart's values name the same components", () => {
  const [values] = readYaml(readFileSync("manifests/helm/values.yaml", "utf8"));
  const named = get(values?.value, "kinds");
  expect(named).toEqual(Object.fromEntries(components.map((name) => [name, false])));
  const schema = JSON.parse(readFileSync("manifests/helm/values.schema.json", "utf8"));
  expect(Object.keys(schema.properties.kinds.properties)).toEqual(components);
});

it("the service may list and watch what its kinds need, and nothing else", () => {
  const needed = [...kinds.all, ...kinds.natives]
    .flatMap(({ definition }) => Object.values(definition.needs ?? {}))
    .concat(lister("apiextensions.k8s.io", "CustomResourceDefinition"))
    .map(({ group, kind }) => `${plural(group, kind)}.${group}`);
  const granted = parts
    .filter((each) => each.kind === "ClusterRole" && !isForCertificates(each))
    .flatMap((role) => list(role, "rules"));
  for (const { verbs } of granted) expect(verbs).toEqual(["list", "watch"]);
  const names = granted.flatMap(({ apiGroups, resources }) =>
    (resources as string[]).map((resource) => `${resource}.${apiGroups}`),
  );
  expect([...new Set(names)].toSorted()).toEqual([...new Set(needed)].toSorted());
  expect(JSON.stringify(granted)).not.toContain("*");
  const crds = granted.filter(({ resources }) =>
    (resources as string[]).includes("customresourcedefinitions"),
  );
  expect(crds.flatMap(({ resourceNames }) => resourceNames as string[]).toSorted()).toEqual(
    crdNeedsOf(kinds)
      .flatMap(({ name = [] }) => name)
      .toSorted(),
  );
});

it("a binding binds the account of the pods to each role", () => {
  const bindings = parts.filter(({ kind }) => kind === "ClusterRoleBinding");
  for (const binding of bindings)
    expect(list(binding, "subjects")).toEqual([
      { kind: "ServiceAccount", name: pod.serviceAccountName, namespace: "antechamber-system" },
    ]);
  const roles = parts
    .filter(({ kind }) => kind === "ClusterRole")
    .map((each) => get(each, "metadata", "name"));
  expect(bindings.map((each) => get(each, "roleRef", "name"))).toEqual(roles);
});

it("the overlay for managed certificates mounts none, and names each replica after its pod", () => {
  const overlay = one(documents("manifests/overlays/managed"), "Kustomization");
  expect(overlay.resources).toEqual(["../../base", "../../certificates"]);
  const [patch] = list(overlay, "patches");
  const operations = readYaml(String(patch?.patch)).flatMap(({ value }) => value as JsonArray);
  const at = (path: string) => operations.find((each) => get(each, "path") === path);
  const first = "/spec/template/spec/containers/0";
  expect((get(container ?? {}, "args") as string[]).slice(0, 3)).toEqual(["serve", "--cert-dir", "/tls"]);
  expect([1, 2].map((index) => get(at(`${first}/args/${index}`), "value"))).toEqual(["--certs", "managed"]);
  expect(get(at(`${first}/env`), "value")).toEqual([
    { name: "ANTECHAMBER_REPLICA", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ]);
  for (const path of [`${first}/volumeMounts`, "/spec/template/spec/volumes"])
    expect(get(at(path), "op"), path).toBe("remove");
});

it("each permission for managed certificates names its objects, among them all that name our Service", () => {
  const rules = [...documents("manifests/certificates"), ...parts.filter(isForCertificates)]
    .filter(({ kind }) => kind === "ClusterRole" || kind === "Role")
    .flatMap((role) => list(role, "rules"));
  for (const rule of rules) expect(rule.resourceNames, JSON.stringify(rule)).not.toHaveLength(0);
  const named = rules.flatMap(({ resources, resourceNames }) =>
    (resourceNames as string[]).map((name) => `${resources} ${name}`),
  );
  const called = parts
    .filter((each) => clientConfigs(each).length > 0)
    .map((each) => `${String(each.kind).toLowerCase()}s ${get(each, "metadata", "name")}`);
  expect(named).toEqual(expect.arrayContaining(called));
  const own = named.filter((each) => !called.includes(each));
  expect(own.toSorted()).toEqual([
    "configmaps antechamber-replicas",
    "deployments antechamber",
    "events antechamber.cabundlerestored",
    "events antechamber.carotationcompleted",
    "events antechamber.carotationstarted",
    "events antechamber.caswitched",
    "events antechamber.certificaterenewed",
    "events antechamber.certificaterotationfailed",
    "leases antechamber",
    "secrets antechamber-certificates",
  ]);
});

/** Whether permissions are for managed certificates alone. */
function isForCertificates(role: JsonObject): boolean {
  return get(role, "metadata", "labels", "antechamber.dev/certificates") === "managed";
}

/** The documents of a folder's YAML files. */
function documents(folder: string): readonly JsonObject[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  return files.flatMap((file) =>
    readYaml(readFileSync(path.join(folder, file), "utf8")).map(({ value }) => value as JsonObject),
  );
}

function one(all: readonly JsonObject[], kind: string): JsonObject {
  const found = all.find((each) => each.kind === kind);
  if (found === undefined) throw new Error(`there is no ${kind}`);
  return found;
}

function list(object: JsonObject, field: string): readonly JsonObject[] {
  const found = get(object, field);
  return isArray(found) ? (found as readonly JsonObject[]) : [];
}

function clientConfigs(each: JsonObject): readonly Json[] {
  const conversion = get(each, "spec", "conversion", "webhook", "clientConfig");
  const others = list(each, "webhooks").flatMap(({ clientConfig }) => clientConfig ?? []);
  return [...(conversion === undefined ? [] : [conversion]), ...others];
}

function secretName(): Json | undefined {
  return get(list(pod, "volumes")[0] ?? {}, "secret", "secretName");
}

/** Of our own kinds we know it; of others Kubernetes' rule of thumb is enough. */
function plural(group: string, kind: string): string {
  return kinds.find(group, kind)?.definition.plural ?? `${kind.toLowerCase()}s`;
}
