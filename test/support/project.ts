import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** Writes a project with one kind of the group example.org, which has a single version. */
export async function writeProject(
  folder: string,
  { name, kind }: { readonly name: string; readonly kind: string },
): Promise<void> {
  const plural = `${kind.toLowerCase()}s`;
  const definition = { group: "example.org", kind, plural, scope: "Namespaced" };
  const files = {
    "package.json": JSON.stringify({ name, type: "module" }),
    "webhooks/kind/kind.js": `import { defineKind, version } from "antechamber";
export default defineKind({ ...${JSON.stringify(definition)}, versions: [version("v1")] });
`,
    "webhooks/kind/v1.yaml": `name: v1
served: true
storage: true
subresources: { status: {} }
schema:
  openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: integer } } } } }
`,
    "webhooks/kind/examples/one.yaml": `apiVersion: example.org/v1\nkind: ${kind}\nmetadata: { name: one }\nspec: { size: 1 }\n`,
  };
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content);
  }
}
