import { readFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../errors.ts";
import { get, type Json } from "../../json/json.ts";
import { cleaned } from "../installation.ts";
import { writeNewFiles } from "../new-files.ts";
import { projectFiles } from "./files.ts";

/** The options of `antechamber init`. */
interface InitOptions {
  /** What the project depends on as antechamber; by default how the current project does, else this release. */
  readonly package?: string;
  /** Whether existing files are replaced. */
  readonly force: boolean;
}

/** The release that makes the project. */
interface Release {
  readonly version: string;
  /** The version of TypeScript that it is compiled with. */
  readonly typescript: string;
}

/** The output of `antechamber init`. */
interface InitIo {
  readonly print: (line: string) => void;
  readonly note: (line: string) => void;
}

/** Makes a project with a kind of two versions. Throws UsageError if one of its files exists. */
export async function init(
  target: string,
  options: InitOptions,
  release: Release,
  io: InitIo,
): Promise<void> {
  const name = cleaned(path.basename(path.resolve(target)));
  if (name === "")
    throw new UsageError(`${target}: has no letter or digit for the name of a project; write it like blinds`);
  const dependency = options.package ?? (await dependencyOf(target)) ?? `^${release.version}`;
  const files = projectFiles({ name, dependency, typescript: `^${release.typescript}` });
  await writeNewFiles(target, files, { force: options.force, dryRun: false }, io);
  for (const line of [
    `${name} is ready. Next:`,
    ...(path.resolve(target) === path.resolve("") ? [] : [`  cd ${target}`]),
    "  npm install",
    "  npm test         # tests the laws of conversion on the kind in webhooks/",
    "  npm start        # serves it on https://localhost:9443",
  ])
    io.print(line);
}

/** How the project around a folder depends on antechamber, if by a file: the new project then uses the same one. */
async function dependencyOf(target: string): Promise<string | undefined> {
  for (let folder = path.resolve(""); ; folder = path.dirname(folder)) {
    const spec = fileSpec(await manifestIn(folder));
    if (spec !== undefined) return `file:${path.relative(path.resolve(target), path.resolve(folder, spec))}`;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/** The package.json of a folder around the new project; one that cannot be read says nothing about antechamber. */
async function manifestIn(folder: string): Promise<Json | undefined> {
  try {
    return JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  } catch {
    return undefined;
  }
}

function fileSpec(manifest: Json | undefined): string | undefined {
  const spec =
    get(manifest, "dependencies", "antechamber") ?? get(manifest, "devDependencies", "antechamber");
  return typeof spec === "string" && spec.startsWith("file:") ? spec.slice("file:".length) : undefined;
}
