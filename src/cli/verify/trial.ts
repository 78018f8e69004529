import { Worker } from "node:worker_threads";
import type { Counterexample } from "../../laws/law.ts";
import type { LensCall } from "../../laws/traced.ts";
import { decode, type Question, type TrialMessage, type TrialOrder, type WorkerOrder } from "./messages.ts";
import { newWatch, readWatch, type Watch } from "./watch.ts";

/** Where a trial reports. */
interface TrialIo {
  readonly onMessage: (message: TrialMessage) => void;
  /** Receives what a kind prints while it is tested. */
  readonly note: (line: string) => void;
  readonly now: () => Date;
  /** Stops the trial at once. */
  readonly interrupt: AbortSignal;
}

/** A trial under way. */
interface State {
  readonly order: TrialOrder;
  readonly io: TrialIo;
  questions: readonly Question[];
  /** The answers and surveys so far, and when the last one came. */
  done: number;
  since: number;
  /** The milliseconds that the laws of each folder have taken. */
  readonly spent: Record<string, number>;
  /** The folders of kinds of which a lens is known not to return. */
  readonly convicted: Set<string>;
}

/** Why a thread ended early: a case did not end, memory is short, or the time of the kind is over; and what was going on. */
interface Stopped {
  readonly why: "stuck" | "memory" | "time";
  /** The call of the kind's own code that did not return, if it was that. */
  readonly call?: LensCall;
}

/**
 * Tests laws in a separate thread until all are tried, or until it is interrupted. If a law ends the thread, since a lens does not
 * return or since memory is short, a new thread goes on with the next one. Rejects if the thread fails in another way.
 */
export async function tryLaws(order: TrialOrder, io: TrialIo): Promise<void> {
  const state: State = {
    order,
    io,
    questions: [],
    done: 0,
    since: io.now().getTime(),
    spent: {},
    convicted: new Set(),
  };
  for (;;) {
    leaveOut(state);
    const ended = await attempt(state, false);
    if (ended === undefined || io.interrupt.aborted) return;
    const asked = state.questions[state.done];
    const fault = wordsFor(ended, order);
    if (state.questions.length === 0) throw new Error(`the laws could not be prepared: ${fault}`);
    if (asked === undefined) received(state, { type: "survey", survey: { fault } });
    else await conclude(state, asked, ended);
    if (io.interrupt.aborted || state.done >= state.questions.length + order.folders.length) return;
  }
}

/** Leaves out what is left of the laws on a kind whose time is over: a new thread would take more of it. */
function leaveOut(state: State): void {
  const { order, spent } = state;
  for (;;) {
    const { folder } = state.questions[state.done] ?? {};
    if (folder === undefined || (spent[folder] ?? 0) < order.lawsTime) return;
    received(state, { type: "unfinished", why: wordsFor({ why: "time" }, order) });
  }
}

/** What a law comes to that ended its thread: a finding, if a second attempt tells which row did not return. */
async function conclude(state: State, { folder }: Question, stopped: Stopped): Promise<void> {
  const { order, convicted, done } = state;
  if (stopped.why !== "time" && !convicted.has(folder)) {
    const again = await attempt(state, true);
    if (state.done > done || state.io.interrupt.aborted) return;
    if (again?.call !== undefined && again.why !== "time") {
      convicted.add(folder);
      return received(state, {
        type: "answer",
        trial: { runs: 1, counterexample: endless(again.call, again, order) },
      });
    }
  }
  received(state, { type: "unfinished", why: wordsFor(stopped, order) });
}

