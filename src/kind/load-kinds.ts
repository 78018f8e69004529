import { readdir } from "node:fs/promises";
import { registerHooks } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { kindName } from "../apimachinery/resource.ts";
import { isObject } from "../json/json.ts";
import type { Kind, KindDefinition, Kinds } from "./kind.ts";
import { type Fault, loadCustomKind, loadNativeKind } from "./load-kind.ts";
import type { NativeDefinition, NativeKind } from "./native.ts";

/** Thrown for invalid kind definitions, with a sentence and a file for each fault. The process exits with 2. */
export class InvalidKinds extends Error {
  override readonly name = "InvalidKinds";
  readonly exitCode = 2;
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    super(
      ["invalid kind definitions:", ...faults.map(({ file, sentence }) => `${file}: ${sentence}`)].join("\n"),
    );
    this.faults = faults;
  }
}

/**
 * Finds every kind below the roots, two levels deep (`<root>/<any>/<any>/kind.ts`, or `.js`), and validates each.
 * Folder names carry no meaning. Throws InvalidKinds with all faults of all kinds.
 */
export function loadKinds(roots: readonly string[]): Promise<Kinds> {
  return loadFrom(roots, foldersBelow, "has no kind; make a folder two levels down with a kind.ts in it");
}

/** Loads kinds as `loadKinds` does, from folders of single kinds, and from folders with kinds one or two levels down. */
export function loadKindsAt(folders: readonly string[]): Promise<Kinds> {
  return loadFrom(folders, foldersAt, "has no kind: no kind.ts in it, nor one or two levels down");
}

async function loadFrom(
  roots: readonly string[],
  find: (root: string) => Promise<readonly KindFolder[]>,
  none: string,
): Promise<Kinds> {
  provideEngine();
  const faults: Fault[] = [];
  const kinds: Kind[] = [];
  const natives: NativeKind[] = [];
  const known = new Set<string>();
  for (const root of roots) {
    const folders = await find(root).catch((error: Error) => error);
    if (folders instanceof Error) {
      faults.push({ file: root, sentence: `cannot be read: ${folders.message}` });
      continue;
    }
    if (folders.length === 0) faults.push({ file: root, sentence: none });
    for (const { folder, file } of folders) {
      if (known.has(folder)) continue;
      known.add(folder);
      const { kind, native, faults: found } = await loadFolder(folder, file);
      if (kind !== undefined) kinds.push(kind);
      if (native !== undefined) natives.push(native);
      faults.push(...found);
    }
  }
  faults.push(...sharedNames([...kinds, ...natives]));
  if (faults.length > 0) throw new InvalidKinds(faults);
  return kindsOf(kinds, natives);
}

/** Makes the lookup of kinds by group and kind. */
export function kindsOf(all: readonly Kind[], natives: readonly NativeKind[] = []): Kinds {
  const byName = new Map(all.map((kind) => [kind.name, kind]));
  const nativesByName = new Map(natives.map((kind) => [kind.name, kind]));
  return {
    all,
    find: (group, kind) => byName.get(kindName(group, kind)),
    natives,
    findNative: (group, kind) => nativesByName.get(kindName(group, kind)),
  };
}

/** Loads a kind from its folder; without faults it has either a custom or a native kind. */
async function loadFolder(
  folder: string,
  file: string,
): Promise<{ kind?: Kind; native?: NativeKind; faults: readonly Fault[] }> {
  const imported = await importDefinition(file);
  if ("sentence" in imported) return { faults: [{ file, sentence: imported.sentence }] };
  const { definition } = imported;
  return "native" in definition
    ? loadNativeKind(definition, folder, file)
    : loadCustomKind(definition, folder, file);
}

async function importDefinition(
  file: string,
): Promise<{ definition: KindDefinition | NativeDefinition } | { sentence: string }> {
  try {
    const module: { default?: unknown } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    if (isObject(module.default))
      return { definition: module.default as unknown as KindDefinition | NativeDefinition };
    return {
      sentence: "has no default export that defines a kind; write `export default defineKind({ … })`",
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const remedy = reason.includes("outside a module") ? '; its package.json must say "type": "module"' : "";
    return { sentence: `cannot be loaded: ${reason}${remedy}` };
  }
}

/** A kind's folder, and the file that defines it. */
interface KindFolder {
  readonly folder: string;
  readonly file: string;
}

async function foldersBelow(root: string): Promise<readonly KindFolder[]> {
  const outer = await subfolders(path.resolve(root));
  const inner = (await Promise.all(outer.map(subfolders))).flat();
  return (await Promise.all(inner.map(kindIn))).flat();
}

/** The folder itself if it has a kind, else the folders of kinds up to so many levels down. */
async function foldersAt(root: string, levels = 2): Promise<readonly KindFolder[]> {
  const own = await kindIn(path.resolve(root));
  if (own.length > 0 || levels === 0) return own;
  const inner = await subfolders(path.resolve(root));
  return (await Promise.all(inner.map((each) => foldersAt(each, levels - 1)))).flat();
}

async function kindIn(folder: string): Promise<readonly KindFolder[]> {
  const names = await readdir(folder);
  const name = ["kind.ts", "kind.js"].find((each) => names.includes(each));
  return name === undefined ? [] : [{ folder, file: path.join(folder, name) }];
}

async function subfolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(folder, entry.name))
    .sort();
}

function sharedNames(kinds: readonly (Kind | NativeKind)[]): readonly Fault[] {
  const names = kinds.flatMap((kind) => [
    { kind, name: `the kind ${kind.name}` },
    { kind, name: `the plural ${kind.definition.plural}.${kind.definition.group}` },
  ]);
  return [...Map.groupBy(names, ({ name }) => name)].flatMap(([name, these]) =>
    these.slice(1).map(({ kind }) => ({
      file: kind.folder,
      sentence: `defines ${name}, which ${these[0]?.kind.folder} defines already`,
    })),
  );
}

let isProvided = false;

/** Lets a `kind.ts` anywhere import `antechamber`, and get the engine that loads it. Once for each process, as hooks are. */
function provideEngine(): void {
  if (isProvided) return;
  isProvided = true;
  const own = new URL(import.meta.url.endsWith(".ts") ? "../index.ts" : "../index.js", import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "antechamber" ? { url: own, shortCircuit: true } : next(specifier, context),
  });
}
