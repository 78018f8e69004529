import { expect, it } from "vitest";
import { type Progress, WorkQueue } from "../../examples/home/work-queue.ts";

/** A queue whose workers wait for `finish` and whose retries wait for `wake`. */
function stage(workers: number, ordinaryWorkers = workers) {
  const started: string[] = [];
  const urgent: string[] = [];
  const open = new Map<string, (outcome: Progress | Error) => void>();
  const timers: { readonly wake: () => void; readonly milliseconds: number; isStopped: boolean }[] = [];
  const stopped = new AbortController();
  const queue = new WorkQueue(
    (key, { isUrgent }) =>
      new Promise((resolve, reject) => {
        started.push(key);
        if (isUrgent) urgent.push(key);
        open.set(key, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      }),
    {
      workers,
      ordinaryWorkers,
      onError: () => {},
      signal: stopped.signal,
      delay: (wake, milliseconds) => {
        const timer = { wake, milliseconds, isStopped: false };
        timers.push(timer);
        return () => {
          timer.isStopped = true;
        };
      },
      random: () => 1,
    },
  );
  const finish = async (key: string, outcome: Progress | Error = "done") => {
    open.get(key)?.(outcome);
    await new Promise(setImmediate);
  };
  return { queue, started, urgent, finish, timers, stop: () => stopped.abort() };
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

it("an urgent key is worked on before all others, and once", async () => {
  const { queue, started, urgent, finish } = stage(1);
  for (const key of ["a", "b", "c", "d"]) queue.add(key);
  for (const key of ["e", "d"]) queue.addUrgent(key);
  queue.add("d");
  for (const key of ["a", "e", "d", "b", "c"]) await finish(key);
  expect(started).toEqual(["a", "e", "d", "b", "c"]);
  expect(urgent).toEqual(["e", "d"]);
});

it("an urgent key stays urgent until it is done, whatever adds it again", async () => {
  const { queue, started, urgent, finish, timers } = stage(1);
  queue.addUrgent("a");
  for (const key of ["b", "c", "d"]) queue.add(key);
  await finish("a", new Error("no"));
  timers.at(-1)?.wake();
  await finish("b");
  await finish("a", "pending");
  queue.add("a");
  await finish("c");
  await finish("a", "done");
  queue.add("a");
  for (const key of ["d", "a"]) await finish(key);
  expect(started).toEqual(["a", "b", "a", "c", "a", "d", "a"]);
  expect(urgent).toEqual(["a", "a", "a"]);
});

it("a key that becomes urgent while a worker has it is urgent afterwards", async () => {
  const { queue, urgent, finish } = stage(1);
  queue.add("a");
  queue.addUrgent("a");
  await finish("a");
  expect(urgent).toEqual(["a"]);
  await finish("a");
  queue.add("a");
  expect(urgent).toEqual(["a"]);
});

it("a hurried key overtakes those that wait, and is not added by that", async () => {
  const { queue, started, finish } = stage(1);
  for (const key of ["a", "b", "c"]) queue.add(key);
  for (const key of ["c", "d"]) queue.hurry(key);
  for (const key of ["a", "c", "b"]) await finish(key);
  expect(started).toEqual(["a", "c", "b"]);
  for (const key of ["e", "f", "d"]) queue.add(key);
  for (const key of ["e", "d", "f"]) await finish(key);
  expect(started.slice(3)).toEqual(["e", "d", "f"]);
});

it("ordinary keys leave workers to urgent ones", async () => {
  const { queue, started, finish } = stage(3, 1);
  for (const key of ["a", "b", "c"]) queue.add(key);
  expect(started).toEqual(["a"]);
  for (const key of ["d", "e", "f"]) queue.addUrgent(key);
  expect(started).toEqual(["a", "d", "e"]);
  await finish("a");
  expect(started).toEqual(["a", "d", "e", "f"]);
  await finish("d");
  await finish("e");
  expect(started).toEqual(["a", "d", "e", "f", "b"]);
});

it("a key that is worked on before its retry is retried no more", async () => {
  const { queue, finish, timers } = stage(1);
  queue.add("a");
  await finish("a", new Error("no"));
  expect(timers.map(({ isStopped }) => isStopped)).toEqual([false]);
  queue.add("a");
  expect(timers.map(({ isStopped }) => isStopped)).toEqual([true]);
  await finish("a");
  expect(timers).toHaveLength(1);
});

it("a failed key is retried, later each time up to half a second, and at once after it succeeded", async () => {
  const { queue, started, finish, timers } = stage(1);
  queue.add("a");
  for (let failure = 0; failure < 7; failure += 1) {
    await finish("a", new Error("no"));
    timers.at(-1)?.wake();
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
  timers.at(-1)?.wake();
  queue.add("c");
  expect(started).toEqual(["a"]);
});
