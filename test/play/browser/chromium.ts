import { existsSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe } from "vitest";

/** The page, as `build.ts` built it. */
export const pageFile = path.resolve("node_modules/.cache/play.html");

const places = ["/usr/bin/chromium", "/usr/bin/google-chrome"];

export const chromiumLeftOut =
  "Left out: the page in a browser, for which there is no Chromium (apt-get install chromium, or CHROMIUM=…).";

/** The program; undefined where there is none. */
export function findChromium(): string | undefined {
  const named = process.env.CHROMIUM;
  return named ?? places.find((each) => existsSync(each));
}

/** A page that was opened, and what it asked and complained of since. */
export interface OpenPage {
  readonly page: Page;
  /** Addresses of all requests but the one for the page itself. */
  readonly requests: readonly string[];
  /** Errors of scripts, and what a policy refused. */
  readonly errors: readonly string[];
}

/** Suites in Chromium, with a page that is opened for each test. Without Chromium they are left out; in CI they fail. */
export function describeInChromium(name: string, suite: (open: Open) => void): void {
  const program = findChromium();
  const isLeftOut = program === undefined && process.env.CI === undefined;
  describe.skipIf(isLeftOut)(name, () => {
    let browser: Browser;
    beforeAll(async () => {
      if (program === undefined) throw new Error(chromiumLeftOut);
      // Containers do not let it make a sandbox, and their /dev/shm is small.
      browser = await chromium.launch({
        executablePath: program,
        args: ["--no-sandbox", "--disable-dev-shm-usage"],
      });
    });
    afterAll(() => browser?.close());
    suite((options) => openPage(browser, options));
  });
}

interface Options {
  /** Of the link, without `#`. */
  readonly fragment?: string;
  readonly width?: number;
  readonly dark?: boolean;
  /** By default the page's file. */
  readonly address?: string;
}

type Open = (options?: Options) => Promise<OpenPage>;

async function openPage(
  browser: Browser,
  { fragment = "", width = 1400, dark = false, address = pathToFileURL(pageFile).href }: Options = {},
): Promise<OpenPage> {
  const page = await browser.newPage({
    // Editors draw only the lines that are in sight.
    viewport: { width, height: 4000 },
    colorScheme: dark ? "dark" : "light",
  });
  const [requests, errors]: [string[], string[]] = [[], []];
  page.on("request", (request) => {
    if (!request.isNavigationRequest() && !/^(?:blob|data):/.test(request.url()))
      requests.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  // What waits in vain says so before the test is out of time.
  page.setDefaultTimeout(10_000);
  await page.goto(fragment === "" ? address : `${address}#${fragment}`);
  return { page, requests, errors };
}

/** Waits until the page shows the answer to what was done last. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => document.body.dataset.state === "settled");
}

/** The text of the pane of a version, as it would be copied: without what travels unseen. */
export function textOf(page: Page, version: string): Promise<string> {
  return page.evaluate((name) => {
    const lines = document.querySelectorAll(`[data-version="${name}"] .cm-line`);
    return [...lines].map((line) => line.textContent).join("\n");
  }, version);
}

/** What the list below a pane names: its cells with tabs between them. */
export function unseenOf(page: Page, version: string): Promise<string> {
  return page.evaluate((name) => {
    const rows = document.querySelectorAll(`[data-version="${name}"] .unseen tbody tr`);
    const cells = (row: Element) => [...row.children].map((cell) => cell.textContent).join("\t");
    return [...rows].map(cells).join("\n");
  }, version);
}

/** Chooses an example of the gallery. */
export async function pick(page: Page, id: string): Promise<void> {
  await page.getByLabel("Example").selectOption(id);
  await settled(page);
}

/** Opens a file of the kind; its editor. */
export async function openFile(page: Page, name: string): Promise<Locator> {
  await page.locator(".files").getByRole("button", { name }).click();
  return page.locator(".parts .file .cm-content");
}

/** Writes a text in place of what a pane has, as its user would who pastes it. */
export async function write(page: Page, version: string, text: string): Promise<void> {
  await page.locator(`[data-version="${version}"] .cm-content`).fill(text);
  await settled(page);
}

/** Replaces a part of the text of a pane. */
export async function replace(page: Page, version: string, from: string, to: string): Promise<void> {
  await settled(page);
  const text = await textOf(page, version);
  if (!text.includes(from)) throw new Error(`${version} has no ${from}:\n${text}`);
  await write(page, version, text.replace(from, to));
}
