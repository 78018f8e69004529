import { cp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

/** A project with the kind Blind and these cases. */
async function projectWith(cases: string): Promise<string> {
  const folder = await folderOf({ "home/blind/cases/all.yaml": cases });
  await cp("test/cases/author-mistakes/good", folder, { recursive: true });
  return folder;
}

const closed = "v1alpha1: { spec: { closed: true } }";

describe("a case that holds", () => {
  it.each([
    ["a conversion in both directions", `convert: { ${closed}, v1: { spec: { position: 0 } } }`, 2],
    [
      "a conversion in one direction",
      "convert: { v1: { spec: { position: 40 } }, v1alpha1: { spec: { closed: false } } }\nonly: down",
      1,
    ],
    ["a write that is allowed", "create: { v1: { spec: { position: 40 } } }\nallowed: true", 1],
    [
      "a write and what is stored, at each version",
      "create: { v1alpha1: { spec: { closed: true } } }\nstored: { v1alpha1: { spec: { closed: true } }, v1: { spec: { position: 0, slats: 0 } } }",
      1,
    ],
    [
      "a write that the schema denies",
      "create: { v1: { spec: { position: 140 } } }\ndenied: [{ field: spec.position, message: less than or equal to 100 }]",
      1,
    ],
    [
      "a write that validate denies",
      "create: { v1: { spec: { position: 50 } } }\ndenied: [{ field: spec.position, reason: FieldValueInvalid }]",
      1,
    ],
    [
      "an update at an older version, which keeps what that version does not show",
      `update: { v1alpha1: { spec: { closed: false, room: study } } }
old: { v1: { spec: { position: 40, slats: 15, place: { room: kitchen } } } }
stored: { v1: { spec: { position: 40, slats: 15, place: { room: study } } } }`,
      1,
    ],
    [
      "a warning",
      `create: { v1alpha1: { spec: { closed: true, motor: M1 } } }\nwarnings: [spec.motor is retired]`,
      1,
    ],
    [
      "metadata that is expected",
      `create: { v1: { metadata: { labels: { a: b } }, spec: { position: 1 } } }
stored: { v1alpha1: { metadata: { labels: { a: b } }, spec: { closed: false } } }`,
      1,
    ],
  ])("%s", async (_name, text, count) => {
    const { code, stdout, stderr } = await antechamber(["test", await projectWith(text)]);
    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: "",
      stdout: `Blind.example.org: ${count} passed\n`,
    });
  });
});

describe("a case that does not hold", () => {
  it.each([
    [
      "another value",
      `name: closed is 0\nconvert: { ${closed}, v1: { spec: { position: 1 } } }\nonly: up`,
      "closed is 0, v1alpha1 → v1\n  at v1 the object is another one\n  --- expected\n  +++ actual\n   kind: Blind\n   spec:\n  -  position: 1\n  +  position: 0\n",
    ],
    ["a value too many", `convert: { ${closed}, v1: {} }\nonly: up`, "  +spec:\n  +  position: 0\n"],
    ["a denial", "create: { v1: { spec: { position: 140 } } }\nallowed: true", "the write is denied: "],
    [
      "no denial",
      "create: { v1: { spec: { position: 40 } } }\ndenied: [{ field: spec }]",
      "the write is allowed",
    ],
    [
      "another cause",
      "create: { v1: { spec: { position: 140 } } }\ndenied: [{ field: spec.slats }]",
      "  -- field: spec.slats\n  +- field: spec.position\n",
    ],
    [
      "a cause too many",
      "create: { v1: { spec: { position: 140, slats: x } } }\ndenied: [{ field: spec.position }]",
      "+- field: spec.slats",
    ],
    [
      "an unexpected warning",
      "create: { v1alpha1: { spec: { closed: true, motor: M1 } } }\nwarnings: []",
      "the warnings are others",
    ],
    [
      "another stored object",
      "create: { v1: { spec: { position: 40 } } }\nstored: { v1: { spec: { position: 40 } } }",
      "  +  slats: 0\n",
    ],
  ])("%s", async (_name, text, expected) => {
    const { code, stdout, stderr } = await antechamber(["test", await projectWith(text)]);
    expect(stdout).toContain(expected);
    expect(stdout).toMatch(/FAILED {2}\S+all\.yaml:1 {2}Blind\.example\.org: /);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "1 of 1 failed\n" });
  });

  it("the difference has colours on a terminal", async () => {
    const folder = await projectWith(`convert: { ${closed}, v1: { spec: { position: 1 } } }\nonly: up`);
    const { stdout } = await antechamber(["test", folder], { isTTY: true });
    expect(stdout).toContain("\u001b[32m  -  position: 1\u001b[39m\n\u001b[31m  +  position: 0\u001b[39m");
  });

  it("is a failure of JUnit, SARIF, GitHub and JSON at its line", async () => {
    const folder = await projectWith(
      `convert: { ${closed}, v1: { spec: { position: 0 } } }\n---\nconvert: { ${closed}, v1: { spec: { position: 1 } } }\nonly: up`,
    );
    const of = async (format: string) => (await antechamber(["test", folder, "-o", format])).stdout;
    expect(await of("junit")).toContain('<testsuites name="antechamber test" tests="3" failures="1"');
    expect(await of("junit")).toContain("all.yaml:3: at v1 the object is another one");
    expect(await of("github")).toMatch(/^::error file=\S+all\.yaml,line=3,/);
    const { runs } = JSON.parse(await of("sarif"));
    expect(runs[0].results[0].locations[0].physicalLocation.region.startLine).toBe(3);
    const cases = JSON.parse(await of("json"));
    expect(
      cases.map(({ line, results }: { line: number; results: unknown[] }) => [line, results.length]),
    ).toEqual([
      [1, 2],
      [3, 1],
    ]);
    expect(cases[1].results[0]).toMatchObject({
      passed: false,
      failure: { actual: { spec: { position: 0 } } },
    });
  });
});

