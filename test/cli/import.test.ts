import { existsSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { get, type JsonObject, set } from "../../src/json/json.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { readYaml, writeYaml } from "../../src/yaml/yaml.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const file = "test/cases/import/gadget.yaml";

async function project(): Promise<{ readonly root: string; readonly out: string; readonly gadget: string }> {
  const root = await folderOf({ "package.json": '{"type":"module"}' });
  const out = path.join(root, "webhooks");
  return { root, out, gadget: path.join(out, "example.org/gadget") };
}

describe("a CRD with two versions", () => {
  it("becomes the folder of a kind that loads", async () => {
    const { out, gadget } = await project();
    const { code, stdout, stderr } = await antechamber(["import", file, "--out", out]);
    expect(code).toBe(0);
    expect(stderr).toContain(`${file}: 1 other object skipped`);
    expect((await readdir(gadget, { recursive: true })).toSorted()).toEqual(
      [
        "examples",
        "examples/v1.yaml",
        "examples/v1alpha1.yaml",
        "kind.ts",
        "v1.yaml",
        "v1alpha1.ts",
        "v1alpha1.yaml",
      ].toSorted(),
    );
    const { definition, examples } = (await loadKinds([out])).all[0] ?? {};
    expect(definition).toMatchObject({
      group: "example.org",
      plural: "gadgets",
      shortNames: ["gd"],
      categories: ["all"],
    });
    expect(definition?.versions.map(({ name }) => name)).toEqual(["v1alpha1", "v1"]);
    expect(examples?.map(({ object }) => object.apiVersion)).toEqual([
      "example.org/v1",
      "example.org/v1alpha1",
    ]);
    expect(stdout).toContain(
      "v1alpha1 to v1: 5 fields = 1 passing + 3 in rows + 0 guessed + 1 left to you; only in v1: 1",
    );
    expect(stdout).toContain("the CRD stores v1alpha1; this kind stores v1");
    expect(stdout).toContain("its conversion is a webhook already (service workshop/gadgets)");
    expect(stdout).toContain(`next: read and complete v1alpha1.ts, then antechamber verify ${gadget}`);
  });

  it("keeps the comments of its schemas, and every value", async () => {
    const { out, gadget } = await project();
    await antechamber(["import", file, "--out", out]);
    const text = await readFile(path.join(gadget, "v1alpha1.yaml"), "utf8");
    for (const comment of ["# What the first release had.", "# moves to location", "# A Go duration."])
      expect(text).toContain(comment);
    const [, crd] = readYaml(await readFile(file, "utf8"));
    const versions = get(crd?.value, "spec", "versions") as readonly JsonObject[];
    expect(readYaml(text)[0]?.value).toEqual(versions[0]);
    expect(readYaml(await readFile(path.join(gadget, "v1.yaml"), "utf8"))[0]?.value).toEqual(versions[1]);
  });

  it("gets examples that an API server admits", async () => {
    const { out, gadget } = await project();
    await antechamber(["import", file, "--out", out]);
    const { code, stdout } = await antechamber([
      "validate",
      "-f",
      path.join(gadget, "examples"),
      "--webhooks",
      gadget,
    ]);
    expect(stdout).toMatch(/gadget/);
    expect(code).toBe(0);
    expect(readYaml(await readFile(path.join(gadget, "examples/v1.yaml"), "utf8"))[0]?.value).toMatchObject({
      spec: { location: { floor: "example" }, drainTimeoutSeconds: 1, rules: [{ timing: { wait: "1h" } }] },
    });
  });

  it("gets examples of what a lens maps, however many fields stand before it", async () => {
    const { out, gadget } = await project();
    const names = Array.from({ length: 200 }, (_, at) => `field${at}`);
    const many = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
    const schema = (name: string, type: string): JsonObject => ({
      ...many,
      end: { type: "object", properties: { ...many, [name]: { type } } },
    });
    const input = writeYaml(
      await changed((spec) => {
        const [older, newer] = spec.versions as readonly JsonObject[];
        const of = (version: JsonObject | undefined, properties: JsonObject) =>
          set(version ?? {}, "schema", {
            openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
          });
        return set(spec, "versions", [
          of(older, schema("drainTimeout", "string")),
          of(newer, schema("drainTimeoutSeconds", "integer")),
        ]);
      }),
    );
    await antechamber(["import", "-", "--out", out], { input });
    const exampleOf = async (version: string) =>
      readYaml(await readFile(path.join(gadget, `examples/${version}.yaml`), "utf8"))[0]?.value;
    expect(await exampleOf("v1alpha1")).toMatchObject({ spec: { end: { drainTimeout: "1h" } } });
    expect(await exampleOf("v1")).toMatchObject({ spec: { end: { drainTimeoutSeconds: 3 } } });
  });

  it("gets a lens that maps what was recognised, and comments that end no code", async () => {
    const { out, gadget } = await project();
    await antechamber(["import", file, "--out", out]);
    const lens = await readFile(path.join(gadget, "v1alpha1.ts"), "utf8");
    expect(lens).toContain('move("spec.drainTimeout", "spec.drainTimeoutSeconds", durationTo("s")),');
    expect(lens).toContain("//   spec.motor  string  Its motor */ `code` and more");
    const object = path.join(gadget, "one.yaml");
    await writeFile(
      object,
      "{apiVersion: example.org/v1alpha1, kind: Gadget, metadata: {name: a}, spec: {floor: two, drainTimeout: 1m30s, rules: [{wait: 5s}]}}",
    );
    const { stdout } = await antechamber(["convert", "-f", object, "--to", "v1", "--webhooks", gadget]);
    expect(readYaml(stdout)[0]?.value).toMatchObject({
      spec: { location: { floor: "two" }, drainTimeoutSeconds: 90, rules: [{ timing: { wait: "5s" } }] },
    });
  });

  it("is read from standard input, as a list and as JSON", async () => {
    const [, crd] = readYaml(await readFile(file, "utf8"));
    const list = { apiVersion: "v1", kind: "List", items: [crd?.value ?? null] };
    for (const input of [JSON.stringify(list), writeYaml(list)]) {
      const { out, gadget } = await project();
      expect(await antechamber(["import", "-", "--out", out], { input })).toMatchObject({ code: 0 });
      expect(readYaml(await readFile(path.join(gadget, "v1.yaml"), "utf8"))[0]?.value).toEqual(
        (get(crd?.value, "spec", "versions") as readonly JsonObject[])[1],
      );
    }
  });

  it("takes the order that --order gives", async () => {
    const { out } = await project();
    expect(await antechamber(["import", file, "--out", out, "--order", "v1,v1alpha1"])).toMatchObject({
      code: 0,
    });
    expect((await loadKinds([out])).all[0]?.hub.name).toBe("v1alpha1");
    const { code, stderr } = await antechamber(["import", file, "--out", out, "--order", "v1"]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `--order v1: ${file}:6 has the versions v1alpha1, v1; name each of them once, oldest first`,
    );
  });

  it("is not written by a dry run, nor over files that exist", async () => {
    const { out, gadget } = await project();
    const dry = await antechamber(["import", file, "--out", out, "--dry-run"]);
    expect(dry).toMatchObject({ code: 0 });
    expect(dry.stderr).toContain(`would write ${gadget}/kind.ts`);
    expect(existsSync(out)).toBe(false);
    await antechamber(["import", file, "--out", out]);
    await writeFile(path.join(gadget, "v1alpha1.ts"), "// mine\n");
    const again = await antechamber(["import", file, "--out", out]);
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/v1alpha1\.ts.* exist: .*--force/);
    expect(await readFile(path.join(gadget, "v1alpha1.ts"), "utf8")).toBe("// mine\n");
    expect(await antechamber(["import", file, "--out", out, "--force"])).toMatchObject({ code: 0 });
  });
});

