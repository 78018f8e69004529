import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { hints } from "../../src/cli/dev/hints.ts";
import { servedKinds } from "../../src/cli/dev/served-kind.ts";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { antechamber } from "../support/cli.ts";
import { folderOf } from "../support/folder.ts";

/** What `dev` prints of the kind of a new project, after changes of its files. */
async function hintsAfter(
  ...edits: readonly (readonly [file: string, from: string, to: string])[]
): Promise<string> {
  const folder = path.join(await folderOf({}), "blinds");
  await antechamber(["init", folder]);
  const blind = path.join(folder, "webhooks/example.org/blind");
  for (const [name, from, to] of edits) {
    const file = path.join(blind, name);
    const before = await readFile(file, "utf8").catch(() => "");
    await writeFile(file, before.replace(from, to));
  }
  const kinds = servedKinds(await loadKinds([blind]), {
    hasExamples: true,
    now: () => new Date(0),
    random: () => 0,
  });
  const places = { kubeconfig: "config", kubectl: undefined, folder, page: undefined };
  return hints(kinds, places).join("\n");
}

const oldExample =
  "apiVersion: example.org/v1alpha1\nkind: Blind\nmetadata: { name: attic, namespace: default }\nspec: {}\n";
const unserved = ["v1alpha1.yaml", "served: true", "served: false"] as const;

it("commands are of versions that are served, and the others are named", async () => {
  // By its name this example would come first.
  const shown = await hintsAfter(unserved, ["examples/attic.yaml", "", oldExample]);
  expect(shown).toContain("# not served, so not for kubectl: v1alpha1\n");
  expect(shown).toContain("kubectl apply -f webhooks/example.org/blind/examples/kitchen.yaml");
  expect(shown).not.toContain("blinds.v1alpha1");
  const withoutNamespace = ["examples/kitchen.yaml", "  namespace: default\n", ""] as const;
  const usual = await hintsAfter(withoutNamespace);
  expect(usual).toContain("examples/kitchen.yaml");
  expect(usual).not.toContain("not served");
});

it("an example that the kind itself denies is not proposed", async () => {
  const rule = `validate: ({ spec }) => (spec?.slats === 15 ? { causes: [{ path: ["spec", "slats"], reason: "FieldValueInvalid", message: "no" }] } : {}),\n  group:`;
  const shown = await hintsAfter(["kind.ts", "group:", rule]);
  expect(shown).toContain("kubectl apply -f webhooks/example.org/blind/examples/study.yaml");
  const none = await hintsAfter(["kind.ts", "group:", rule], unserved);
  expect(none).toContain("# no example of a served version is admitted: write one into webhooks/");
  expect(none).not.toContain("kubectl apply");
});
