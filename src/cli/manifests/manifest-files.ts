import path from "node:path";
import { get, type Json, type JsonObject } from "../../json/json.ts";
import type { Kinds } from "../../kind/kind.ts";
import {
  certificateAccess,
  componentCertificateAccess,
  kindAccess,
  noKinds,
} from "../../manifests/access.ts";
import { crdOf } from "../../manifests/crd.ts";
import { ofInstallation } from "../../manifests/installation.ts";
import type { Reach, ServiceReference } from "../../manifests/reach.ts";
import {
  mutatingConfiguration,
  nativeConfiguration,
  reasons,
  validatingConfiguration,
} from "../../manifests/webhooks.ts";
import { monitoringObjects } from "../../monitoring/objects.ts";
import { writeYaml } from "../../yaml/yaml.ts";
import { filesIn, foldersBelow, type GeneratedFile, yamlHeader } from "./generated.ts";

/** The CRDs of the kinds, then the webhook configurations of the given name. */
export function documentsOf(kinds: Kinds, name: string, reach: Reach): readonly JsonObject[] {
  return [...crdsOf(kinds, name, reach), ...configurationsOf(kinds, name, reach)];
}

/**
 * CRDs and webhook configurations as files in two folders, each a kustomization that others can refer to; in a third the
 * permissions for managed certificates, in a fourth what monitors the pods. With a URL there are neither a service account nor
 * pods that they could name.
 */
export function manifestFiles(
  kinds: Kinds,
  name: string,
  reach: Reach,
  { crds, configurations }: Readonly<Record<"crds" | "configurations", readonly JsonObject[]>>,
  out: string,
): readonly GeneratedFile[] {
  const crdFiles = crds.map((crd) => ({
    file: path.join(out, "crds", `${String(get(crd, "metadata", "name"))}.yaml`),
    content: `${yamlHeader}${yamlOf([crd])}`,
  }));
  return [
    ...crdFiles,
    ...kustomization(path.join(out, "crds"), crdFiles),
    ...configurationFiles(configurations, path.join(out, "webhooks")),
    ...accessFiles(kinds, name, reach, path.join(out, "certificates")),
    ...monitoringFiles(reach, path.join(out, "monitoring")),
  ];
}

/** Kinds that are installed together, and the folders that a service loads them from. */
export interface Component {
  readonly name: string;
  readonly folders: readonly string[];
  readonly kinds: Kinds;
}

/**
 * The same for kinds in components, each a kustomize component to add to the service without kinds: CRDs, entries of the webhook
 * configurations, permissions, and the folders that the service is to load.
 */
export function componentFiles(
  components: readonly Component[],
  name: string,
  service: ServiceReference,
  out: string,
): readonly GeneratedFile[] {
  return [
    ...components.flatMap((component) =>
      filesOf(component, name, service, path.join(out, "components", component.name)),
    ),
    ...accessFiles(noKinds, name, { service }, path.join(out, "certificates")),
    ...monitoringFiles({ service }, path.join(out, "monitoring")),
  ];
}

function filesOf(
  { name: component, folders, kinds }: Component,
  name: string,
  service: ServiceReference,
  out: string,
): readonly GeneratedFile[] {
  const file = (base: string, documents: readonly JsonObject[], head = ""): GeneratedFile => ({
    file: path.join(out, `${base}.yaml`),
    content: `${yamlHeader}${head}${yamlOf(documents)}`,
  });
  const nameOf = (document: JsonObject) => String(get(document, "metadata", "name"));
  const configurations = configurationsOf(kinds, name, { service });
  const [entries, natives] = [true, false].map((isShared) =>
    configurations.filter((each) => (nameOf(each) === name) === isShared),
  );
  const access = [
    ...kindAccess(kinds, component, service),
    ...componentCertificateAccess(kinds, name, component, service),
  ];
  const resources = [
    ...crdsOf(kinds, name, { service }).map((crd) => file(nameOf(crd), [crd])),
    ...(natives ?? []).map((each) => file(`webhooks-${nameOf(each)}`, [each], reasons)),
    ...(access.length === 0 ? [] : [file("access", access)]),
  ];
  const patches = kinds.all.length === 0 ? [] : [file("webhooks", entries ?? [], reasons)];
  const args = folders.map((folder) => ({
    op: "add",
    path: "/spec/template/spec/containers/0/args/-",
    value: folder,
  }));
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1alpha1",
    kind: "Component",
    resources: resources.map((each) => path.basename(each.file)),
    patches: [
      ...patches.map((each) => ({ path: path.basename(each.file) })),
      { target: { kind: "Deployment", name: service.name }, patch: writeYaml(args) },
    ],
  };
  return [...resources, ...patches, file("kustomization", [kustomization])];
}

