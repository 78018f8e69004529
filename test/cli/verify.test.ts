import { spawn } from "node:child_process";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatReport } from "../../src/cli/reports/format.ts";
import { checksOf } from "../../src/cli/verify/checks.ts";
import type { Report } from "../../src/cli/verify/report.ts";
import { type VerifyOptions, verify } from "../../src/cli/verify/run.ts";
import { textOf } from "../../src/cli/verify/text.ts";
import { textAt } from "../../src/json/json.ts";
import { readLink } from "../../src/play/state.ts";
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

/** A kind whose spec.closed is spec.slats in v1, by a codec with the given `up`. */
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

/** As in a project that depends on the package. */
const command = "npx antechamber";

const reportOf = (stdout: string): Report => JSON.parse(stdout);

/** The command in this process, since a separate one takes a second: its standard output, standard error and exit code. */
async function verified(folders: readonly string[], options: Partial<VerifyOptions> = {}) {
  const [printed, noted]: [string[], string[]] = [[], []];
  const io = {
    print: (text: string) => printed.push(text),
    note: (line: string) => noted.push(line),
    coloured: false,
    now: () => new Date(),
    drawSeed: () => 11,
    interrupt: new AbortController().signal,
    command,
  };
  const whole = { kind: [], law: [], runs: 100, output: "text", ...options } as const;
  const ended = await verify(folders, whole, io).catch((error: Error & { exitCode?: number }) => error);
  return {
    code: ended === undefined ? 0 : ended.exitCode,
    stdout: printed.join("\n"),
    stderr: [...noted, ended?.message ?? ""].join("\n"),
  };
}

describe("kinds that obey the laws", () => {
  it("are listed law by law; the default is the kinds that come with the package", async () => {
    const chosen = ["--kind", "Lock,rooms", "--law", "GetPut,putget"];
    const { code, stdout, stderr } = await antechamber(["verify", "--runs", "10", ...chosen]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Room\.home\.antechamber\.dev \(v1beta1, v1\) in webhooks\/home\/room$/m);
    expect(stdout.match(/^ {2}held {4}(GetPut|PutGet) {2}v1beta1 {2}\d+ runs$/gm)).toHaveLength(4);
    expect(stderr).toMatch(/^seed (\d+): --seed \1 repeats this run$/m);
    expect(stderr).toMatch(/^4\/4 Room\.home\.antechamber\.dev PutGet v1beta1: held, \d+ runs$/m);
  });

  it("are found in the folder of a kind and one and two levels above it, and selected by any of their names", async () => {
    const kinds = ["Blind", "Shutter", "Window", "Awning"].map((name) => plain(name, "(closed) => closed"));
    const folder = await folderOf(
      Object.fromEntries(
        kinds.flatMap((files, index) =>
          Object.entries(files).map(([file, text]) => [`${index}/example/${file}`, text]),
        ),
      ),
    );
    const levels = [`${folder}/0`, `${folder}/1/example`, `${folder}/2/example/Window`, `${folder}/3`];
    const kind = ["blinds", "shutter", "Window.example.org"];
    const { code, stdout } = await verified(levels, { kind, law: ["Total"], runs: 1, output: "json" });
    expect(code).toBe(0);
    expect(
      reportOf(stdout)
        .kinds.map(({ name }) => name)
        .toSorted(),
    ).toEqual(["Blind.example.org", "Shutter.example.org", "Window.example.org"]);
  });
});

