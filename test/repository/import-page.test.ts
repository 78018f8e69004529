import { readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { runIn } from "../deployment/installed.ts";
import { folderOf } from "../support/folder.ts";

const page = readFileSync("docs/guides/import.md", "utf8");

it("the commands of docs/guides/import.md run as it says, and print and write what it shows", async () => {
  const folder = await folderOf({});
  await copyFile("test/cases/import/gadget.yaml", path.join(folder, "gadgets.yaml"));
  const printed = new Map<string, string>();
  let here = folder;
  for (const line of blocks("sh").flatMap((block) => block.trim().split("\n"))) {
    const [, target] = /^cd (\S+)$/.exec(line) ?? [];
    if (target !== undefined) here = path.join(here, target);
    const [, words] = /^npx antechamber (.*)$/.exec(line) ?? [];
    if (words === undefined) continue;
    const args = [path.resolve("src/cli.ts"), ...words.split(" ")];
    printed.set(line, runIn(here, process.execPath, args));
  }
  expect([...printed.keys()]).toHaveLength(4);
  expect(printed.get("npx antechamber import ../gadgets.yaml")).toBe(blocks("text")[0]);
  const lens = readFileSync(path.join(here, "webhooks/example.org/gadget/v1alpha1.ts"), "utf8");
  expect(lens).toContain(blocks("ts")[0]);
  const crd = readFileSync(path.join(here, "manifests/crds/gadgets.example.org.yaml"), "utf8");
  expect(crd).toContain("antechamber.dev/installation: workshop");
}, 60_000);

/** The blocks of a language on the page. */
function blocks(language: string): readonly string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );
}
