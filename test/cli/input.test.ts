import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { writeJson } from "../../src/json/exact.ts";
import { readInput } from "../../src/offline/input.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "input-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file below the folder and says its path. */
function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** The objects that were read, as `source value`, without the path of the folder. */
async function read(files: readonly string[], stdin = ""): Promise<readonly string[]> {
  const objects = await readInput(files, { readStdin: async () => stdin });
  return objects.map(({ source, value }) => `${source.replace(`${folder}/`, "")} ${writeJson(value)}`);
}

/** Why nothing was read. */
async function refusal(...files: string[]): Promise<string> {
  const error: unknown = await read(files).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  return String(error instanceof Error && error.message).replace(`${folder}/`, "");
}

it("objects are read in the order of the files and their documents, each with its line", async () => {
  const b = file("b.yaml", "# two\n---\na: 1\n---\n\na: 2\n");
  const a = file("a.json", '{"a": 9007199254740993}\n{"a": 4}\n');
  expect(await read([b, "-", a], "a: 3")).toEqual([
    'b.yaml:3 {"a":1}',
    'b.yaml:6 {"a":2}',
    'stdin:1 {"a":3}',
    'a.json:1 {"a":9007199254740993}',
    'a.json:2 {"a":4}',
  ]);
});

it("a folder is read with its subfolders, sorted by name, and only YAML and JSON files", async () => {
  for (const name of ["z.yaml", "b/c.yml", "b/a.json", "a.yaml"]) file(name, "{}");
  for (const name of ["README.md", "a.yaml.orig", ".git/x.yaml"]) file(name, "no: [");
  expect(await read([folder])).toEqual(["a.yaml:1 {}", "b/a.json:1 {}", "b/c.yml:1 {}", "z.yaml:1 {}"]);
});

it("links are followed, but a folder is read only once", async () => {
  file("rooms/a.yaml", "{}");
  symlinkSync("..", join(folder, "rooms/up"));
  symlinkSync("rooms/a.yaml", join(folder, "linked.yaml"));
  symlinkSync("self.yaml", join(folder, "other"));
  expect(await read([folder])).toEqual(["linked.yaml:1 {}", "rooms/a.yaml:1 {}"]);
});

it("a mounted ConfigMap is read once", async () => {
  file("..2024/room.yaml", "{}");
  symlinkSync("..2024", join(folder, "..data"));
  symlinkSync("..data/room.yaml", join(folder, "room.yaml"));
  expect(await read([folder])).toEqual(["room.yaml:1 {}"]);
});

it.each(["List", "RoomList"])("a %s is split into its items", async (kind) => {
  const list = file("l.yaml", `kind: ${kind}\nitems:\n- a: 1\n- {kind: List, items: [{a: 2}]}\n`);
  expect(await read([list])).toEqual(['l.yaml:1 items[0] {"a":1}', 'l.yaml:1 items[1] items[0] {"a":2}']);
});

it("a kind that ends with List and has no items is an object like any other", async () =>
  expect(await read([file("l.yaml", "kind: PlayList\n")])).toEqual(['l.yaml:1 {"kind":"PlayList"}']));

it("a file with only comments has no objects", async () =>
  expect(await read([file("a.yaml", "# later\n---\n")])).toEqual([]));

it.each([
  ["a: 1\na: 2\n", 'a.yaml:2:1: duplicate key "a" in a map'],
  [
    "kind: {{ .Values.kind }}\n",
    "a.yaml:1:8: a map or a list cannot be a key; a template of a Helm chart must be rendered first, with helm template",
  ],
  [
    "spec:\n  {{ toYaml .Values.spec | indent 2 }}\n  a: b\n",
    "a.yaml:3:1: All mapping items must start at the same column; a template of a Helm chart must be rendered first, with helm template",
  ],
  ['{"a": 1,}', 'a.yaml:1:9: a key in double quotes should stand here, not "}"'],
  ["a: 1\n---\n- a\n", "a.yaml:3: must be an object with apiVersion and kind, not a list"],
  ["null", "a.yaml:1: must be an object with apiVersion and kind, not null"],
  ["{kind: List, items: [5]}", "a.yaml:1 items[0]: must be an object with apiVersion and kind, not a number"],
  [Buffer.from([0x61, 0x3a, 0xff]), "a.yaml: the file is not UTF-8 text"],
])("%j is rejected", async (content, message) =>
  expect(await refusal(file("a.yaml", content))).toBe(message),
);

