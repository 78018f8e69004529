import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { gallery } from "../../examples/play/gallery.ts";
import { linkOf, type Story, stories } from "./stories.ts";

const inDocs = stories.filter(({ docs }) => docs !== undefined);

it("pages have stories as examples", () => {
  expect(inDocs.length).toBeGreaterThanOrEqual(3);
});

it.each(inDocs.map((story) => [story.name, story] as const))(
  "the link to %s is in its page; if not, RECORD=1 vitest run test/play/docs.test.ts writes it",
  (name, story) => {
    const page = story.docs ?? "";
    const text = readFileSync(page, "utf8");
    const written = text.replace(
      new RegExp(`\\(http://127\\.0\\.0\\.1:4180/#[^ )]* "${name}"\\)`),
      () => `(http://127.0.0.1:4180/#${linkOf(story, exampleOf(story))} "${name}")`,
    );
    if (process.env.RECORD === "1") writeFileSync(page, written);
    expect(text).toContain(`"${name}")`);
    expect(text).toBe(written);
  },
);

function exampleOf({ kind }: Story) {
  const name = kind.split(".")[0] ?? "";
  const found = gallery().find(({ text }) => text.includes(`\nkind: ${name}\n`));
  if (found === undefined) throw new Error(`the gallery has no ${name}`);
  return found;
}
