import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { lived, type TakenStep } from "../../src/play/life/lives.ts";
import { outcomesOf, recordingOf, type Story, stories, storyKinds, textOf } from "./stories.ts";

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

it("none loses a value that its client did not see, but the one whose export has no annotations", () => {
  const lossy = stories.flatMap((story) =>
    livedBy(story).flatMap(({ fates }, index) =>
      fates.some(({ sort }) => sort === "dropped") ? [`${story.name}, step ${index + 1}`] : [],
    ),
  );
  expect(lossy).toEqual(["15-restored-without-annotations, step 4"]);
});

function livedBy({ kind, steps }: Story): readonly TakenStep[] {
  const found = kinds.all.find(({ name }) => name === kind);
  if (found === undefined) throw new Error(`there is no kind ${kind}`);
  return lived(found, steps);
}
