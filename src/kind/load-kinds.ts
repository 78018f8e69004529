import { readdir } from "node:fs/promises";
import { registerHooks } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { kindName } from "../apimachinery/resource.ts";
import { isObject } from "../json/json.ts";
import { digestOfKind, isChecked } from "./checked.ts";
import { type Fault, printFault, shownPath, sortFaults } from "./fault.ts";
import { faultOfImport } from "./import-fault.ts";
import type { Kind, KindDefinition, Kinds } from "./kind.ts";
import { checkedKind, loadCustomKind, loadNativeKind } from "./load-kind.ts";
import type { NativeDefinition, NativeKind } from "./native.ts";

/** Thrown for invalid kind definitions, with a sentence and a file for each fault. The process exits with 2. */
export class InvalidKinds extends Error {
  override readonly name = "InvalidKinds";
  readonly exitCode = 2;
  readonly faults: readonly Fault[];
  constructor(faults: readonly Fault[]) {
    const sorted = sortFaults(faults);
    super(["invalid kind definitions:", ...sorted.map(printFault)].join("\n"));
    this.faults = sorted;
  }
}

/**
 * Finds every kind in folders and their subfolders (`kind.ts`, or `kind.js`), and validates each. A folder may be that of a
 * single kind. Folder names carry no meaning.
 * @throws {InvalidKinds} with all faults of all kinds
 */
export async function loadKinds(roots: readonly string[]): Promise<Kinds> {
  provideEngine();
  const faults: Fault[] = [];
  const kinds: Kind[] = [];
  const natives: NativeKind[] = [];
  const known = new Set<string>();
  for (const root of roots) {
    const folders = await foldersBelow(path.resolve(root)).catch((error: Error) => error);
    if (folders instanceof Error) {
      faults.push({ file: root, sentence: unreadable(folders) });
      continue;
    }
    const unfinished = folders.filter((each) => "sentence" in each);
    faults.push(...unfinished);
    if (folders.length === 0) faults.push({ file: root, sentence: withoutKinds });
    const wasChecked = folders.length > 0 && (await isChecked(root));
    for (const { folder, file } of folders.filter((each) => "folder" in each)) {
      if (known.has(folder)) continue;
      known.add(folder);
      const { kind, native, faults: found } = await loadFolder(folder, file, wasChecked);
      if (kind !== undefined) kinds.push(kind);
      if (native !== undefined) natives.push(native);
      faults.push(...found);
    }
  }
  faults.push(...sharedNames([...kinds, ...natives]));
  if (faults.length > 0) throw new InvalidKinds(faults);
  return kindsOf(kinds, natives);
}

/**
 * The folders of kinds in folders and their subfolders, without running their code.
 * @throws {InvalidKinds} if a folder cannot be read, or if there is no kind in it
 */
export async function kindFolders(roots: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    roots.map(async (root): Promise<readonly (KindFolder | Fault)[]> => {
      const folders = await foldersBelow(path.resolve(root)).catch((error: Error) => error);
      if (folders instanceof Error) return [{ file: root, sentence: unreadable(folders) }];
      return folders.length === 0 ? [{ file: root, sentence: withoutKinds }] : folders;
    }),
  );
  const faults = found.flat().filter((each) => "sentence" in each);
  if (faults.length > 0) throw new InvalidKinds(faults);
  return [...new Set(found.flat().flatMap((each) => ("folder" in each ? each.folder : [])))];
}

