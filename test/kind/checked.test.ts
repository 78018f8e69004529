import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { isChecked, recordChecked } from "../../src/kind/checked.ts";
import { InvalidKinds, loadKinds } from "../../src/kind/load-kinds.ts";
import { folderOf } from "../support/folder.ts";
import { writeProject } from "../support/project.ts";

async function checkedProject(): Promise<string> {
  const folder = await folderOf({});
  await writeProject(folder, { name: "checked", kind: "Widget" });
  const root = path.join(folder, "webhooks");
  await loadKinds([root]);
  await recordChecked(root);
  return root;
}

it("kinds that were checked and did not change are known to be", async () => {
  const root = await checkedProject();
  expect(await isChecked(root)).toBe(true);
  const { all } = await loadKinds([root]);
  expect(all.map(({ name }) => name)).toEqual(["Widget.example.org"]);
});

it.each(["kind/v1.yaml", "kind/kind.js", "kind/examples/one.yaml"])(
  "a change of %s has all kinds of the folder checked again",
  async (file) => {
    const root = await checkedProject();
    await appendFile(path.join(root, file), "\n");
    expect(await isChecked(root)).toBe(false);
  },
);

it("a file of any other name has them checked again, too", async () => {
  const root = await checkedProject();
  await writeFile(path.join(root, "kind/limits.json"), "{}");
  expect(await isChecked(root)).toBe(false);
});

it("the schemas of kinds that were checked are read when they are first needed", async () => {
  const root = await checkedProject();
  const [kind] = (await loadKinds([root])).all;
  await rm(path.join(root, "kind/v1.yaml"));
  expect(kind?.name).toBe("Widget.example.org");
  expect(() => kind?.hub).toThrow(/v1\.yaml was changed or removed while this process runs/);
});

it("a fault that is added after the check is found", async () => {
  const root = await checkedProject();
  const example =
    "apiVersion: example.org/v1\nkind: Widget\nmetadata: { name: two }\nspec: { size: large }\n";
  await writeFile(path.join(root, "kind/examples/two.yaml"), example);
  await expect(loadKinds([root])).rejects.toThrow(InvalidKinds);
});

it.each(["", "{", '{"digest": 1}', "[]"])("a record such as %j records nothing", async (text) => {
  const root = await checkedProject();
  await writeFile(path.join(root, "checked.json"), text);
  expect(await isChecked(root)).toBe(false);
});

it("rules of kinds that were checked still hold", async () => {
  const root = await checkedProject();
  const rule = `        x-kubernetes-validations: [{ rule: "!has(self.spec) || self.spec.size != 7", message: "not seven" }]`;
  const file = path.join(root, "kind/v1.yaml");
  const text = await readFile(file, "utf8");
  await writeFile(
    file,
    text.replace("openAPIV3Schema: { type: object,", `openAPIV3Schema: { type: object, ${rule.trim()},`),
  );
  await recordChecked(root);
  expect(await isChecked(root)).toBe(true);
  const schema = (await loadKinds([root])).all[0]?.hub.schema;
  const widget = (size: number) => ({
    apiVersion: "example.org/v1",
    kind: "Widget",
    metadata: { name: "a", namespace: "default" },
    spec: { size },
  });
  expect(schema?.validate(widget(7)).faults.map(({ message }) => message)).toEqual([
    expect.stringContaining("not seven"),
  ]);
  expect(schema?.validate(widget(8)).faults).toEqual([]);
});
