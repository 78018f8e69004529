import type { Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Numbers } from "../json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../json/json.ts";
import { readYaml, SyntaxFault } from "../json/yaml.ts";
import { UsageError } from "./errors.ts";

/** An object as it was given, and where: `room.yaml:12`, `list.json:1 items[3]`. */
export interface InputObject {
  readonly source: string;
  readonly value: JsonObject;
}

/** What reading input needs of the process. */
export interface InputIo {
  readonly readStdin: () => Promise<string>;
}

/**
 * Reads the objects of all files, folders and `-` (standard input), in their order; lists are taken apart.
 * Throws UsageError with `file:line:column: sentence`.
 */
export async function readInput(
  files: readonly string[],
  io: InputIo,
  numbers?: Numbers,
): Promise<readonly InputObject[]> {
  if (files.filter((file) => file === "-").length > 1)
    throw new UsageError("standard input can be read only once; give - once");
  const objects: InputObject[] = [];
  for (const file of files) {
    if (file === "-") objects.push(...objectsOf("stdin", await io.readStdin(), numbers));
    else
      for (const found of await filesOf(file))
        objects.push(...objectsOf(found, await textOf(found), numbers));
  }
  return objects;
}

const mostBytes = 64 * 1024 * 1024;

/** The file itself, or the files of a folder, of which there may be none. */
async function filesOf(file: string): Promise<readonly string[]> {
  if (!(await statOf(file)).isDirectory()) return [file];
  return filesIn(file, new Set());
}

/**
 * The files of a folder and of those in it, by name. Each folder is read once, wherever links lead. Names with a dot in
 * front are left out: Kubernetes mounts a ConfigMap as links to `..data`, and would have every file twice.
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

/** The text of a file. Only of a regular one: a pipe may never end, a device need not. */
async function textOf(file: string): Promise<string> {
  const info = await statOf(file);
  if (!info.isFile()) throw new UsageError(`${file}: this is no regular file; pipe it in with -f -`);
  if (info.size > mostBytes) throw new UsageError(`${file}: this file has more than 64 MiB; split it`);
  const bytes = await readFile(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${file}: this file is not UTF-8 text`);
  }
}

function objectsOf(file: string, text: string, numbers?: Numbers): readonly InputObject[] {
  try {
    return readYaml(text, numbers).flatMap(({ value, line }) => flatten(value, `${file}:${line}`));
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    throw new UsageError(`${file}:${error.line}:${error.column}: ${error.message}`);
  }
}

/** An object, or the objects of a list: of any kind that ends with List and has items. */
function flatten(value: Json, source: string): readonly InputObject[] {
  if (!isObject(value))
    throw new UsageError(`${source}: this is ${nameOf(value)}, not an object with apiVersion and kind`);
  const kind = get(value, "kind");
  const items = get(value, "items");
  if (typeof kind !== "string" || !kind.endsWith("List") || !isArray(items)) return [{ source, value }];
  return items.flatMap((item, index) => flatten(item, `${source} items[${index}]`));
}

function nameOf(value: Json): string {
  if (value === null) return "null";
  if (isArray(value)) return "a list";
  return typeof value === "string" || typeof value === "boolean" ? `a ${typeof value}` : "a number";
}

function unreadable(file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: "there is no such file or folder",
    EACCES: "this may not be read by the user that runs the command",
    ELOOP: "this link leads in a circle",
    ENOTDIR: "a part of this path is no folder",
  };
  return new UsageError(`${file}: ${reasons[String(code)] ?? `this cannot be read (${code ?? error})`}`);
}