it("a CRD with one version becomes a kind without a lens", async () => {
  const { out, gadget } = await project();
  const input = writeYaml(await changed((spec) => set(spec, "versions", [onlyStored(spec)])));
  const { code, stdout } = await antechamber(["import", "-", "--out", out], { input });
  expect(code).toBe(0);
  expect(stdout).toContain("v1alpha1 is its only version: there is nothing to convert");
  expect((await readdir(gadget)).toSorted()).toEqual(["examples", "kind.ts", "v1alpha1.yaml"]);
});

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "as.example.org" },
};
const bad: readonly (readonly [what: string, input: string, message: RegExp | string])[] = [
  ["no CRD", "kind: Pod\napiVersion: v1", "-: no CustomResourceDefinition found"],
  [
    "an old CRD",
    `apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition`,
    "stdin:1: apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22",
  ],
  [
    "another group of CRDs",
    `apiVersion: example.org/v1\nkind: CustomResourceDefinition`,
    'stdin:1: apiVersion "example.org/v1" is not that of a CustomResourceDefinition',
  ],
  [
    "a CRD without anything",
    `${writeYaml(crd)}spec: nothing`,
    /stdin:1: an API server would reject this CRD:\n/,
  ],
  ["malformed YAML", "kind: CustomResourceDefinition\nspec: [", /^stdin:\d+:\d+: /m],
];