function accessFiles(kinds: Kinds, name: string, reach: Reach, folder: string): readonly GeneratedFile[] {
  if ("url" in reach) return [];
  const documents = certificateAccess(kinds, name, reach.service);
  const file = { file: path.join(folder, "access.yaml"), content: `${yamlHeader}${yamlOf(documents)}` };
  return [file, ...kustomization(folder, [file])];
}

function monitoringFiles(reach: Reach, folder: string): readonly GeneratedFile[] {
  if ("url" in reach) return [];
  const files = Object.entries(monitoringObjects(reach.service)).map(([file, content]) => ({
    file: path.join(folder, file),
    content: `${yamlHeader}${yamlOf(content)}`,
  }));
  return [...files, ...kustomization(folder, files)];
}

/** The existing files in those folders. */
export async function manifestsIn(out: string): Promise<readonly string[]> {
  const folders = ["crds", "webhooks", "certificates", "monitoring"].map((folder) => path.join(out, folder));
  const components = await foldersBelow(path.join(out, "components"), 2);
  const inFolders = await Promise.all([...folders, ...components].map(filesIn));
  // An earlier release wrote all configurations into one file.
  return [...inFolders.flat(), path.join(out, "webhooks.yaml")];
}

/** The documents as one YAML stream. */
export function yamlOf(documents: readonly Json[]): string {
  return documents.map(writeYaml).join("---\n");
}

/** The CRDs of the kinds. */
export function crdsOf({ all }: Kinds, name: string, reach: Reach): readonly JsonObject[] {
  return all.map((kind) => ofInstallation(crdOf(kind, reach), name));
}

/** The webhook configurations of the given name. */
export function configurationsOf({ all, natives }: Kinds, name: string, reach: Reach): readonly JsonObject[] {
  return [
    mutatingConfiguration(all, name, reach),
    validatingConfiguration(all, name, reach),
    ...natives
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((native) => nativeConfiguration(native, name, reach)),
  ].map((configuration) => ofInstallation(configuration, name));
}

/** One file for the custom kinds, and one for each native kind, so that each can be applied without the others. */
function configurationFiles(all: readonly JsonObject[], folder: string): readonly GeneratedFile[] {
  const names = new Set(all.map((each) => String(get(each, "metadata", "name"))));
  const files = [...names].map((name) => ({
    file: path.join(folder, `${name}.yaml`),
    content: `${yamlHeader}${reasons}${yamlOf(all.filter((each) => get(each, "metadata", "name") === name))}`,
  }));
  return [...files, ...kustomization(folder, files)];
}

/**
 * The Kustomization file, which makes a folder a resource of other kustomizations: they may refer to folders, but not to
 * files outside their own. Of its three possible names, this one has no suffix that `kubectl apply -f <folder>` reads.
 */
function kustomization(folder: string, files: readonly GeneratedFile[]): readonly GeneratedFile[] {
  if (files.length === 0) return [];
  const kind = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization" };
  const resources = files.map(({ file }) => path.basename(file));
  const content = `${yamlHeader}${writeYaml({ ...kind, resources })}`;
  return [{ file: path.join(folder, "Kustomization"), content }];
}
