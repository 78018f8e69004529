import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Launch } from "./argv.ts";

/** A process that has said it is ready. */
export interface Child {
  readonly pid: number;
  /** What stood behind the word READY. */
  readonly ready: string;
  /** The last part of what it wrote to standard error. */
  log(): string;
  /** Ends it, and resolves when it is gone. May be called again. */
  stop(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts a process that prints a line `READY …`. Its standard input is a pipe that nobody writes to: it ends with this
 * process, however that dies, and with `--until-eof` so does the child. No signal handler could promise as much.
 */
export async function startChild({ command, args }: Launch, timeout: number): Promise<Child> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const log = tail(child);
  const gone = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  const stop = () => end(child, gone);
  try {
    const ready = await readyLine(child, timeout);
    return { pid: child.pid ?? 0, ready, log, stop };
  } catch (cause) {
    await stop();
    throw new Error(`${command} ${args.join(" ")}\n${(cause as Error).message}\n${log()}`, { cause });
  }
}

/** Runs a process to its end, whatever its exit code. */
export async function run({ command, args }: Launch, env: NodeJS.ProcessEnv, input = ""): Promise<Ran> {
  const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve(code ?? 1));
  });
  child.stdin.on("error", ignoreClosedPipe).end(input);
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

function readyLine(child: ChildProcessWithoutNullStreams, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready within ${timeout} ms`)), timeout);
    child.once("error", reject);
    child.once("close", (code, signal) =>
      reject(new Error(`ended with ${code ?? signal} before it was ready`)),
    );
    child.once("close", () => clearTimeout(timer));
    // The lines are read to the end: an audit log may share standard output, and a full pipe would stop the server.
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("READY ")) return;
      clearTimeout(timer);
      resolve(line.slice("READY ".length));
    });
  });
}

function tail(child: ChildProcessWithoutNullStreams): () => string {
  const limit = 65_536;
  let kept = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    kept = (kept + chunk).slice(-limit);
  });
  return () => kept;
}

async function end(child: ChildProcessWithoutNullStreams, gone: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(timer);
}

/** A program need not read its input: kubectl often does not. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
}