it.each(bad)("%s is refused with its place", async (_what, input, message) => {
  const { out } = await project();
  const { code, stdout, stderr } = await antechamber(["import", "-", "--out", out], { input });
  expect({ code, stdout, written: existsSync(out) }).toEqual({ code: 2, stdout: "", written: false });
  expect(stderr).toMatch(message);
});

it("a schema that is not structural is refused with the line of the field", async () => {
  const { root, out } = await project();
  const text = await readFile(file, "utf8");
  const wrong = text.replace(
    "wait: { type: string }\n            status",
    "wait: { description: no type }\n            status",
  );
  const target = path.join(root, "crd.yaml");
  await writeFile(target, wrong);
  const { code, stderr } = await antechamber(["import", target, "--out", out]);
  expect(code).toBe(2);
  const line = wrong.split("\n").findIndex((each) => each.includes("no type")) + 1;
  expect(stderr).toMatch(
    new RegExp(`${target}:${line}: spec\\.versions\\[0\\].*items.*wait.*type: Required value`),
  );
});

/** The CRD of the case with another spec. */
async function changed(change: (spec: JsonObject) => JsonObject): Promise<JsonObject> {
  const [, document] = readYaml(await readFile(file, "utf8"));
  const object = document?.value as JsonObject;
  return set(object, "spec", change(object.spec as JsonObject));
}

function onlyStored({ versions }: JsonObject): JsonObject {
  return (versions as readonly JsonObject[])[0] as JsonObject;
}