it("a kind whose lens throws fails with the smallest counterexample and the command that reproduces it", async () => {
  const folder = await folderOf(shy);
  const args = ["verify", folder, "--law", "Total", "--seed", "5"];
  const { code, stdout, stderr } = await antechamber(args);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^ {2}FAILED {2}Total {2}v1alpha1 {2}\d+ runs?$/m);
  expect(stdout).toMatch(/^ +closed: 21$/m);
  expect(stdout).toMatch(/^ +1\. convert from v1alpha1 to v1$/m);
  expect(stdout).toMatch(/^ +- no throw\n +\+ "throws Error: <too> & far/m);
  expect(stdout).toContain(`reproduce: antechamber verify ${folder}/Shutter --law Total --seed 5 --runs 100`);
  expect(stdout.split("\n").length).toBeLessThan(30);
  expect(stdout).not.toContain("\u001b");
  expect(stderr).toContain("Laws are broken:\nShutter.example.org: Total at v1alpha1");

  // The same seed gives the same failure in every format.
  const again = await antechamber([...args, "-o", "json"]);
  expect(again.code).toBe(1);
  const report = reportOf(again.stdout);
  expect(report.kinds[0]?.answers[0]?.counterexample).toMatchObject({ object: { spec: { closed: 21 } } });
  expect(textOf(report, { coloured: false, command })).toBe(stdout.trimEnd());
  const junit = formatReport(checksOf(report), "junit");
  expectWellFormed(junit);
  expect(junit).toContain('<testsuites name="antechamber verify" tests="1" failures="1"');
  expect(junit).toMatch(/<testcase classname="Shutter\.example\.org" name="Total v1alpha1" time="[\d.]+">/);
  expect(junit).toContain("throws Error: &lt;too&gt; &amp; far");
  const { file } = report.kinds[0] ?? {};
  const [result] = JSON.parse(formatReport(checksOf(report), "sarif")).runs[0].results;
  expect(result).toMatchObject({
    ruleId: "Total",
    level: "error",
    locations: [{ physicalLocation: { artifactLocation: { uri: pathToFileURL(file ?? "").href } } }],
  });
  expect(formatReport(checksOf(report), "github")).toMatch(
    /^::error file=[^,]*\/Shutter\/kind\.ts,line=3,col=\d+,title=Shutter\.example\.org%3A Total v1alpha1 \(Total\)::/,
  );
});

describe("a broken law in results for CI points at the line of its author", () => {
  const fields = {
    v1alpha1:
      "closed: { type: integer }, lights: { type: array, items: { type: object, properties: { level: { type: integer }, used: { type: boolean } } } }, left: { type: integer }, right: { type: integer }, mode: { type: string }",
    v1: "slats: { type: integer }, lamps: { type: array, items: { type: object, properties: { brightness: { type: integer }, lit: { type: boolean } } } }, left: { type: integer }, right: { type: integer }, kind: { type: string }",
  };
  const kind = `
    import { defineKind, version } from "antechamber";
    import { fromV1alpha1 } from "./lens.ts";
    export default defineKind({
      group: "example.org", kind: "Blind", plural: "blinds", scope: "Namespaced",
      versions: [
        version("v1alpha1", fromV1alpha1),
        version("v1"),
      ],
    });`;
  const lensOf = (rows: string) => `import { each, group, lens, move } from "antechamber";
const abs = { up: (value: any) => Math.abs(value), down: (value: any) => value };
export const fromV1alpha1 = lens(
${rows}
);
`;
  const slats = '  move("spec.closed", "spec.slats"),';
  const lamps =
    '  each("spec.lights", "spec.lamps",\n    move("level", "brightness"),\n    move("used", "lit"),\n  ),';
  const modes = '  move("spec.mode", "spec.kind"),';

  // Each text has its line marked with "here".
  const cases: Readonly<Record<string, { law: string; file?: string; text: string; extra?: string }>> = {
    "the row of the field": {
      law: "Faithful",
      text: lensOf(`${lamps}\n  move("spec.closed", "spec.slats", abs), // here\n${modes}`),
    },
    "the row below the row of a list": {
      law: "Faithful",
      text: lensOf(`${slats}
  each("spec.lights", "spec.lamps",
    move("used", "lit"),
    move("level", "brightness", abs), // here
  ),
${modes}`),
    },
    "the row among others that have its paths": {
      law: "Faithful",
      text: lensOf(`${slats}
  move("spec.left", "spec.right"),
  move("spec.right", "spec.left", abs), // here
${lamps}\n${modes}`),
    },
    "a group": {
      law: "Faithful",
      text: lensOf(`${slats}\n${lamps}\n${modes}
  group({
    older: { one: "spec.left", other: "spec.right" }, // here
    newer: { left: "spec.left", right: "spec.right" },
    up: ({ one, other }: any) => ({ left: one, right: other === undefined ? undefined : Math.abs(other) }),
    down: ({ left, right }: any) => ({ one: left, other: right }),
  }),`),
    },
    "the code that throws": {
      law: "Total",
      text: `import { lens, move } from "antechamber";
const up = (closed: any) => {
  if (closed > 20) throw new Error("too far"); // here
  return closed;
};
export const fromV1alpha1 = lens(move("spec.closed", "spec.slats", { up, down: (slats: any) => slats }));
`,
    },
    "the call of lens, where no row maps the field": {
      law: "Mapped",
      text: lensOf(`${slats}\n${lamps}`).replace("lens(", "lens( // here"),
      extra: ", openDoor: { type: string }",
    },
    "the version, where the lens is written by hand": {
      law: "Faithful",
      file: "kind.ts",
      text: kind.replace('version("v1alpha1", fromV1alpha1),', 'version("v1alpha1", fromV1alpha1), // here'),
    },
    "the row that maps what differs in a case": {
      law: "Cases",
      text: lensOf(`${slats}\n${lamps}\n  move("spec.mode", "spec.kind"), // here`),
    },
  };

  it.each(Object.entries(cases))("%s", async (_, { law, file = "lens.ts", text, extra = "" }) => {
    const byHand = `export const fromV1alpha1 = {
  up: ({ spec, ...rest }: any) => ({ ...rest, spec: { slats: Math.abs(spec?.closed ?? 0) } }),
  down: ({ spec, ...rest }: any) => ({ ...rest, spec: { closed: spec?.slats ?? 0 } }),
};
`;
    const folder = await folderOf({
      "Blind/kind.ts": kind,
      "Blind/lens.ts": byHand,
      "Blind/v1alpha1.yaml": versionFile("v1alpha1", false, fields.v1alpha1 + extra),
      "Blind/v1.yaml": versionFile("v1", true, fields.v1 + extra.replace("openDoor", "doorOpen")),
      "Blind/examples/one.yaml":
        "{ apiVersion: example.org/v1, kind: Blind, metadata: { name: one }, spec: { slats: 3 } }",
      "Blind/cases/modes.yaml":
        "{ name: modes, convert: { v1alpha1: { spec: { mode: a } }, v1: { spec: { kind: b } } } }",
      [`Blind/${file}`]: text,
    });
    const { code, stdout, stderr } = await verified([folder], { law: [law], seed: 1, output: "json" });
    expect(code, stderr).toBe(1);
    const line = text.split("\n").findIndex((each) => each.includes("// here")) + 1;
    expect(line).toBeGreaterThan(0);
    const report = reportOf(stdout);
    const [answer] = report.kinds[0]?.answers.filter(({ state }) => state === "failed") ?? [];
    expect(answer?.place, JSON.stringify(answer?.counterexample)).toMatchObject({ line });
    expect(answer?.place?.file).toMatch(new RegExp(`/Blind/${file}$`));
    const checks = checksOf(report);
    const [result] = JSON.parse(formatReport(checks, "sarif")).runs[0].results;
    expect(result.locations[0].physicalLocation).toMatchObject({
      artifactLocation: { uri: expect.stringContaining(`/Blind/${file}`) },
      region: { startLine: line },
    });
    expect(formatReport(checks, "github")).toContain(`/Blind/${file},line=${line},`);
    expect(formatReport(checks, "junit")).toContain(`/Blind/${file}:${line}: `);
  });
});

