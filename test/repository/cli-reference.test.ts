import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { formOf } from "../../src/cli/completion/forms.ts";
import { program } from "../../src/cli.ts";
import { antechamber, terminalOf } from "../support/cli.ts";
import { cliReference } from "./cli-reference.ts";

const root = formOf(program(terminalOf().terminal));

it("docs/reference/cli.md is up to date", () => {
  if (process.env.RECORD === "1") writeFileSync("docs/reference/cli.md", cliReference());
  expect(
    readFileSync("docs/reference/cli.md", "utf8"),
    "run RECORD=1 npx vitest run test/repository/cli-reference.test.ts",
  ).toBe(cliReference());
});

it.each(root.commands.map((command) => [command.name]))("the help of %s has an example", async (name) => {
  expect((await antechamber([name, "--help"])).stdout).toMatch(new RegExp(`Example: .*antechamber ${name}`));
});

describe("completion in bash", () => {
  /** What bash offers for a line whose last word is being typed. */
  async function offered(...words: readonly string[]): Promise<readonly string[]> {
    const { stdout: script } = await antechamber(["completion", "bash"]);
    const line = ["antechamber", ...words].map((word) => `'${word}'`).join(" ");
    const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _antechamber; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const printed = execFileSync("bash", ["--norc", "-c", `${script}\n${ask}`], { encoding: "utf8" });
    return printed.split("\n").filter((word) => word !== "");
  }

  it.each([
    [["ver"], ["verify"]],
    [
      ["validate", "-o", ""],
      ["text", "json", "yaml", "junit", "sarif", "github"],
    ],
    [
      ["validate", "--output", "j"],
      ["json", "junit"],
    ],
    [["convert", "--cl"], ["--clean"]],
    [
      ["serve", "--log-"],
      ["--log-level", "--log-format"],
    ],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["convert", "-f", "package-lock"], ["package-lock.json"]],
    [["convert", "-f", "README.md", "package-lock"], ["package-lock.json"]],
    [["certs", "--out", "manif"], ["manifests"]],
  ])("of %j offers %j", async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it("offers every command", async () => {
    expect(await offered("")).toEqual([...root.commands.map(({ name }) => name), "--help", "--version"]);
  });
});

it("the scripts of the other shells name every command and option", async () => {
  for (const shell of ["zsh", "fish"]) {
    const { code, stdout } = await antechamber(["completion", shell]);
    expect(code).toBe(0);
    for (const { name, options } of root.commands) {
      expect(stdout).toContain(name);
      for (const { flags } of options) expect(stdout).toContain(flags.at(-1)?.replace(/^--/, ""));
    }
  }
});
