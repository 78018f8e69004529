import { expect, it } from "vitest";
import { antechamber, antechamberProcess } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const light =
  "apiVersion: home.antechamber.dev/v1\nkind: Light\nmetadata: { name: hall }\nspec: { brightness: 0.5 }\n";
const lock =
  "apiVersion: home.antechamber.dev/v1beta1\nkind: Lock\nmetadata: { name: door }\nspec: { locked: true }\n";

it("every document of the input is printed, in order", async () => {
  const { code, stdout } = await antechamber(["convert", "-f", "-", "--to", "v1"], {
    input: `${lock}---\n${light}`,
  });
  expect(code).toBe(0);
  expect(stdout).toBe(
    "apiVersion: home.antechamber.dev/v1\nkind: Lock\nmetadata:\n  name: door\nspec:\n  desiredState: Locked\n---\n" +
      "apiVersion: home.antechamber.dev/v1\nkind: Light\nmetadata:\n  name: hall\nspec:\n  brightness: 0.5\n",
  );
});

it("files, folders and standard input can be combined; several objects as JSON are a List", async () => {
  const folder = await folderOf({ "a/light.yaml": light, "lock.yaml": lock });
  const args = ["convert", "-f", `${folder}/a`, `${folder}/lock.yaml`, "-f", "-", "--to", "v1", "-o", "json"];
  const { stdout } = await antechamber(args, { input: lock });
  const list = JSON.parse(stdout);
  expect(list.kind).toBe("List");
  expect(list.items.map((each: { kind: string }) => each.kind)).toEqual(["Light", "Lock", "Lock"]);
});

it("a process that may not generate code from strings converts to the same result", async () => {
  const args = ["convert", "-f", "webhooks/home/room/examples/v1/kitchen.yaml", "--to", "v1beta1"];
  const env = { NODE_OPTIONS: "--disallow-code-generation-from-strings" };
  const [usual, strict] = [await antechamber(args), await antechamberProcess(args, { env })];
  expect(usual.stdout).toContain("conversionData");
  expect(strict).toEqual(usual);
});

it("a round trip gives the same object", async () => {
  const input = light
    .replace("0.5", "0.333")
    .replace("brightness", "device: { serial: 9007199254740993 }, brightness");
  const there = await antechamber(["convert", "-f", "-", "--to", "v1beta1"], { input });
  const back = await antechamber(["convert", "-f", "-", "--to", "v1"], { input: there.stdout });
  expect(back.stdout).toContain("serial: 9007199254740993");
  expect(back.stdout).toContain("brightness: 0.333");
  expect(back.stdout).not.toContain("conversion");
});

it.each([
  ["a missing file", ["-f", "/no/such/file.yaml"], "", "/no/such/file.yaml: no such file or folder"],
  ["invalid YAML, with its position,", ["-f", "-"], "kind: Light\nspec: [1,\n", "stdin:3:1: "],
  [
    "an object of an unknown kind, with its line,",
    ["-f", "-"],
    `${light}---\napiVersion: v1\nkind: Pod\n`,
    "stdin:6: unknown kind Pod of v1; known kinds are ",
  ],
  [
    "an object of an unknown version",
    ["-f", "-"],
    light.replace("v1", "v7"),
    "Light.home.antechamber.dev has no version home.antechamber.dev/v7; it has v1beta1, v1",
  ],
  ["an object without a kind", ["-f", "-"], "a: 1\n", "stdin:1: the object has no apiVersion and kind"],
  ["no object at all", ["-f", "-"], "# nothing\n", "no object found"],
])("%s is reported with exit code 2", async (_name, args, input, sentence) => {
  const { code, stdout, stderr } = await antechamber(["convert", ...args, "--to", "v1"], { input });
  expect(stderr).toContain(sentence);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

it("an unknown target version, an unknown option, a missing one and an unknown command are wrong usage", async () => {
  const wrong = [
    ["convert", "-f", "-", "--to", "v9"],
    ["convert", "-f", "-", "--to", "v1", "--fast"],
    ["convert"],
    ["transform"],
    [],
  ];
  for (const args of wrong) {
    const { code, stdout } = await antechamber(args, { input: light });
    expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: "" });
  }
});

it("an option can be set by an environment variable, and the command line takes precedence", async () => {
  const env = { ANTECHAMBER_TO: "v1", ANTECHAMBER_OUTPUT: "json" };
  const fromEnv = await antechamberProcess(["convert", "-f", "-"], { input: lock, env });
  const overridden = await antechamberProcess(["convert", "-f", "-", "-o", "yaml"], { input: lock, env });
  expect(JSON.parse(fromEnv.stdout).spec).toEqual({ desiredState: "Locked" });
  expect(overridden.stdout).toContain("desiredState: Locked\n");
});

it("help and version go to standard output and exit with 0", async () => {
  for (const args of [["--help"], ["convert", "--help"], ["serve", "--help"], ["--version"]]) {
    const { code, stdout, stderr } = await antechamber(args);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
    expect(stdout).not.toBe("");
  }
});