it("a row whose codec takes no value that was drawn is listed as not tried, and is not called forgotten", async () => {
  const folder = await folderOf({
    ...plain("Safe", "(closed) => closed"),
    "Safe/kind.ts": `
      import { defineKind, lens, move, version } from "antechamber";
      const isCode = (text) => /^[0-9]{5}-[A-Z]{3}$/.test(text);
      const codec = { up: (text) => (isCode(text) ? text.toLowerCase() : undefined),
                      down: (text) => (isCode(text.toUpperCase()) ? text.toUpperCase() : undefined) };
      export default defineKind({
        group: "example.org", kind: "Safe", plural: "safes", scope: "Namespaced",
        versions: [version("v1alpha1", lens(move("spec.lockCode", "spec.lock.code", codec))), version("v1")],
      });`,
    "Safe/v1alpha1.yaml": versionFile(
      "v1alpha1",
      false,
      "lockCode: { type: string }, note: { type: string }",
    ),
    "Safe/v1.yaml": versionFile(
      "v1",
      true,
      "lock: { type: object, properties: { code: { type: string } } }, slats: { type: integer }",
    ),
  });
  const { code, stdout } = await verified([folder], { law: ["Mapped"], seed: 1 });
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^ {2}fields of v1 with a row that was not tried:\n {4}spec\.lock\.code {2}no value that was drawn/m,
  );
  expect(stdout).toMatch(/^ {4}spec\.lockCode {2}no value that was drawn/m);
  expect(stdout).toMatch(/^ {4}spec\.note {2}always: no lens reads it, and v1 has no such field$/m);
  expect(stdout).not.toMatch(/spec\.lock.*no lens reads it/);
});

