import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { apiServerOf } from "../../src/play/life/server.ts";
import { take, unborn, viewsOf } from "../../src/play/life/steps.ts";
import { outcomesOf, recordingOf, type Story, stories, storyKinds, type Taken, textOf } from "./stories.ts";

// What an API server in a page makes of an object, against what a real one made of it (test/cluster/suites/stories.test.ts).

const kinds = await loadKinds(storyKinds);

it("there are twenty stories", () => {
  expect(stories.length).toBeGreaterThanOrEqual(20);
});

it.each(stories.map((story) => [story.name, story.title, story] as const))(
  "%s: %s",
  (_name, _title, story) => {
    expect(textOf(outcomesOf(livedBy(story)))).toBe(readFileSync(recordingOf(story), "utf8"));
  },
);

function livedBy({ kind, steps }: Story): readonly Taken[] {
  const found = kinds.all.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`there is no kind ${kind}`);
  const server = apiServerOf(found);
  let life = unborn;
  return steps.map((step) => {
    const taken = take(server, life, step);
    life = taken.life;
    return { ...taken.answer, views: viewsOf(server, life) };
  });
}
