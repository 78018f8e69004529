import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { get } from "../json/json.ts";
import { readYaml } from "../yaml/yaml.ts";
import { filesBelow, readText } from "./read-documents.ts";

/** The record in a folder of kinds that all of them were checked. */
const name = "checked.json";

/** Records that the kinds of a folder have no fault, as a start found: the next start of this release checks only what changed. */
export async function recordChecked(root: string): Promise<void> {
  await writeFile(path.join(root, name), `${JSON.stringify({ digest: digestOf(root) })}\n`);
}

/** Whether the kinds of a folder were checked, by this release and as they are now. */
export async function isChecked(root: string): Promise<boolean> {
  const text = await readFile(path.join(root, name), "utf8").catch(() => undefined);
  return text !== undefined && digestIn(text) === digestOf(root);
}

function digestIn(text: string): unknown {
  try {
    return get(readYaml(text)[0]?.value, "digest");
  } catch {
    // A damaged record records nothing: the kinds are checked.
    return undefined;
  }
}

/**
 * Of this release and of all files but declarations of types: a kind may import or read any of them. One after the other, so that memory
 * holds one at a time.
 */
function digestOf(root: string): string {
  const digest = createHash("sha256").update(packageJson.version);
  const entries = readdirSync(root, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .filter((file) => file !== name && !file.endsWith(".d.ts"))
    .sort();
  for (const file of files) {
    const content = readFileSync(path.join(root, file));
    digest.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return digest.digest("hex");
}

/** Of all that loading a kind reads beside what its code imports: the names in its folder, its definition, versions and examples. */
export function digestOfKind(folder: string, file: string): string {
  const names = readdirSync(folder);
  const versions = names.filter((each) => /\.ya?ml$/.test(each)).map((each) => path.join(folder, each));
  const files = [file, ...versions, ...filesBelow(path.join(folder, "examples"))];
  const texts = files.map((each) => [each, readText(each)]);
  return createHash("sha256")
    .update(JSON.stringify([names, texts]))
    .digest("hex");
}
