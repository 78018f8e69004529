import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const lock = (spec: string, status = "{}") =>
  `{apiVersion: home.antechamber.dev/v1, kind: Lock, metadata: {name: door, namespace: home}, spec: ${spec}, status: ${status}}`;

const room = (name: string, annotations = "{}") =>
  `{apiVersion: home.antechamber.dev/v1, kind: Room, metadata: {name: ${name}, namespace: home, annotations: ${annotations}}, spec: {lights: [{name: lamp}]}}`;

describe("antechamber admit", () => {
  it("prints the results of the webhooks: a change as a difference, a warning, a rejection with its reason", async () => {
    const files = await folderOf({
      "room.yaml": room("hall", '{home.antechamber.dev/default-transition: "2s"}'),
      "others/attic.yaml": room("attic").replace("lamp", "other"),
    });
    const args = ["admit", "-f", `${files}/room.yaml`, "--with", `${files}/others`];
    const allowed = await antechamber(args);
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain("room.yaml:1: CREATE Room hall: allowed and changed\n");
    expect(allowed.stdout).toMatch(/\n {2}\+ +transition: 2s\n/);
    expect(allowed.stdout).not.toContain("\u001b");

    const taken = await folderOf({ "attic.yaml": room("attic") });
    const rejected = await antechamber([...args.slice(0, 3), "--with", taken]);
    expect(rejected).toMatchObject({ code: 1, stderr: expect.stringMatching(/^1 of 1 rejected$/m) });
    expect(rejected.stdout).toMatch(/\n {2}at .*room\.yaml:1:\d+: spec\.lights\[0\]\.name\n/);
    expect(rejected.stdout).toContain("hall: rejected\n");
    expect(rejected.stdout).toContain('the light belongs to Room "attic"; remove it there first');
  });

  it("tests an update if the previous objects are given", async () => {
    const files = await folderOf({
      "new.yaml": lock("{desiredState: Unlocked}", '{conditions: [{type: Jammed, status: "True"}]}'),
      "old.yaml": lock("{desiredState: Locked}", '{conditions: [{type: Jammed, status: "True"}]}'),
    });
    const update = ["admit", "-f", `${files}/new.yaml`, "--old", `${files}/old.yaml`];
    const rejected = await antechamber([...update, "-o", "json"]);
    expect(rejected.code).toBe(1);
    expect(JSON.parse(rejected.stdout)).toMatchObject({
      allowed: false,
      status: { code: 422, reason: "Invalid", details: { causes: [{ field: "spec.desiredState" }] } },
      patch: [],
    });
    expect(await antechamber(["admit", "-f", `${files}/new.yaml`])).toMatchObject({ code: 0 });
    const missing = await antechamber([...update.slice(0, 3), "--old", `${files}/none`]);
    expect(missing).toMatchObject({ code: 2 });
  });

  it("accepts a whole review, and prints the patch or the resulting object", async () => {
    const review = "webhooks/home/room/reviews/mutate";
    const name = (await readdir(review)).find((each) => !each.endsWith(".answer.json"));
    const patch = await antechamber(["admit", "-f", `${review}/${name}`, "--only", "mutate", "-o", "patch"]);
    expect(patch.code).toBe(0);
    expect(JSON.parse(patch.stdout)).toContainEqual(expect.objectContaining({ op: "add" }));
    const whole = await antechamber(["admit", "-f", `${review}/${name}`, "--only", "mutate", "-o", "yaml"]);
    expect(whole.stdout).toContain("kind: Room");
  });

  it("says which schemas were not checked", async () => {
    const pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: []}}";
    const review = (kind: string) =>
      `{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {uid: a, operation: CREATE, kind: {group: x.example, version: v1, kind: ${kind}}, object: {metadata: {name: a}}}}`;
    const input = [room("hall"), room("attic"), pod, review("Strange")].join("\n---\n");
    const { stderr, code } = await antechamber(["admit", "-f", "-"], { input });
    expect({ stderr, code }).toEqual({
      code: 0,
      stderr:
        "note: the schema of Room.home.antechamber.dev was not checked; antechamber validate checks it too\n" +
        "note: the schema of Pod was not checked: only an API server has it\n" +
        "note: Strange.x.example is not known here: neither its schema nor its webhooks were asked; pass its CRD with --crd\n",
    });
    const { stdout } = await antechamber(["admit", "-f", "-", "-o", "json"], { input: room("hall") });
    expect(JSON.parse(stdout)).toMatchObject({ file: "stdin", line: 1, schemaChecked: false });
  });

  it("skips documents of unknown kinds on request", async () => {
    const input = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n${room("hall")}`;
    const { code, stdout, stderr } = await antechamber(["admit", "-f", "-", "--skip-unknown"], { input });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^stdin:3: CREATE Room/),
    });
    expect(stderr).toContain("skipped stdin:1: unknown kind ConfigMap of v1\n");
  });

  it("lists the known kinds for an unknown one", async () => {
    const files = await folderOf({
      "pod.yaml": "{apiVersion: x.example/v1, kind: Strange, metadata: {name: a}}",
    });
    const { code, stderr } = await antechamber(["admit", "-f", files]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/unknown kind Strange of x.example\/v1; known kinds are .*Room/),
    });
  });

  it("validates a kind without a folder by the schema of its CRD", async () => {
    const files = await folderOf({
      "crd.yaml": `
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
                  properties: { size: { type: integer, maximum: 5, default: 1 } }`,
    });
    const gadget = (more: string) => `{apiVersion: example.org/v1, kind: Gadget, metadata: {name: g}${more}}`;
    const args = ["admit", "--crd", files, "-f", "-"];
    const filled = await antechamber([...args, "-o", "patch"], { input: gadget("") });
    expect(JSON.parse(filled.stdout)).toEqual([{ op: "add", path: "/size", value: 1 }]);
    const rejected = await antechamber(args, { input: gadget(", size: 9") });
    expect(rejected).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "size: Invalid value: 9: size in body should be less than or equal to 5",
      ),
    });
  });
});
