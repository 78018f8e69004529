import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

// Each floor may import itself and what stands below it.
const floors = [
  ["src/cli.ts", "src/cli", "src/index.ts"],
  ["src/commands"],
  ["src/server", "src/cluster"],
  [
    "src/manifests.ts",
    "src/manifests",
    "src/kinds.ts",
    "src/wholeness.ts",
    "src/definition.ts",
    "src/laws",
    "src/review",
    "webhooks",
  ],
  ["src/kind.ts", "src/native.ts", "src/lister.ts", "src/gate.ts"],
  ["src/admission", "src/conversion", "src/schema"],
  ["src/resource.ts", "src/selector.ts", "src/names.ts", "src/quantity.ts"],
  ["src/go"],
  ["src/json"],
];

const files = globSync(["src/**/*.ts", "webhooks/**/*.ts", "certs/**/*.ts"]).filter(
  (file) => !file.endsWith(".d.ts"),
);
const imports = files.flatMap((file) =>
  [...readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, target = ""]) => ({
    file,
    target: path.join(path.dirname(file), target),
  })),
);

function floorOf(file: string): number {
  return floors.findIndex((rooms) => rooms.some((room) => file === room || file.startsWith(`${room}/`)));
}

it("every file stands on a floor", () => {
  expect(files.filter((file) => floorOf(file) < 0 && !file.startsWith("certs/"))).toEqual([]);
  expect(imports.length).toBeGreaterThan(50);
});

it("imports run downward only", () => {
  const inside = imports.filter(
    ({ file, target }) => !file.startsWith("certs/") && !/^certs\/|package\.json$/.test(target),
  );
  expect(inside.filter(({ file, target }) => floorOf(target) < floorOf(file))).toEqual([]);
});

it("certs imports nothing of the house, and only commands and the server import certs", () => {
  expect(
    imports.filter(({ file, target }) => file.startsWith("certs/") && !target.startsWith("certs/")),
  ).toEqual([]);
  const users = imports.filter(
    ({ file, target }) => target.startsWith("certs/") && !file.startsWith("certs/"),
  );
  expect(users.filter(({ file }) => !/^src\/(commands|server)\//.test(file))).toEqual([]);
});

it("the engine names no folder of webhooks", () => {
  expect(
    imports.filter(({ file, target }) => file.startsWith("src/") && target.startsWith("webhooks/")),
  ).toEqual([]);
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

it("no files of src import each other in a circle, types included", () => {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) targets.set(file, [...(targets.get(file) ?? []), target]);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, way: readonly string[]) => {
    if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(" -> "));
    if (way.includes(file) || done.has(file)) return;
    for (const target of targets.get(file) ?? []) visit(target, [...way, file]);
    done.add(file);
  };
  for (const file of files.filter((each) => each.startsWith("src/"))) visit(file, []);
  expect(circles).toEqual([]);
});

it("commands use the schema engine by its public face alone", () => {
  const inside = imports.filter(
    ({ file, target }) => file.startsWith("src/commands/") && target.startsWith("src/schema/"),
  );
  expect(inside.filter(({ target }) => target !== "src/schema/index.ts")).toEqual([]);
});
