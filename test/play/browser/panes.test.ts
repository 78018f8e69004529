import { expect, it } from "vitest";
import { describeInChromium, pick, replace, settled, textOf, unseenOf, write } from "./chromium.ts";

describeInChromium("versions side by side", (open) => {
  it("show at each version what the engine converts, and ask nothing of anyone", async () => {
    const { page, requests, errors } = await open();
    await settled(page);
    expect(await textOf(page, "v1beta1")).toContain("lights:\n  - kitchen-island\n  - cellar-bulb\n");
    expect(requests).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("follow what is written in one of them, and nothing is lost", async () => {
    const { page } = await open();
    await replace(page, "v1beta1", "floor: 0", "floor: 3");
    const newest = await textOf(page, "v1");
    expect(newest).toContain("floor: 3\n");
    expect(newest).toContain("building: Main house\n");
    expect(newest).toContain("kelvin: 2700\n");
  });

  it("show what travels unseen where it would stand, with its reason", async () => {
    const { page } = await open();
    await settled(page);
    const ghosts = await page.locator('[data-version="v1beta1"] .ghost').allInnerTexts();
    expect(ghosts.join("\n")).toContain("transition: 1.5s");
    expect(ghosts.join("\n")).toContain("v1beta1 has no field for it");
    expect(await unseenOf(page, "v1beta1")).toContain(
      "spec.location.building\tMain house\tfor v1: v1beta1 has no field for it",
    );
  });

  it("show the carriers as they are stored, and what a client loses who takes them out", async () => {
    const { page } = await open();
    await replace(page, "v1beta1", "floor: 0", "floor: 3");
    await page.getByRole("switch", { name: "as stored" }).click();
    await settled(page);
    const stored = await textOf(page, "v1beta1");
    expect(stored).toContain("antechamber.dev/conversion-data-");
    expect(stored).toContain("conversionData:");
    expect(await textOf(page, "v1")).toContain("building: Main house\n");
    const bare = stored
      .replace(/\n {2}annotations:\n.*/, "")
      .replace(/\n {2}conversionData:(?:\n {4}.*)*/, "");
    await write(page, "v1beta1", bare);
    expect(await textOf(page, "v1")).not.toContain("building");
    await page.getByRole("switch", { name: "as stored" }).click();
    await settled(page);
    expect(await textOf(page, "v1beta1")).not.toContain("onversion");
  });

  it("lose without carriers what a version cannot say", async () => {
    const { page } = await open();
    await page.getByRole("switch", { name: "without carriers" }).click();
    await replace(page, "v1beta1", "floor: 0", "floor: 3");
    expect(await textOf(page, "v1")).not.toContain("building");
    expect(await unseenOf(page, "v1")).toContain("spec.location.building");
  });

  it("say at its line what an API server would say, key by key", async () => {
    const { page } = await open();
    await pick(page, "person");
    await page.locator('[data-version="v1"] .cm-line', { hasText: "born: 1984" }).click();
    await page.keyboard.press("End");
    await page.keyboard.type("7");
    await settled(page);
    const problem = page.locator('[data-version="v1"] .problems');
    await expect
      .poll(() => problem.innerText())
      .toContain("line 10 spec.born: Invalid value: 19847: people are born");
    expect(await textOf(page, "v1beta1")).toContain("fullName: Ida May Bo");
    await page.keyboard.press("Backspace");
    await expect.poll(() => problem.innerText()).toBe("");
  });

  it("show nothing as stored that the API server refuses", async () => {
    const { page } = await open();
    await pick(page, "person");
    const labels = () =>
      page
        .locator(".pane h2")
        .evaluateAll((all) => all.map((each) => getComputedStyle(each, "::after").content));
    const back = page.locator('[data-version="v1"]').getByRole("button", { name: "Read back" });
    await replace(page, "v1", "born: 1984", "born: 2999");
    const [refusal, cause] = await page.locator('[data-version="v1"] .problems li').allInnerTexts();
    expect(refusal).toContain("refuses this, and stores nothing");
    expect(cause).toContain("spec.born: Invalid value: 2999");
    expect(await labels()).toEqual(['" not stored"', "none"]);
    expect(await back.isDisabled()).toBe(true);
    await replace(page, "v1", "born: 2999", "born: 1985");
    expect(await labels()).toEqual(["none", "none"]);
    expect(await back.isDisabled()).toBe(false);
  });

  it("keep what they show while the text is no YAML, and say where", async () => {
    const { page, errors } = await open();
    await pick(page, "person");
    const before = await textOf(page, "v1beta1");
    await write(page, "v1", `${await textOf(page, "v1")}\n  x: [1`);
    expect(await page.locator('[data-version="v1"] .problems').innerText()).toMatch(
      /^line 1\d Flow sequence/,
    );
    expect(await textOf(page, "v1beta1")).toBe(before);
    expect(errors).toEqual([]);
  });

  it("list the lines that came back where the list is opened", async () => {
    const { page } = await open();
    await pick(page, "statefulset");
    await replace(page, "v1alpha1", "replicas: 5", "replicas: 6");
    const summary = page.locator('[data-version="v1beta1"] .unseen summary');
    expect(await summary.innerText()).toBe("29 lines came back");
    await summary.click();
    await page.locator('[data-version="v1beta1"] .unseen tbody tr').first().waitFor();
    const rows = (await unseenOf(page, "v1beta1")).split("\tcame back");
    expect(rows[0]).toMatch(/^lines \d+ to \d+\t {2}ordinals:\n {4}start: 1\n/);
    const lines = rows.flatMap((row) => row.trim().split("\n")).filter((line) => line !== "");
    expect(lines).toHaveLength(29);
  });

  it("take what is typed after a click on a value that travels at its line", async () => {
    const { page } = await open();
    await settled(page);
    await page.locator('[data-version="v1beta1"] .ghost', { hasText: "transition: 250ms" }).click();
    await page.keyboard.type("-2");
    await settled(page);
    expect(await textOf(page, "v1beta1")).toContain("\n  - cellar-bulb-2\n");
  });

  it("begin a new write where the client reads back", async () => {
    const { page } = await open();
    await pick(page, "person");
    await replace(page, "v1beta1", "Ida May Bo", "Ida Bo");
    await page.locator('[data-version="v1beta1"]').getByRole("button", { name: "Read back" }).click();
    await settled(page);
    expect(await unseenOf(page, "v1")).not.toContain("Ida May");
    expect(await textOf(page, "v1")).toContain("first: Ida\n");
  });
});
