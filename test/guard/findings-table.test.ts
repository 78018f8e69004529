import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { begin, end, findingsTable } from "./findings-table.ts";

const file = "docs/evidence/findings.md";

it("docs/evidence/findings.md says what is left behind the guard, and why", () => {
  const page = readFileSync(file, "utf8");
  const [from, to] = [page.indexOf(begin), page.indexOf(end) + end.length];
  expect(from).toBeGreaterThan(0);
  if (process.env.RECORD === "1")
    writeFileSync(file, `${page.slice(0, from)}${findingsTable()}${page.slice(to)}`);
  expect(
    readFileSync(file, "utf8"),
    "run RECORD=1 npx vitest run test/guard/findings-table.test.ts",
  ).toContain(findingsTable());
});
