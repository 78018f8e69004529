import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import * as apimachinery from "../../src/apimachinery/index.ts";
import * as go from "../../src/go/index.ts";
import * as antechamber from "../../src/index.ts";
import * as json from "../../src/json/index.ts";

const source = ["", "apimachinery/", "go/", "json/"]
  .map((part) => readFileSync(`src/${part}index.ts`, "utf8"))
  .join("\n")
  .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");

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
  const rows = table.split("\n").filter((line) => /^\|/.test(line) && !/^\|( for|---| entry)/.test(line));
  const listed = rows
    .map((row) => row.split("|").at(-2) ?? "")
    .flatMap((cell) => [...cell.matchAll(/`(\w+)(?:\([^)]*\))?`/g)].map(([, name = ""]) => name));
  const exported = [antechamber, apimachinery, go, json].flatMap((part) => Object.keys(part));
  expect(names).toEqual(expect.arrayContaining(exported));
  expect([...new Set(listed)].sort()).toEqual([...names].sort());
});
