import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../../errors.ts";

/** A part of a Git revision, copied out. */
interface Checkout {
  /** The file or folder. */
  readonly path: string;
  readonly remove: () => Promise<void>;
}

/** Where Git runs, and with which environment. */
export interface GitIo {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const run = promisify(execFile);

/** Copies a file or folder of a Git revision, `v1.2.0:config/crd`, into a temporary folder. Throws UsageError. */
export async function checkOut(source: string, { cwd, env }: GitIo): Promise<Checkout> {
  const object = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", source], cwd, source);
  const sort = await git(["cat-file", "-t", object], cwd, source);
  const root = await git(["rev-parse", "--show-toplevel"], cwd, source);
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-compat-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    // Kinds are modules, and may import packages of the project.
    await writeFile(path.join(folder, "package.json"), '{"type":"module"}');
    await symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"));
    if (sort === "tree") return { path: await writeTree(object, folder, source, { cwd, env }), remove };
    const name = path.basename(source.slice(source.indexOf(":") + 1));
    const { stdout } = await run("git", ["cat-file", "blob", object], { cwd, ...limits, encoding: "buffer" });
    await writeFile(path.join(folder, name), stdout);
    return { path: path.join(folder, name), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Writes a tree by an index of its own, so that the user's index and files stay as they are. */
async function writeTree(
  object: string,
  folder: string,
  source: string,
  { cwd, env }: GitIo,
): Promise<string> {
  const target = path.join(folder, "revision");
  const index = { ...env, GIT_INDEX_FILE: path.join(folder, "index") };
  await git(["read-tree", object], cwd, source, index);
  await git(["checkout-index", "--all", `--prefix=${target}/`], cwd, source, index);
  return target;
}

const limits = { maxBuffer: 64 * 1024 * 1024, timeout: 60_000 };

async function git(
  args: readonly string[],
  cwd: string,
  source: string,
  env?: GitIo["env"],
): Promise<string> {
  try {
    const { stdout } = await run("git", [...args], { cwd, ...limits, ...(env === undefined ? {} : { env }) });
    return stdout.trim();
  } catch (error) {
    throw new UsageError(`${source}: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "git is not installed";
  const printed = "stderr" in error ? String(error.stderr).trim() : "";
  const neither = "no such file or folder, and not a path of a Git revision";
  if (printed === "") return `${neither} (REVISION:PATH, as in v1.2.0:config/crd)`;
  return /not a git repository/i.test(printed) ? `${neither}: this folder is in no Git repository` : printed;
}
