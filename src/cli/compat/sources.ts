import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { type Revision, revisionOf } from "../../checks/index.ts";
import { readCrd } from "../../cluster/api/requests.ts";
import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import { fieldOf, type Path } from "../../json/path.ts";
import { shownPath } from "../../kind/fault.ts";
import { loadKinds } from "../../kind/load-kinds.ts";
import { crdOf } from "../../manifests/crd.ts";
import { crdsAmong, rejectedCrd, withoutCrd } from "../../offline/crd-input.ts";
import { type InputIo, readInput } from "../../offline/input.ts";
import { crdModelOf } from "../../schema/model/crd.ts";
import type { Place } from "../reports/report.ts";
import { asUsage, withConnection } from "../with-cluster.ts";
import { checkOut, type GitIo } from "./git.ts";

/** A revision with its source: `crds/rooms.yaml:12`. */
export interface Sourced {
  readonly source: string;
  readonly revision: Revision;
  /** The place in a file of what a CRD says at a path of its fields; undefined where it is in no file that stays. */
  readonly find?: (path: Path) => Place;
}

/** The CRDs of one side, by name. */
export type Sources = ReadonlyMap<string, Sourced>;

/**
 * Reads the CRDs of a side: of files, a folder, standard input (`-`), a path of a Git revision (`v1.2.0:config/crd`), or a
 * folder of kinds. The work is done while files of a Git revision exist. Throws UsageError.
 */
export async function withSources<Result>(
  source: string,
  io: InputIo & GitIo,
  work: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  if (source === "-" || (await exists(source))) return work(await sourcesAt(source, source, io));
  const checkout = await checkOut(source, io);
  try {
    return await work(await sourcesAt(checkout.path, source, io));
  } finally {
    await checkout.remove();
  }
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

async function sourcesAt(at: string, name: string, io: InputIo): Promise<Sources> {
  return byName((await hasKinds(at)) ? await ofKinds(at) : await ofFiles(at, name, io));
}

function byName(sourced: readonly Sourced[]): Sources {
  const found = new Map<string, Sourced>();
  for (const each of sourced) {
    const { name } = each.revision;
    const known = found.get(name);
    if (known !== undefined)
      throw new UsageError(`${each.source}: defines ${name}, which ${known.source} defines already`);
    found.set(name, each);
  }
  return found;
}

/** Whether a folder is one of kinds: it has a kind.ts, itself or one or two levels down. */
async function hasKinds(folder: string, levels = 2): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some(({ name }) => name === "kind.ts" || name === "kind.js")) return true;
  if (levels === 0) return false;
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "node_modules");
  const found = await Promise.all(folders.map(({ name }) => hasKinds(path.join(folder, name), levels - 1)));
  return found.includes(true);
}

async function ofKinds(folder: string): Promise<readonly Sourced[]> {
  const { all } = await loadKinds([folder]);
  return all.map((kind) => compiled(kind.folder, crdOf(kind, { url: "https://localhost" }), { kind }));
}

async function ofFiles(file: string, name: string, io: InputIo): Promise<readonly Sourced[]> {
  const inputs = (await readInput([file], io)).map((input) => ({
    ...input,
    source: input.source.replace(file, name),
  }));
  const crds = crdsAmong(inputs);
  if (crds.length === 0) throw withoutCrd(name, ", nor a kind.ts");
  return crds.map((input) => {
    const sourced = compiled(input.source, input.value);
    // The file of a Git revision is a copy, and standard input is none.
    const find = (path: Path) => ({ file: shownPath(input.file), ...input.find(fieldOf(path)) });
    return file === name && file !== "-" ? { ...sourced, find } : sourced;
  });
}

function compiled(
  source: string,
  crd: JsonObject,
  more: Pick<Revision, "kind" | "storedVersions"> = {},
): Sourced {
  const result = revisionOf(crd, more);
  if ("revision" in result) return { source, revision: result.revision };
  throw rejectedCrd(source, crd, result.causes);
}

/** The CRDs of a cluster with the names of other ones; those that it does not have are left out. Throws UsageError. */
export function clusterSources(kubeconfig: string | undefined, names: Iterable<string>): Promise<Sources> {
  return withConnection(kubeconfig, async (connection) => {
    const found: Sourced[] = [];
    for (const name of names) {
      const crd = await readCrd(connection, name).catch(asUsage);
      if (crd !== undefined) found.push(ofCluster(`${connection.server} ${name}`, crd));
    }
    return byName(found);
  });
}

function ofCluster(source: string, crd: JsonObject): Sourced {
  const { storedVersions } = crdModelOf(crd).status;
  return compiled(source, crd, { storedVersions });
}
