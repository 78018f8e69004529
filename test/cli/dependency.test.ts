import path from "node:path";
import { expect, it } from "vitest";
import { commandName, dependencyAround } from "../../src/cli/dependency.ts";
import { folderOf } from "../support/folder.ts";

it("the command has npx before it in a project that depends on the package, and below it", async () => {
  const root = await folderOf({
    "package.json": '{ "devDependencies": { "antechamber": "file:vendor/a.tgz" } }',
    "webhooks/package.json": "not JSON",
  });
  const below = path.join(root, "webhooks");
  expect(await commandName(below)).toBe("npx antechamber");
  expect(await dependencyAround(below)).toEqual({ folder: root, spec: "file:vendor/a.tgz" });
  expect(await commandName(await folderOf({ "package.json": "{}" }))).toBe("antechamber");
});
