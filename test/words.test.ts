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
