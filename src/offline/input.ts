import { createReadStream, type Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../errors.ts";
import type { Numbers } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import type { Path } from "../json/path.ts";
import { type Places, placesOf } from "../yaml/places.ts";
import { type Document, readYaml, SyntaxFault } from "../yaml/yaml.ts";
import { readLimited, TooLarge } from "./limited-text.ts";

/** An object and its source: `room.yaml:12`, `list.json:1 items[3]`. */
export interface InputObject {
  readonly source: string;
  readonly value: JsonObject;
  /** The name of its file; `stdin` for standard input. */
  readonly file: string;
  /** The line and column, from 1, of a field as an API server writes it, `spec.lights[0].name`; without one, of the object. */
  readonly find: (field?: string) => { readonly line: number; readonly column?: number };
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
  options: InputOptions = {},
): Promise<readonly InputObject[]> {
  return (await readTexts(files, io, options)).flatMap(({ objects }) => objects);
}

/** How input is read. */
export interface InputOptions {
  readonly numbers?: Numbers;
  /** Gets the documents that are not objects, and templates, each with the reason; without it they are a UsageError. */
  readonly onForeign?: (source: string, reason: string) => void;
}

/** The same, with the texts. */
export async function readTexts(
  files: readonly string[],
  io: InputIo,
  options: InputOptions = {},
): Promise<readonly InputText[]> {
  if (files.filter(isStdin).length > 1)
    throw new UsageError("standard input can be read only once; pass - once");
  const texts: InputText[] = [];
  for (const file of files) {
    if (isStdin(file)) texts.push(inputText("stdin", await stdinOf(io), options));
    else for (const found of await filesOf(file)) texts.push(inputText(found, await textOf(found), options));
  }
  return texts;
}

/** Also by the names of the device: if standard input is a socket, opening /dev/stdin fails. */
function isStdin(file: string): boolean {
  return ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].includes(file);
}

async function stdinOf({ readStdin }: InputIo): Promise<string> {
  try {
    return await readStdin();
  } catch (error) {
    throw unreadable("stdin", error);
  }
}

/** The file itself, or the files of a folder, which may be empty. */
async function filesOf(file: string): Promise<readonly string[]> {
  if (/^[a-z][a-z\d+.-]+:\/\//i.test(file))
    throw new UsageError(`${file}: URLs are not read; ${insteadOfUrl(file)}`);
  if (!(await statOf(file)).isDirectory()) return [file];
  return filesIn(file, new Set());
}

function insteadOfUrl(url: string): string {
  return `pipe the content in, with - instead of the URL: curl -fsSL '${url.replaceAll("'", "%27")}' | antechamber …`;
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
    else if (isNamed && info?.isFile() === false)
      // A pipe without a writer would never end.
      throw new UsageError(`${path}: not a regular file; of a folder only files are read: name it with -f`);
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

/** The text of a file, pipe or device, up to the limit of `readLimited`. */
async function textOf(file: string): Promise<string> {
  try {
    return await readLimited(createReadStream(file));
  } catch (error) {
    throw unreadable(file, error);
  }
}

function inputText(file: string, text: string, options: InputOptions): InputText {
  const documents = documentsOf(file, text, options);
  const places = placesOf(text);
  const objects = documents.flatMap(({ value, line }, document) => {
    const source = `${file}:${line}`;
    const found = flatten({ source, value, document, path: [] }, options.onForeign);
    return found.map((each) => ({ ...each, file, find: finder(each, places, line) }));
  });
  return { file, text, documents, objects };
}

function finder({ document, path }: Found, places: Places, line: number): InputObject["find"] {
  return (field = "") => places.find(document, path, field) ?? { line };
}

function documentsOf(file: string, text: string, { numbers, onForeign }: InputOptions): readonly Document[] {
  try {
    return readYaml(text, numbers);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const template = "a template of a Helm chart must be rendered first, with helm template";
    if (onForeign !== undefined && isTemplate(text)) {
      onForeign(file, template);
      return [];
    }
    const hint = isTemplate(text) ? `; ${template}` : "";
    throw new UsageError(`${file}:${error.line}:${error.column}: ${error.message}${hint}`);
  }
}

/** Whether a text that cannot be read as YAML has an action of Go's templates, wherever the fault shows. */
function isTemplate(text: string): boolean {
  return /\{\{-? *(?:\.|\$|\/\*|(?:if|else|end|range|with|include|template|define|block|tpl|toYaml|default|printf|lookup)\b)/.test(
    text,
  );
}

/** An object in a document. */
type Found = Omit<PlacedObject, "file" | "find">;

/** The object itself, or the items of a list: any kind whose name ends with List and that has items. */
function flatten(
  { source, value, document, path }: Omit<Found, "value"> & { readonly value: Json },
  onForeign: InputOptions["onForeign"],
): readonly Found[] {
  if (!isObject(value)) {
    const reason = `must be an object with apiVersion and kind, not ${nameOf(value)}`;
    if (onForeign === undefined) throw new UsageError(`${source}: ${reason}`);
    onForeign(source, reason);
    return [];
  }
  const kind = get(value, "kind");
  const items = get(value, "items");
  if (typeof kind !== "string" || !kind.endsWith("List") || !isArray(items)) {
    return [{ source, value, document, path }];
  }
  return items.flatMap((item, index) =>
    flatten(
      { source: `${source} items[${index}]`, value: item, document, path: [...path, "items", index] },
      onForeign,
    ),
  );
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  if (isArray(value)) return "a list";
  return typeof value === "string" || typeof value === "boolean" ? `a ${typeof value}` : "a number";
}

function unreadable(file: string, error: unknown): UsageError {
  if (error instanceof TooLarge) return new UsageError(`${file}: ${error.message}; split it`);
  if (error instanceof TypeError) return new UsageError(`${file}: the file is not UTF-8 text`);
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "no such file or folder",
    EACCES: "permission denied",
    ELOOP: "the symbolic link is circular",
    ENXIO: "a socket cannot be read; pipe its content in with -f -",
    ENOTDIR: "a part of the path is not a folder",
  };
  return new UsageError(`${file}: ${reasons[String(code)] ?? `cannot be read (${code ?? error})`}`);
}