/** Goes on in a new thread: with all that is left, or with one law on a kind that tells of each call of its functions. */
async function attempt(state: State, isTraced: boolean): Promise<Stopped | undefined> {
  const { order, io, spent, convicted } = state;
  if (io.interrupt.aborted) return undefined;
  const watch = newWatch();
  const workerData: WorkerOrder = { ...order, from: state.done, isTraced, spent, convicted, watch };
  const worker = new Worker(entry, { workerData, stdout: true, resourceLimits });
  const stop = () => void worker.terminate();
  io.interrupt.addEventListener("abort", stop, { once: true });
  worker.stdout.setEncoding("utf8").on("data", (text: string) => io.note(text.trimEnd()));
  worker.on("message", (text: string) => io.interrupt.aborted || received(state, decode(text)));
  let stopped: Stopped["why"] | undefined;
  const watcher = watching(state, watch, (why) => {
    stopped ??= why;
    stop();
  });
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once("error", (error: Error & { code?: string }) => {
        if (error.code !== "ERR_WORKER_OUT_OF_MEMORY") return reject(error);
        stopped ??= "memory";
        resolve();
      });
      worker.once("exit", (code) => {
        if (code === 0 || stopped !== undefined || io.interrupt.aborted) resolve();
        else reject(new Error(`the thread that tests the laws exited early, with code ${code}`));
      });
    });
  } finally {
    clearInterval(watcher);
    io.interrupt.removeEventListener("abort", stop);
  }
  const { call } = readWatch(watch);
  return stopped && { why: stopped, ...(call === undefined ? {} : { call }) };
}

/** Notices a case that does not end, and a kind whose time is over. */
function watching(state: State, watch: Watch, stop: (why: Stopped["why"]) => void): NodeJS.Timeout {
  const { order, io, spent } = state;
  const now = () => io.now().getTime();
  let seen = { beats: 0, done: state.done, at: now() };
  const timer = setInterval(() => {
    const { beats } = readWatch(watch);
    if (beats !== seen.beats || state.done !== seen.done) seen = { beats, done: state.done, at: now() };
    const asked = state.questions[state.done];
    const left = asked === undefined ? order.surveyTime : order.lawsTime - (spent[asked.folder] ?? 0);
    const isStuck = beats % 2 === 1 && now() - seen.at > order.patience;
    const isLate = state.questions.length > 0 && now() - state.since > left + order.patience;
    if (!isStuck && !isLate) return;
    clearInterval(timer);
    stop(isStuck ? "stuck" : "time");
  }, 250);
  return timer;
}

/** Takes a message of the thread, or one in its place. */
function received(state: State, message: TrialMessage): void {
  const { io, spent, questions, done, since } = state;
  const now = io.now().getTime();
  if (message.type === "questions") {
    // A thread that goes on where another one ended asks the same, and takes its kind's time to begin.
    if (questions.length > 0) return;
    state.questions = message.questions;
    state.since = now;
    io.onMessage(message);
    return;
  }
  if (message.type !== "misuse") {
    const { folder } = questions[done] ?? {};
    if (folder !== undefined) spent[folder] = (spent[folder] ?? 0) + now - since;
    state.done += 1;
    state.since = now;
  }
  io.onMessage(message);
}

/** The finding of a function of a kind that did not return. */
function endless({ from, to, field, object }: LensCall, { why }: Stopped, order: TrialOrder): Counterexample {
  return {
    claim: "each conversion ends",
    versions: `${from} → ${to}`,
    object,
    steps: [`convert from ${from} to ${to}`],
    field,
    expected: "a result",
    actual:
      why === "memory" ? `none within ${heapSize} MiB of memory` : `none within ${order.patience / 1000} s`,
    hint: "the lens does not return for this object: a loop in its function has no end",
  };
}

function wordsFor({ why }: Stopped, { patience }: TrialOrder): string {
  switch (why) {
    case "memory":
      return `it takes more than ${heapSize} MiB of memory`;
    case "stuck":
      return `a case takes more than ${patience / 1000} s`;
    case "time":
      return "the time of the kind was over; --max-time gives it more";
  }
}

// A case needs a few megabytes; without a limit the heap of the thread grows to gigabytes before a collection.
const heapSize = 512;
const resourceLimits = { maxOldGenerationSizeMb: heapSize };

const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);
