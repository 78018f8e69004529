// What the page costs in Chromium: its size, the first conversion after opening, and the time from a key to all panes. Medians and
// the middle half of several runs, in milliseconds; on a busy machine the best counts as well.
//   node bench/play.ts [runs]
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "playwright-core";
import { gallery } from "../examples/play/gallery.ts";
import { stateOf, writeLink } from "../src/play/state.ts";

const runs = Number(process.argv[2] ?? 11);
const file = path.resolve("node_modules/.cache/play.html");
const { buildPage } = await import(pathToFileURL(path.resolve("tools/play.mjs")).href);
await buildPage(file);
const text = readFileSync(file);
const kilobytes = (bytes: Buffer) => `${Math.round(bytes.length / 1000)} kB`;
console.log(
  `size: ${kilobytes(text)}; gzip ${kilobytes(gzipSync(text, { level: 9 }))}, brotli ${kilobytes(brotliCompressSync(text))}`,
);

const [room, , , statefulSet] = gallery();
if (room === undefined || statefulSet === undefined) throw new Error("the gallery has other examples");
const large = { ...statefulSet, text: enlarged(statefulSet.text, 10_000) };
/** Notes when the page has settled: since it was opened, then since the last key was pressed. */
const observer = `
  const times = (globalThis.times = []);
  let pressed = 0;
  addEventListener("keydown", ({ timeStamp }) => { pressed = timeStamp; }, true);
  new MutationObserver(() => {
    if (document.body?.dataset.state !== "settled" || pressed < 0) return;
    times.push(performance.now() - pressed);
    pressed = -1;
  }).observe(document, { attributeFilter: ["data-state"], subtree: true });
`;

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const opened: number[] = [];
for (let run = 0; run <= runs; run += 1) {
  const page = await openPage(browser, "");
  const [time = 0] = await timesOf(page);
  // The first run reads the file from disk.
  if (run > 0) opened.push(time);
  await page.close();
}
console.log(`first conversion after opening: ${quartiles(opened)}`);
for (const [name, example] of [
  [`a Room of ${room.text.length} bytes`, room],
  [`a StatefulSet of ${large.text.length} bytes`, large],
] as const) {
  const page = await openPage(browser, writeLink(stateOf(example)));
  console.log(
    `a key in ${name}, until all panes show it: ${quartiles(await keys(page, example.at, 10 * runs))}`,
  );
  await page.close();
}
await browser.close();

function timesOf(page: Page): Promise<readonly number[]> {
  return page.evaluate(() => (globalThis as unknown as { readonly times: readonly number[] }).times);
}

async function openPage(browser: Browser, fragment: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  await page.addInitScript(observer);
  await page.goto(`${pathToFileURL(file).href}#${fragment}`);
  await page.waitForSelector("body[data-state=settled]", { state: "attached" });
  return page;
}

/** The times from keys in the name of an object until the page has settled again. */
async function keys(page: Page, version: string, count: number): Promise<readonly number[]> {
  const line = page.locator(`[data-version="${version}"] .cm-line`, { hasText: /^ {2}name: / }).first();
  await line.click();
  await page.keyboard.press("End");
  const before = (await timesOf(page)).length;
  for (let key = 0; key < count + 5; key += 1) {
    await page.keyboard.type("abcdefghij"[key % 10] ?? "a");
    await page.waitForSelector("body[data-state=settled]", { state: "attached" });
  }
  // The first keys compile what runs at each.
  return (await timesOf(page)).slice(before + 5);
}

/** The object with as many containers as make it a text of a size. */
function enlarged(object: string, size: number): string {
  const begin = object.indexOf("        - name: database\n          image:");
  const end = object.indexOf("  volumeClaimTemplates:");
  const container = object.slice(begin, end);
  const count = Math.ceil((size - object.length) / container.length);
  const more = Array.from({ length: count }, (_, index) =>
    container.replace("- name: database", `- name: sidecar-${index}`),
  );
  return object.slice(0, end) + more.join("") + object.slice(end);
}

function quartiles(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
  return `${at(0.5)} ms (${at(0.25)} to ${at(0.75)}; the best ${at(0)})`;
}