describe("a lens that brings back another value", () => {
  const files = plain("Blind", "(closed) => Math.abs(closed)");
  const cases =
    "{ convert: { v1alpha1: { spec: { closed: 3 } }, v1: { spec: { slats: 4 } } }, name: one more }";

  it("is shown with each view on the way and a hint", async () => {
    const folder = await folderOf(files);
    const { code, stdout } = await verified([folder], { law: ["Faithful"], seed: 1 });
    expect(code).toBe(1);
    expect(stdout).toContain(`
    object:
      spec:
        closed: -1
    v1, by the lens alone:
      spec:
        slats: 1
    v1alpha1, by the lens alone:
      spec:
        closed: 1
    spec.closed: - expected, + actual
      - -1
      + 1
    hint: mend the row of this field;`);
  });

  it("has a line for the kind and one for the law with --summary", async () => {
    const folder = await folderOf(files);
    const args = ["verify", folder, "--law", "Faithful,Total,Detour", "--seed", "1", "--summary"];
    const { code, stdout } = await antechamber(args);
    expect(code).toBe(1);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "Blind.example.org (v1alpha1, v1): 1 broken, 1 held, 1 with nothing to try",
      "  FAILED  Faithful  v1alpha1  broken: a value comes back as it was, or not at all, at spec.closed",
    ]);
  });

  it("fails the cases that its author wrote, which are a law", async () => {
    const folder = await folderOf({ ...sound, "Blind/cases/lens.yaml": cases });
    const { code, stdout } = await verified([folder], { law: ["Cases"], seed: 1 });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ {2}FAILED {2}Cases {2}v1alpha1, v1 {2}1 run$/m);
    expect(stdout).toMatch(
      /broken: the case "one more" \(\S+lens\.yaml:1\): at v1 the object is another one/,
    );
    expect(stdout).toMatch(/^ +- {3}slats: 4\n +\+ {3}slats: 3$/m);
  });

  it("is invalid where a case file holds something else", async () => {
    const folder = await folderOf({ ...sound, "Blind/cases/lens.yaml": "{ convert: { v9: {} } }" });
    const { code, stderr } = await verified([folder], { law: ["Cases"], seed: 1 });
    expect(code).toBe(2);
    expect(stderr).toMatch(/invalid cases:\n.*lens\.yaml:1:\d+: .*has no version v9/);
  });
});

it("lines are wrapped at the width of a terminal, below their last column; what is copied is not", async () => {
  const folder = await folderOf(shy);
  const lines = async (width: number | undefined) => {
    const printed: string[] = [];
    const io = {
      print: (text: string) => printed.push(text),
      note: () => {},
      coloured: false,
      width,
      now: () => new Date(),
      drawSeed: () => 11,
      interrupt: new AbortController().signal,
      command,
    };
    const options = { kind: [], law: ["Total"], runs: 100, output: "text" } as const;
    await verify([folder], options, io).catch((error: Error) => error);
    return printed.join("\n").split("\n");
  };
  const whole = await lines(undefined);
  const narrow = await lines(60);
  expect(whole.join("\n")).toContain("reproduce: npx antechamber verify ");
  expect(narrow.length).toBeGreaterThan(whole.length);
  const isCopied = (line: string) => /^ {4}(reproduce:| {2})/.test(line);
  expect(narrow.filter((line) => line.length > 60 && !isCopied(line))).toEqual([]);
  const words = (text: readonly string[]) => text.join(" ").split(/ +/).filter(Boolean);
  expect(words(narrow)).toEqual(words(whole));
});

