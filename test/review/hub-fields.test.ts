import path from "node:path";
import { expect, it } from "vitest";
import { writeYaml } from "../../src/yaml/yaml.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

const text = { type: "string" };

/** A version as a file of its kind. */
function fileOf(name: string, spec: object, status: object): string {
  const properties = { spec: { type: "object", ...spec }, status: { type: "object", ...status } };
  return writeYaml({
    name,
    served: true,
    subresources: { status: {} },
    schema: { openAPIV3Schema: { type: "object", properties } },
  });
}

const flavor = {
  type: "object",
  properties: { id: text, name: text, by: { type: "string", enum: ["id", "name"] }, size: text },
};
/** The newest version, whose status requires fields of a schema. */
function newestFile(needed: object): string {
  const properties = { label: { type: "string", maxLength: 2 }, via: { type: "string", maxLength: 3 } };
  const link = {
    type: "object",
    properties: { ...properties, net: text, protocol: text },
    required: ["net"],
  };
  return fileOf(
    "v1",
    { properties: { flavor, links: { type: "array", items: link } } },
    {
      properties: { address: text, hostname: needed, ready: needed, phase: needed },
      required: ["ready", "hostname", "phase"],
    },
  );
}

const files = {
  "package.json": '{"type":"module"}',
  "webhooks/vm/kind.js": `import { defineKind, each, group, lens, move, version } from "antechamber";
const v1beta1 = lens(
  group({
    older: { id: "spec.flavorID", name: "spec.flavorName" },
    newer: { id: "spec.flavor.id", name: "spec.flavor.name", by: "spec.flavor.by" },
    up: ({ id, name }) => ({ id, name, by: id === "" ? "nothing" : undefined }),
    down: ({ id, name }) => ({ id, name }),
  }),
  each(
    "spec.ports",
    "spec.links",
    move("name", "label"),
    group({
      older: { proto: "proto" },
      newer: { proto: "protocol", via: "via" },
      up: ({ proto }) => ({ proto, via: proto === "" ? "nothing" : undefined }),
      down: ({ proto }) => ({ proto }),
    }),
  ),
  move("status.at", "status.address"),
  move("status.phase", "status.phase"),
  move("status.host", "status.hostname"),
);
export default defineKind({
  group: "example.org",
  kind: "VM",
  plural: "vms",
  scope: "Namespaced",
  versions: [version("v1beta1", v1beta1), version("v1")],
  validate: ({ spec }) =>
    spec.flavor?.id === "none"
      ? { causes: [{ path: ["spec", "flavor", "size"], reason: "FieldValueForbidden", message: "Forbidden: not for none" }] }
      : {},
});
`,
  "webhooks/vm/v1beta1.yaml": fileOf(
    "v1beta1",
    {
      properties: {
        flavorID: text,
        flavorName: text,
        ports: { type: "array", items: { type: "object", properties: { name: text, proto: text } } },
      },
    },
    { properties: { at: text, host: text, phase: text } },
  ),
  "webhooks/vm/v1.yaml": newestFile(text),
  "webhooks/vm/examples/vm.yaml":
    "apiVersion: example.org/v1beta1\nkind: VM\nmetadata: { name: vm, namespace: default }\nspec: {}\n",
};

/** The same where the newest version has defaults for what it requires of a status. */
const filled = { ...files, "webhooks/vm/v1.yaml": newestFile({ ...text, default: "a" }) };

/** What a client at v1beta1 is told. */
async function refusalOf(content: object, isStatus = false, kind = files): Promise<string> {
  const root = await folderOf(kind);
  const metadata = { name: "vm", namespace: "default" };
  const object = { apiVersion: "example.org/v1beta1", kind: "VM", metadata, ...content };
  const webhooks = ["--webhooks", path.join(root, "webhooks")];
  const more = isStatus ? ["--old", path.join(root, "webhooks/vm/examples"), "--subresource", "status"] : [];
  const { stderr } = await antechamber(["validate", "-f", "-", ...webhooks, ...more], {
    input: writeYaml(object),
  });
  return stderr;
}

it("a refusal names the fields of the newest version as such, and the client's fields that it is made of", async () => {
  expect(await refusalOf({ spec: { flavorID: "" } })).toContain(
    'spec.flavor.by: Unsupported value: "nothing": supported values: "id", "name"; a field of v1, as which an object of v1beta1 is stored, made of spec.flavorID and spec.flavorName\n',
  );
});

it("a refusal says what would fill a field that the client's version lacks", async () => {
  const refusal = await refusalOf({ spec: { ports: [{ name: "a" }, { name: "abc" }] } });
  expect(refusal).toContain(
    "spec.links[1].net: Required value: a field of v1, as which an object of v1beta1 is stored; a row of the lens or its default in v1.yaml would fill it\n",
  );
  expect(refusal).toContain("spec.ports[1].name: Too long: may not be more than 2 bytes\n");
});

it("also in the items of a list, with the client's index", async () => {
  expect(await refusalOf({ spec: { ports: [{ proto: "a" }, { proto: "" }] } })).toContain(
    "spec.links[1].via: Too long: may not be more than 3 bytes; a field of v1, as which an object of v1beta1 is stored, made of spec.ports[1].proto\n",
  );
});

it("what a refusal of a write of status asks for lets the write pass", async () => {
  expect(await refusalOf({ status: { at: "a" } }, true, filled)).toBe("");
});

it("a refusal of a write of status says so, and what would fill a field", async () => {
  const refusal = await refusalOf({ status: { at: "a" } }, true);
  expect(refusal).toContain(
    "status.ready: Required value: a field of v1, as which a status of v1beta1 is stored; a row of the lens or its default in v1.yaml would fill it\n",
  );
  expect(refusal).toContain(
    "status.host: Required value: v1 requires it of a status; its default in v1.yaml would fill it\n",
  );
  expect(refusal).toContain("status.phase: Required value: v1 requires it of a status");
});

it("a cause of the author's own is told in the same way", async () => {
  expect(await refusalOf({ spec: { flavorID: "none" } })).toContain(
    "spec.flavor.size: Forbidden: not for none; a field of v1, as which an object of v1beta1 is stored\n",
  );
});
