import { describe, expect, it } from "vitest";
import { validate } from "../../src/cli/validate/run.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const light = (name: string, spec: string, version = "v1") =>
  `{apiVersion: home.antechamber.dev/${version}, kind: Light, metadata: {name: ${name}}, spec: ${spec}}\n`;

const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.example.org }
spec:
  group: example.org
  scope: Cluster
  names: { plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, maximum: 5 }
                color: { type: string, default: red }
`;
const gadget = (spec: string) =>
  `{apiVersion: example.org/v1, kind: Gadget, metadata: {name: g}, spec: ${spec}}`;

describe("antechamber validate", () => {
  it("takes files as arguments too, beside those of -f", async () => {
    const files = await folderOf({
      "a.yaml": light("one", "{brightness: 1}"),
      "b.yaml": light("two", "{brightness: 3}"),
    });
    const names = [`${files}/a.yaml`, `${files}/b.yaml`] as const;
    const [byArguments, byOption, byBoth] = [
      await antechamber(["validate", ...names]),
      await antechamber(["validate", "-f", ...names]),
      await antechamber(["validate", names[1], "-f", names[0]]),
    ];
    expect(byArguments).toEqual(byOption);
    expect(byBoth).toEqual(byOption);
    expect(byOption.code).toBe(1);
    expect((await antechamber(["validate"])).code).toBe(2);
    expect((await antechamber(["validate", names[0], "--live"])).stderr).toContain("exclude each other");
  });

  it("prints what kubectl apply would print, and exits with 1 if an object is rejected", async () => {
    const files = await folderOf({
      "lights.yaml": `${light("good", "{brightness: 1}")}---\n${light("bad", "{brightness: 3}")}`,
    });
    expect(await antechamber(["validate", "-f", files])).toEqual({
      code: 1,
      stdout: "light.home.antechamber.dev/good created\n",
      stderr:
        'The Light "bad" is invalid: spec.brightness: Invalid value: 3: spec.brightness in body should be less than or equal to 1\n' +
        `  at ${files}/lights.yaml:3:82: spec.brightness\n1 of 2 rejected\n`,
    });
  });

  it("prints for each document whether it is allowed, its status and the object that would be stored", async () => {
    const files = await folderOf({
      "lights.yaml": `${light("kit", '{device: {address: "matter://kit"}}')}---\n${light("bad", "{brightness: x}")}`,
    });
    const { code, stdout } = await antechamber(["validate", "-f", files, "-o", "json"]);
    expect(code).toBe(1);
    const [kit, bad] = JSON.parse(stdout).items;
    expect(kit).toMatchObject({
      allowed: true,
      object: {
        metadata: { name: "kit", namespace: "default" },
        // The schema's default, and what the mutating webhook made of the address.
        spec: { transition: "0s", device: { protocol: "Matter", address: "kit" } },
      },
    });
    expect(bad).toMatchObject({
      file: `${files}/lights.yaml`,
      line: 3,
      allowed: false,
      status: { code: 422, reason: "Invalid" },
      fields: [{ field: "spec.brightness", line: 3 }],
    });
    expect(bad).not.toHaveProperty("object");
  });

  it("accepts a CRD, standard input, an update and a write of status", async () => {
    const files = await folderOf({ "crd.yaml": gadgets, "old.yaml": gadget("{size: 9}") });
    const crd = ["validate", "--crd", `${files}/crd.yaml`];
    const made = await antechamber([...crd, "-f", "-", "-o", "json"], { input: gadget("{size: 1}") });
    expect(JSON.parse(made.stdout)).toMatchObject({
      allowed: true,
      object: { spec: { size: 1, color: "red" } },
    });
    const missing = await antechamber([...crd, "-f", "-"], { input: gadget("{}") });
    expect(missing).toMatchObject({
      code: 1,
      stderr:
        'The Gadget "g" is invalid: spec.size: Required value\n  at stdin:1:65: spec.size\n1 of 1 rejected\n',
    });
    // What was wrong before and is not touched is not held against anybody.
    const old = ["--old", `${files}/old.yaml`];
    const update = await antechamber([...crd, ...old, "-f", "-"], {
      input: gadget("{size: 9, color: blue}"),
    });
    expect(update).toMatchObject({ code: 0, stdout: "gadget.example.org/g configured\n" });
  });

  it("keeps apart in JSON how a number is written", async () => {
    const files = await folderOf({ "crd.yaml": gadgets });
    const command = ["validate", "--crd", `${files}/crd.yaml`, "-f", "-"];
    const json = (size: string) =>
      `{"apiVersion": "example.org/v1", "kind": "Gadget", "metadata": {"name": "g"}, "spec": {"size": ${size}}}`;
    const stored = await antechamber([...command, "-o", "json"], { input: json("1e0") });
    expect(JSON.parse(stored.stdout)).toMatchObject({ object: { spec: { size: 1 } } });
    const float = await antechamber(command, { input: json("1e18") });
    expect(float.stderr).toContain('must be of type integer: "number"');
    const endless = await antechamber(command, { input: json("1e400") });
    expect(endless.stderr).toContain("json: cannot unmarshal number 1e400 into Go value of type float64");
  });

  it("prints the warnings of a CRD, as data as well", async () => {
    const files = await folderOf({
      "crd.yaml": gadgets.replace("type: string,", "type: string, format: x,"),
    });
    const command = ["validate", "--crd", `${files}/crd.yaml`, "-f", "-"];
    const input = gadget("{size: 1}");
    expect(await antechamber(command, { input })).toMatchObject({
      code: 0,
      stderr: 'Warning: unrecognized format "x"\n',
    });
    const { items } = JSON.parse((await antechamber([...command, "-o", "json"], { input })).stdout);
    expect(items).toMatchObject([
      { crd: "gadgets.example.org", allowed: true, warnings: ['unrecognized format "x"'] },
      { allowed: true, object: { spec: { size: 1 } } },
    ]);
  });

  it("prints the causes of a CRD that is rejected, with their reasons", async () => {
    const files = await folderOf({ "crd.yaml": gadgets.replace("type: integer, ", "") });
    const command = ["validate", "--crd", files, "-f", "-", "-o", "json"];
    const { code, stdout } = await antechamber(command, { input: gadget("{size: 1}") });
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({
      crd: "gadgets.example.org",
      allowed: false,
      status: {
        code: 422,
        details: {
          kind: "CustomResourceDefinition",
          causes: expect.arrayContaining([
            {
              reason: "FieldValueRequired",
              field: expect.stringMatching(/properties\[size\]\.type$/),
              message: "Required value: must not be empty for specified object fields",
            },
          ]),
        },
      },
    });
  });

  it.each([
    [
      "github",
      /^::error file=[^,]*lights\.yaml,line=3,col=82,title=Light\.home\.antechamber\.dev%3A bad \(FieldValueInvalid\)::spec\.brightness: Invalid value: 3/,
    ],
    [
      "junit",
      /<testcase classname="Light\.home\.antechamber\.dev" name="good"\/>\n.*name="bad">\n +<failure type="FieldValueInvalid" message="spec\.brightness: Invalid value: 3/,
    ],
    ["sarif", /"ruleId": "FieldValueInvalid",\n(?:.*\n)*.*"startLine": 3,\n +"startColumn": 82/],
  ])("reports the place of a rejected field as %s", async (format, printed) => {
    const files = await folderOf({
      "lights.yaml": `${light("good", "{brightness: 1}")}---\n${light("bad", "{brightness: 3}")}`,
    });
    const { code, stdout } = await antechamber(["validate", "-f", files, "-o", format]);
    expect(code).toBe(1);
    expect(stdout).toMatch(printed);
  });

  it("validates the rest if documents of unknown kinds are to be skipped", async () => {
    const files = await folderOf({
      "a.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\nimage: {tag: v1}\n---\n[1]\n",
      "b.yaml": `{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n---\n${light("good", "{brightness: 1}")}`,
    });
    const strict = await antechamber(["validate", "-f", files]);
    expect(strict.code).toBe(2);
    const strange = await antechamber(["validate", "-f", `${files}/b.yaml`]);
    expect(strange).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/b\.yaml:1: unknown kind ConfigMap of v1; .*; add --skip-unknown/),
    });
    expect(await antechamber(["validate", "-f", files, "--skip-unknown"])).toEqual({
      code: 0,
      stdout: "light.home.antechamber.dev/good created\n",
      stderr:
        `skipped ${files}/a.yaml:5: must be an object with apiVersion and kind, not a list\n` +
        `skipped ${files}/a.yaml:1 and 1 more: unknown kind ConfigMap of v1\n` +
        `skipped ${files}/a.yaml:3: the object has no apiVersion and kind\n`,
    });
    const none = await antechamber(["validate", "-f", `${files}/a.yaml`, "--skip-unknown"]);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("every document was skipped") });
  });

  it("loads the default kinds only if a document needs one", async () => {
    const files = await folderOf({ "crd.yaml": gadgets, "gadget.yaml": gadget("{size: 1}") });
    const options = {
      file: [`${files}/gadget.yaml`],
      crd: [`${files}/crd.yaml`],
      webhooks: [`${files}/no-such-folder`],
      hasWebhooks: false,
      namespace: "default",
      fieldValidation: "strict",
      output: "text",
    } as const;
    const io = {
      now: () => new Date(0),
      random: () => 0,
      coloured: false,
      readStdin: async () => light("a", "{}"),
    };
    const printed: string[] = [];
    const notes: string[] = [];
    const out = {
      ...io,
      print: (text: string) => printed.push(text),
      note: (line: string) => notes.push(line),
    };
    await validate(options, out);
    expect(printed).toEqual(["gadget.example.org/g created\n"]);
    await expect(validate({ ...options, file: ["-"] }, out)).rejects.toThrow("no-such-folder");
    await expect(validate({ ...options, hasWebhooks: true }, out)).rejects.toThrow("no-such-folder");
  });

  it("reports an error in a CRD as the API server does, and an object of an unknown kind", async () => {
    const files = await folderOf({ "crd.yaml": gadgets.replace("type: integer, ", "") });
    const refused = await antechamber(["validate", "--crd", files, "-f", "-"], {
      input: gadget("{size: 1}"),
    });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(".properties[size].type: Required value: must not be empty"),
    });
    const strange = await antechamber(["validate", "-f", "-"], { input: gadget("{size: 1}") });
    expect(strange).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/unknown kind Gadget of example.org\/v1; known kinds are .*Room/),
    });
  });

  it("rejects unknown fields, warns about them or ignores them, as kubectl does", async () => {
    const files = await folderOf({ "light.yaml": light("a", "{brightnes: 1}") });
    const asked = (level: string) => antechamber(["validate", "-f", files, "--field-validation", level]);
    const [strict, warn, ignore] = await Promise.all(["strict", "warn", "ignore"].map(asked));
    expect(strict).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /strict decoding error: unknown field "spec.brightnes"\n {2}at \S+light.yaml:1:\d+: spec.brightnes\n/,
      ),
    });
    expect(warn).toMatchObject({ code: 0, stderr: 'Warning: unknown field "spec.brightnes"\n' });
    expect(ignore).toMatchObject({ code: 0, stderr: "" });
  });

  it("answers like the release of Kubernetes that is asked for, by default the newest", async () => {
    const owned = `apiVersion: home.antechamber.dev/v1
kind: Light
metadata: { name: a, ownerReferences: [{ apiVersion: v1, kind: Pod, uid: "1" }] }
spec: { device: { address: "matter://a" } }
`;
    const files = await folderOf({ "light.yaml": owned });
    const asked = (...release: string[]) => antechamber(["validate", "-f", files, ...release]);
    const newest = "metadata.ownerReferences[0].name: Required value: must not be empty";
    const before = 'metadata.ownerReferences.name: Invalid value: "": must not be empty';
    expect((await asked()).stderr).toContain(newest);
    expect((await asked("--kubernetes-version", "1.37")).stderr).toContain(newest);
    for (const release of ["1.36", "v1.36.3"]) {
      const answer = await asked("--kubernetes-version", release);
      expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining(before) });
    }
    expect(await asked("--kubernetes-version", "1.20")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Known releases are 1.36 and 1.37"),
    });
  });

  it("keeps the warning of an unknown field where the mutating webhook changes the object", async () => {
    const sidecars = `apiVersion: apps.kruise.io/v1beta1
kind: SidecarSet
metadata: { name: a }
spec: { bogus: 1, selector: { matchLabels: { a: b } }, containers: [{ name: c, image: i }] }
`;
    const asked = await antechamber(["validate", "-f", "-", "--field-validation", "warn"], {
      input: sidecars,
    });
    expect(asked).toMatchObject({ code: 0, stderr: 'Warning: unknown field "spec.bogus"\n' });
  });
});
