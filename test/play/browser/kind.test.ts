import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gallery } from "../../../examples/play/gallery.ts";
import { stateOf, writeLink } from "../../../src/play/state.ts";
import { describeInChromium, openFile, pick, settled, textOf, write } from "./chromium.ts";

const crd = readFileSync("test/play/browser/crontabs.yaml", "utf8");

describeInChromium("the kind of a page", (open) => {
  it("is each of the gallery, without a fault", async () => {
    const { page, errors } = await open();
    for (const { id, text } of gallery()) {
      await pick(page, id);
      const shown = await page.locator(".pane .cm-content").allInnerTexts();
      expect(shown.length).toBeGreaterThan(1);
      const [name = ""] = /name: .*/.exec(text) ?? [];
      for (const each of shown) expect(each).toContain(name);
      expect(await page.locator(".parts .problems li").count()).toBe(0);
    }
    expect(errors).toEqual([]);
  });

  it("follows a change of its lens at once", async () => {
    const { page } = await open();
    await pick(page, "person");
    const lens = await openFile(page, "v1beta1.ts");
    await lens.fill(`import { lens, move } from "antechamber";
export const v1beta1 = lens(move("spec.fullName", "spec.name.last"));
`);
    await settled(page);
    expect(await textOf(page, "v1beta1")).toContain("fullName: Bo\n");
  });

  it("shows the steps of clients by the lens as it is now", async () => {
    const { page } = await open();
    await pick(page, "person");
    await page.getByRole("tab", { name: "What clients do to it" }).click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const older = page.locator('[data-view="v1beta1"] pre');
    await expect.poll(() => older.textContent()).toContain("fullName: Ida May Bo\n");
    await page.getByRole("tab", { name: "Schema and lens" }).click();
    const lens = await openFile(page, "v1beta1.ts");
    await lens.fill(`import { lens, move } from "antechamber";
export const v1beta1 = lens(move("spec.fullName", "spec.name.last"));
`);
    await settled(page);
    await expect.poll(() => older.textContent()).toContain("fullName: Bo\n");
  });

  it.each([
    [
      "a path that no version has",
      'lens(move("spec.fulName", "spec.name.last"))',
      /v1beta1\.ts:2\s.*v1beta1.yaml has no field spec.fulName.*did you mean spec.fullName\?/,
    ],
    [
      "fields of different types",
      'lens(move("spec.fullName", "spec.born"))',
      /v1beta1\.ts:2\s.*spec.fullName is a string in v1beta1, spec.born an integer in v1: the row needs a codec/,
    ],
    ["a syntax that is none", "lens(move(", /v1beta1\.ts:\d\s.*[Uu]nexpected/],
    ["a name that does not exist", 'lens(mvoe("a", "b"))', /v1beta1\.ts:2\s.*mvoe is not/],
    [
      "an import that a page does not have",
      'lens(); import "node:fs"',
      /imports node:fs: a page has only files of the kind and antechamber/,
    ],
  ])("says where its lens has a fault: %s", async (_what, code, fault) => {
    const { page } = await open();
    await pick(page, "person");
    const lens = await openFile(page, "v1beta1.ts");
    await lens.fill(`import { lens, move } from "antechamber";\nexport const v1beta1 = ${code};\n`);
    await settled(page);
    await expect.poll(() => page.locator(".parts .problems").innerText()).toMatch(fault);
    await lens.fill('import { lens } from "antechamber";\nexport const v1beta1 = lens();\n');
    await settled(page);
    expect(await page.locator(".parts .problems li").count()).toBe(0);
  });

  it("is stopped when its code does not come to an end, and goes on when it is mended", async () => {
    const { page } = await open();
    await pick(page, "person");
    const lens = await openFile(page, "v1beta1.ts");
    await lens.fill('import { lens } from "antechamber";\nfor (;;);\nexport const v1beta1 = lens();\n');
    await expect
      .poll(() => page.locator(".parts .problems").innerText(), { timeout: 60_000 })
      .toContain("was stopped");
    await lens.fill('import { lens } from "antechamber";\nexport const v1beta1 = lens();\n');
    await settled(page);
    await write(
      page,
      "v1beta1",
      "apiVersion: office.example.org/v1beta1\nkind: Person\nmetadata: { name: bo }\nspec: { room: attic }\n",
    );
    expect(await textOf(page, "v1")).toContain("room: attic\n");
  });

  it("is a CRD that was pasted, with the draft of import as its lens", async () => {
    const { page, errors, requests } = await open();
    await page.getByRole("button", { name: "Your own CRD…" }).click();
    await page.locator("dialog .cm-content").fill(crd);
    await page.getByRole("button", { name: "Use this CRD" }).click();
    await page.locator("dialog").waitFor({ state: "hidden" });
    await settled(page);
    expect(await textOf(page, "v1")).toContain("kind: CronTab");
    await write(
      page,
      "v1",
      "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: { name: a }\nspec: { schedule: every day, copies: 11 }\n",
    );
    expect(await textOf(page, "v1beta1")).toContain("copies: 11\n");
    expect(await textOf(page, "v1beta1")).toContain("cronSpec: every day\n");
    expect(await page.locator('[data-version="v1"] .problems').innerText()).toContain(
      "should be less than or equal to 10",
    );
    expect(await page.locator('[data-version="v1"] .problems').innerText()).toContain(
      "no more than ten copies",
    );
    expect(errors).toEqual([]);
    expect(requests).toEqual([]);
  });

  it("names the fields of such a draft until its files change, and says which may be renamed", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Your own CRD…" }).click();
    await page.locator("dialog .cm-content").fill(crd.replaceAll(", description: When it runs.", ""));
    await page.getByRole("button", { name: "Use this CRD" }).click();
    await page.locator("dialog").waitFor({ state: "hidden" });
    await settled(page);
    const notes = page.locator("p.status");
    expect(await notes.innerText()).toContain("maybe renamed: spec.cronSpec to spec.schedule");
    expect(await page.locator('[data-version="v1beta1"] .ghost-note').allInnerTexts()).toContain(
      "— v1beta1 has no field for it; maybe renamed from spec.cronSpec: see v1beta1.ts",
    );
    const lens = await openFile(page, "v1beta1.ts");
    const text = await lens.innerText();
    await lens.fill(text.replace("lens()", 'lens(move("spec.cronSpec", "spec.schedule"))'));
    await settled(page);
    expect(await notes.innerText()).toBe("");
    expect(await textOf(page, "v1beta1")).toContain("cronSpec: example\n");
  });

  it.each([
    ["nothing", "a: 1", "no CustomResourceDefinition found"],
    ["no YAML", "a: [", "line 1"],
    [
      "an API server's reasons",
      crd.replace("type: integer", "type: int"),
      "an API server would reject this CRD",
    ],
  ])("is no CRD for %s, which is said where it was pasted", async (_what, text, fault) => {
    const { page } = await open();
    await page.getByRole("button", { name: "Your own CRD…" }).click();
    await page.locator("dialog .cm-content").fill(text);
    await page.getByRole("button", { name: "Use this CRD" }).click();
    await expect.poll(() => page.locator("dialog .fault").innerText()).toContain(fault);
  });
});

