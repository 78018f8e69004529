import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../errors.ts";
import { didYouMean } from "../json/alike.ts";
import type { Fault } from "./fault.ts";
import { frameOf, literalIn } from "./source.ts";
import { authorFrames, placeAbove, type SourcePlace } from "./stack.ts";

/** Why a module of an author cannot be imported: in which of the imported files, and where. */
export async function faultOfImport(error: unknown, file: string): Promise<Fault> {
  const reason = messageOf(error);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const missing = await missingModule(reason);
  if (missing !== undefined) return missing;
  const found = placeAbove(stack) ?? authorFrames(stack)[0];
  const at = found ?? (error instanceof SyntaxError ? await syntaxErrorBelow(file) : undefined);
  const sentence = `cannot be loaded: ${reason}${await remedyFor(reason, at?.file ?? file)}`;
  return at === undefined ? { file, sentence } : { ...(await withFrame(at)), sentence };
}

/** The place with the lines around it. */
export async function withFrame({ file, place }: SourcePlace): Promise<Omit<Fault, "sentence">> {
  const source = await sourceOf(file);
  return source === "" ? { file, place } : { file, place, frame: frameOf(source, place) };
}

/** The text of a source file; empty if it cannot be read, as the file of a frame may be generated code. */
export function sourceOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}

async function remedyFor(reason: string, importer: string): Promise<string> {
  if (reason.includes("outside a module")) return '; its package.json must say "type": "module"';
  const [, from, name] = /requested module '(.*)' does not provide an export named '(.*)'/.exec(reason) ?? [];
  if (from === undefined || name === undefined) return "";
  const known = Object.keys(await exportsOf(from, importer));
  const alike = didYouMean(name, known);
  if (alike !== "") return alike;
  if (!from.startsWith(".")) return "; a type needs `import type`";
  return remedyIn(await sourceOf(path.resolve(path.dirname(importer), from)), from, name, known);
}

/** What is missing in a file of the author's own that does not export a name. */
function remedyIn(source: string, from: string, name: string, known: readonly string[]): string {
  const declares = (keywords: string) => new RegExp(`\\b(?:${keywords})\\s+${name}\\b`).test(source);
  if (declares("interface|type")) return "; a type needs `import type`";
  if (declares("const|let|var|function|class")) return `; write export before ${name} in ${from}`;
  if (known.includes("default")) return `; it has a default export: export const ${name} = …`;
  return known.length === 0 ? "; it exports nothing" : `; it exports ${known.join(", ")}`;
}

/** What a module exports; nothing if it cannot be loaded, which is a fault of its own. */
async function exportsOf(specifier: string, importer: string): Promise<object> {
  const target = specifier.startsWith(".") ? new URL(specifier, pathToFileURL(importer)).href : specifier;
  return import(/* @vite-ignore */ target).catch(() => ({}));
}

/** An import of a file or package that is not there, at the line of the import. */
async function missingModule(reason: string): Promise<Fault | undefined> {
  const [, target, importer] =
    /Cannot find (?:module|package) '(.*)' imported from (.*)$/.exec(reason) ??
    /Package subpath '\.(\/.*)' is not defined by .* imported from (.*)$/.exec(reason) ??
    [];
  if (target === undefined || importer === undefined) return undefined;
  const source = await sourceOf(importer);
  const specifier = importsOf(source).find((each) => isImportOf(each, target, importer)) ?? target;
  const names = path.isAbsolute(target) ? await readdir(path.dirname(target)).catch(() => []) : [];
  const base = path.basename(target);
  const alike = names.includes(`${base}.ts`)
    ? `; did you mean ${specifier}.ts?`
    : didYouMean(
        base,
        names.filter((name) => /\.[jt]s$/.test(name)),
      );
  const wanted = /^antechamber\//.test(specifier) ? specifier : undefined;
  const place = literalIn(source, specifier);
  const entry = wanted === undefined ? alike : `; the package has ${entryPoints.join(", ")}`;
  const sentence = `cannot be loaded: there is no module ${specifier}${entry}`;
  return place === undefined
    ? { file: importer, sentence }
    : { ...(await withFrame({ file: importer, place })), sentence };
}

const entryPoints = [
  "antechamber",
  ...["apimachinery", "go", "json", "laws", "testing", "schema"].map((each) => `antechamber/${each}`),
];

function isImportOf(specifier: string, target: string, importer: string): boolean {
  // Of a part of a package that it does not have, Node.js names the package alone.
  return (
    specifier === target ||
    specifier.startsWith(`${target}/`) ||
    (target.startsWith("/") && specifier.endsWith(target)) ||
    path.resolve(path.dirname(importer), specifier) === target
  );
}

function importsOf(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"'\n]+)["']/g)].map(([, name = ""]) => name);
}

/**
 * V8 does not say where a syntax error is that only it finds, as in JavaScript, or a name that is declared twice:
 * `node --check` does, for each file that the module imports.
 */
async function syntaxErrorBelow(file: string, seen = new Set<string>()): Promise<SourcePlace | undefined> {
  if (seen.has(file) || seen.size >= mostChecked) return undefined;
  seen.add(file);
  const found = placeAbove(await checked(file), file);
  if (found !== undefined) return found;
  for (const specifier of importsOf(await sourceOf(file)).filter((each) => each.startsWith("."))) {
    const below = await syntaxErrorBelow(path.resolve(path.dirname(file), specifier), seen);
    if (below !== undefined) return below;
  }
  return undefined;
}

// Each takes a process or two of some 40 ms.
const mostChecked = 50;

const strip =
  'require("node:fs").writeSync(1, require("node:module").stripTypeScriptTypes(require("node:fs").readFileSync(0, "utf8")))';

/** What `node --check` prints of a file; its own reading of TypeScript finds no errors of V8. */
async function checked(file: string): Promise<string> {
  const source = await sourceOf(file);
  const types = ["--no-warnings", "--input-type=commonjs", "--eval", strip];
  const script = /ts$/.test(file) ? (await outputOf(types, source)).stdout : source;
  return (await outputOf(["--check", "--input-type=module"], script)).stderr;
}

function outputOf(
  args: readonly string[],
  input: string,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...args], (_error, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
    // A process that ends before it has read its input has found an error.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}
