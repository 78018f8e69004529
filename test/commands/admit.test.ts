import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const lock = (spec: string, status = "{}") =>
  `{apiVersion: home.antechamber.dev/v1, kind: Lock, metadata: {name: door, namespace: home}, spec: ${spec}, status: ${status}}`;

const room = (name: string, annotations = "{}") =>
  `{apiVersion: home.antechamber.dev/v1, kind: Room, metadata: {name: ${name}, namespace: home, annotations: ${annotations}}, spec: {lights: [{name: lamp}]}}`;

describe("antechamber admit", () => {
  it("says what the webhooks say: a change as a difference, a warning, a refusal with its reason", async () => {
    const files = await folderOf({
      "room.yaml": room("hall", '{home.antechamber.dev/default-transition: "2s"}'),
      "others/attic.yaml": room("attic").replace("lamp", "other"),
    });
    const args = ["admit", "-f", `${files}/room.yaml`, "--with", `${files}/others`];
    const allowed = await antechamber(args);
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain("room.yaml:1: CREATE Room hall: allowed, and changed\n");
    expect(allowed.stdout).toMatch(/\n {2}\+ +transition: 2s\n/);
    expect(allowed.stdout).not.toContain("\u001b");

    const taken = await folderOf({ "attic.yaml": room("attic") });
    const refused = await antechamber([...args.slice(0, 3), "--with", taken]);
    expect(refused).toMatchObject({ code: 1, stderr: "1 of 1 refused\n" });
    expect(refused.stdout).toContain("hall: refused\n");
    expect(refused.stdout).toContain('the light belongs to Room "attic"; take it out there first');
  });

  it("asks about an update where it is told what was there before", async () => {
    const files = await folderOf({
      "new.yaml": lock("{desiredState: Unlocked}", '{conditions: [{type: Jammed, status: "True"}]}'),
      "old.yaml": lock("{desiredState: Locked}", '{conditions: [{type: Jammed, status: "True"}]}'),
    });
    const update = ["admit", "-f", `${files}/new.yaml`, "--old", `${files}/old.yaml`];
    const refused = await antechamber([...update, "-o", "json"]);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({
      allowed: false,
      status: { code: 422, reason: "Invalid", details: { causes: [{ field: "spec.desiredState" }] } },
      patch: [],
    });
    expect(await antechamber(["admit", "-f", `${files}/new.yaml`])).toMatchObject({ code: 0 });
    const strange = await antechamber([...update.slice(0, 3), "--old", `${files}/none`]);
    expect(strange).toMatchObject({ code: 2 });
  });

  it("takes a whole review, and prints the patch, or the object as it goes on", async () => {
    const review = "webhooks/home/room/reviews/mutate";
    const name = (await readdir(review)).find((each) => !each.endsWith(".answer.json"));
    const patch = await antechamber(["admit", "-f", `${review}/${name}`, "--only", "mutate", "-o", "patch"]);
    expect(patch.code).toBe(0);
    expect(JSON.parse(patch.stdout)).toContainEqual(expect.objectContaining({ op: "add" }));
    const whole = await antechamber(["admit", "-f", `${review}/${name}`, "--only", "mutate", "-o", "yaml"]);
    expect(whole.stdout).toContain("kind: Room");
  });

  it("names the kinds that there are where one is none of them", async () => {
    const files = await folderOf({
      "pod.yaml": "{apiVersion: x.example/v1, kind: Strange, metadata: {name: a}}",
    });
    const { code, stderr } = await antechamber(["admit", "-f", files]);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Strange of x.example\/v1 is no kind known here; there are .*Room/),
    });
  });

  it("asks the schema of a CRD about a kind that has no folder", async () => {
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
    const refused = await antechamber(args, { input: gadget(", size: 9") });
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(
        "size: Invalid value: 9: size in body should be less than or equal to 5",
      ),
    });
  });
});