describe("the survey of the versions", () => {
  // One run for all tests, since each takes a second.
  let run: ReturnType<typeof startRun> | undefined;
  const result = () => {
    run ??= startRun();
    return run;
  };

  async function startRun() {
    const folder = await folderOf({
      ...kindFiles(
        "Blind",
        "(closed) => closed",
        ", default: 3 }, tilt: { type: string }, note: { type: string }",
        ", default: 4 }, tilt: { type: integer }",
      ),
      ...kindFiles(
        "Shutter",
        "(closed) => closed",
        ", minimum: 0, maximum: 100 }",
        ", minimum: 0, maximum: 90 }",
      ),
    });
    const options = { law: ["Detour", "Recorded"], seed: 1, output: "json" } as const;
    const { code, stdout } = await verified([folder], options);
    return { code, report: reportOf(stdout) };
  }

  it("does not change the exit code", async () => {
    expect((await result()).code).toBe(0);
  });

  it("lists what each version cannot express, which defaults differ and what no example uses", async () => {
    const { report } = await result();
    const text = textOf(report, { coloured: false, command });
    expect(text).toContain(
      "spec.tilt  always: no lens reads it, and v1alpha1 has a field of that name with another type",
    );
    expect(text).toContain("spec.note  always: no lens reads it, and v1 has no such field");
    expect(text).toContain("spec.slats  4: in v1alpha1, spec.closed is 4 for it, but 3 if it is absent");
    expect(text).toMatch(/v1alpha1 {2}spec\.tilt, spec\.note\n +v1 +spec\.tilt$/m);
  });

  it("says what the kind would need for a law to apply; JUnit XML marks it as skipped", async () => {
    const { report } = await result();
    const text = textOf(report, { coloured: false, command });
    expect(text).toContain("nothing to try: needs a third version");
    expect(text).toContain("nothing to try: needs recordings from earlier releases, given to checkLaws");
    const junit = formatReport(checksOf(report), "junit");
    expectWellFormed(junit);
    expect(junit.match(/<testsuite name="[^"]*"/g)).toEqual([
      '<testsuite name="Blind.example.org"',
      '<testsuite name="Shutter.example.org"',
    ]);
    expect(junit.match(/<skipped message="nothing to try: needs [^"]*"\/>/g)).toHaveLength(4);
  });

  it("lists what one version admits and another forbids, with the smallest object found", async () => {
    const { report } = await result();
    const { survey } = report.kinds[1] ?? {};
    if (survey === undefined || "fault" in survey) throw new Error("no survey");
    const sides = survey.sides.map((side) => [`${side.of} → ${side.in}`, side.invalid] as const);
    const found = {
      field: "spec.slats",
      message: expect.stringMatching(/^Invalid value: \d+: .* less than or equal to 90$/),
      object: expect.objectContaining({ spec: { closed: expect.any(Number) } }),
    };
    expect(Object.fromEntries(sides)).toEqual({ "v1 → v1alpha1": [], "v1alpha1 → v1": [found] });
    expect(textOf(report, { coloured: false, command })).toMatch(
      /^ {2}values that v1alpha1 admits and v1 forbids after conversion:\n {4}spec\.slats {2}Invalid value: (\d+): .* to 90 {2}in \{"spec":\{"closed":\1\}\}$/m,
    );
    expect(formatReport(checksOf(report), "junit")).toContain(
      "values that v1alpha1 admits and v1 forbids after conversion:",
    );
  });
});

