import { expect, it } from "vitest";
import { filesOfKind } from "../../../src/play/page-file.ts";
import { type PlayState, writeLink } from "../../../src/play/state.ts";
import { describeInChromium, settled, textOf } from "./chromium.ts";

const folder = "test/kinds/office/person";
const files = filesOfKind(folder);

/** A lens that does not say what it loses. */
const broken = {
  ...files,
  "kind.ts": (files["kind.ts"] ?? "").replace('lossy: "the first space ends the first name",', ""),
};

function linkOf(these: PlayState["files"], parts: PlayState["parts"] = {}): string {
  const text = "apiVersion: office.example.org/v1\nkind: Person\nmetadata:\n  name: bo\n";
  return writeLink({ kind: "", files: these, at: "v1", text, read: "", stored: false, plain: false, parts });
}

describeInChromium("laws in a worker", (open) => {
  it("hold for a kind, and each is listed", async () => {
    const { page, errors } = await open({ fragment: linkOf(files) });
    await page.getByRole("button", { name: "Run it" }).click();
    await settled(page);
    await page.getByRole("tab", { name: "Laws" }).click();
    await page.locator('.laws select[name="runs"]').selectOption("20");
    await page.locator('.laws button[name="run"]').click();
    await page.getByText("No law is broken.").waitFor({ timeout: 120_000 });
    expect(await page.locator(".laws tbody tr").count()).toBeGreaterThan(15);
    expect(await page.locator(".laws tbody td").first().innerText()).toMatch(/^GetPut An object .*\.$/);
    expect(errors).toEqual([]);
  });

  it("find a lens that hides a loss, show the counterexample as a strip, and open it in the panes", async () => {
    const { page } = await open({ fragment: linkOf(broken) });
    await page.getByRole("button", { name: "Run it" }).click();
    await settled(page);
    await page.getByRole("tab", { name: "Laws" }).click();
    await page.locator('.laws button[name="run"]').click();
    await page.getByText(/laws? (is|are) broken/).waitFor({ timeout: 120_000 });
    await page.locator(".laws tr.broken button").first().click();
    await page.locator(".counterexample .view").first().waitFor();
    const titles = await page.locator(".counterexample .view h3").allTextContents();
    expect(titles[0]).toBe("begins with");
    expect(titles.slice(-2)).toEqual(["expected", "came out"]);
    expect(decodeURIComponent(await page.evaluate(() => location.hash))).not.toBe("");
    await page.getByRole("button", { name: "Open the object in the panes" }).click();
    await settled(page);
    const spec = await page.locator(".counterexample pre").first().textContent();
    const opened = await Promise.all(["v1", "v1beta1"].map((version) => textOf(page, version)));
    expect(
      opened.some((text) => text.includes("name: counterexample") && text.includes(spec?.trim() ?? "")),
    ).toBe(true);
  });

  it("are stopped at once", async () => {
    const { page } = await open({ fragment: linkOf(files) });
    await page.getByRole("button", { name: "Run it" }).click();
    await settled(page);
    await page.getByRole("tab", { name: "Laws" }).click();
    await page.locator('.laws select[name="runs"]').selectOption("1000");
    await page.locator('.laws button[name="run"]').click();
    await page.locator('.laws button[name="stop"]:enabled').click();
    await page.getByText("stopped", { exact: true }).waitFor();
    expect(await page.locator('.laws button[name="run"]').isEnabled()).toBe(true);
  });

  it("a made-up counterexample in a link does no harm", async () => {
    const parts = {
      laws: { counterexample: '{"claim":"<img src=x onerror=alert(1)>","versions":"v1","views":7}' },
    };
    const { page, errors, requests } = await open({ fragment: linkOf(files, parts) });
    await page.getByRole("button", { name: "Run it" }).click();
    await page.locator(".counterexample b").waitFor();
    expect(await page.locator(".counterexample b").textContent()).toBe("<img src=x onerror=alert(1)>");
    expect([...errors, ...requests]).toEqual([]);
  });
});
