import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// V8 may compile a loop that reads `object[key]` of its own keys again and again: see `fieldAt` in src/json/json.ts.
it("reads the fields of an object by fieldAt in loops over its keys", () => {
  expect(globSync(["src/**/*.ts", "webhooks/**/*.ts", "certs/**/*.ts"]).flatMap(readsByKey)).toEqual([]);
});

/** The lines of a file that read `object[key]` within `for (const key in object)`. */
function readsByKey(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, start) => {
    const [, indent = "", key = "", object = ""] = /^(\s*)for \(const (\w+) in (\w+)\)/.exec(line) ?? [];
    if (object === "") return [];
    // As the formatter writes it, the loop ends with the next line that is indented no further.
    const length = lines
      .slice(start + 1)
      .findIndex((each) => each.trim() !== "" && each.search(/\S/) <= indent.length);
    return lines
      .slice(start, start + 1 + length)
      .filter((each) => each.includes(`${object}[${key}]`) && !each.includes(`${object}[${key}] = `))
      .map((each) => `${file}: ${each.trim()}`);
  });
}
