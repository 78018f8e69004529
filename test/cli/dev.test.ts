import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { watchFolders } from "../../src/cli/watch.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

// The whole command runs against a real API server in test/cluster/suites/dev.test.ts.

it("without programs of an API server says how to get them", async () => {
  const folder = await folderOf({});
  const missing = await antechamber(["dev"], { env: { XDG_CACHE_HOME: folder } });
  expect(missing).toMatchObject({ code: 2, stdout: "" });
  expect(missing.stderr).toMatch(/KUBEBUILDER_ASSETS=.*setup-envtest(?:.*\n){1,6}.*npm run cluster:build/u);
  const incomplete = await antechamber(["dev"], { env: { KUBEBUILDER_ASSETS: folder } });
  expect(incomplete).toMatchObject({ code: 2, stderr: expect.stringContaining("has no kube-apiserver") });
});

it("a change of sources is noticed once, when nothing more changes", async () => {
  const folder = await folderOf({ "a/kind.ts": "1", "a/v1.yaml": "1", "a/.git/x.json": "1" });
  const seen: string[] = [];
  let look = Promise.withResolvers<void>();
  let looked = Promise.withResolvers<void>();
  const watching = watchFolders(
    [folder],
    (file) => seen.push(file.slice(folder.length + 1)),
    () => {
      looked.resolve();
      return look.promise;
    },
  );
  /** What was noticed after the watch has looked again. */
  const after = async (...changes: readonly (() => void)[]) => {
    await looked.promise;
    for (const change of changes) change();
    looked = Promise.withResolvers<void>();
    look.resolve();
    look = Promise.withResolvers<void>();
    await looked.promise;
    return seen.splice(0);
  };
  const at = (name: string) => join(folder, name);
  expect(await after(() => writeFileSync(at("a/v1.yaml"), "12"))).toEqual([]);
  expect(await after(() => writeFileSync(at("a/kind.ts"), "12"))).toEqual([]);
  expect(await after()).toEqual(["a/kind.ts"]);
  expect(await after()).toEqual([]);
  const unseen = [() => writeFileSync(at("a/.git/x.json"), "12"), () => writeFileSync(at("a/notes.txt"), "")];
  expect(await after(...unseen)).toEqual([]);
  expect(await after()).toEqual([]);
  mkdirSync(at("b"));
  expect(await after(() => renameSync(at("a/kind.ts"), at("b/kind.ts")))).toEqual([]);
  expect(await after()).toEqual(["b/kind.ts"]);
  expect(await after(() => rmSync(at("a/v1.yaml")))).toEqual([]);
  expect(await after()).toEqual(["a/v1.yaml"]);
  watching.stop();
  look.resolve();
});
