import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import type { Launch } from "./launch.ts";

/** A process that is ready. */
export interface Child {
  readonly pid: number;
  /** The rest of its line READY. */
  readonly ready: string;
  /** The end of its standard error. */
  log(): string;
  /** Settles when it has ended. */
  readonly ended: Promise<void>;
  /** Stops it, and resolves when it has ended. Idempotent. */
  stop(): Promise<void>;
}

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Starts a process that prints a line `READY …`. Its standard input is a pipe without data that closes when this process
 * ends, however it ends; with `--until-eof` the child then ends, too. A signal handler could not guarantee that.
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
    return { pid: child.pid ?? 0, ready, log, ended: gone, stop };
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
    // All lines are read: an audit log may share standard output, and a full pipe would block the server.
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

/** Some programs do not read their input: kubectl often does not. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
}
