import { existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../api/access.ts";

/** The programs of a local API server: a build with etcd in the same process, or the two of an envtest folder. */
export type Programs =
  | { readonly layout: "one process"; readonly apiserver: string; readonly kubectl?: string }
  | {
      readonly layout: "envtest";
      readonly apiserver: string;
      readonly etcd: string;
      readonly kubectl?: string;
    };

/**
 * The programs on this machine: those of KUBEBUILDER_ASSETS, otherwise the newest that `npm run cluster:build` built, of a given
 * release those that were built for it if there are any. Throws an Error if KUBEBUILDER_ASSETS lacks one.
 */
export function findPrograms(env: Environment, release?: string): Programs | undefined {
  if (env.KUBEBUILDER_ASSETS) return envtestPrograms(env.KUBEBUILDER_ASSETS);
  const folder = buildsFolder(env);
  const ofRelease = release === undefined ? undefined : newestBuild(folder, `-v${release}`);
  return ofRelease ?? newestBuild(folder, "");
}

/** The folder with a subfolder for each build. */
export function buildsFolder(env: Environment): string {
  const caches = env.XDG_CACHE_HOME || join(env.HOME ?? homedir(), ".cache");
  return join(caches, "antechamber", "cluster");
}

/** The programs of a build in a folder, whether they exist or not. */
export function builtPrograms(folder: string) {
  const [apiserver, kubectl] = [join(folder, "apiserver-with-etcd"), join(folder, "kubectl")];
  return { layout: "one process", apiserver, kubectl } as const;
}

/** Folders of builds are named by a hash; those that are not of the default release end with theirs. */
function newestBuild(folder: string, ending: string): Programs | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const builds = names
    .filter((name) => name.endsWith(ending) && /^[0-9a-f]+$/.test(name.slice(0, name.length - ending.length)))
    .map((name) => builtPrograms(join(folder, name)))
    .filter(({ apiserver, kubectl }) => existsSync(apiserver) && existsSync(kubectl))
    .map((programs) => ({ programs, time: statSync(programs.apiserver).mtimeMs }));
  return builds.toSorted((a, b) => b.time - a.time)[0]?.programs;
}

function envtestPrograms(folder: string): Programs {
  const [apiserver, etcd] = ["kube-apiserver", "etcd"].map((name) => {
    const file = join(folder, name);
    if (existsSync(file)) return file;
    throw new Error(`KUBEBUILDER_ASSETS=${folder} has no ${name}: put it there, or unset KUBEBUILDER_ASSETS`);
  }) as [string, string];
  const kubectl = join(folder, "kubectl");
  return { layout: "envtest", apiserver, etcd, ...(existsSync(kubectl) ? { kubectl } : {}) };
}
