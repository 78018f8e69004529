import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

/** Folders whose comments still name pages that the repository does not have. A folder that is clean must go from here. */
const notYetClean = ["src/json", "src/review"];

const folders = ["src", "webhooks", "certs", "test", "bench"];

interface Reference {
  readonly folder: string;
  readonly file: string;
  readonly page: string;
}

/** Every page that a comment names, `docs/kinds.md` or `kinds.md`. */
function referencesIn(file: string, text: string): readonly Reference[] {
  const folder = file.startsWith("src/") ? file.split("/").slice(0, 2).join("/") : (file.split("/")[0] ?? "");
  return [...text.matchAll(comment)].flatMap(([each]) =>
    [...each.matchAll(/[\w./-]*\w\.md(?!\.?\w)/g)].map(([page]) => ({ folder, file, page })),
  );
}

// Line comments begin a line or follow a space, so that a URL in a string is none.
const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

const pages = globSync(["*.md", "docs/**/*.md", "test/**/*.md"]);

/** A page is named by its path in the repository, or by its name alone. */
function exists(page: string): boolean {
  return pages.includes(page) || (!page.includes("/") && pages.some((each) => path.basename(each) === page));
}

const dangling = globSync(folders.map((folder) => `${folder}/**/*.ts`))
  .filter((file) => !file.includes("node_modules") && file !== "test/references.test.ts")
  .flatMap((file) => referencesIn(file, readFileSync(file, "utf8")))
  .filter(({ page }) => !exists(page));

it("comments name no page that the repository does not have", () => {
  expect(dangling.filter(({ folder }) => !notYetClean.includes(folder))).toEqual([]);
});

it("every folder that may still do so does", () => {
  const used = new Set(dangling.map(({ folder }) => folder));
  expect([...used].sort()).toEqual(notYetClean);
});

it("a reference is found in either sort of comment, and nowhere else", () => {
  const source = `
    /** See gone.md 2.8 and docs/kinds.md. */
    // Also lost.md, but not lost.mdx.
    const url = "https://example.org/text.md";
    forge.md.sha256.create();
  `;
  expect(referencesIn("src/a/b.ts", source).map(({ page }) => page)).toEqual([
    "gone.md",
    "docs/kinds.md",
    "lost.md",
  ]);
});
