import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { describeInChromium, pick, replace, settled } from "./chromium.ts";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

interface Finding {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

describeInChromium("everyone", (open) => {
  it.each([
    ["light", { width: 1400 }],
    ["dark", { width: 1400, dark: true }],
    ["narrow", { width: 400 }],
  ])("finds nothing serious in the way: %s", async (_what, options) => {
    const { page } = await open(options);
    await replace(page, "v1beta1", "  - cellar-bulb\n", "");
    await page.locator(".unseen summary").first().click();
    await page.evaluate(await axeSource());
    await page.getByRole("tab", { name: "What clients do to it" }).click();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.locator(".strip li").waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "Laws" }).click();
    await page.getByRole("button", { name: "Try the laws" }).click();
    await page.locator(".laws tbody tr").first().waitFor();
    expect(await seriousIn(page)).toEqual([]);
    await page.getByRole("tab", { name: "Schema and lens" }).click();
    // The other panes are grey while nothing is stored.
    await replace(page, "v1beta1", "floor: 0", "floor: ground");
    expect(await page.locator(".refusal").count()).toBe(1);
    expect(await seriousIn(page)).toEqual([]);
  });

  it("can do all by the keyboard alone", async () => {
    const { page } = await open();
    await settled(page);
    const reached: string[] = [];
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Tab");
      reached.push(
        await page.evaluate(() => {
          const { ariaLabel, textContent, tagName } = document.activeElement ?? document.body;
          return (
            ariaLabel ??
            (tagName === "INPUT"
              ? (document.activeElement?.parentElement?.textContent ?? "")
              : (textContent ?? "").slice(0, 40))
          );
        }),
      );
    }
    for (const wanted of [
      "Example",
      "as stored",
      "without carriers",
      "Your own CRD…",
      "Copy link",
      "The object at v1beta1",
      "The object at v1",
      "Schema and lens",
      "v1beta1.ts",
    ])
      expect(reached).toContain(wanted);
  });

  it("on a narrow screen need not scroll sideways", async () => {
    const { page } = await open({ width: 360 });
    for (const id of ["room", "statefulset"]) {
      await pick(page, id);
      const [inner, whole] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
      expect(whole).toBeLessThanOrEqual(inner ?? 0);
    }
  });
});

/** What axe finds serious: the rule, and where. */
async function seriousIn(page: Page) {
  const found = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<{ violations: unknown }> } }).axe.run(),
  );
  return (found.violations as readonly Finding[])
    .filter(({ impact }) => ["serious", "critical"].includes(impact))
    .map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))]);
}

async function axeSource(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  return readFile(axe, "utf8");
}
