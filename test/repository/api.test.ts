import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };

// The types of everything that the package exports, as one text: a change of what users depend on is a change of this file.
// RECORD=1 writes it.
const report = "test/repository/api.txt";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "antechamber-api-"));
  // The test of types checks them.
  const args = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--noCheck", "--outDir", folder];
  execFileSync(path.resolve("node_modules/.bin/tsc"), args, { stdio: "inherit" });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("the types of what is exported are those of test/repository/api.txt", () => {
  const parts = Object.entries(packageJson.exports).map(([name, { types }]) => {
    const file = path.join(folder, types.replace("./dist/", ""));
    return `// ${path.join(packageJson.name, name)}\n\n${[...reached(file)].join("\n\n")}\n`;
  });
  const text = parts.join("\n");
  if (process.env.RECORD === "1") writeFileSync(report, text);
  expect(text).toBe(readFileSync(report, "utf8"));
});

/** What users pass on without looking into it. */
const opaque = new Set(["AnyRow", "Kind"]);

/** A file of declarations: each name's text, and what other files each of its names comes from. */
interface Declarations {
  readonly own: ReadonlyMap<string, string>;
  readonly from: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
  readonly exported: readonly string[];
}

/** The declarations of an entry point's names and of all that these refer to, in the order of their names. */
function reached(entry: string): readonly string[] {
  const found = new Map<string, string>();
  const visit = (file: string, name: string): void => {
    const { own, from } = readDeclarations(file);
    const source = from.get(name);
    const text = own.get(name);
    const key = `${name} ${file}`;
    if (source !== undefined) visit(source.file, source.name);
    else if (opaque.has(name))
      found.set(key, `export type ${name} = unknown; // its members are the engine's`);
    else if (text !== undefined && !found.has(key)) {
      found.set(key, text);
      for (const [word] of text.matchAll(/\w+/g)) if (word !== name) visit(file, word);
    }
  };
  const { exported } = readDeclarations(entry);
  for (const name of exported) visit(entry, name);
  const renamed = exported.filter((name) => readDeclarations(entry).from.get(name)?.name !== name);
  const names = renamed.flatMap((name) => {
    const source = readDeclarations(entry).from.get(name);
    return source === undefined ? [] : [`export { ${source.name} as ${name} };`];
  });
  return [...[...found.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text), ...names];
}

const read = new Map<string, Declarations>();

function readDeclarations(file: string): Declarations {
  const known = read.get(file);
  if (known !== undefined) return known;
  const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/\s*|^\s*\/\/.*\n/gm, "");
  const own = new Map<string, string>();
  const from = new Map<string, { file: string; name: string }>();
  const exported: string[] = [];
  for (const statement of text.split(/\n(?=\S)(?![})>])/)) {
    const linked = /^(export|import) (?:type )?\{([^}]*)\} from "(\.[^"]*)";/.exec(statement);
    const [, word, list = "", target = ""] = linked ?? [];
    for (const each of list.split(",").filter((part) => part.trim() !== "")) {
      const [name = "", alias = name] = each
        .trim()
        .replace(/^type /, "")
        .split(" as ");
      from.set(alias, { file: path.resolve(path.dirname(file), target.replace(/\.ts$/, ".d.ts")), name });
      if (word === "export") exported.push(alias);
    }
    const declared =
      /^(export )?(?:declare )?(?:abstract )?(?:function|const|class|interface|type) (\w+)/.exec(statement);
    const [, isExported, name] = declared ?? [];
    if (name === undefined) continue;
    own.set(name, own.has(name) ? `${own.get(name)}\n${statement.trim()}` : statement.trim());
    if (isExported !== undefined && !exported.includes(name)) exported.push(name);
  }
  const made = { own, from, exported };
  read.set(file, made);
  return made;
}
