import { readFile } from "node:fs/promises";
import path from "node:path";
import { get, type Json } from "../json/json.ts";

/** How the project around a folder, by default the current one, depends on antechamber, if it does, and the folder of that project. */
export async function dependencyAround(
  start = "",
): Promise<{ readonly folder: string; readonly spec: string } | undefined> {
  for (let folder = path.resolve(start); ; folder = path.dirname(folder)) {
    const spec = specOf(await manifestIn(folder));
    if (spec !== undefined) return { folder, spec };
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** How a file in `node_modules` came there: the folder around the innermost `node_modules`, and what it depends on as antechamber. */
export async function dependencyOfFile(file: string): ReturnType<typeof dependencyAround> {
  const at = file.lastIndexOf(`${path.sep}node_modules${path.sep}`);
  const folder = file.slice(0, Math.max(0, at));
  const spec = at < 0 ? undefined : specOf(await manifestIn(folder));
  return spec === undefined ? undefined : { folder, spec };
}

/** The command as a reader types it: a dependency of a project is in no PATH. */
export async function commandName(folder = ""): Promise<string> {
  return (await dependencyAround(folder)) === undefined ? "antechamber" : "npx antechamber";
}

/** The package.json of a folder; one that cannot be read says nothing about antechamber. */
async function manifestIn(folder: string): Promise<Json | undefined> {
  try {
    return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}

function specOf(manifest: Json | undefined): string | undefined {
  const spec =
    get(manifest, "dependencies", "antechamber") ?? get(manifest, "devDependencies", "antechamber");
  return typeof spec === "string" ? spec : undefined;
}
