import path from "node:path";
import { expect, it } from "vitest";
import { remarksOnStatus } from "../../src/kind/required-status.ts";
import { writeYaml } from "../../src/yaml/yaml.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "smalls.example.org" },
  spec: {
    group: "example.org",
    names: { kind: "Small", plural: "smalls" },
    scope: "Namespaced",
    versions: [versionOf("v1beta1", { required: ["ready"] }), versionOf("v1", {})],
  },
};

function versionOf(name: string, more: object) {
  const status = { type: "object", properties: { ready: { type: "boolean", default: false } }, ...more };
  const properties = { spec: { type: "object", properties: { size: { type: "integer" } } }, status };
  return {
    name,
    served: true,
    storage: name === "v1",
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: "object", properties } },
  };
}

it("versions whose status requires the same are named in one sentence", () => {
  const of = (name: string, ...required: readonly string[]) => ({ name, required });
  const [remark, ...others] = remarksOnStatus([
    of("v1", "ready"),
    of("v2"),
    of("v3", "ready"),
    of("v4", "ready"),
  ]);
  expect(others).toEqual([]);
  expect(remark).toContain("status of v1, v3 and v4 require ready, so");
  expect(remark).toContain("in v1.yaml, v3.yaml and v4.yaml where you can");
  expect(remarksOnStatus([of("v1", "ready"), of("v2", "phase")])).toHaveLength(2);
});

it("import and verify name a status whose required fields leave conversion data no place", async () => {
  const root = await folderOf({ "package.json": '{"type":"module"}' });
  const out = path.join(root, "webhooks");
  const imported = await antechamber(["import", "-", "--out", out], { input: writeYaml(crd) });
  const remark = "status of v1beta1 requires ready, so conversion data has no place there";
  expect(imported.stdout).toContain(remark);
  expect(imported.stdout).toContain("Take ready out of required of status in v1beta1.yaml");
  expect(imported.stdout).not.toContain("status of v1 requires");
  const { code, stdout } = await antechamber(["verify", out, "--runs", "3", "--law", "Crowded"]);
  expect(code).toBe(0);
  expect(stdout).toContain("nothing to try: needs a status subresource whose status requires no fields");
  expect(stdout).toContain(remark);
});
