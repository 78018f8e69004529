import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createAuthority } from "../../certs/authority.ts";
import { get, isObject, type JsonObject, listAt } from "../../src/json/json.ts";
import { crdsOfXrd } from "../../src/offline/xrd.ts";
import { compileCrd } from "../../src/schema/index.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
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

describe.each(["databases", "apps", "zones"])("the kinds of %s", (name) => {
  const file = `test/cases/xrd/${name}.yaml`;

  it("have an XRD of which Crossplane makes their CRDs, with the webhook and its CA, each time it writes them in full", async () => {
    const print = await printerOf(file);
    const [xrd = {}, ...others] = await print("--xrd", file);
    expect(others).toEqual([]);
    const rewritten = crdsOfXrd("printed", xrd);
    expect(rewritten.map(partsOf)).toEqual((await print()).map(partsOf));
    for (const crd of rewritten) expect(compileCrd(crd)).toHaveProperty("crd");
    for (const { spec } of rewritten) {
      const isConverted = listAt(spec, "versions").length > 1;
      const bundle = get(spec, "conversion", "webhook", "clientConfig", "caBundle");
      expect(typeof bundle).toBe(isConverted ? "string" : "undefined");
    }
  });

  it("have an XRD that stays the same when it is made of itself", async () => {
    const print = await printerOf(file);
    const [xrd = {}] = await print("--xrd", file);
    const folder = await folderOf({ "xrd.yaml": writeYaml(xrd) });
    expect(await print("--xrd", `${folder}/xrd.yaml`)).toEqual([xrd]);
  });
});

/** Imports an XRD, and prints the definitions of its kinds, those of composite resources first. */
async function printerOf(file: string) {
  const { certificate } = await createAuthority({ commonName: "ca", now: new Date(), days: 1 });
  const folder = await folderOf({ "ca.crt": certificate });
  await antechamber(["import", file, "--out", `${folder}/webhooks`]);
  const options = [
    "--webhooks",
    `${folder}/webhooks`,
    "--ca",
    `${folder}/ca.crt`,
    "--service",
    "apps/converter",
  ];
  return async (...more: readonly string[]) => {
    const { code, stdout, stderr } = await antechamber(["manifests", ...options, ...more]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const objects = readYaml(stdout).map(({ value }) => value);
    const isOfClaims = (each: JsonObject) => listAt(each, "spec", "names", "categories").includes("claim");
    return objects
      .filter(isObject)
      .filter(({ kind }) => String(kind).endsWith("Definition"))
      .toSorted((a, b) => Number(isOfClaims(a)) - Number(isOfClaims(b)));
  };
}

function partsOf({ metadata, spec }: JsonObject) {
  return {
    name: get(metadata, "name"),
    installation: get(metadata, "labels", "antechamber.dev/installation"),
    conversion: get(spec, "conversion"),
    versions: get(spec, "versions"),
  };
}

it("manifests refuses an XRD of which Crossplane would make another CRD than a kind has", async () => {
  const webhooks = await folderOf({});
  await antechamber(["import", "test/cases/xrd/databases.yaml", "--out", webhooks]);
  const printed = () =>
    antechamber(["manifests", "--webhooks", webhooks, "--xrd", "test/cases/xrd/databases.yaml"]);
  const file = `${webhooks}/platform.example.org/database/v1beta1.yaml`;
  await writeFile(file, readFileSync(file, "utf8").replace("minimum: 1", "minimum: 2"));
  expect(await printed()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      "Crossplane would make another v1beta1 of databases.platform.example.org",
    ),
  });
  await rm(`${webhooks}/platform.example.org/database`, { recursive: true });
  expect(await printed()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Crossplane makes databases.platform.example.org of it"),
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
