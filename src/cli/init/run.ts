import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../errors.ts";
import { dependencyAround, dependencyOfFile } from "../dependency.ts";
import { cleaned } from "../installation.ts";
import { writeNewFiles } from "../new-files.ts";
import { shellWord } from "../shell-word.ts";
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
  /** A file of it: in `node_modules` of the folder that npm installed it into. */
  readonly file: string;
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
  const { spec, tarball } = await dependencyOf(target, options.package, release);
  const files = projectFiles({ name, dependency: spec, typescript: `^${release.typescript}` });
  const vendored =
    tarball === undefined ? [] : [{ file: vendoredAs(tarball), content: await readFile(tarball) }];
  await writeNewFiles(target, [...files, ...vendored], { force: options.force, dryRun: false }, io);
  for (const line of [
    `${name} is ready. Next, with Node.js 22.19 or newer:`,
    ...(path.resolve(target) === path.resolve("") ? [] : [`  cd ${shellWord(target)}`]),
    "  npm install",
    "  npm test         # tests the laws of conversion on the kind in webhooks/",
    "  npm start        # serves it on https://localhost:9443",
    ...(tarball === undefined
      ? []
      : ["Commit vendor/ too: npm installs the package from there on every machine."]),
    ...(spec === released(release) ? unpublished(release, target) : []),
  ])
    io.print(line);
}

/** What a project depends on as antechamber, and the packed package that is copied into the project for it. */
interface Dependency {
  readonly spec: string;
  readonly tarball?: string;
}

/**
 * As is given, else as the project around the current folder has it from a file, else as npm has it that runs this command, else the
 * package that lies packed in the current folder, else this release. A packed package is copied: another machine does not have what
 * lies beside the project.
 */
async function dependencyOf(
  target: string,
  given: string | undefined,
  release: Release,
): Promise<Dependency> {
  const around = given === undefined ? fileOf(await dependencyAround()) : undefined;
  const running = given === undefined ? fileOf(await dependencyOfFile(release.file)) : undefined;
  const file = given?.replace(/^file:/, "");
  const candidates =
    file === undefined
      ? [around ?? running ?? [], around ?? path.resolve(`antechamber-${release.version}.tgz`)].flat()
      : [path.resolve(target, file), path.resolve(file)];
  for (const tarball of candidates)
    if (await isFile(tarball)) return { spec: `file:${vendoredAs(tarball)}`, tarball };
  const relative = around === undefined ? undefined : `file:${path.relative(path.resolve(target), around)}`;
  return { spec: given ?? relative ?? released(release) };
}

function vendoredAs(tarball: string): string {
  return `vendor/${path.basename(tarball)}`;
}

function released({ version }: Release): string {
  return `^${version}`;
}

function unpublished({ version }: Release, target: string): readonly string[] {
  const tarball = `antechamber-${version}.tgz`;
  return [
    `The project takes antechamber ${version} from a registry. If npm install says E404, none has it: npm pack in a checkout makes ${tarball}. Then`,
    `  antechamber init ${shellWord(target)} --force --package path/to/${tarball}`,
    "copies it into the project. That is an option of init, so it stands after init.",
  ];
}

async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** The file or folder that a dependency is installed from, if it is. */
function fileOf(
  dependency: { readonly folder: string; readonly spec: string } | undefined,
): string | undefined {
  const { folder = "", spec = "" } = dependency ?? {};
  return spec.startsWith("file:") ? path.resolve(folder, spec.slice("file:".length)) : undefined;
}
