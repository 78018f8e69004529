import { CommanderError } from "commander";
import type { InputIo } from "../offline/input.ts";
import { readLimited } from "../offline/limited-text.ts";

/** The part of `process` that a command line uses. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly on: (signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void) => unknown;
  readonly exit: (code: number) => void;
}

/** How commands read and write. */
interface Console {
  readonly readStdin: () => Promise<string>;
  /** Writes to standard output, without a line end. */
  readonly write: (text: string) => void;
  /** Writes a line to standard output. */
  readonly print: (line: string) => void;
  /** Writes a line to standard error. */
  readonly note: (line: string) => void;
  /** Replaces the terminal's last line, cut to its width so that it can be replaced again. */
  readonly rewriteLine: (line: string) => void;
  /** Whether standard output may have colours. */
  readonly coloured: boolean;
  /** The columns of the terminal that standard output is; undefined if it is none. */
  readonly width: number | undefined;
}

/** The console of a terminal. */
export function consoleOf({ stdin, stdout, stderr, env }: Terminal): Console {
  return {
    readStdin: () => readLimited(stdin),
    write: (text) => void stdout.write(text),
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    rewriteLine: (line) => void stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns ?? 80) - 1)}`),
    coloured: stdout.isTTY === true && (env.NO_COLOR ?? "") === "",
    width: stdout.isTTY === true ? stdout.columns : undefined,
  };
}

/** What commands need that answer reviews as the service does, without a server. */
export interface ReviewIo extends InputIo {
  readonly print: (text: string) => void;
  readonly note: (line: string) => void;
  readonly now: () => Date;
  readonly random: () => number;
  readonly coloured: boolean;
}

/** The same of a terminal. */
export function reviewIoOf(terminal: Terminal): ReviewIo {
  const console = consoleOf(terminal);
  return { ...console, print: console.write, now: () => new Date(), random: Math.random };
}

/** Reports an error on standard error and returns the exit code; only an internal error has a stack trace. */
export function reportError(error: unknown, { note }: Pick<Console, "note">): number {
  // Commander has printed its message already; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Error && "exitCode" in error && typeof error.exitCode === "number") {
    note(error.message);
    return error.exitCode;
  }
  note(`Internal error of antechamber: ${error instanceof Error ? error.stack : String(error)}`);
  return 3;
}

/** Where progress is shown: on the last line of a terminal, or line by line. */
export interface Gauge {
  readonly note: (line: string) => void;
  /** Replaces the last line of a terminal; absent without a terminal. */
  readonly rewrite?: (line: string) => void;
}
