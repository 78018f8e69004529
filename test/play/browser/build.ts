import { buildPage } from "../../../tools/play.mjs";
import { chromiumLeftOut, findChromium, pageFile } from "./chromium.ts";

/** Builds the page once for all suites. */
export default async function build(): Promise<void> {
  if (findChromium() === undefined) process.stderr.write(`${chromiumLeftOut}\n`);
  else await buildPage(pageFile);
}
