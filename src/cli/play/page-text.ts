import { readFile } from "node:fs/promises";
import { UsageError } from "../../errors.ts";
import type { Example } from "../../play/state.ts";

/** The page as the build wrote it: beside the compiled sources, in a checkout in `dist`. */
const built = new URL(
  import.meta.url.endsWith(".ts") ? "../../../dist/play.html" : "../../../play.html",
  import.meta.url,
);

/** The text of the page. @throws {UsageError} in a checkout that was not built */
export async function pageText(file: string | URL = built): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch {
    throw new UsageError("the page was not built: run node tools/play.mjs in this checkout of antechamber");
  }
}

/** The examples that a page brings along. */
export function galleryOf(page: string): readonly Example[] {
  return JSON.parse(
    /<script type="application\/json" id="examples">(.*?)<\/script>/s.exec(page)?.[1] ?? "[]",
  );
}