describe("a file that holds something else is reported with its line, and nothing is tested", () => {
  it.each([
    ["a misspelt key", `convrt: { ${closed} }`, 'unknown key "convrt"; did you mean convert?'],
    [
      "a misspelt outcome",
      "create: { v1: {} }\ndenid: []",
      'all.yaml:2:1: unknown key "denid"; did you mean denied?',
    ],
    ["no map", "- 1", "all.yaml:1:1: a case is a map"],
    [
      "an unknown version",
      "create: { v2: {} }\nallowed: true",
      "all.yaml:1:11: Blind.example.org has no version v2",
    ],
    [
      "one version",
      `convert: { ${closed} }`,
      "all.yaml:1:1: convert names two or more versions of one object",
    ],
    ["two writes", "create: { v1: {} }\nupdate: { v1: {} }", "a case has one of convert, create and update"],
    [
      "two objects",
      "create: { v1: {}, v1alpha1: {} }\nallowed: true",
      "create names one version and its object",
    ],
    ["nothing that is expected", "create: { v1: {} }", "nothing is expected"],
    ["an update of nothing", "update: { v1: {} }\nallowed: true", "an update needs old"],
    [
      "an outcome of a conversion",
      `convert: { ${closed}, v1: {} }\nallowed: true`,
      "allowed does not go together with convert",
    ],
    [
      "allowed and denied",
      "create: { v1: {} }\nallowed: true\ndenied: [{ field: a }]",
      "is not allowed, and stores nothing",
    ],
    ["an empty denial", "create: { v1: {} }\ndenied: []", "denied must be a list of causes"],
    ["a misspelt cause", "create: { v1: {} }\ndenied: [{ feild: a }]", "each with field, message or reason"],
    ["a direction", `convert: { ${closed}, v1: {} }\nonly: back`, "all.yaml:2:1: only must be up or down"],
    [
      "a time",
      "create: { v1: {} }\nallowed: true\nnow: noon",
      "now must be a time such as 2026-01-01T00:00:00Z",
    ],
    ["a gate", "create: { v1: {} }\nallowed: true\ngates: { Strct: true }", "did you mean Strict?"],
    ["an object that is none", "create: { v1: 5 }\nallowed: true", "all.yaml:1:11: v1 must be an object"],
    [
      "an object for a lister without its kind",
      "create: { v1: {} }\nallowed: true\nwith: [{}]",
      "with must be a list of objects",
    ],
    ["invalid YAML", "create: {", "all.yaml:1:10: cannot be read: "],
  ])("%s", async (_name, text, expected) => {
    const { code, stdout, stderr } = await antechamber(["test", await projectWith(text)]);
    expect(stderr).toContain(expected);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("a kind without cases", async () => {
    const { code, stderr } = await antechamber(["test", "test/kinds/garden"]);
    expect(stderr).toContain("no cases found; write them to cases/*.yaml in the folder of a kind");
    expect(code).toBe(2);
  });

  it("an invalid kind", async () => {
    const folder = await projectWith("create: { v1: {} }\nallowed: true");
    const file = path.join(folder, "home/blind/v1.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("minimum", "minimun"));
    const { code, stderr } = await antechamber(["test", folder]);
    expect(stderr).toContain("did you mean minimum?");
    expect(code).toBe(2);
  });
});

it("listers, gates and the time of a case are those that it gives", async () => {
  const folder = await projectWith(`name: the time
create: { v1: { spec: { position: 1 } } }
now: 2026-03-01T00:00:00Z
gates: { Strict: true }
with: [{ apiVersion: example.org/v1alpha1, kind: Blind, metadata: { name: other, namespace: default }, spec: { closed: true } }]
denied:
  - message: "2026-03-01T00:00:00.000Z true other 0"`);
  const file = path.join(folder, "home/blind/kind.ts");
  const text = await readFile(file, "utf8");
  const [before = ""] = text.split("  validate:");
  await writeFile(
    file,
    `${before.replace("defineKind, type Findings", "defineKind, lister")}  needs: { blinds: lister("example.org", "Blind") },
  validate: (_blind, { now, gates, listers }) => {
    const [other] = listers.blinds?.list("default") ?? [];
    const text = [now.toISOString(), gates.Strict, get(other, "metadata", "name"), get(other, "spec", "position")].join(" ");
    return { causes: [{ path: ["spec"], reason: "FieldValueInvalid", message: text }] };
  },
});
`,
  );
  const { stdout, stderr, code } = await antechamber(["test", folder]);
  expect({ code, stdout, stderr }).toEqual({ code: 0, stderr: "", stdout: "Blind.example.org: 1 passed\n" });
});

it("the cases of the home's kinds hold", async () => {
  const { code, stdout } = await antechamber(["test", "webhooks/home"]);
  expect(stdout).toMatch(/^Light\S+: \d{2} passed\nLock\S+: \d{2} passed\nRoom\S+: \d{2} passed\n$/);
  expect(code).toBe(0);
});
