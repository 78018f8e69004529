import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runIn } from "../deployment/installed.ts";
import { folderOf } from "../support/folder.ts";
import { PageReader } from "./page-reader.ts";
import { type Shown, terminalPicture } from "./terminal-picture.ts";

const recording = "docs/pictures/terminal.svg";

// How-tos that begin in a project that `antechamber init` made. docs/learn/tutorial.md is followed in test/cluster/suites.
describe("in a new project", () => {
  let reader: PageReader;
  beforeEach(async () => {
    const root = await folderOf({});
    runIn(root, process.execPath, [path.resolve("bin/antechamber.js"), "init", "blinds"]);
    const project = path.join(root, "blinds");
    const tools = path.join(root, "tools");
    link(project);
    writeNpx(tools);
    // The compiler needs the types of the built package: the test of docs/learn/tutorial.md runs it.
    reader = new PageReader(project, [tools], { "npm ci": () => "", "npm run typecheck": () => "" });
  });

  it.each([
    ["docs/guides/controller-runtime.md", 2],
    ["docs/guides/gitops.md", 6],
    ["docs/guides/lists.md", 2],
  ])(
    "the commands of %s do and print what it says",
    async (page, commands) => {
      expect(await reader.follow(page)).toBe(commands);
    },
    60_000,
  );

  it("the README shows the project's lens, and what its commands print", async () => {
    const [, section = ""] = /^## A lens\n([\s\S]*?)^## /m.exec(readFileSync("README.md", "utf8")) ?? [];
    const [lens = "", commands = "", object = ""] = [...section.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(
      ([, content = ""]) => content,
    );
    const file = path.join(reader.folder, "webhooks/example.org/blind/v1alpha1.ts");
    expect(readFileSync(file, "utf8")).toContain(lens);
    let printed = "";
    for (const command of commands.trim().split("\n")) printed += await reader.run(command);
    expect(object).not.toBe("");
    expect(printed).toContain(object);
  }, 60_000);

  it("docs/pictures/terminal.svg shows what commands of the tutorial print", async () => {
    const page = readFileSync("docs/learn/tutorial.md", "utf8");
    const commands = page
      .slice(page.indexOf("\n## 3. "), page.indexOf("\n## 5. "))
      .split("\n")
      .filter((line) => /^(npx|cat|sed)\b/.test(line) && !line.includes("closed: true"));
    const shown: Shown[] = [];
    for (const command of commands) shown.push({ command, printed: await reader.run(command) });
    const picture = terminalPicture("An old client changes one field, and nothing is lost", shown);
    if (process.env.RECORD === "1") writeFileSync(recording, picture);
    expect(readFileSync(recording, "utf8"), "run RECORD=1 npx vitest run test/repository/pages.test.ts").toBe(
      picture,
    );
  }, 60_000);

  it("the commands of docs/guides/ci.md do what it says, those of its workflow too", async () => {
    expect(await reader.follow("docs/guides/ci.md")).toBe(5);
    commitAs("origin/main", reader.folder);
    const workflow = parse(readFileSync(path.join(reader.folder, ".github/workflows/kinds.yaml"), "utf8"));
    const commands = (workflow.jobs.kinds.steps as readonly WorkflowStep[]).flatMap(({ run = [] }) => run);
    expect(commands).toHaveLength(6);
    for (const command of commands) await reader.run(command);
    const report = readFileSync(path.join(reader.folder, "reports/verify.xml"), "utf8");
    expect(report).toMatch(/<testcase .*name="GetPut/);
  }, 120_000);
});

interface WorkflowStep {
  readonly run?: string;
}

/** Links the package as npm would install it. */
function link(project: string): void {
  const modules = path.join(project, "node_modules");
  mkdirSync(modules);
  symlinkSync(path.resolve(""), path.join(modules, "antechamber"));
}

/** An npx that starts the programs of this checkout, a second faster than npm's. */
function writeNpx(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const script = `#!/bin/sh\nshift\nexec '${process.execPath}' '${path.resolve("bin/antechamber.js")}' "$@"\n`;
  writeFileSync(path.join(folder, "npx"), script, { mode: 0o755 });
}

function commitAs(reference: string, folder: string): void {
  const git = (...args: readonly string[]) =>
    runIn(folder, "git", ["-c", "user.name=Ida", "-c", "user.email=ida@example.org", ...args]);
  writeFileSync(path.join(folder, ".gitignore"), "node_modules\n");
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "Add Blind");
  git("update-ref", `refs/remotes/${reference}`, "HEAD");
}