describe("a draft whose author would be surprised", () => {
  it("says first what passes unchecked, what is denied, and what nothing fills", async () => {
    const { out } = await project();
    const { code, stdout } = await antechamber(["import", "test/cases/import/queue.yaml", "--out", out]);
    expect(code).toBe(0);
    const [open, narrow] = stdout.split(/^ {2}v1beta1 to v1:.*\n/m);
    expect(open).toContain(
      "v1alpha1 to v1beta1: 2 fields = 2 passing + 0 in rows + 0 guessed + 0 left to you; only in v1beta1: 0\n    v1alpha1 takes any fields in spec, status: 9 fields of v1beta1 pass by name, unchecked\n",
    );
    expect(stdout).toContain(
      "v1beta1 to v1: 9 fields = 4 passing + 1 in rows + 1 guessed + 3 left to you; only in v1: 3\n",
    );
    const warnings = [
      'v1 has fewer choices: spec.policy (not "Any"), spec.modes (not "b"), spec.free (only "x", "y"). Objects made at v1beta1 with another one are denied',
      "v1 requires spec.cohort, spec.limits, which nothing in v1beta1 fills. Objects made at v1beta1 are denied",
      "v1 requires spec.weight, which is optional in v1beta1. Objects made at v1beta1 without are denied; a default in v1.yaml",
      "v1beta1 requires spec.owner, which nothing in v1 fills. Clients of v1beta1 cannot change objects made at v1",
      "v1beta1 requires spec.zone, spec.team, which are optional in v1. Clients of v1beta1 cannot change objects made at v1 without; a default in v1beta1.yaml mends that",
    ];
    const lens = await readFile(path.join(out, "example.org/queue/v1beta1.ts"), "utf8");
    expect(lens).toContain(" * 9 fields = 4 passing + 1 in rows + 1 guessed + 3 left to you.");
    expect(lens).toContain("//   spec.extras  list of objects with 1 field\n");
    for (const warning of warnings) {
      expect(narrow).toContain(`    ${warning}`);
      expect(lens).toContain(`//   ${warning}`);
    }
  });

  it("says where nothing of old objects is to be seen", async () => {
    const input = writeYaml(
      await changed((spec) => {
        const [older, newer] = spec.versions as readonly JsonObject[];
        const schema = (field: string, type: string): JsonObject => ({
          openAPIV3Schema: { type: "object", properties: { [field]: { type } } },
        });
        return set(spec, "versions", [
          { ...older, schema: schema("lamp", "string") },
          { ...newer, schema: schema("watts", "integer") },
        ]);
      }),
    );
    const { stdout } = await antechamber(["import", "-", "--dry-run"], { input });
    expect(stdout).toContain(
      "    clients of v1 see nothing of objects made at v1alpha1 until the lens has rows\n",
    );
  });

  it("proposes a row with a choice for the others where the newer version requires the field", async () => {
    const input = writeYaml(
      await changed((spec) => {
        const [older, newer] = spec.versions as readonly JsonObject[];
        const schema = (mode: JsonObject): JsonObject => {
          const properties = { mode: { type: "string", ...mode }, size: { type: "integer" } };
          const of: JsonObject = { type: "object", required: ["mode"], properties };
          return { openAPIV3Schema: { type: "object", properties: { spec: of } } };
        };
        const versions = [
          { ...older, schema: schema({}) },
          { ...newer, schema: schema({ enum: ["fast", "slow"] }) },
        ];
        return set(spec, "versions", versions);
      }),
    );
    const { out, gadget } = await project();
    await antechamber(["import", "-", "--out", out], { input });
    // Node.js has loaded the modules of the first folder.
    const mended = path.join(out, "mended");
    await cp(gadget, mended, { recursive: true });
    const lens = path.join(mended, "v1alpha1.ts");
    const text = await readFile(lens, "utf8");
    const [, row = ""] = /^\/\/ {3}(move\(.*\))$/m.exec(text) ?? [];
    await writeFile(lens, text.replace("{ lens }", "{ lens, move, only }").replace("lens()", `lens(${row})`));
    const object = path.join(mended, "one.yaml");
    await writeFile(
      object,
      "{apiVersion: example.org/v1alpha1, kind: Gadget, metadata: {name: a}, spec: {mode: odd}}",
    );
    const { stdout } = await antechamber(["convert", "-f", object, "--to", "v1", "--webhooks", mended]);
    expect(readYaml(stdout)[0]?.value).toMatchObject({ spec: { mode: "fast" } });
    const old = path.join(mended, "old.yaml");
    await writeFile(old, stdout);
    const back = await antechamber(["convert", "-f", old, "--to", "v1alpha1", "--webhooks", mended]);
    expect(readYaml(back.stdout)[0]?.value).toMatchObject({ spec: { mode: "odd" } });
  });

  it("is right about it, as the kind itself shows", async () => {
    const { root, out } = await project();
    await antechamber(["import", "test/cases/import/queue.yaml", "--out", out]);
    const object = (version: string, spec: JsonObject): JsonObject => ({
      apiVersion: `example.org/${version}`,
      kind: "Queue",
      metadata: { name: "a", namespace: "default" },
      spec,
    });
    const validate = async (next: string, old?: string) => {
      await writeFile(path.join(root, "next.yaml"), next);
      if (old !== undefined) await writeFile(path.join(root, "old.yaml"), old);
      const args = old === undefined ? [] : ["--old", path.join(root, "old.yaml")];
      return antechamber(["validate", "-f", path.join(root, "next.yaml"), ...args, "--webhooks", out]);
    };
    const convert = async (input: string, version: string) =>
      (await antechamber(["convert", "-f", "-", "--to", version, "--webhooks", out], { input })).stdout;
    const denied = writeYaml(
      object("v1beta1", { depth: 1, owner: "me", zone: "a", team: "b", policy: "Any" }),
    );
    const { stderr } = await validate(denied);
    for (const cause of [
      /spec\.policy: Unsupported value: "Any"/,
      /spec\.cohort: Required/,
      /spec\.weight: Required/,
      /spec\.limits: Required/,
    ])
      expect(stderr).toMatch(cause);
    const made = await convert(
      writeYaml(object("v1", { depth: 1, cohort: "c", limits: { cpu: "1" } })),
      "v1beta1",
    );
    const changed = await validate(made.replace("depth: 1", "depth: 2"), made);
    for (const field of ["spec.owner", "spec.zone", "spec.team"])
      expect(changed.stderr).toContain(`${field}: Required value`);
    const open = await convert(
      writeYaml(object("v1alpha1", { depth: 1, owner: "me", policy: "Any" })),
      "v1beta1",
    );
    expect(readYaml(open)[0]?.value).toMatchObject({ spec: { depth: 1, policy: "Any" } });
  });
});

it("a CRD with anchors and aliases of YAML means the same", async () => {
  const { out, gadget } = await project();
  const text = await readFile(file, "utf8");
  const anchored = text
    .replace("name: v1alpha1", "name: &older v1alpha1")
    .replace(/(name: v1\n)/, "$1      deprecationWarning: *older\n      deprecated: true\n");
  expect(anchored).toContain("*older");
  const { code, stderr } = await antechamber(["import", "-", "--out", out], { input: anchored });
  expect(code, stderr).toBe(0);
  expect(readYaml(await readFile(path.join(gadget, "v1.yaml"), "utf8"))[0]?.value).toMatchObject({
    deprecationWarning: "v1alpha1",
  });
});
