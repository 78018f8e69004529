import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

// What a module exports is imported by another one, or is a part of the package's public face. Tests count as users.

const code = globSync(["{src,certs,webhooks,examples,bench,test}/**/*.ts", "tools/*.mjs"]).filter(
  (file) => !file.endsWith(".d.ts"),
);
const publicFaces = [
  "src/cli.ts",
  ...["", "apimachinery/", "go/", "json/", "laws/", "testing/", "schema/"].map(
    (part) => `src/${part}index.ts`,
  ),
];
const texts = new Map(code.map((file) => [file, readFileSync(file, "utf8")]));

/** The names that other modules import from each module; `*` for a module that is imported as a whole. */
const imported = importsOf(texts);

it("every export is imported somewhere", () => {
  const judged = code.filter(
    (file) => /^(src|certs|webhooks)\//.test(file) && !publicFaces.includes(file) && !isOfItsOwn(file),
  );
  expect(judged.length).toBeGreaterThan(500);
  expect(judged.flatMap((file) => unusedIn(file, imported))).toEqual([]);
});

it("an export that is not imported is found, in each way of importing", () => {
  const files = new Map([
    [
      "a.ts",
      "export function one() {}\nexport const two = 2;\nexport interface Three {}\nexport type Four = 4;",
    ],
    ["b.ts", 'import { one as first, type Three } from "./a.ts";\nconst { two } = await import("./a.ts");'],
  ]);
  expect(unusedIn("a.ts", importsOf(files), files)).toEqual(["a.ts: Four"]);
});

/** Definitions of kinds are loaded by their folders; types.ts is generated for a kind with all its types. */
function isOfItsOwn(file: string): boolean {
  return /^webhooks\/.*\/(kind|types)\.ts$/.test(file);
}

function unusedIn(
  file: string,
  used: ReadonlyMap<string, ReadonlySet<string>>,
  all = texts,
): readonly string[] {
  const names = used.get(file) ?? new Set();
  if (names.has("*")) return [];
  const declared = /^export (?:abstract |async )*(?:function\*?|const|let|class|interface|type) (\w+)/gm;
  // Templates of files are no code of the module that writes them.
  const text = (all.get(file) ?? "").replaceAll(/`[^`]*`/g, "``");
  return [...text.matchAll(declared)]
    .map(([, name = ""]) => name)
    .filter((name) => !names.has(name))
    .map((name) => `${file}: ${name}`);
}

function importsOf(all: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const statement = /(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?\{([^}]*)\}\s*from\s*"(\.[^"]+)"/g;
  const whole = /(?:import|export)\s*\*\s*(?:as\s+\w+\s+)?from\s*"(\.[^"]+)"/g;
  const dynamic =
    /(?:(?:const|let)\s*\{([^}]*)\}\s*=\s*)?(?:await )?\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?"(\.[^"]+)"\)(?:\.(\w+))?/g;
  for (const [file, text] of all) {
    const add = (specifier: string, names: readonly string[]) => {
      const target = path.join(path.dirname(file), specifier);
      const known = found.get(target) ?? new Set<string>();
      found.set(target, known);
      for (const name of names) known.add(name);
    };
    for (const [, names = "", specifier = ""] of text.matchAll(statement)) add(specifier, namesIn(names));
    for (const [, specifier = ""] of text.matchAll(whole)) add(specifier, ["*"]);
    for (const [, names, specifier = "", member] of text.matchAll(dynamic))
      add(specifier, names !== undefined ? namesIn(names) : [member ?? "*"]);
  }
  return found;
}

/** The names in the braces of an import, as their module calls them. */
function namesIn(braces: string): readonly string[] {
  return braces
    .split(",")
    .map(
      (each) =>
        each
          .trim()
          .replace(/^type /, "")
          .split(/ as |:/)[0]
          ?.trim() ?? "",
    )
    .filter((name) => name !== "");
}
