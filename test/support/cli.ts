import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { Terminal } from "../../src/cli/console.ts";
import { run } from "../../src/cli.ts";

/** What a command line printed and how it ended. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The input and environment of a run in this process. */
export interface RunOptions {
  readonly input?: string;
  readonly isTTY?: boolean;
  readonly env?: Terminal["env"];
}

/** Runs `antechamber` in this process, which costs a fifth of one of its own; options by the environment need one. */
export async function antechamber(
  args: readonly string[],
  { input = "", isTTY = false, env = {} }: RunOptions = {},
): Promise<Ran> {
  const { terminal, stdout, stderr } = terminalOf({ input, isTTY, env });
  const code = await run(args, terminal);
  return { code, stdout: stdout(), stderr: stderr() };
}

/** A terminal that keeps what is written to it. */
export function terminalOf({ input = "", isTTY = false, env = {} }: RunOptions = {}): {
  readonly terminal: Terminal;
  readonly stdout: () => string;
  readonly stderr: () => string;
} {
  const [stdout, stderr] = [collector(isTTY), collector(isTTY)];
  const terminal: Terminal = {
    stdin: Readable.from([input]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env,
    cwd: () => process.cwd(),
    on: () => {},
    exit: (code) => {
      throw new Error(`exit(${code}) was called in a test`);
    },
  };
  return { terminal, stdout: stdout.text, stderr: stderr.text };
}

/** Runs `antechamber` as its users do, in a process of its own. */
export function antechamberProcess(
  args: readonly string[],
  options: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["src/cli.ts", ...args], {
      env: { ...process.env, ...options.env },
    });
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.stderr.on("data", (data) => {
      stderr += data;
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? "");
  });
}

/** A stream that keeps what is written to it. */
function collector(isTTY: boolean): { readonly stream: Terminal["stderr"]; readonly text: () => string } {
  const written: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => {
      written.push(text);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => written.join("") };
}