it("a path that cannot be read is rejected", async () => {
  expect(await refusal(join(folder, "no.yaml"))).toBe("no.yaml: no such file or folder");
  expect(await refusal(join(file("a.yaml", ""), "b"))).toBe("a.yaml/b: a part of the path is not a folder");
  symlinkSync("loop.yaml", join(folder, "loop.yaml"));
  expect(await refusal(join(folder, "loop.yaml"))).toBe("loop.yaml: the symbolic link is circular");
  expect(await refusal(folder)).toBe("loop.yaml: the symbolic link is circular");
});

it("a folder may be empty", async () => {
  mkdirSync(join(folder, "empty"));
  expect(await readInput([join(folder, "empty")], { readStdin: async () => "" })).toEqual([]);
});

it("a pipe and a device are read to their end", async () => {
  const pipe = join(folder, "pipe");
  execFileSync("mkfifo", [pipe]);
  const writer = spawn("sh", ["-c", 'printf "a: 1" > "$0"', pipe]);
  expect(await read([pipe])).toEqual(['pipe:1 {"a":1}']);
  expect(writer.exitCode ?? 0).toBe(0);
  expect(await read(["/dev/null"])).toEqual([]);
});

it("a pipe in a folder is rejected, since it may have no writer", async () => {
  execFileSync("mkfifo", [join(folder, "pipe.yaml")]);
  expect(await refusal(folder)).toBe(
    "pipe.yaml: not a regular file; of a folder only files are read: name it with -f",
  );
});

it("a device without an end is rejected at the limit", async () =>
  expect(await refusal("/dev/zero")).toBe("/dev/zero: larger than 64 MiB; split it"));

it("standard input may be named as a device", async () =>
  expect(await read(["/dev/stdin"], "a: 1")).toEqual(['stdin:1 {"a":1}']));

it("a URL is not fetched", async () =>
  expect(await refusal("https://example.org/a.yaml")).toBe(
    "https://example.org/a.yaml: URLs are not read; pipe the content in, with - instead of the URL: curl -fsSL 'https://example.org/a.yaml' | antechamber …",
  ));

describe("the position of a field", () => {
  const text = `# a room
kind: Room
metadata:
  annotations: { a.b/c: "1", "d": x }
spec:
  lights:
    - name: one
    # two
    - name: two
      transition: 1s
---
kind: List
items: [{spec: {size: 1}}]
`;

  it.each([
    [0, "spec.lights[1].name", "9:7"],
    [0, "spec.lights[1].transition", "10:7"],
    [0, "spec.lights[1]", "9:7"],
    [0, "spec.lights[7].name", "6:3"],
    [0, "spec.lights[1].absent.deeper", "9:7"],
    [0, "metadata.annotations[a.b/c]", "4:18"],
    [0, "metadata.annotations.a.b/c", "4:18"],
    [0, 'metadata.annotations["d"]', "4:30"],
    [0, "", "2:1"],
    [0, "nothing", "2:1"],
    [0, "[", "2:1"],
    [0, "..", "2:1"],
    [1, "spec.size", "13:17"],
    [1, "", "13:9"],
  ])("of object %i, %j, is %s", async (index, field, position) => {
    const objects = await readInput([file("a.yaml", text)], { readStdin: async () => "" });
    const { line, column } = objects[index]?.find(field) ?? {};
    expect(`${line}:${column}`).toBe(position);
  });

  it("in JSON texts that YAML cannot read is the line of the document", async () => {
    const several = file("a.json", '{"a": 1}\n{"b":\n 2}\n');
    const objects = await readInput([several], { readStdin: async () => "" });
    expect(objects.map(({ find }) => find("b"))).toEqual([{ line: 1 }, { line: 2 }]);
  });
});

it("a file of more than 64 MiB is rejected", async () => {
  const large = file("large.yaml", "");
  truncateSync(large, 64 * 1024 * 1024 + 1);
  expect(await refusal(large)).toBe("large.yaml: larger than 64 MiB; split it");
});

it("standard input can be read only once", async () =>
  expect(await refusal("-", "-")).toBe("standard input can be read only once; pass - once"));
