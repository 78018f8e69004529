import { readFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { describeInChromium, pageFile } from "./chromium.ts";

// Only where the page was built, as for the other suites.
describeInChromium("the page", () => {
  it("has less than 500 kB, compressed as most servers send it", () => {
    const text = readFileSync(pageFile);
    const sizes = { gzip: gzipSync(text, { level: 9 }).length, brotli: brotliCompressSync(text).length };
    console.log(`the page: ${text.length} bytes; ${JSON.stringify(sizes)}`);
    expect(sizes.gzip).toBeLessThan(500_000);
  });
});
