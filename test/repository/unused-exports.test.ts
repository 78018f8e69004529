import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

// What a module exports is imported by another one, or is a part of the package's public face. A test is no user of what runs:
// it tests from outside. The type of a parameter or result it may name.

const sources = globSync(["{src,certs,webhooks,examples,bench}/**/*.ts", "tools/*.mjs"]).filter(
  isNoDeclaration,
);
const tests = globSync("test/**/*.ts").filter(isNoDeclaration);
const publicFaces = [
  "src/cli.ts",
  ...["", "apimachinery/", "go/", "json/", "laws/", "testing/", "schema/"].map(
    (part) => `src/${part}index.ts`,
  ),
];
const texts = textsOf(sources);
const judged = sources.filter(
  (file) => /^(src|certs|webhooks)\//.test(file) && !publicFaces.includes(file) && !isOfItsOwn(file),
);

/** What tests alone import, and why they have to. */
const forTests: Readonly<Record<string, string>> = {
  "webhooks/kruise/shared/evaluate.ts: printValue":
    "what OpenKruise's evaluation gives was recorded as it prints",
  "webhooks/kruise/shared/hash.ts: encodedOf": "a difference shows in what is hashed, and not in the hash",
  "webhooks/core/pod/set-index.ts: SetIndex": "is compared with asking each set, for thousands of sets",
  "src/cluster/local/child.ts: run": "the tests' API servers are started by what starts those of dev",
  "src/cluster/local/launch.ts: kubectlArgs": "the same",
  "src/cluster/local/programs.ts: buildsFolder": "the same",
  "src/cluster/local/programs.ts: builtPrograms": "the same",
  "src/laws/any.ts: anyCharacter": "texts of YAML are drawn from the same characters as those of laws",
  "src/laws/recorded.ts: recordingOf": "a plan is made at one place for all the tests of a law",
  "src/conversion/field.ts: fieldInSpoke": "the field that a fault names is hard to reach through a review",
  "src/play/life/release.ts: withFields": "stories make the same release for a real API server",
  "src/play/life/server.ts: birthday":
    "what a real API server gives an object is compared without its times and uids",
  "src/play/life/server.ts: uidOf": "the same",
  "src/play/life/steps.ts: exported": "clients of a real API server take the steps of a story too",
  "src/play/life/steps.ts: left": "the same",
  "src/play/platform.ts: inBase64": "the bundler puts the file in the place of src/conversion/platform.ts",
  "src/play/platform.ts: deflated": "the bundler puts the file in the place of src/conversion/platform.ts",
  "src/play/platform.ts: inflated": "the bundler puts the file in the place of src/conversion/platform.ts",
  "src/play/platform.ts: digestOf": "the bundler puts the file in the place of src/conversion/platform.ts",
  "src/cluster/lifecycle/plan.ts: after": "the life of a version is walked through without a cluster",
};

it("every export is imported somewhere, and not by tests alone", () => {
  expect(judged.length).toBeGreaterThan(500);
  const imported = importsOf(texts);
  const unused = judged.flatMap((file) => unusedIn(file, imported, texts, runs));
  expect(unused.toSorted()).toEqual(Object.keys(forTests).toSorted());
});

it("every type that is exported is imported somewhere", () => {
  const imported = importsOf(new Map([...texts, ...textsOf(tests)]));
  expect(judged.flatMap((file) => unusedIn(file, imported, texts, runs.concat(types)))).toEqual([]);
});

it("an export that is not imported is found, in each way of importing", () => {
  const files = new Map([
    [
      "a.ts",
      "export function one() {}\nexport const two = 2;\nexport interface Three {}\nexport type Four = 4;",
    ],
    ["b.ts", 'import { one as first, type Three } from "./a.ts";\nconst { two } = await import("./a.ts");'],
  ]);
  expect(unusedIn("a.ts", importsOf(files), files, types)).toEqual(["a.ts: Four"]);
  expect(unusedIn("a.ts", importsOf(new Map()), files, runs)).toEqual(["a.ts: one", "a.ts: two"]);
});

/** Definitions of kinds are loaded by their folders; types.ts is generated for a kind with all its types. */
function isOfItsOwn(file: string): boolean {
  return /^webhooks\/.*\/(kind|types)\.ts$/.test(file);
}

function isNoDeclaration(file: string): boolean {
  return !file.endsWith(".d.ts");
}

function textsOf(files: readonly string[]): ReadonlyMap<string, string> {
  return new Map(files.map((file) => [file, readFileSync(file, "utf8")]));
}

/** The words that declare what runs, and those that declare types. */
const runs = ["function\\*?", "const", "let", "class"];
const types = ["interface", "type"];

/** The exports of a module that nothing imports, of those that some words declare; `*` imports all. */
function unusedIn(
  file: string,
  used: ReadonlyMap<string, ReadonlySet<string>>,
  all: ReadonlyMap<string, string>,
  words: readonly string[],
): readonly string[] {
  const names = used.get(file) ?? new Set();
  if (names.has("*")) return [];
  const declared = new RegExp(`^export (?:abstract |async )*(?:${words.join("|")}) (\\w+)`, "gm");
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
