import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

// Each layer may import itself and the layers below it. Kinds are none of them: they import the package.
const layers = [
  ["src/cli.ts", "src/index.ts", "src/play/page"],
  ["src/cli"],
  ["src/testing", "src/play"],
  ["src/guard"],
  ["src/server", "src/cluster/lifecycle", "src/cluster/local"],
  ["certs"],
  ["src/cluster/follow"],
  ["src/cluster/api"],
  ["src/offline"],
  [
    "src/manifests",
    "src/monitoring",
    "src/kind/load-kinds.ts",
    "src/kind/load-kind.ts",
    "src/laws",
    "src/draft",
    "src/checks",
    "src/review",
  ],
  ["src/kind"],
  ["src/values"],
  ["src/admission", "src/conversion", "src/schema"],
  ["src/judge"],
  ["src/apimachinery"],
  ["src/go", "src/yaml"],
  ["src/json"],
  ["src/errors.ts", "src/once.ts", "src/time.ts", "src/words.ts"],
];

const files = globSync(["src/**/*.ts", "webhooks/**/*.ts", "certs/**/*.ts"]).filter(
  (file) => !file.endsWith(".d.ts"),
);

/** Every import of a file, types included: `specifier` as it is written, `target` the file that a relative one names. */
const imports = files.flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/^(?:.*\bfrom|import|.*\bimport\()\s*"([^"]+)"/gm)].map(
    ([, specifier = ""]) => ({
      file,
      specifier,
      target: specifier.startsWith(".") ? path.join(path.dirname(file), specifier) : undefined,
    }),
  ),
);

const relative = imports.flatMap(({ file, target }) => (target === undefined ? [] : [{ file, target }]));

function layerOf(file: string): number {
  return layers.findIndex((members) =>
    members.some((member) => file === member || file.startsWith(`${member}/`)),
  );
}

it("every file of src belongs to a layer", () => {
  expect(files.filter((file) => layerOf(file) < 0 && file.startsWith("src/"))).toEqual([]);
  expect(relative.length).toBeGreaterThan(50);
});

it("imports run downward only", () => {
  const inside = relative.filter(
    ({ file, target }) => /^(?:src|certs)\//.test(file) && !target.endsWith("package.json"),
  );
  expect(inside.filter(({ file, target }) => layerOf(target) < layerOf(file))).toEqual([]);
});

it("no files import each other in a circle, not even types", () => {
  expect(circles(relative)).toEqual([]);
});

it("no folders of kinds import each other in a circle", () => {
  const folderOf = (file: string) => file.split("/").slice(0, 3).join("/");
  const between = relative
    .filter(({ file, target }) => file.startsWith("webhooks/") && folderOf(file) !== folderOf(target))
    .map(({ file, target }) => ({ file: folderOf(file), target: folderOf(target) }));
  expect(between.length).toBeGreaterThan(10);
  expect(circles(between)).toEqual([]);
});

it("certificates are used by the server and the command line alone", () => {
  const users = relative.filter(
    ({ file, target }) => target.startsWith("certs/") && !file.startsWith("certs/"),
  );
  expect(users.filter(({ file }) => !/^src\/(cli|server)\//.test(file))).toEqual([]);
});

it("no folders beside each other import each other in a circle, nor does a folder with those in it", () => {
  const parents = new Set(files.flatMap((file) => parentsOf(file)));
  const found = [...parents].flatMap((parent) => {
    // The files of a folder itself are a part of it like its folders; those of src belong to several layers.
    const partOf = (file: string) => {
      const [part = "", ...below] = file.slice(parent.length + 1).split("/");
      if (!file.startsWith(`${parent}/`) || (parent === "src" && below.length === 0)) return undefined;
      return below.length === 0 ? `${parent}/*` : `${parent}/${part}`;
    };
    const between = relative.flatMap(({ file, target }) => {
      const [from, to] = [partOf(file), partOf(target)];
      return from === undefined || to === undefined || from === to ? [] : [{ file: from, target: to }];
    });
    return circles(between);
  });
  expect(parents.size).toBeGreaterThan(20);
  expect(found).toEqual([]);
});

function parentsOf(file: string): readonly string[] {
  const parent = path.dirname(file);
  return parent === "." ? [] : [parent, ...parentsOf(parent)];
}

it("the engine names no folder of webhooks", () => {
  expect(
    relative.filter(({ file, target }) => file.startsWith("src/") && target.startsWith("webhooks/")),
  ).toEqual([]);
});

it("kinds import the package, as those of its users do, and each other", () => {
  const ofKinds = imports.filter(({ file }) => file.startsWith("webhooks/"));
  const isAllowed = ({ specifier, target }: (typeof imports)[number]) =>
    target?.startsWith("webhooks/") ||
    /^antechamber(\/(apimachinery|go|json))?$/.test(specifier) ||
    specifier.startsWith("node:");
  expect(ofKinds.length).toBeGreaterThan(50);
  expect(ofKinds.filter((each) => !isAllowed(each))).toEqual([]);
});

it("only the command line touches the process", () => {
  const touching = files.filter(
    (file) =>
      file !== "src/cli.ts" &&
      !file.startsWith("src/cli/") &&
      /\bprocess\.(argv|env|exit|stdout|stderr|on)\b|\bconsole\./.test(readFileSync(file, "utf8")),
  );
  expect(touching).toEqual([]);
});

it("commands use the schema engine by its public face alone", () => {
  const inside = imports.filter(
    ({ file, target }) => file.startsWith("src/cli/") && target?.startsWith("src/schema/"),
  );
  // Options name the releases without loading the engine, so that --help is quick. The model of a CRD holds plain values.
  const faces = ["index.ts", "model/kubernetes-version.ts", "model/crd.ts"].map(
    (file) => `src/schema/${file}`,
  );
  expect(inside.filter(({ target }) => !faces.includes(target ?? ""))).toEqual([]);
});

it("what checks other people's webhooks and CRDs is used by its index alone", () => {
  const users = relative.filter(
    ({ file, target }) => target.startsWith("src/checks/") && !file.startsWith("src/checks/"),
  );
  expect(users.length).toBeGreaterThan(10);
  expect(users.filter(({ target }) => target !== "src/checks/index.ts")).toEqual([]);
});

it("a circle is found, whether two files are in it or more", () => {
  const edges = ["a b", "b a", "b c", "c d", "d e", "e c", "e f"].map((edge) => {
    const [file = "", target = ""] = edge.split(" ");
    return { file, target };
  });
  expect(circles(edges)).toEqual([
    ["a", "b"],
    ["c", "d", "e"],
  ]);
});

type Edge = { readonly file: string; readonly target: string };

/** The files that reach each other by imports, circle by circle; all in order. */
function circles(edges: readonly Edge[]): readonly (readonly string[])[] {
  const targets = Map.groupBy(edges, ({ file }) => file);
  const reached = new Map([...targets.keys()].map((file) => [file, reachable(file, targets)] as const));
  const inCircles = [...reached].filter(([file, files]) => files.has(file)).map(([file]) => file);
  const groups = Map.groupBy(inCircles.sort(), (file) =>
    inCircles.find((other) => reached.get(other)?.has(file) && reached.get(file)?.has(other)),
  );
  return [...groups.values()];
}

function reachable(from: string, targets: ReadonlyMap<string, readonly Edge[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const left = [from];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    for (const { target } of targets.get(file) ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      left.push(target);
    }
  }
  return found;
}
