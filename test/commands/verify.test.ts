import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Report } from "../../src/commands/verify/report.ts";
import { textOf } from "../../src/commands/verify/text.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const versionFile = (name: string, storage: boolean, fields: string) => `
name: ${name}
served: true
storage: ${storage}
subresources: { status: {} }
schema:
  openAPIV3Schema:
    type: object
    properties:
      spec: { type: object, properties: { ${fields} } }
`;

/** A kind whose spec.closed is spec.slats in v1, by a codec of which the way up is given. */
const kindFiles = (name: string, up: string, older = "", newer = ""): Readonly<Record<string, string>> => ({
  [`${name}/kind.ts`]: `
    import { defineKind, lens, move, version } from "antechamber";
    const codec = { up: ${up}, down: (slats) => slats };
    export default defineKind({
      group: "example.org", kind: "${name}", plural: "${name.toLowerCase()}s", scope: "Namespaced",
      versions: [version("v1alpha1", lens(move("spec.closed", "spec.slats", codec))), version("v1")],
    });`,
  [`${name}/v1alpha1.yaml`]: versionFile("v1alpha1", false, `closed: { type: integer${older}`),
  [`${name}/v1.yaml`]: versionFile("v1", true, `slats: { type: integer${newer}`),
  [`${name}/examples/one.yaml`]: `{ apiVersion: example.org/v1, kind: ${name}, metadata: { name: one }, spec: { slats: 3 } }`,
});

const plain = (name: string, up: string) => kindFiles(name, up, " }", " }");
const sound = plain("Blind", "(closed) => closed");
const shy = plain(
  "Shutter",
  "(closed) => { if (closed > 20) throw new Error('<too> & far \"\\u0000\\u001b[31m'); return closed; }",
);
const stuck = plain("Window", "(closed) => { while (closed > 20); return closed; }");

const reportOf = (stdout: string): Report => JSON.parse(stdout);

describe("kinds that obey", () => {
  it("are told law by law, those of a home where no folder is given, and nothing fails", async () => {
    const { code, stdout, stderr } = await antechamber(["verify", "--runs", "10", "--law", "GetPut,putget"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Room\.home\.antechamber\.dev \(v1beta1, v1\) in webhooks\/home\/room$/m);
    expect(stdout.match(/^ {2}held {4}(GetPut|PutGet) {2}v1(?:alph|bet)a1 {2}\d+ runs$/gm)).toHaveLength(8);
    expect(stderr).toMatch(/^seed (\d+): --seed \1 tries the same again$/m);
    expect(stderr).toMatch(/^6\/8 Room\.home\.antechamber\.dev PutGet v1beta1: held, \d+ runs$/m);
  });

  it("are found in a kind's own folder and one and two levels above it, and chosen by any of their names", async () => {
    const folder = await folderOf(
      Object.fromEntries(
        Object.entries({ ...sound, ...shy }).map(([file, text]) => [`example/${file}`, text]),
      ),
    );
    const levels = [folder, `${folder}/example`, `${folder}/example/Blind`];
    const ran = await Promise.all(
      levels.map((each) => antechamber(["verify", each, "--kind", "blinds", "--law", "Total", "-o", "json"])),
    );
    expect(ran.map(({ code }) => code)).toEqual([0, 0, 0]);
    const found = ran.map(({ stdout }) => reportOf(stdout).kinds.map(({ name }) => name));
    expect(found).toEqual(levels.map(() => ["Blind.example.org"]));
  });
});

describe("a kind whose lens throws", () => {
  const broken = async (output: string, seed: string) => {
    const folder = await folderOf(shy);
    const args = ["verify", folder, "--law", "Total", "--seed", seed, "-o", output];
    return { folder, ...(await antechamber(args)) };
  };

  it("fails with the smallest object that shows it, and the command that shows it again", async () => {
    const { code, stdout, stderr, folder } = await broken("text", "5");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}FAILED {2}Total {2}v1alpha1 {2}\d+ runs?$/m);
    expect(stdout).toMatch(/^ +closed: 21$/m);
    expect(stdout).toMatch(/^ +1\. convert from v1alpha1 to v1$/m);
    expect(stdout).toMatch(/^ +- no throw\n +\+ "throws Error: <too> & far/m);
    expect(stdout).toContain(`again: antechamber verify ${folder}/Shutter --law Total --seed 5 --runs 100`);
    expect(stdout.split("\n").length).toBeLessThan(30);
    expect(stdout).not.toContain("\u001b");
    expect(stderr).toContain("Laws are broken:\nShutter.example.org: Total at v1alpha1");
  });

  it("fails alike with the same seed", async () => {
    const ran = await Promise.all([broken("json", "7"), broken("json", "7")]);
    const [one, other] = ran.map(({ stdout }) => reportOf(stdout).kinds[0]?.answers[0]?.counterexample);
    expect(one).toMatchObject({ object: { spec: { closed: 21 } }, expected: "no throw" });
    expect(other).toEqual(one);
  });

  it("fails in JUnit XML with everything escaped", async () => {
    const { code, stdout } = await broken("junit", "5");
    expect(code).toBe(1);
    expectWellFormed(stdout);
    expect(stdout).toContain('<testsuites name="antechamber verify" tests="1" failures="1"');
    expect(stdout).toMatch(
      /<testcase classname="Shutter\.example\.org" name="Total v1alpha1" time="[\d.]+">/,
    );
    expect(stdout).toContain("throws Error: &lt;too&gt; &amp; far");
  });
});

it("JUnit XML has a testsuite a kind, and skips what there is nothing to try of", async () => {
  const folder = await folderOf({ ...sound, ...shy });
  const { stdout } = await antechamber(["verify", folder, "--law", "Detour", "-o", "junit"]);
  expectWellFormed(stdout);
  expect(stdout.match(/<testsuite name="[^"]*"/g)).toEqual([
    '<testsuite name="Blind.example.org"',
    '<testsuite name="Shutter.example.org"',
  ]);
  expect(stdout.match(/<skipped message="nothing to try"\/>/g)).toHaveLength(2);
});

it("tells what versions cannot say of each other, what defaults differ and what no example uses", async () => {
  const folder = await folderOf(
    kindFiles(
      "Blind",
      "(closed) => closed",
      ", default: 3 }, tilt: { type: string }, note: { type: string }",
      ", default: 4 }, tilt: { type: integer }",
    ),
  );
  const { code, stdout } = await antechamber(["verify", folder, "--law", "Detour", "--seed", "1"]);
  expect(code).toBe(0);
  expect(stdout).toContain(
    "spec.tilt  always: no lens reads it, and v1alpha1 has a field of that name with another type",
  );
  expect(stdout).toContain("spec.note  always: no lens reads it, and v1 has no such field");
  expect(stdout).toContain(
    "spec.slats  4: v1alpha1 shows 4 in spec.closed for it, but 3 where nothing is said",
  );
  expect(stdout).toMatch(/v1alpha1 {2}spec\.tilt, spec\.note\n +v1 +spec\.tilt$/m);
});

it("a Ctrl-C ends it at once with what was found so far, also within a lens that never ends", async () => {
  const folder = await folderOf({ ...sound, ...stuck });
  const args = ["src/cli.ts", "verify", folder, "--law", "Total", "-o", "json", "--seed", "1"];
  const child = spawn(process.execPath, args);
  let [stdout, stderr] = ["", ""];
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdout.on("data", (data) => {
    stdout += data;
  });
  child.stderr.on("data", (data) => {
    const isFirst = !stderr.includes("1/2 Blind");
    stderr += data;
    if (isFirst && stderr.includes("1/2 Blind")) child.kill("SIGINT");
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  const { interrupted, kinds } = reportOf(stdout);
  expect(code).toBe(130);
  expect(interrupted).toBe(true);
  expect(kinds.map(({ answers }) => answers.map(({ state }) => state))).toEqual([["held"], ["not tried"]]);
});

describe("wrong usage ends with 2 and says what would do", () => {
  it.each([
    ["a law that is none", ["--law", "Gravity"], /--law Gravity: no law is called so; there are GetPut, /],
    [
      "a kind that is not there",
      ["--kind", "Boat"],
      /--kind Boat: no kind is called so; there are .*Room\.home/,
    ],
    ["a folder that is not there", ["no-such-folder"], /no-such-folder: cannot be read: ENOENT/],
    ["a folder without kinds", ["docs"], /docs: has no kind: no kind\.ts in it/],
    ["no runs", ["--runs", "0"], /from 1 to 1000000/],
  ])("%s", async (_, args, said) => {
    const { code, stdout, stderr } = await antechamber(["verify", ...args]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(said);
  });

  it("a kind that is not whole", async () => {
    const { "Blind/v1.yaml": _, ...rest } = sound;
    const { code, stderr } = await antechamber(["verify", await folderOf(rest)]);
    expect(code).toBe(2);
    expect(stderr).toContain("Blind/v1.yaml: is missing");
  });
});

it("colours are there only when they are asked for", () => {
  const answer = {
    law: "Total",
    statement: "s",
    version: "v1",
    state: "failed",
    runs: 1,
    seconds: 0,
  } as const;
  const kind = { name: "Blind", folder: "blind", versions: ["v1"], answers: [answer] };
  const report = { seed: 1, runs: 1, interrupted: false, kinds: [kind] };
  expect(textOf(report, false)).not.toContain("\u001b");
  expect(textOf(report, true)).toContain("\u001b[31m  FAILED");
});

/** Every tag is closed by its own, and no text holds what XML would read as something else or not at all. */
function expectWellFormed(xml: string): void {
  const open: string[] = [];
  const body = xml.replace(/^<\?xml [^>]*\?>\n/, "");
  const tag = /<(\/?)(\w[\w-]*)((?: [\w-]+="[^"<]*")*)(\/?)>/g;
  for (const [, closing, name = "", , alone] of body.matchAll(tag)) {
    if (closing === "/") expect(open.pop()).toBe(name);
    else if (alone !== "/") open.push(name);
  }
  expect(open).toEqual([]);
  expect(body.replaceAll(tag, "")).not.toMatch(/[<>]/);
  expect(body).not.toMatch(/&(?!(amp|lt|gt|quot|#\d+);)/);
  expect(body).not.toMatch(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u);
}
