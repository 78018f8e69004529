import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium, pick, settled } from "./chromium.ts";

describeInChromium("the clients of a page", (open) => {
  async function visit() {
    const opened = await open();
    await pick(opened.page, "room");
    await opened.page.getByRole("tab", { name: "What clients do to it" }).click();
    return opened;
  }

  it("lose a value in a step that says so, and does not look as one without a loss", async () => {
    const { page, errors } = await visit();
    await act(page, "create");
    await page.locator('.life select[name="at"]').selectOption("v1beta1");
    await act(page, "read");
    await act(page, "delete");
    await page.locator('.life input[name="annotations"]').setChecked(true);
    await act(page, "restore");
    const steps = page.locator(".strip li");
    expect(await steps.last().textContent()).toContain("v1beta1: create from copy without annotations 201 ");
    expect(await steps.last().textContent()).toMatch(/ \d+ lost$/);
    const colours = await page
      .locator(".strip b")
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).color));
    expect(colours.at(-1)).not.toBe(colours.at(0));
    const status = page.locator('.life [role="status"]');
    expect(await status.innerText()).toMatch(/v1: \d+ values were lost: .*spec\.climate\.mode \(Auto\)/);
    expect(await page.locator('.view[data-view="v1"] del').allTextContents()).toContain("    mode: Auto\n");
    expect(errors).toEqual([]);
  });

  it("say what a step kept that its client cannot see", async () => {
    const { page } = await visit();
    await act(page, "create");
    await page.locator('.life select[name="at"]').selectOption("v1beta1");
    await act(page, "replace");
    expect(await page.locator(".fates .carried").innerText()).toMatch(/^v1: \d+ values were kept unseen: /);
    expect(await page.locator(".fates .dropped").count()).toBe(0);
  });

  it("live without carriers where the page is without them", async () => {
    const { page } = await visit();
    await act(page, "create");
    await page.locator('.life select[name="at"]').selectOption("v1beta1");
    await act(page, "replace");
    expect(await page.locator(".strip .refused").count()).toBe(0);
    await page.getByRole("switch", { name: "without carriers" }).click();
    await settled(page);
    await page.locator(".strip .refused").waitFor();
    expect(await page.getByText("Without carriers: the webhook here only maps fields.").isVisible()).toBe(
      true,
    );
    expect(await page.locator(".fates .dropped").innerText()).toContain(
      "spec.location.building (Main house)",
    );
  });

  it("have each button and each box explained", async () => {
    const { page } = await visit();
    await page.locator(".life summary").click();
    const words = (await page.locator(".life dt").allTextContents()).join();
    const names = await page.locator(".actions button, .flags label").allInnerTexts();
    expect(names.length).toBe(14);
    for (const name of names) expect(words).toContain(name.trim().replace(/^without /, ""));
  });

  it("are told to create first, and create the object in its own namespace", async () => {
    const { page } = await visit();
    await act(page, "replace");
    expect(await page.locator('.life [role="status"]').innerText()).toContain("Press Create first");
    await act(page, "create");
    expect(await page.locator('.view[data-view="v1"] pre').textContent()).toContain("namespace: home\n");
  });
});

async function act(page: Page, action: string): Promise<void> {
  const before = await page.locator(".strip li").count();
  await page.locator(`.life button[data-action="${action}"]`).click();
  await page.locator(".strip li").nth(before).waitFor();
}
