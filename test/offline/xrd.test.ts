import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isObject, type JsonObject } from "../../src/json/json.ts";
import { crdsOfXrd } from "../../src/offline/xrd.ts";
import { compileCrd } from "../../src/schema/index.ts";
import { readYaml } from "../../src/yaml/yaml.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const read = (name: string): readonly JsonObject[] =>
  readYaml(readFileSync(`test/cases/xrd/${name}.yaml`, "utf8"))
    .map(({ value }) => value)
    .filter(isObject);

const made = (name: string) => read(name).flatMap((xrd) => crdsOfXrd(`${name}.yaml:1`, xrd));

describe.each(["databases", "apps", "zones"])("of %s", (name) => {
  it("the same CRDs are made as Crossplane's own code made, which test/cases/xrd/record.go records", () => {
    expect(made(name)).toEqual(read(`${name}.crds`));
  });

  it("an API server accepts them", () => {
    for (const crd of made(name)) expect(compileCrd(crd)).toHaveProperty("crd");
  });

  it("compat finds no difference between the XRD and them", async () => {
    const [before, after] = [`test/cases/xrd/${name}.yaml`, `test/cases/xrd/${name}.crds.yaml`];
    const { code, stdout } = await antechamber(["compat", before, after, "-o", "json"]);
    expect(code).toBe(0);
    for (const { findings } of JSON.parse(stdout).kinds) expect(findings).toEqual([]);
  });
});

it("import makes a kind of the composite resources and one of the claims", async () => {
  const folder = await folderOf({});
  const { code, stdout, stderr } = await antechamber([
    "import",
    "test/cases/xrd/databases.yaml",
    "--out",
    folder,
  ]);
  expect({ code, stderr: stderr.match(/skipped/g) }).toEqual({ code: 0, stderr: null });
  expect(stdout).toMatch(/^XDatabase\.platform.*\n[\s\S]*^Database\.platform/m);
  expect(readFileSync(`${folder}/platform.example.org/xdatabase/v1beta1.yaml`, "utf8")).toContain("claimRef");
  expect(readFileSync(`${folder}/platform.example.org/database/v1beta1.yaml`, "utf8")).toContain(
    "resourceRef",
  );
});
