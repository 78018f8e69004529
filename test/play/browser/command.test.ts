import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { play } from "../../../src/cli/play/run.ts";
import { folderOf } from "../../support/folder.ts";
import { describeInChromium, pageFile, settled, textOf } from "./chromium.ts";

describeInChromium("antechamber play", (open) => {
  it("shows the kinds of a project, and each change on save", async () => {
    const person = "test/kinds/office/person";
    const names = ["kind.ts", "v1.yaml", "v1beta1.yaml"];
    const sources = names.map(
      (name) => [`webhooks/person/${name}`, readFileSync(join(person, name), "utf8")] as const,
    );
    const example =
      "apiVersion: office.example.org/v1\nkind: Person\nmetadata:\n  name: bo\nspec:\n  name:\n    first: Bo\n    last: Ek\n";
    const folder = await folderOf({
      ...Object.fromEntries(sources),
      "webhooks/person/examples/bo.yaml": example,
    });
    const io = { folder, print: () => {}, note: () => {} };
    const running = await play({ webhooks: ["webhooks"], port: 0, built: pageFile }, io);
    try {
      const { page, requests, errors } = await open({ address: running.url });
      await settled(page);
      expect(await textOf(page, "v1beta1")).toContain("fullName: Bo Ek");
      const file = join(folder, "webhooks/person/kind.ts");
      const code = readFileSync(file, "utf8");
      writeFileSync(file, code.replace(/\{first\} (.)\{last\}/, "{last}, $1{first}"));
      await page.getByText("fullName: Ek, Bo").first().waitFor();
      expect(requests).toEqual([`${running.url}events`]);
      expect(errors).toEqual([]);
    } finally {
      await running.stop();
    }
  });
});
