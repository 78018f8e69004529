import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

// Words of an English that only this project spoke once. Sentences name their subject: the client, the API server, the caller,
// the author of a kind.
const words: readonly (readonly [word: string, pattern: RegExp])[] = [
  ["nobody", /\bnobody\b/i],
  ["whoever", /\bwhoever\b/i],
  ["told (for reported)", /\btold\b(?! apart)/i],
  ["is no (for is not)", /(?<!\bthere )\bis no\b(?! longer)/i],
];

const files = globSync([
  "src/**/*.ts",
  "test/{certs,cluster}/**/*.ts",
  "webhooks/**/*.{ts,yaml}",
  "certs/**/*.ts",
  "docs/**/*.md",
  "*.md",
]);

it.each(words)("no file says %s", (_word, pattern) => {
  const found = files.flatMap((file) =>
    readFileSync(file, "utf8")
      .replaceAll(/\s*\n\s*(?:\*|\/\/|#)?\s*/g, " ")
      .split(/(?<=[.:;])\s/)
      .filter((sentence) => pattern.test(sentence))
      .map((sentence) => `${file}: ${sentence.trim().slice(-150)}`),
  );
  expect(found).toEqual([]);
});

const generated = ["docs/reference/cli.md"];
const pages = globSync(["docs/**/*.md", "*.md"]).filter(
  (page) => !page.startsWith("docs/evidence/") && !generated.includes(page),
);

it("no sentence on a page has more than 30 words", () => {
  expect(sentencesWhere((sentence) => wordsOf(sentence) > 30)).toEqual([]);
});

it("no sentence on a page begins with what it is about, before its subject", () => {
  expect(sentencesWhere((sentence) => /^(?:Of|Nor)\b/.test(sentence))).toEqual([]);
});

function sentencesWhere(isBad: (sentence: string) => boolean): readonly string[] {
  return pages.flatMap((page) =>
    sentencesOf(readFileSync(page, "utf8"))
      .filter(isBad)
      .map((sentence) => `${page}: ${sentence}`),
  );
}

/** The sentences of a page: in paragraphs, items of lists and cells of tables. Code is one word, and blocks of it are left out. */
function sentencesOf(markdown: string): readonly string[] {
  return markdown
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "\n\n")
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/`[^`]*`/g, "code")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .split(/\n\s*\n|^#.*$|\n(?=\s*(?:[->]|\d+\.) )|\n(?=\|)|\|/m)
    .flatMap((block) => block.replaceAll(/\s+/g, " ").split(/(?<=[.!?][")*]*) /))
    .map((sentence) => sentence.trim());
}

function wordsOf(sentence: string): number {
  return sentence.match(/[\p{L}\p{N}][^\s]*/gu)?.length ?? 0;
}
