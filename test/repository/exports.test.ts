import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as antechamber from "../../src/index.ts";

const source = readFileSync("src/index.ts", "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

/** The names in the braces of every export, under the name that users see. */
const names = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
  list
    .split(",")
    .map((each) =>
      each
        .trim()
        .replace(/^type /, "")
        .replace(/^.* as /, ""),
    )
    .filter((each) => each !== ""),
);

it("docs/reference/exports.md lists every name that the package exports, and no other", () => {
  const page = readFileSync("docs/reference/exports.md", "utf8");
  const [table = ""] = page.split("Three more entry points");
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| for"));
  const listed = rows
    .map((row) => row.split("|").slice(2).join("|"))
    .flatMap((cell) => [...cell.matchAll(/`(\w+)(?:\([^)]*\))?`/g)].map(([, name = ""]) => name));
  expect(names).toEqual(expect.arrayContaining(Object.keys(antechamber)));
  expect([...new Set(listed)].sort()).toEqual([...names].sort());
});
