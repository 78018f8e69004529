import { expect, it } from "vitest";
import { WorkQueue } from "../../examples/home/work-queue.ts";

/** A queue whose workers wait for `finish` and whose retries wait for `wake`. */
function stage(workers: number) {
  const started: string[] = [];
  const open = new Map<string, (error?: Error) => void>();
  const timers: { readonly callback: () => void; readonly milliseconds: number }[] = [];
  const stopped = new AbortController();
  const queue = new WorkQueue(
    (key) =>
      new Promise((resolve, reject) => {
        started.push(key);
        open.set(key, (error) => (error === undefined ? resolve() : reject(error)));
      }),
    {
      workers,
      onError: () => {},
      signal: stopped.signal,
      delay: (callback, milliseconds) => timers.push({ callback, milliseconds }),
      random: () => 1,
    },
  );
  const finish = async (key: string, error?: Error) => {
    open.get(key)?.(error);
    await new Promise(setImmediate);
  };
  return { queue, started, finish, timers, stop: () => stopped.abort() };
}

it("a key that waits is worked on once, however often it was added", async () => {
  const { queue, started, finish } = stage(1);
  for (const key of ["a", "b", "b", "b", "c"]) queue.add(key);
  for (const key of ["a", "b", "c"]) await finish(key);
  expect(started).toEqual(["a", "b", "c"]);
});

it("a key that is added while a worker has it is worked on again afterwards, never twice at once", async () => {
  const { queue, started, finish } = stage(2);
  queue.add("a");
  queue.add("a");
  queue.add("a");
  expect(started).toEqual(["a"]);
  await finish("a");
  expect(started).toEqual(["a", "a"]);
  await finish("a");
  expect(started).toEqual(["a", "a"]);
});

it("as many keys are worked on at once as there are workers", async () => {
  const { queue, started, finish } = stage(2);
  for (const key of ["a", "b", "c"]) queue.add(key);
  expect(started).toEqual(["a", "b"]);
  await finish("b");
  expect(started).toEqual(["a", "b", "c"]);
});

it("a key that may wait is worked on after all others, and once", async () => {
  const { queue, started, finish } = stage(1);
  for (const key of ["a", "b"]) queue.add(key);
  for (const key of ["c", "d", "b"]) queue.addLast(key);
  for (const key of ["e", "d"]) queue.add(key);
  for (const key of ["a", "b", "e", "d", "c"]) await finish(key);
  expect(started).toEqual(["a", "b", "e", "d", "c"]);
});

it("a failed key is retried, later each time up to half a second, and at once after it succeeded", async () => {
  const { queue, started, finish, timers } = stage(1);
  queue.add("a");
  for (let failure = 0; failure < 7; failure += 1) {
    await finish("a", new Error("no"));
    timers.at(-1)?.callback();
  }
  expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([25, 50, 100, 200, 400, 500, 500]);
  await finish("a");
  queue.add("a");
  await finish("a", new Error("no"));
  expect(timers.at(-1)?.milliseconds).toBe(25);
  expect(started).toHaveLength(9);
});

it("a stopped queue starts no more work", async () => {
  const { queue, started, finish, timers, stop } = stage(1);
  queue.add("a");
  queue.add("b");
  stop();
  await finish("a", new Error("no"));
  timers.at(-1)?.callback();
  queue.add("c");
  expect(started).toEqual(["a"]);
});
