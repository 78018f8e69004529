import { transform } from "sucrase";
import type { Files } from "./state.ts";

/** What is wrong with a file of a kind. Lines and columns count from 1; there are none where only the file is known. */
export interface FileFault {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly sentence: string;
}

/** What a module of a kind may import besides other files of the kind, by its name: `antechamber`. */
export type Packages = Readonly<Record<string, object>>;

type Factory = (require: (name: string) => unknown, exports: object, module: { exports: object }) => void;

/** The text of a script that leaves a factory for each file in a global variable, and where each file stands in it. */
interface Bundle {
  readonly code: string;
  readonly lines: readonly { readonly file: string; readonly first: number; readonly last: number }[];
}

/** Runs the text of a script. It is the one way in which code of others comes to run. */
export type RunCode = (code: string) => void;

/** The global variable that the script of a kind sets. */
const variable = "factoriesOfKind";

/**
 * The exports of the module `kind.ts`, with types taken out of it and of what it imports; else the faults, at the lines of
 * the files as they were given.
 */
export function runModules(
  files: Files,
  packages: Packages,
  run: RunCode,
): { readonly exports: object } | { readonly faults: readonly FileFault[] } {
  const bundle = bundleOf(files);
  if ("faults" in bundle) return bundle;
  try {
    run(bundle.code);
    const factories: unknown = Reflect.get(globalThis, variable);
    return { exports: required(entry, factories as Readonly<Record<string, Factory>>, packages) };
  } catch (error) {
    return { faults: [faultOf(error, bundle, packages)] };
  }
}

/** The file that defines a kind. */
export const entry = "kind.ts";

/** Each module as a function of its own, without types. Every line stands in a line of its own, so that errors have places. */
function bundleOf(files: Files): Bundle | { readonly faults: readonly FileFault[] } {
  const faults: FileFault[] = [];
  const parts: string[] = [`globalThis.${variable} = { __proto__: null,`];
  const lines: { file: string; first: number; last: number }[] = [];
  let line = 2;
  for (const [file, text] of Object.entries(files)) {
    if (!file.endsWith(".ts")) continue;
    const code = withoutTypes(file, text);
    if (typeof code !== "string") {
      faults.push(code);
      continue;
    }
    const last = line + code.split("\n").length - 1;
    parts.push(`[${JSON.stringify(file)}]: function (require, exports, module) {${code}`, "},");
    lines.push({ file, first: line, last });
    line = last + 2;
  }
  return faults.length > 0 ? { faults } : { code: [...parts, "};"].join("\n"), lines };
}

function withoutTypes(file: string, text: string): string | FileFault {
  try {
    return transform(text, {
      transforms: ["typescript", "imports"],
      disableESTransforms: true,
      production: true,
    }).code;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, sentence = message, line, column] = /^(.*?) ?\((\d+):(\d+)\)$/s.exec(message) ?? [];
    const place = line === undefined ? {} : { line: Number(line), column: Number(column) };
    return { file, ...place, sentence };
  }
}

function required(file: string, factories: Readonly<Record<string, Factory>>, packages: Packages): object {
  const modules = new Map<string, { exports: object }>();
  const load = (name: string): object => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const factory = factories[name];
    if (factory === undefined) throw new Error(`there is no file ${name}`);
    const module = { exports: {} };
    modules.set(name, module);
    factory(
      (wanted) => (wanted.startsWith(".") ? load(joined(name, wanted)) : packageOf(name, wanted)),
      module.exports,
      module,
    );
    return module.exports;
  };
  const packageOf = (importer: string, wanted: string): object => {
    const found = Object.hasOwn(packages, wanted) ? packages[wanted] : undefined;
    if (found !== undefined) return found;
    const known = Object.keys(packages).join(", ");
    throw new Error(`${importer} imports ${wanted}: a page has only files of the kind and ${known}`);
  };
  return load(file);
}

/** The path of a module that another one names: `../percent.ts` from `v1.ts`, `light/kind.ts` from `./light/kind.ts`. */
function joined(importer: string, wanted: string): string {
  const steps: string[] = [];
  for (const step of [...importer.split("/").slice(0, -1), ...wanted.split("/")]) {
    if (step === "..") {
      if (steps.length === 0 || steps.at(-1) === "..") steps.push(step);
      else steps.pop();
    } else if (step !== ".") steps.push(step);
  }
  return steps.join("/");
}

/** An error of the code, at the innermost line of it that is in a file of the kind. */
function faultOf(error: unknown, { lines }: Bundle, packages: Packages): FileFault {
  const message = error instanceof Error ? error.message : String(error);
  const sentence = message + importOf(message, packages);
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  for (const [, row, column] of stack.matchAll(/(?:blob|data):[^\s)]*?:(\d+):(\d+)/g)) {
    const found = lines.find(({ first, last }) => first <= Number(row) && Number(row) <= last);
    if (found === undefined) continue;
    return { file: found.file, line: Number(row) - found.first + 1, column: Number(column), sentence };
  }
  return { file: entry, sentence };
}

/** What to do about a name that a package has, and that was not imported. */
function importOf(message: string, packages: Packages): string {
  const [, name = ""] = /^(\w+) is not defined$/.exec(message) ?? [];
  const [found] = Object.entries(packages).find(([, exports]) => Object.hasOwn(exports, name)) ?? [];
  return found === undefined ? "" : `; add it to the import: import { ${name} } from "${found}"`;
}