describeInChromium("a link", (open) => {
  it("holds all that is seen", async () => {
    const { page } = await open();
    await pick(page, "person");
    await (await openFile(page, "v1beta1.ts")).fill(
      'import { lens, move } from "antechamber";\nexport const v1beta1 = lens(move("spec.fullName", "spec.name.first"));\n',
    );
    await settled(page);
    await page.getByRole("button", { name: "Copy link" }).click();
    const fragment = new URL(page.url()).hash.slice(1);
    const { page: other } = await open({ fragment });
    await other.getByRole("button", { name: "Run it" }).click();
    await settled(other);
    for (const version of ["v1beta1", "v1"])
      expect(await textOf(other, version)).toBe(await textOf(page, version));
    expect(await textOf(other, "v1beta1")).toContain("fullName: Ida May\n");
  });

  it("runs no code that it brings before its user says so", async () => {
    const [room] = gallery();
    if (room === undefined) throw new Error("the gallery is empty");
    const code = 'throw new Error("it ran");';
    const fragment = writeLink({ ...stateOf(room), files: { "v1beta1.ts": code } });
    const { page, requests } = await open({ fragment });
    const run = page.getByRole("button", { name: "Run it" });
    await run.waitFor();
    expect(await page.locator(".parts .problems").innerText()).toBe("");
    expect(await page.locator(".parts .cm-content:visible").innerText()).toContain("it ran");
    await page.locator(".parts .cm-content:visible").click();
    await page.keyboard.type(" ");
    expect(await page.locator(".parts .problems").innerText()).toBe("");
    await run.click();
    await expect.poll(() => page.locator(".parts .problems").innerText()).toContain("it ran");
    expect(requests).toEqual([]);
  });

  it.each([
    ["fetch", 'fetch("https://example.com/")'],
    ["a socket", 'new WebSocket("wss://example.com/")'],
    ["a script", 'importScripts("https://example.com/x.js")'],
    ["a worker", 'new Worker("https://example.com/x.js")'],
    ["text as code", 'eval("1")'],
  ])("reaches no network by its code: %s", async (_what, code) => {
    const [room] = gallery();
    if (room === undefined) throw new Error("the gallery is empty");
    const kind = `const was = (() => { try { ${code}; return "allowed"; } catch (error) { return String(error); } })(); throw new Error("was " + was);`;
    const { page, requests } = await open({
      fragment: writeLink({ ...stateOf(room), files: { "kind.ts": kind } }),
    });
    await page.getByRole("button", { name: "Run it" }).click();
    await expect.poll(() => page.locator(".parts .problems").innerText()).toContain("was ");
    expect(requests.filter((each) => each.includes("example.com"))).toEqual([]);
  });

  it.each([
    ["damaged", "1.AAAA"],
    ["of another page", "hello"],
    ["too long", `1.${"A".repeat(600_000)}`],
    ["markup", "1.<img src=x onerror=alert(1)>"],
  ])("that is %s shows an example, and why", async (_what, fragment) => {
    const { page, errors } = await open({ fragment });
    await settled(page);
    expect(await page.getByRole("status").innerText()).toMatch(/^the link .* This is an example instead\.$/);
    expect(await textOf(page, "v1")).toContain("kind: Room");
    expect(errors).toEqual([]);
  });

  it("shows markup of a state as text", async () => {
    const [room] = gallery();
    if (room === undefined) throw new Error("the gallery is empty");
    const text = room.text.replace(
      "building: Main house",
      'building: "<img src=x onerror=document.title=1>"',
    );
    const { page, errors } = await open({ fragment: writeLink({ ...stateOf(room), text }) });
    await settled(page);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toContain("versions side by side");
    expect(errors).toEqual([]);
  });
});
