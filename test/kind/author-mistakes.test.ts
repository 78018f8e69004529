import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";
import {
  folder,
  type Mistake,
  makeMistake,
  mistakesPage,
  readMistakes,
  startOf,
  typeErrorsIn,
  withFindings,
} from "./author-mistakes.ts";

// Each mistake is made in a copy of the good project. A process of its own loads all of them, as at a start; tsc compiles
// those that it finds no fault with.

const mistakes = await readMistakes();
const page = "docs/evidence/mistakes.md";
let root = "";
let found: readonly Required<Pick<Mistake, "found" | "message">>[] = [];
let good = { start: "not tried", types: "not tried" };

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), "antechamber-mistakes-"));
  const projects = mistakes.map((_, index) => path.join(root, String(index)));
  await cp(`${folder}/good`, path.join(root, "good"), { recursive: true });
  for (const [index, mistake] of mistakes.entries()) await makeMistake(mistake, projects[index] ?? "");
  const [ofGood = "", ...starts] = await startOf([path.join(root, "good"), ...projects]);
  for (const [index, message] of starts.entries()) {
    if (message !== "") await rm(projects[index] ?? "", { recursive: true });
  }
  const types = await typeErrorsIn(root);
  good = { start: ofGood, types: types.get("good") ?? "" };
  found = starts.map((message, index) =>
    message === "" ? { found: "tsc", message: types.get(String(index)) ?? "" } : { found: "start", message },
  );
  if (process.env.RECORD) {
    const recorded = await withFindings(found);
    await writeFile(`${folder}/mistakes.yaml`, recorded);
    await writeFile(page, mistakesPage(await readMistakes()));
  }
}, 120_000);

afterAll(() => rm(root, { recursive: true, force: true }));

it("nothing is found in the good project", () => {
  expect(good).toEqual({ start: "", types: "" });
});

it("there are more than 30 mistakes, each different", () => {
  expect(new Set(mistakes.map(({ mistake }) => mistake)).size).toBe(mistakes.length);
  expect(mistakes.length).toBeGreaterThanOrEqual(30);
});

describe("found at start or by tsc, with the recorded message", () => {
  it.each(mistakes.map((mistake, index) => [mistake.mistake, mistake, index] as const))(
    "%s",
    async (_name, mistake, index) => {
      const { found: by, message } = (await readMistakes())[index] ?? mistake;
      expect(found[index]).toEqual({ found: by, message });
      expect(message).not.toBe("");
    },
  );
});

it(`${page} is up to date`, async () => {
  expect(await readFile(page, "utf8")).toBe(mistakesPage(await readMistakes()));
});

it("every command that loads kinds reports the mistakes of all kinds, sorted, and exits with 2", async () => {
  const project = path.join(root, "commands");
  await cp(`${folder}/good`, project, { recursive: true });
  await cp(path.join(project, "home/blind"), path.join(project, "home/awning"), { recursive: true });
  for (const kind of ["awning", "blind"]) {
    const file = path.join(project, "home", kind, "v1.yaml");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("minimum: 0", "minimun: 0").replace("served: true\n", ""));
  }
  const commands = [
    ["serve", "--port", "0", "--ops-port", "0", "--webhooks", project],
    ["convert", "-f", path.join(project, "home/blind/examples"), "--to", "v1", "--webhooks", project],
    ["validate", "-f", path.join(project, "home/blind/examples"), "--webhooks", project],
    ["manifests", "--webhooks", project],
    ["verify", project],
  ];
  const ran = await Promise.all(commands.map((command) => antechamber(command)));
  expect(ran.map(({ code, stdout }) => ({ code, stdout }))).toEqual(
    commands.map(() => ({ code: 2, stdout: "" })),
  );
  const [first] = ran;
  expect(ran.map(({ stderr }) => stderr)).toEqual(commands.map(() => first?.stderr));
  const places = [...(first?.stderr ?? "").matchAll(/(\w+)\/(\w+\.\w+):(\d+):\d+: /g)];
  expect(places.map(([, kind, file, line]) => `${kind}/${file}:${line}`)).toEqual([
    "awning/v1.yaml:1",
    "awning/v1.yaml:16",
    "blind/v1.yaml:1",
    "blind/v1.yaml:16",
  ]);
});
