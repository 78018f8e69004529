import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { play, writePage } from "../../../src/cli/play/run.ts";
import { verify } from "../../../src/cli/verify/run.ts";
import { folderOf } from "../../support/folder.ts";
import { describeInChromium, pageFile, settled, textOf } from "./chromium.ts";

describeInChromium("antechamber verify -o html", (open) => {
  it("is one file whose counterexamples open beside the versions", async () => {
    const folder = await folderOf(
      Object.fromEntries(
        ["kind.ts", "v1.yaml", "v1beta1.yaml", "examples/people.yaml"].map((name) => {
          const text = readFileSync(join("test/kinds/office/person", name), "utf8");
          return [`person/${name}`, text.replace('lossy: "the first space ends the first name",', "")];
        }),
      ),
    );
    const report: string[] = [];
    const io = {
      print: (text: string) => void report.push(text),
      note: () => {},
      coloured: false,
      width: undefined,
      now: () => new Date(),
      drawSeed: () => 1,
      command: "antechamber",
      interrupt: new AbortController().signal,
    };
    const options = {
      kind: [],
      law: ["Faithful", "GetPut"],
      runs: 50,
      output: "html",
      built: pageFile,
    } as const;
    await expect(verify([folder], options, io)).rejects.toThrow("Laws are broken");
    const file = join(folder, "report.html");
    writeFileSync(file, report.join(""));
    const { page, requests, errors } = await open({ address: pathToFileURL(file).href });
    await settled(page);
    await page.getByRole("link", { name: "See the counterexample beside the versions" }).first().click();
    await page.locator(".counterexample .view").first().waitFor();
    expect(await page.locator(".counterexample b").textContent()).not.toBe("");
    expect([...requests, ...errors]).toEqual([]);
  });
});

describeInChromium("antechamber play", (open) => {
  it("begins with an object that is there to be read, where the gallery has one of the kinds", async () => {
    const folder = await folderOf({});
    const file = join(folder, "play.html");
    const io = { folder: process.cwd(), print: () => {}, note: () => {} };
    await writePage({ webhooks: ["webhooks"], page: file, built: pageFile }, io);
    const { page } = await open({ address: pathToFileURL(file).href });
    await settled(page);
    expect(await textOf(page, "v1")).toContain("kind: Room\nmetadata:\n  name: kitchen\n");
  });

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
