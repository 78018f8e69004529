import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Environment } from "../../src/cluster/api/access.ts";
import {
  buildsFolder,
  builtPrograms,
  findPrograms,
  type Programs,
} from "../../src/cluster/local/programs.ts";

export type { Environment };

/** The programs of a cluster, with kubectl. */
export type Binaries = Programs & { readonly kubectl: string };

/** The message if there are no binaries: which tests do not run, and how to get the binaries. */
export const leftOut =
  "tests against a real API server are left out: run `npm run cluster:build` once (needs Go 1.26, takes minutes), " +
  "or set KUBEBUILDER_ASSETS to a folder with kube-apiserver, etcd and kubectl";

/** The folder of the Go module of our build. */
export const sourceFolder = join(import.meta.dirname, "apiserver");

/** The minor releases of Kubernetes that can be built: the first one by default, the others on demand. */
export const releases = ["1.36", "1.37"] as const;
export type Release = (typeof releases)[number];

/** The release that KUBERNETES asks for. */
export function releaseOf({ KUBERNETES: given = "" }: Environment): Release {
  const release = releases.find((each) => given === each || (given === "" && each === releases[0]));
  if (release === undefined)
    throw new Error(
      `KUBERNETES=${given}: can only be ${releases.join(" or ")}, which test/cluster/apiserver builds`,
    );
  return release;
}

/** The file in `sourceFolder` with the modules of a release. */
export function moduleFile(release: Release): string {
  return release === releases[0] ? "go.mod" : `go-${release}.mod`;
}

/** The binaries on this machine: those of KUBEBUILDER_ASSETS, otherwise those built from the current sources. */
export function findBinaries(env: Environment = process.env): Binaries | undefined {
  if (env.KUBEBUILDER_ASSETS) return envtestBinaries(findPrograms(env), env.KUBEBUILDER_ASSETS);
  const built = builtBinaries(apiserverFolder(env));
  return existsSync(built.apiserver) && existsSync(built.kubectl) ? built : undefined;
}

/**
 * The binaries, for a test file. If there are none, it returns undefined, and the file registers one test named
 * `leftOut`, which the run reports in one line. In CI it throws instead.
 */
export function requireBinaries(env: Environment = process.env): Binaries | undefined {
  const found = findBinaries(env);
  if (found !== undefined) return found;
  if (isContinuousIntegration(env)) throw new Error(leftOut);
  return undefined;
}

/** The programs of our build in a folder, whether they exist or not. */
export const builtBinaries = builtPrograms;

/**
 * The folder for a build of the current sources: outside the repository, so that checkouts share it. `programs` is the folder
 * of the program, if it is not that of its Go module.
 */
export function cacheFolder(
  env: Environment = process.env,
  sources = sourceFolder,
  modules = "go.mod",
  programs = sources,
): string {
  return join(buildsFolder(env), sourceHash(sources, modules, programs));
}

/** The folder for a build of a release. Its name keeps `antechamber dev` from taking a build that is there on demand only. */
export function apiserverFolder(env: Environment = process.env, release = releaseOf(env)): string {
  const folder = cacheFolder(env, sourceFolder, moduleFile(release));
  return release === releases[0] ? folder : `${folder}-v${release}`;
}

/** The release of Kubernetes that the modules require, such as `v1.36.3`. */
export function kubernetesVersion(release: Release = releases[0]): string {
  const file = join(sourceFolder, moduleFile(release));
  const version = /^\s+k8s\.io\/kubernetes (v\d+\.\d+\.\d+)$/m.exec(readFileSync(file, "utf8"))?.[1];
  if (version === undefined) throw new Error(`${file} requires no release of k8s.io/kubernetes`);
  return version;
}

/** The oldest Go that go.mod allows, such as `1.26.0`. */
export function goVersion(sources = sourceFolder): string {
  const version = /^go (\d+\.\d+(?:\.\d+)?)$/m.exec(goMod(sources))?.[1];
  if (version === undefined) throw new Error(`${sources}/go.mod has no line "go 1.X"`);
  return version;
}

function envtestBinaries(programs: Programs | undefined, folder: string): Binaries {
  if (programs?.kubectl !== undefined) return { ...programs, kubectl: programs.kubectl };
  throw new Error(`KUBEBUILDER_ASSETS=${folder} has no kubectl: put it there, or unset KUBEBUILDER_ASSETS`);
}

/** Without the version of Go, so that a build is found on a machine without Go, too. */
function sourceHash(sources: string, modules: string, programs: string): string {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  const sums = modules.replace(/\.mod$/, ".sum");
  const moduleFiles = readdirSync(sources).filter((name) => name === modules || name === sums);
  const programFiles = readdirSync(programs).filter((name) => name.endsWith(".go"));
  for (const name of [...moduleFiles, ...programFiles].sort()) {
    const content = readFileSync(join(moduleFiles.includes(name) ? sources : programs, name));
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 16);
}

function goMod(sources: string): string {
  return readFileSync(join(sources, "go.mod"), "utf8");
}

/** Whether every test has to run. */
export function isContinuousIntegration(env: Environment): boolean {
  return !["", "0", "false"].includes(env.CI ?? "");
}
