import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { SyntaxFault } from "../../json/document.ts";
import { textAt } from "../../json/json.ts";
import { kindFolders } from "../../kind/load-kinds.ts";
import { filesBelow } from "../../kind/read-documents.ts";
import { filesOfKind } from "../../play/page-file.ts";
import type { Example } from "../../play/state.ts";
import { readYaml, writeYaml } from "../../yaml/yaml.ts";

/**
 * The kinds of folders as the page shows them, each with its first example at the newest version. Their code does not run here;
 * what is wrong with it, the page says. Kinds without versions, and those in JavaScript, are left out.
 * @throws {InvalidKinds} if a folder has no kind
 */
export async function examplesIn(
  roots: readonly string[],
  { folder: near, note }: { readonly folder: string; readonly note: (line: string) => void },
): Promise<readonly Example[]> {
  const folders = await kindFolders(roots.map((root) => path.resolve(near, root)));
  return folders
    .filter((folder) => existsSync(path.join(folder, "kind.ts")))
    .flatMap((folder) => {
      try {
        return exampleIn(folder, near);
      } catch (error) {
        note(`${path.relative(near, folder)} is not shown: ${(error as Error).message}`);
        return [];
      }
    });
}

function exampleIn(folder: string, near: string): readonly Example[] {
  const id = path.relative(near, folder) || folder;
  const files = filesOfKind(folder);
  const versions = Object.keys(files).filter((file) => /^v[^/]*\.yaml$/.test(file));
  const at = versions.at(-1)?.replace(".yaml", "");
  if (at === undefined) return [];
  const [, kind = path.basename(folder)] = /\bkind:\s*"(\w+)"/.exec(files["kind.ts"] ?? "") ?? [];
  const [, group = ""] = /\bgroup:\s*"([^"]+)"/.exec(files["kind.ts"] ?? "") ?? [];
  const text =
    firstExample(folder, at) ?? `apiVersion: ${group}/${at}\nkind: ${kind}\nmetadata:\n  name: example\n`;
  return [{ id, title: kind, about: id, files, at, text }];
}

/** The first object of a version among the examples of a kind, as it is written where it stands alone. */
function firstExample(folder: string, version: string): string | undefined {
  const examples = path.join(folder, "examples");
  if (!existsSync(examples)) return undefined;
  for (const file of filesBelow(examples).filter((each) => /\.(ya?ml|json)$/.test(each))) {
    const text = readFileSync(file, "utf8");
    const documents = documentsIn(text);
    const found = documents.find(({ value }) => textAt(value, "apiVersion").endsWith(`/${version}`));
    if (found !== undefined) return documents.length === 1 ? text : writeYaml(found.value);
  }
  return undefined;
}

function documentsIn(text: string) {
  try {
    return readYaml(text);
  } catch (error) {
    if (error instanceof SyntaxFault) return [];
    throw error;
  }
}
