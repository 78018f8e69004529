import { expect, it } from "vitest";
import { Deferred } from "../../src/server/deferred.ts";

it("does the work for each item once and in order, at the latest when it is flushed", () => {
  const done: number[] = [];
  const deferred = new Deferred<number>((item) => void done.push(item));
  const items = Array.from({ length: 1_000 }, (_, index) => index);
  for (const item of items) {
    deferred.add(item);
    // Few wait at any time.
    expect(item - done.length).toBeLessThan(200);
  }
  deferred.flush();
  expect(done).toEqual(items);
  deferred.flush();
  expect(done).toEqual(items);
});
