import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";

const folders = ["src", "webhooks", "certs", "test", "bench"];

interface Reference {
  readonly file: string;
  readonly page: string;
}

/** Every page that a comment names, `docs/reference/kinds.md` or `kinds.md`. */
function referencesIn(file: string, text: string): readonly Reference[] {
  return [...text.matchAll(comment)].flatMap(([each]) =>
    [...each.matchAll(/[\w./-]*\w\.md(?!\.?\w)/g)].map(([page]) => ({ file, page })),
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
  .filter((file) => !file.includes("node_modules") && file !== "test/repository/references.test.ts")
  .flatMap((file) => referencesIn(file, readFileSync(file, "utf8")))
  .filter(({ page }) => !exists(page));

it("comments name no page that the repository does not have", () => {
  expect(dangling).toEqual([]);
});

it("a reference is found in either sort of comment, and nowhere else", () => {
  const source = `
    /** See gone.md 2.8 and docs/reference/kinds.md. */
    // Also lost.md, but not lost.mdx.
    const url = "https://example.org/text.md";
    forge.md.sha256.create();
  `;
  expect(referencesIn("src/a/b.ts", source).map(({ page }) => page)).toEqual([
    "gone.md",
    "docs/reference/kinds.md",
    "lost.md",
  ]);
});
