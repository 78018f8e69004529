import path from "node:path";
import type { JsonObject } from "../../json/json.ts";
import { admissionConfiguration, staticConfiguration, staticFolders } from "../../manifests/static.ts";
import { reasons } from "../../manifests/webhooks.ts";
import { writeYaml } from "../../yaml/yaml.ts";
import { filesIn, type GeneratedFile, yamlHeader } from "./generated.ts";

/** Webhook configurations as files that an API server reads from its disk, and the file that refers it to their folders. */
export function staticFiles(configurations: readonly JsonObject[], out: string): readonly GeneratedFile[] {
  const files = configurations.map(staticConfiguration).map(({ folder, name, document }) => ({
    file: path.join(out, folder, `${name}.yaml`),
    content: `${yamlHeader}${reasons}${writeYaml(document)}`,
  }));
  const admission = admissionConfiguration((folder) => path.resolve(out, folder));
  return [...files, { file: admissionFile(out), content: `${yamlHeader}${writeYaml(admission)}` }];
}

/** The existing files in those folders. */
export async function staticFilesIn(out: string): Promise<readonly string[]> {
  const inFolders = await Promise.all(staticFolders.map((folder) => filesIn(path.join(out, folder))));
  return [...inFolders.flat(), admissionFile(out)];
}

function admissionFile(out: string): string {
  return path.join(out, "admission.yaml");
}