/** The kinds that come with this package. Throws InvalidKinds. */
export function loadOwnKinds(): Promise<Kinds> {
  return loadKinds([fileURLToPath(new URL("../../webhooks", import.meta.url))]);
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

/** Without faults either a custom or a native kind. */
interface Loaded {
  readonly kind?: Kind;
  readonly native?: NativeKind;
  readonly faults: readonly Fault[];
}

/**
 * Kinds without faults that this process has loaded, with what their folders held. Tests load the same kinds for each of their
 * command lines. Code need not be compared: a process imports it once.
 */
const loadedBefore = new WeakMap<object, { readonly digest: string; readonly loaded: Loaded }>();

/** Loads a kind from its folder. */
async function loadFolder(folder: string, file: string, wasChecked: boolean): Promise<Loaded> {
  const imported = await importDefinition(file);
  if ("sentence" in imported) return { faults: [imported] };
  const { definition } = imported;
  if (wasChecked && !("native" in definition)) return { kind: checkedKind(definition, folder), faults: [] };
  const digest = digestOfKind(folder, file);
  const before = loadedBefore.get(definition);
  if (before?.digest === digest) return before.loaded;
  const loaded =
    "native" in definition
      ? await loadNativeKind(definition, folder, file)
      : await loadCustomKind(definition, folder, file);
  if (loaded.faults.length === 0) loadedBefore.set(definition, { digest, loaded });
  return loaded;
}

async function importDefinition(
  file: string,
): Promise<{ definition: KindDefinition | NativeDefinition } | Fault> {
  try {
    const module: { default?: unknown } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    if (isObject(module.default))
      return { definition: module.default as unknown as KindDefinition | NativeDefinition };
    const sentence = "has no default export that defines a kind; write `export default defineKind({ … })`";
    return { file, sentence };
  } catch (error) {
    return faultOfImport(error, file);
  }
}

/** A kind's folder, and the file that defines it. */
interface KindFolder {
  readonly folder: string;
  readonly file: string;
}

/** How deep kinds may lie below a folder that is named; more is a mistake, such as the root of a file system. */
const mostLevels = 6;

/** The folder itself if it has a kind, else the folders of kinds below it; of a kind without its `kind.ts` a fault. */
async function foldersBelow(folder: string, levels = mostLevels): Promise<readonly (KindFolder | Fault)[]> {
  const own = await kindIn(folder);
  if (own.length > 0 || levels === 0) return own;
  const inner = await subfolders(folder);
  return (await Promise.all(inner.map((each) => foldersBelow(each, levels - 1)))).flat();
}

async function kindIn(folder: string): Promise<readonly (KindFolder | Fault)[]> {
  const names = await readdir(folder);
  const name = ["kind.ts", "kind.js"].find((each) => names.includes(each));
  return name === undefined ? faultWithoutKind(folder, names) : [{ folder, file: path.join(folder, name) }];
}

/** A folder with versions and lenses or examples is that of a kind. */
function faultWithoutKind(folder: string, names: readonly string[]): readonly Fault[] {
  const version = names.find((each) => /^v\d+((alpha|beta)\d+)?\.ya?ml$/.test(each));
  const others = names.filter((each) => /\.[cm]?[jt]s$/.test(each));
  if (version === undefined || (others.length === 0 && !names.includes("examples"))) return [];
  const alike = others.find((each) => /^kinds?\./i.test(each));
  const remedy = alike === undefined ? "" : `; rename ${alike} to kind.ts`;
  return [{ file: folder, sentence: `has the version ${version}, but no kind.ts${remedy}` }];
}

async function subfolders(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."))
    .map((entry) => path.join(folder, entry.name))
    .sort();
}

const makeOne =
  "antechamber init makes a project with a kind, antechamber import makes kinds from CRDs, and --webhooks names another folder";
const withoutKinds = `has no kind: no kind.ts in it, nor up to ${mostLevels} levels down; ${makeOne}`;

function unreadable(error: NodeJS.ErrnoException): string {
  return error.code === "ENOENT" ? `does not exist; ${makeOne}` : `cannot be read: ${error.message}`;
}

function sharedNames(kinds: readonly (Kind | NativeKind)[]): readonly Fault[] {
  const names = kinds.flatMap((kind) => [
    { kind, name: `the kind ${kind.name}` },
    { kind, name: `the plural ${kind.definition.plural}.${kind.definition.group}` },
  ]);
  return [...Map.groupBy(names, ({ name }) => name)].flatMap(([name, these]) =>
    these.slice(1).map(({ kind }) => ({
      file: kind.folder,
      sentence: `defines ${name}, which ${shownPath(these[0]?.kind.folder ?? "")} defines already`,
    })),
  );
}

/** The entry points that a `kind.ts` may import, as folders of src. */
const kindEntryPoints = ["", "apimachinery", "go", "json"];

let isProvided = false;

/** Lets a `kind.ts` anywhere import `antechamber`, and its parts for kinds, and get the engine that loads it. Once for each process, as hooks are. */
function provideEngine(): void {
  if (isProvided) return;
  isProvided = true;
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const own = new Map(
    kindEntryPoints.map((folder) => [
      path.posix.join("antechamber", folder),
      new URL(path.posix.join("..", folder, `index.${ending}`), import.meta.url).href,
    ]),
  );
  registerHooks({
    resolve: (specifier, context, next) => {
      const url = own.get(specifier);
      return url === undefined ? next(specifier, context) : { url, shortCircuit: true };
    },
  });
}
