import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";
import { startService } from "../support/service.ts";

const versionFile = (name: string, storage: boolean, field: string) => `
name: ${name}
served: true
storage: ${storage}
subresources: { status: {} }
schema:
  openAPIV3Schema:
    type: object
    properties:
      spec:
        type: object
        properties: { ${field}: { type: integer } }
`;

const blind: Readonly<Record<string, string>> = {
  "home/blind/kind.ts": `
    import { defineKind, lens, move, version } from "antechamber";
    const v1alpha1 = lens(move("spec.closed", "spec.slats"));
    export default defineKind({
      group: "example.org", kind: "Blind", plural: "blinds", scope: "Namespaced",
      versions: [version("v1alpha1", v1alpha1), version("v1")],
      default: (blind) => ({ ...blind, spec: { slats: 0, ...(blind.spec as object) } }),
      validate: () => ({ audit: { judged: "by its folder" } }),
    });`,
  "home/blind/v1alpha1.yaml": versionFile("v1alpha1", false, "closed"),
  "home/blind/v1.yaml": versionFile("v1", true, "slats"),
  "home/blind/examples/one.yaml":
    "{ apiVersion: example.org/v1, kind: Blind, metadata: { name: one }, spec: { slats: 3 } }",
};

const object = (version: string, spec: object) => ({
  apiVersion: `example.org/${version}`,
  kind: "Blind",
  metadata: { name: "b" },
  spec,
});

describe("a kind that a process loads again", () => {
  const one = async (folder: string) => (await loadKinds([folder])).all[0];

  it("is the same while its folder is", async () => {
    const folder = await folderOf(blind);
    expect(await one(folder)).toBe(await one(folder));
  });

  it.each([
    ["home/blind/v1.yaml", versionFile("v1", true, "slats").replace("integer", "string")],
    ["home/blind/examples/one.yaml", "{ apiVersion: example.org/v1, kind: Blind, spec: { slats: many } }"],
    ["home/blind/examples/two.yaml", "{ apiVersion: example.org/v2, kind: Blind }"],
    ["home/blind/v2.yaml", versionFile("v2", false, "slats")],
  ])("is checked again when %s changes", async (file, text) => {
    const folder = await folderOf(blind);
    await one(folder);
    await writeFile(path.join(folder, file), text);
    await expect(one(folder)).rejects.toThrow("invalid kind definitions");
    await (blind[file] === undefined
      ? rm(path.join(folder, file))
      : writeFile(path.join(folder, file), blind[file]));
    expect((await one(folder))?.name).toBe("Blind.example.org");
  });

  it("has the examples of now", async () => {
    const folder = await folderOf(blind);
    await one(folder);
    await writeFile(
      path.join(folder, "home/blind/examples/two.json"),
      '{"apiVersion":"example.org/v1","kind":"Blind","metadata":{"name":"two"}}',
    );
    expect((await one(folder))?.examples).toHaveLength(2);
  });
});

describe("a kind of a user's own project", () => {
  it("is converted and defaulted by a service that never heard of it", async () => {
    const service = await startService(["--webhooks", await folderOf(blind)]);
    const review = (kind: string, group: string, request: object) =>
      JSON.stringify({ apiVersion: `${group}/v1`, kind, request: { uid: "u", ...request } });
    const converted = await service.post(
      "/convert",
      review("ConversionReview", "apiextensions.k8s.io", {
        desiredAPIVersion: "example.org/v1",
        objects: [object("v1alpha1", { closed: 7 })],
      }),
    );
    const asked = review("AdmissionReview", "admission.k8s.io", {
      kind: { group: "example.org", version: "v1alpha1", kind: "Blind" },
      operation: "CREATE",
      object: object("v1alpha1", {}),
    });
    const admitted = await service.post("/mutate/antechamber", asked);
    const judged = await service.post("/validate/antechamber", asked);
    expect(await service.stop()).toBe(0);
    expect(JSON.parse(converted.body).response.convertedObjects[0].spec).toEqual({ slats: 7 });
    const patch = JSON.parse(atob(JSON.parse(admitted.body).response.patch));
    expect(patch).toContainEqual({ op: "add", path: "/spec/closed", value: 0 });
    expect(JSON.parse(admitted.body).response.auditAnnotations.changed).toContain("/spec/closed");
    expect(JSON.parse(judged.body).response.auditAnnotations).toEqual({ judged: "by its folder" });
  });

  it("may be written by hand, and leave undefined where it has nothing to say", async () => {
    const byHand = `
      const lens = {
        up: ({ spec }) => ({ spec: { slats: spec?.closed } }),
        down: ({ spec }) => ({ spec: { closed: spec?.slats, other: undefined } }),
      };
      export default {
        group: "example.org", kind: "Blind", plural: "blinds", scope: "Namespaced",
        versions: [{ name: "v1alpha1", lens }, { name: "v1" }],
      };`;
    const folder = await folderOf({ ...blind, "home/blind/kind.ts": byHand });
    const { code, stdout, stderr } = await antechamber(["verify", folder, "--runs", "5"]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain("held    GetPut");
  });

  it("stands beside the home's kinds when both folders are given", async () => {
    const folder = await folderOf(blind);
    const input = JSON.stringify(object("v1", { slats: 1 }));
    const { code, stdout } = await antechamber(
      ["convert", "-f", "-", "--to", "v1alpha1", "-o", "json", "--webhooks", folder, "webhooks"],
      { input },
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout).spec).toEqual({ closed: 1 });
  });
});

