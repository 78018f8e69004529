import type { Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Numbers } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Document, readYaml, SyntaxFault } from "../json/yaml.ts";
import { UsageError } from "./errors.ts";

/** An object and its source: `room.yaml:12`, `list.json:1 items[3]`. */
export interface InputObject {
  readonly source: string;
  readonly value: JsonObject;
}

/** Standard input. */
export interface InputIo {
  readonly readStdin: () => Promise<string>;
}

/** A text of the input with its objects. */
export interface InputText {
  /** The name of the file; `stdin` for standard input. */
  readonly file: string;
  readonly text: string;
  readonly documents: readonly Document[];
  readonly objects: readonly PlacedObject[];
}

/** An object with its place in a text: the index of the document, and the path of the object in it. */
export interface PlacedObject extends InputObject {
  readonly document: number;
  readonly path: Path;
}

/**
 * Reads the objects of all files, folders and `-` (standard input), in order; lists are split into their items.
 * Throws UsageError with `file:line:column: sentence`.
 */
export async function readInput(
  files: readonly string[],
  io: InputIo,
  numbers?: Numbers,
): Promise<readonly InputObject[]> {
  const texts = await readTexts(files, io, numbers);
  return texts.flatMap(({ objects }) => objects.map(({ source, value }) => ({ source, value })));
}

/** The same, with the texts. */
export async function readTexts(
  files: readonly string[],
  io: InputIo,
  numbers?: Numbers,
): Promise<readonly InputText[]> {
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("standard input can be read only once; pass - once");
  const texts: InputText[] = [];
  for (const file of files) {
    if (file === "-") texts.push(inputText("stdin", await io.readStdin(), numbers));
    else for (const found of await filesOf(file)) texts.push(inputText(found, await textOf(found), numbers));
  }
  return texts;
}

const maxBytes = 64 * 1024 * 1024;

/** The file itself, or the files of a folder, which may be empty. */
async function filesOf(file: string): Promise<readonly string[]> {
  if (!(await statOf(file)).isDirectory()) return [file];
  return filesIn(file, new Set());
}

/**
 * The files of a folder and its subfolders, sorted by name. Each folder is read once, even if links lead to it again. Names
 * that start with a dot are skipped: a mounted ConfigMap consists of links to `..data`, so every file would be found twice.
 */
async function filesIn(folder: string, seen: Set<string>): Promise<readonly string[]> {
  const place = await realpath(folder);
  if (seen.has(place)) return [];
  seen.add(place);
  const found: string[] = [];
  for (const name of await namesIn(folder)) {
    const path = join(folder, name);
    const isNamed = /\.(?:yaml|yml|json)$/.test(name);
    const info = await stat(path).catch((error: unknown) => {
      if (isNamed) throw unreadable(path, error);
    });
    if (info?.isDirectory()) found.push(...(await filesIn(path, seen)));
    else if (isNamed) found.push(path);
  }
  return found;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
  } catch (error) {
    throw unreadable(folder, error);
  }
}

async function statOf(file: string): Promise<Stats> {
  try {
    return await stat(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** The text of a regular file: a pipe or a device may never end. */
async function textOf(file: string): Promise<string> {
  const info = await statOf(file);
  if (!info.isFile()) throw new UsageError(`${file}: not a regular file; pipe it in with -f -`);
  if (info.size > maxBytes) throw new UsageError(`${file}: the file is larger than 64 MiB; split it`);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: the file is not UTF-8 text`);
  }
}

function inputText(file: string, text: string, numbers?: Numbers): InputText {
  const documents = documentsOf(file, text, numbers);
  const objects = documents.flatMap(({ value, line }, document) =>
    flatten(value, `${file}:${line}`, document, []),
  );
  return { file, text, documents, objects };
}

function documentsOf(file: string, text: string, numbers?: Numbers): readonly Document[] {
  try {
    return readYaml(text, numbers);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw new UsageError(`${file}:${error.line}:${error.column}: ${error.message}`);
  }
}

/** The object itself, or the items of a list: any kind whose name ends with List and that has items. */
function flatten(value: Json, source: string, document: number, path: Path): readonly PlacedObject[] {
  if (!isObject(value))
    throw new UsageError(`${source}: must be an object with apiVersion and kind, not ${nameOf(value)}`);
  const kind = get(value, "kind");
  const items = get(value, "items");
  if (typeof kind !== "string" || !kind.endsWith("List") || !isArray(items)) {
    return [{ source, value, document, path }];
  }
  return items.flatMap((item, index) =>
    flatten(item, `${source} items[${index}]`, document, [...path, "items", index]),
  );
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  if (isArray(value)) return "a list";
  return typeof value === "string" || typeof value === "boolean" ? `a ${typeof value}` : "a number";
}

function unreadable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "no such file or folder",
    EACCES: "permission denied",
    ELOOP: "the symbolic link is circular",
    ENOTDIR: "a part of the path is not a folder",
  };
  return new UsageError(`${file}: ${reasons[String(code)] ?? `cannot be read (${code ?? error})`}`);
}
