import path from "node:path";
import { get, type JsonObject } from "../json/json.ts";
import { writeYaml } from "../json/yaml.ts";
import type { Kinds } from "../kind/kind.ts";
import { certificateAccess } from "../manifests/access.ts";
import { crdName, crdOf } from "../manifests/crd.ts";
import type { Reach } from "../manifests/reach.ts";
import {
  mutatingConfiguration,
  nativeConfiguration,
  reasons,
  validatingConfiguration,
} from "../manifests/webhooks.ts";
import { filesIn, type GeneratedFile, yamlHeader } from "./generated.ts";

/** The CRDs of the kinds, then the webhook configurations of the given name. */
export function documentsOf(kinds: Kinds, name: string, reach: Reach): readonly JsonObject[] {
  return [...kinds.all.map((kind) => crdOf(kind, reach)), ...configurations(kinds, name, reach)];
}

/**
 * The same as files in two folders, each a kustomization that others can refer to, and the permissions for managed certificates
 * in a third; with a URL there is no service account that they could name.
 */
export function manifestFiles(
  kinds: Kinds,
  name: string,
  reach: Reach,
  out: string,
): readonly GeneratedFile[] {
  const crds = kinds.all.map((kind) => ({
    file: path.join(out, "crds", `${crdName(kind)}.yaml`),
    content: `${yamlHeader}${yamlOf([crdOf(kind, reach)])}`,
  }));
  return [
    ...crds,
    ...kustomization(path.join(out, "crds"), crds),
    ...configurationFiles(configurations(kinds, name, reach), path.join(out, "webhooks")),
    ...accessFiles(kinds, name, reach, path.join(out, "certificates")),
  ];
}

function accessFiles(kinds: Kinds, name: string, reach: Reach, folder: string): readonly GeneratedFile[] {
  if ("url" in reach) return [];
  const documents = certificateAccess(kinds, name, reach.service);
  const file = { file: path.join(folder, "access.yaml"), content: `${yamlHeader}${yamlOf(documents)}` };
  return [file, ...kustomization(folder, [file])];
}

/** The existing files in those folders. */
export async function manifestsIn(out: string): Promise<readonly string[]> {
  const inFolders = await Promise.all(
    ["crds", "webhooks", "certificates"].map((folder) => filesIn(path.join(out, folder))),
  );
  // An earlier release wrote all configurations into one file.
  return [...inFolders.flat(), path.join(out, "webhooks.yaml")];
}

/** The documents as one YAML stream. */
export function yamlOf(documents: readonly JsonObject[]): string {
  return documents.map(writeYaml).join("---\n");
}

function configurations({ all, natives }: Kinds, name: string, reach: Reach): readonly JsonObject[] {
  return [
    mutatingConfiguration(all, name, reach),
    validatingConfiguration(all, name, reach),
    ...natives
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map((native) => nativeConfiguration(native, name, reach)),
  ];
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