it("the newest version is stored, whatever older files say: adding a version changes none of them", async () => {
  const folder = await folderOf({
    ...blind,
    "home/blind/v1alpha1.yaml": versionFile("v1alpha1", true, "closed"),
  });
  const { stdout } = await antechamber(["manifests", "--webhooks", folder]);
  const storage = [...stdout.matchAll(/storage: (true|false)/g)].map(([, stored]) => stored);
  expect(storage).toEqual(["false", "true"]);
});

describe("an invalid kind definition keeps the service from starting, with a sentence", () => {
  const cases: readonly (readonly [string, Record<string, string | undefined>, string])[] = [
    ["a version without its file", { "home/blind/v1.yaml": undefined }, "v1.yaml: is missing"],
    [
      "a version without a lens",
      { "home/blind/kind.ts": (blind["home/blind/kind.ts"] ?? "").replace(", v1alpha1)", ")") },
      "version v1alpha1 has no lens to v1",
    ],
    [
      "a file of another version",
      { "home/blind/v1.yaml": versionFile("v2", true, "slats") },
      'is named "v2" inside',
    ],
    [
      "an async function",
      {
        "home/blind/kind.ts": (blind["home/blind/kind.ts"] ?? "").replace("default: (", "default: async ("),
      },
      "default is async",
    ],
    [
      "a word that no kind knows",
      {
        "home/blind/kind.ts": (blind["home/blind/kind.ts"] ?? "").replace(
          "plural:",
          "singular: 'blind', plural:",
        ),
      },
      'unknown property "singular"; a kind has group, kind',
    ],
    ["no example", { "home/blind/examples/one.yaml": undefined }, "holds no example"],
    [
      "an example of something else",
      { "home/blind/examples/one.yaml": "{ apiVersion: v1, kind: Pod }" },
      "is not a Blind.example.org of one of its versions",
    ],
    ["YAML that is none", { "home/blind/v1.yaml": "name: [" }, "v1.yaml:1:8: cannot be read"],
    [
      "a module that throws",
      { "home/blind/kind.ts": 'throw new Error("half done");' },
      "kind.ts:1:7: cannot be loaded: half done",
    ],
    ["no definition", { "home/blind/kind.ts": "export const kind = 1;" }, "has no default export"],
    [
      "a group that is none",
      { "home/blind/kind.ts": (blind["home/blind/kind.ts"] ?? "").replace('"example.org"', '"Example"') },
      'group "Example" is not a domain name',
    ],
    [
      "a lens that throws",
      {
        "home/blind/kind.ts": (blind["home/blind/kind.ts"] ?? "").replace(
          'lens(move("spec.closed", "spec.slats"))',
          '{ up: (o) => o, down: () => { throw new Error("no way down"); } }',
        ),
      },
      "kind.ts:3:58: throws on the example one.yaml:1: no way down",
    ],
    [
      "two folders of one kind",
      Object.fromEntries(Object.entries(blind).map(([name, text]) => [name.replace("home/", "more/"), text])),
      "defines the kind Blind.example.org, which",
    ],
  ];

  it.each(cases)("%s", async (_name, changes, sentence) => {
    const files = Object.entries({ ...blind, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const folder = await folderOf(Object.fromEntries(files));
    const { code, stdout, stderr } = await antechamber([
      "serve",
      "--port",
      "0",
      "--ops-port",
      "0",
      "--webhooks",
      folder,
    ]);
    expect(stderr).toContain(sentence);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("all faults are reported at once", async () => {
    const { "home/blind/examples/one.yaml": _, ...files } = blind;
    const folder = await folderOf({ ...files, "home/other/kind.ts": "export default {};" });
    const { stderr } = await antechamber(["manifests", "--webhooks", folder]);
    expect(stderr).toContain("holds no example");
    expect(stderr).toContain("versions is not a list");
  });

  it("a folder without kinds", async () => {
    const { code, stderr } = await antechamber(["manifests", "--webhooks", await folderOf({ "a.txt": "" })]);
    expect(code).toBe(2);
    expect(stderr).toContain("has no kind");
  });

  it("a folder that is not there", async () => {
    const { code, stderr } = await antechamber(["manifests", "--webhooks", "/nowhere/at/all"]);
    expect(code).toBe(2);
    expect(stderr).toContain("/nowhere/at/all");
  });
});