it("Ctrl-C stops it at once with the results so far, even if a lens never returns", async () => {
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

describe("a lens that does not return", () => {
  const far = "v1alpha1: a value above 20";
  const greedy = plain(
    "Awning",
    "(closed) => { const all = []; while (closed > 20) all.push(new Array(1e6).fill(closed / 3)); return closed; }",
  );
  const below = {
    ...stuck,
    "Window/kind.ts": `
      import { defineKind, each, lens, move, version } from "antechamber";
      const codec = { up: (width) => { while (width > 20); return width; }, down: (width) => width };
      export default defineKind({
        group: "example.org", kind: "Window", plural: "windows", scope: "Namespaced",
        versions: [version("v1alpha1", lens(each("spec.panes", "spec.panes", move("wide", "width", codec)))), version("v1")],
      });`,
    "Window/v1alpha1.yaml": versionFile("v1alpha1", false, paneOf("wide")),
    "Window/v1.yaml": versionFile("v1", true, paneOf("width")),
    "Window/examples/one.yaml":
      "{ apiVersion: example.org/v1, kind: Window, metadata: { name: one }, spec: { panes: [{ width: 3 }] } }",
  };

  // A case takes a millisecond; on a busy machine others may take the cores meanwhile.
  const short = 400 * Number(process.env.PATIENCE ?? 1);
  const none = `none within ${short / 1000} s`;

  it.each([
    ["loops", "Window", stuck, "spec.closed", none, short],
    ["loops for an item of a list", "Window", below, "spec.panes[].wide", none, short],
    // A case that takes all memory takes longer than one that loops has time.
    ["takes all memory", "Awning", greedy, "spec.closed", "none within 512 MiB of memory", 30_000],
  ])("and %s is a finding with its row and the object", async (_, name, files, field, actual, patience) => {
    const folder = await folderOf({ ...files, ...sound });
    const options = {
      law: files === greedy ? ["Total", "Recorded"] : ["Total", "Exact", "Recorded"],
      seed: 1,
      runs: 50,
      output: "json",
      patience,
    } as const;
    const { code, stdout, stderr } = await verified([folder], options);
    expect(code, stderr).toBe(1);
    const report = reportOf(stdout);
    const answersOf = (kind: string) =>
      report.kinds.find((each) => each.name === `${kind}.example.org`)?.answers ?? [];
    const failed = answersOf(name).find(({ state }) => state === "failed");
    expect(failed?.counterexample).toMatchObject({ versions: "v1alpha1 → v1", field, actual });
    const [, value] = /(?:closed|wide)":(\d+)/.exec(JSON.stringify(failed?.counterexample?.object)) ?? [];
    expect(Number(value), far).toBeGreaterThan(20);
    expect(failed?.place?.file).toMatch(new RegExp(`/${name}/kind\\.ts$`));
    // What needs no such object holds, and so do the laws of other kinds.
    expect(answersOf(name).map(({ law }) => law)).toEqual(answersOf("Blind").map(({ law }) => law));
    expect(answersOf("Blind").filter(({ state }) => state === "held")).toHaveLength(options.law.length - 1);
  });
});

const paneOf = (field: string) =>
  `panes: { type: array, items: { type: object, properties: { ${field}: { type: integer } } } }`;

describe("what is right is not reported", () => {
  const identical = `
    disks:
      type: array
      items:
        type: object
        required: [name]
        properties:
          name: { type: string }
          disk: { type: object, properties: { bus: { type: string, default: virtio } } }
          masquerade: { type: object }
    sets:
      type: array
      x-kubernetes-list-type: map
      x-kubernetes-list-map-keys: [name]
      items: { type: object, properties: { name: { type: string, default: main }, count: { type: integer } } }
    ref:
      type: object
      x-kubernetes-map-type: atomic
      properties: { name: { type: string, default: "" }, key: { type: string } }
    rng: { type: object }`;
  const boxFile = (name: string, storage: boolean) => `
name: ${name}
served: true
storage: ${storage}
subresources: { status: {} }
schema:
  openAPIV3Schema:
    type: object
    properties:
      status: { type: object, properties: { printable: { type: string, default: Stopped } } }
      spec:
        type: object
        properties:${identical.replaceAll("\n", "\n      ")}
`;
  const box = {
    "Box/kind.ts": `
      import { defineKind, lens, version } from "antechamber";
      export default defineKind({
        group: "example.org", kind: "Box", plural: "boxes", scope: "Namespaced",
        versions: [version("v1alpha1", lens()), version("v1")],
      });`,
    "Box/v1alpha1.yaml": boxFile("v1alpha1", false),
    "Box/v1.yaml": boxFile("v1", true),
    "Box/examples/one.yaml":
      "{ apiVersion: example.org/v1, kind: Box, metadata: { name: one }, spec: { disks: [{ name: a, masquerade: {} }], sets: [{ count: 1 }], ref: { key: a }, rng: {} } }",
  };
  const tint = (name: string, words: string) =>
    versionFile(
      name,
      name === "v1",
      `${name === "v1" ? "color" : "tint"}: { type: string, enum: [${words}] }`,
    );
  const lamp = {
    "Lamp/kind.ts": `
      import { defineKind, lens, move, version } from "antechamber";
      const words = { red: "Red", green: "Green" };
      const known = (all, word) => {
        if (all[word] === undefined) throw new Error("no such color: " + word);
        return all[word];
      };
      const codec = { up: (tint) => known(words, tint), down: (color) => known({ Red: "red", Green: "green" }, color) };
      export default defineKind({
        group: "example.org", kind: "Lamp", plural: "lamps", scope: "Namespaced",
        versions: [version("v1alpha1", lens(move("spec.tint", "spec.color", codec))), version("v1")],
      });`,
    "Lamp/v1alpha1.yaml": tint("v1alpha1", "red, green"),
    "Lamp/v1.yaml": tint("v1", "Red, Green"),
    "Lamp/examples/one.yaml":
      "{ apiVersion: example.org/v1, kind: Lamp, metadata: { name: one }, spec: { color: Red } }",
  };
  const conditions =
    "conditions: { type: array, items: { type: object, properties: { type: { type: string }, status: { type: string } } } }";
  const lossy = {
    "Rack/kind.ts": `
      import { defineKind, each, lens, mapToList, move, version } from "antechamber";
      const { up, down } = mapToList("type");
      export default defineKind({
        group: "example.org", kind: "Rack", plural: "racks", scope: "Namespaced",
        versions: [
          version("v1alpha1", lens(each("spec.disks", "spec.disks",
            move("conditions", "conditions", { up, down }, { lossy: "a map has no order" })))),
          version("v1"),
        ],
      });`,
    "Rack/v1alpha1.yaml": versionFile("v1alpha1", false, "").replace(
      "properties: {  }",
      "x-kubernetes-preserve-unknown-fields: true",
    ),
    "Rack/v1.yaml": versionFile(
      "v1",
      true,
      `disks: { type: object, additionalProperties: { type: object, properties: { ${conditions} } } }`,
    ),
    "Rack/examples/one.yaml":
      '{ apiVersion: example.org/v1, kind: Rack, metadata: { name: one }, spec: { disks: { d: { conditions: [{ type: Ready, status: "True" }] } } } }',
  };

  const lone = {
    "Jar/kind.ts": `
      import { defineKind, lens, version } from "antechamber";
      export default defineKind({
        group: "example.org", kind: "Jar", plural: "jars", scope: "Namespaced",
        versions: [version("v1alpha1", lens()), version("v1")],
      });`,
    "Jar/v1alpha1.yaml": versionFile(
      "v1alpha1",
      false,
      'source: { type: string, default: "" }, size: { type: integer }',
    ),
    "Jar/v1.yaml": versionFile("v1", true, "size: { type: integer }"),
    "Jar/examples/one.yaml":
      "{ apiVersion: example.org/v1, kind: Jar, metadata: { name: one }, spec: { size: 1 } }",
  };

  it.each([
    ["a default that one version alone has", lone],
    ["two versions with the same fields, defaults and empty marker objects", box],
    ["rows that throw for what their schemas do not allow", lamp],
    ["a lossy row below each of a map whose older version is open", lossy],
  ])("%s", async (_, files) => {
    const folder = await folderOf(files);
    const { code, stdout, stderr } = await verified([folder], { runs: 60, seed: 3, output: "json" });
    expect(code, stderr).toBe(0);
    const [kind] = reportOf(stdout).kinds;
    const survey = kind?.survey ?? { fault: "" };
    if ("fault" in survey) throw new Error(survey.fault);
    if (files === box)
      for (const { carried, unread, defaults, untried } of survey.sides)
        expect([carried, unread, defaults, untried]).toEqual([[], [], [], []]);
  });
});

describe("a kind with a schema of thousands of places", () => {
  const below = (depth: number): string =>
    depth === 0
      ? "{ type: string }"
      : `{ type: object, properties: { ${[..."abcdef"].map((name) => `${name}: { type: array, items: ${below(depth - 1)} }`).join(", ")} } }`;
  const files = {
    "Yard/kind.ts": `
      import { defineKind, lens, move, version } from "antechamber";
      export default defineKind({
        group: "example.org", kind: "Yard", plural: "yards", scope: "Namespaced",
        versions: [version("v1alpha1", lens(move("spec.size", "spec.area"))), version("v1")],
      });`,
    "Yard/v1alpha1.yaml": versionFile("v1alpha1", false, `size: { type: integer }, all: ${below(4)}`),
    "Yard/v1.yaml": versionFile("v1", true, `area: { type: integer }, all: ${below(4)}`),
    "Yard/examples/one.yaml":
      "{ apiVersion: example.org/v1, kind: Yard, metadata: { name: one }, spec: { area: 3 } }",
  };

  it("is tried to the end", async () => {
    const folder = await folderOf(files);
    const { code, stdout, stderr } = await verified([folder], {
      law: ["GetPut", "Untouched", "Releases", "Mapped"],
      runs: 2,
      seed: 1,
      output: "json",
    });
    expect(code, stderr).toBe(0);
    const [kind] = reportOf(stdout).kinds;
    expect(kind?.answers.map(({ state }) => state)).toEqual(["held", "held", "held", "held"]);
    expect(kind?.survey).not.toHaveProperty("fault");
  });
});

it("a kind is cut short when its time is over, and does not count as passed", async () => {
  const folder = await folderOf(sound);
  const options = { law: ["GetPut", "Untouched"], runs: 100, seed: 1, output: "json", maxTime: 1 } as const;
  const { code, stdout, stderr } = await verified([folder], options);
  expect(code, stderr).toBe(4);
  const report = reportOf(stdout);
  const states = report.kinds[0]?.answers.map(({ state }) => state) ?? [];
  expect(states.every((state) => state === "cut short" || state === "not tried")).toBe(true);
  const junit = formatReport(checksOf(report), "junit");
  expect(junit).toContain('failures="0"');
  expect(junit).toMatch(/<skipped message="[^"]*--max-time gives it more"/);
  // Another law may have left most of the kind's time.
  const share =
    /not tried: the laws share the time of the kind, and the share of \w+ was over after \d+\.\d s; --law \w+ alone has/;
  expect(junit).toMatch(share);
  expect(stderr).toMatch(/not tried to the end:\nBlind\.example\.org: GetPut at v1alpha1/);
});

describe("wrong usage exits with 2 and says what to write instead", () => {
  it.each([
    ["an unknown law", [], { law: ["Gravity"] }, /--law Gravity: unknown law; known laws are GetPut, /],
    ["an unknown kind", [], { kind: ["Boat"] }, /--kind Boat: unknown kind; known kinds are .*Room\.home/],
    ["a missing folder", ["no-such-folder"], {}, /no-such-folder: does not exist; antechamber init makes/],
    ["a folder without kinds", ["docs"], {}, /docs: has no kind: no kind\.ts in it/],
  ])("%s", async (_, folders, options, message) => {
    const { code, stdout, stderr } = await verified(folders.length > 0 ? folders : ["webhooks"], options);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(message);
  });

  it("no runs", async () => {
    const { code, stdout, stderr } = await antechamber(["verify", "--runs", "0"]);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/from 1 to 1000000/);
  });

  it("an invalid kind definition", async () => {
    const { "Blind/v1.yaml": _, ...rest } = sound;
    const { code, stderr } = await verified([await folderOf(rest)]);
    expect(code).toBe(2);
    expect(stderr).toContain("Blind/v1.yaml: is missing");
  });
});

it("colours are used only on request", () => {
  const answer = {
    law: "Total",
    statement: "s",
    version: "v1",
    state: "failed",
    runs: 1,
    seconds: 0,
  } as const;
  const kind = {
    name: "Blind",
    folder: "blind",
    file: "blind/kind.ts",
    versions: ["v1"],
    answers: [answer],
    remarks: [],
  };
  const report = { seed: 1, runs: 1, interrupted: false, kinds: [kind] };
  expect(textOf(report, { coloured: false, command })).not.toContain("\u001b");
  expect(textOf(report, { coloured: true, command })).toContain("\u001b[31m  FAILED");
});

/** Every tag is closed, and no text has characters that XML requires to be escaped or does not allow. */
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

describe("as one HTML file", () => {
  const page = `<meta content="default-src 'none'">\n<body>\n<script type="application/json" id="examples">[]</script>`;

  it("holds the kinds, and a link to each counterexample that the page can read", async () => {
    const folder = await folderOf({ ...shy, "page.html": page });
    const { code, stdout } = await verified([folder], {
      output: "html",
      law: ["Total"],
      built: `${folder}/page.html`,
    });
    expect(code).toBe(1);
    const [, fragment = ""] = /href="#([^"]+)"/.exec(stdout) ?? [];
    const state = readLink(fragment);
    if ("sentence" in state) throw new Error(state.sentence);
    const [, examples = ""] = /id="examples">(.*?)<\/script>/s.exec(stdout) ?? [];
    expect(JSON.parse(examples)).toMatchObject([{ id: state.kind, title: "Shutter", at: "v1" }]);
    expect(JSON.parse(textAt(state.parts, "laws", "counterexample"))).toMatchObject({ expected: "no throw" });
  });

  it("shows what a lens wrote as text", async () => {
    const folder = await folderOf({ ...shy, "page.html": page });
    const { stdout } = await verified([folder], {
      output: "html",
      law: ["Total"],
      built: `${folder}/page.html`,
    });
    expect(stdout).toContain("&lt;too&gt; &amp; far");
    expect(stdout).not.toContain("\u001b");
  });

  it("is a report on kinds alone", async () => {
    const { code, stderr } = await antechamber(["verify", "-o", "html", "--url", "https://127.0.0.1:1/"]);
    expect([code, stderr]).toEqual([
      2,
      "-o html is a report on the laws of kinds: leave out --url, --kubeconfig and --live\n",
    ]);
  });
});
