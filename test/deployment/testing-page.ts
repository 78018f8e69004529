import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";

/** What the commands of a page printed. */
export interface PageRun {
  readonly tested: string;
  readonly failed: string;
  readonly suite: { readonly status: number | null; readonly output: string; readonly report: unknown };
  readonly types: string;
}

/** The blocks of a page in a language, in order. */
export function blocksOf(page: string, language: string): readonly string[] {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , block = ""]) => block);
}

/**
 * Does what docs/guides/testing.md says, with the kind of `antechamber init`, in a folder of a project that has the package: tests the cases,
 * tests them with the mistake that the page makes, runs the test suite with vitest and compiles it.
 */
export function tryTestingPage(project: string): PageRun {
  const folder = path.join(project, "tested");
  const bin = path.join(project, "node_modules/antechamber/bin/antechamber.js");
  writeProject(folder, bin);
  for (const name of ["vitest", "vite", "@types"]) {
    const link = path.join(project, "node_modules", name);
    rmSync(link, { recursive: true, force: true });
    symlinkSync(path.resolve("node_modules", name), link);
  }
  const test = () => outputOf(process.execPath, [bin, "test", "webhooks/example.org/blind"], folder);
  const tested = test();
  const cases = path.join(folder, "webhooks/example.org/blind/cases/blind.yaml");
  const right = readFileSync(cases, "utf8");
  writeFileSync(cases, right.replace("position: 0,", "position: 1,"));
  const failed = test();
  writeFileSync(cases, right);
  const vitest = path.resolve("node_modules/vitest/vitest.mjs");
  const ran = spawnSync(
    process.execPath,
    [vitest, "run", "--reporter=default", "--reporter=json", "--outputFile=report.json"],
    {
      cwd: folder,
      encoding: "utf8",
      env: plainEnv(),
    },
  );
  const tsc = path.resolve("node_modules/.bin/tsc");
  return {
    tested: tested.stdout,
    failed: failed.stdout,
    suite: {
      status: ran.status,
      output: `${ran.stdout}${ran.stderr}`,
      report: JSON.parse(readFileSync(path.join(folder, "report.json"), "utf8")),
    },
    types: outputOf(tsc, ["-p", "."], folder).stdout,
  };
}

/** The project of init, the cases and the test suite of the page, and settings for the compiler. */
function writeProject(folder: string, bin: string): void {
  outputOf(process.execPath, [bin, "init", "tested"], path.dirname(folder));
  const cases = path.join(folder, "webhooks/example.org/blind/cases");
  mkdirSync(cases);
  writeFileSync(path.join(cases, "blind.yaml"), blocksOf("docs/guides/testing.md", "yaml")[0] ?? "");
  writeFileSync(path.join(folder, "blind.test.ts"), blocksOf("docs/guides/testing.md", "ts")[0] ?? "");
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    allowImportingTsExtensions: true,
    target: "es2024",
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["**/*.ts"] }),
  );
}

function outputOf(command: string, args: readonly string[], cwd: string) {
  return spawnSync(command, [...args], { cwd, encoding: "utf8", env: plainEnv() });
}

/** The environment without what vitest and npm set for the tests of this repository. */
function plainEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|vitest|vite_|node_env|test$|mode$|dev$|prod$)/i.test(name),
    ),
  );
}
