import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { init } from "../../src/cli/init/run.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

it("a new project has a kind that obeys the laws, in a folder of its own", async () => {
  const folder = path.join(await folderOf({}), "Blinds & More");
  const made = await antechamber(["init", folder]);
  expect(made).toMatchObject({ code: 0 });
  expect(made.stdout).toContain(
    `blinds-more is ready. Next, with Node.js 22.19 or newer:\n  cd '${folder}'\n`,
  );
  expect(made.stderr).toContain(`wrote ${folder}/package.json`);
  const verified = await antechamber([
    "verify",
    folder,
    "--runs",
    "5",
    "--seed",
    "1",
    "--law",
    "GetPut,PutGet",
  ]);
  expect(verified).toMatchObject({ code: 0 });
  expect(verified.stdout).toContain("Blind.example.org (v1alpha1, v1)");
});

it("it depends on this release, or on what is given", async () => {
  const file = "file:../antechamber.tgz";
  expect(await dependencyOf(["--package", file])).toBe(file);
  expect(await dependencyOf([])).toBe(`^${packageJson.version}`);
});

it("a packed package is copied into the project, since another machine has nothing that lies beside it", async () => {
  const beside = await folderOf({ "antechamber-0.1.0.tgz": "packed" });
  const project = path.join(beside, "project");
  const { code, stdout } = await antechamber(["init", project, "--package", "file:../antechamber-0.1.0.tgz"]);
  expect(code).toBe(0);
  expect(stdout).toContain("Commit vendor/ too");
  const { dependencies } = JSON.parse(await readFile(path.join(project, "package.json"), "utf8"));
  expect(dependencies).toEqual({ antechamber: "file:vendor/antechamber-0.1.0.tgz" });
  expect(await readFile(path.join(project, "vendor/antechamber-0.1.0.tgz"), "utf8")).toBe("packed");
});

it("the packed package that npx runs is copied into the project, wherever it lies", async () => {
  const folder = await folderOf({
    "_npx/1/package.json":
      '{ "dependencies": { "antechamber": "file:../../elsewhere/antechamber-0.1.0.tgz" } }',
    "_npx/1/node_modules/antechamber/dist/cli.js": "",
    "elsewhere/antechamber-0.1.0.tgz": "packed",
  });
  const tarball = path.join(folder, "elsewhere/antechamber-0.1.0.tgz");
  const file = path.join(folder, "_npx/1/node_modules/antechamber/dist/cli.js");
  /** What the project depends on, and what is said. */
  const made = async () => {
    const project = path.join(await folderOf({}), "project");
    const lines: string[] = [];
    const release = { version: "0.1.0", typescript: "1.0.0", file };
    const io = { print: (line: string) => lines.push(line), note: () => {} };
    await init(project, { force: false }, release, io);
    const { dependencies } = JSON.parse(await readFile(path.join(project, "package.json"), "utf8"));
    return { project, said: lines.join("\n"), ...dependencies };
  };
  const { project, said, antechamber } = await made();
  expect({ antechamber, said }).toMatchObject({
    antechamber: "file:vendor/antechamber-0.1.0.tgz",
    said: expect.stringContaining("Commit vendor/ too"),
  });
  expect(await readFile(path.join(project, "vendor/antechamber-0.1.0.tgz"), "utf8")).toBe("packed");
  await rm(tarball);
  expect(await made()).toMatchObject({ antechamber: "^0.1.0", said: expect.stringContaining("E404") });
});

it("where no registry has this release, it says how to get a package, by an option of init", async () => {
  const folder = path.join(await folderOf({}), "blinds");
  const { stdout } = await antechamber(["init", folder]);
  const version = packageJson.version;
  expect(stdout).toContain(
    `  antechamber init ${folder} --force --package path/to/antechamber-${version}.tgz\n`,
  );
});

it("existing files are not overwritten, and none is written beside them", async () => {
  const folder = await folderOf({ "README.md": "mine\n" });
  const { code, stdout, stderr } = await antechamber(["init", folder]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toBe(
    `${folder}/README.md exists: choose another folder, or replace what is there with --force\n`,
  );
  await expect(readFile(path.join(folder, "package.json"))).rejects.toThrow("ENOENT");
  await writeFile(path.join(folder, "package.json"), "{}");
  expect(await antechamber(["init", folder, "--force"])).toMatchObject({ code: 0 });
  expect(await readFile(path.join(folder, "README.md"), "utf8")).toContain("npm test");
});

it("a folder needs a name that can be a package's", async () => {
  const { code, stderr } = await antechamber(["init", path.join(await folderOf({}), "---")]);
  expect(code).toBe(2);
  expect(stderr).toContain("has no letter or digit for the name of a project; write it like blinds");
});

async function dependencyOf(args: readonly string[]): Promise<string> {
  const folder = path.join(await folderOf({}), "blinds");
  await antechamber(["init", folder, ...args]);
  const { dependencies } = JSON.parse(await readFile(path.join(folder, "package.json"), "utf8"));
  return dependencies.antechamber;
}
