import { text as readAll } from "node:stream/consumers";
import { CommanderError } from "commander";

/** What a command line has of the process that it runs in: `process` is one. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  readonly on: (signal: NodeJS.Signals, hear: (signal: NodeJS.Signals) => void) => unknown;
  readonly exit: (code: number) => void;
}

/** How commands read and write. */
export interface Console {
  readonly readStdin: () => Promise<string>;
  /** Writes what was asked for, as it stands. */
  readonly write: (text: string) => void;
  /** A line of what was asked for. */
  readonly print: (line: string) => void;
  /** A line about it, beside the result. */
  readonly note: (line: string) => void;
  /** Writes the terminal's last line anew, cut to fit, so that the next writing finds it in one piece. */
  readonly rewriteLine: (line: string) => void;
  /** Whether what was asked for may have colours. */
  readonly coloured: boolean;
}

/** How commands read and write where they run. */
export function consoleOf({ stdin, stdout, stderr, env }: Terminal): Console {
  return {
    readStdin: () => readAll(stdin),
    write: (text) => void stdout.write(text),
    print: (line) => void stdout.write(`${line}\n`),
    note: (line) => void stderr.write(`${line}\n`),
    rewriteLine: (line) => void stderr.write(`\r\u001b[K${line.slice(0, (stderr.columns ?? 80) - 1)}`),
    coloured: stdout.isTTY === true && (env.NO_COLOR ?? "") === "",
  };
}

/** Says an error on stderr, in the reader's words where it is the reader's, and gives back the exit code. */
export function explain(error: unknown, { note }: Pick<Console, "note">): number {
  // Commander has said it already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Error && "exitCode" in error && typeof error.exitCode === "number") {
    note(error.message);
    return error.exitCode;
  }
  note(`A fault of antechamber: ${error instanceof Error ? error.stack : String(error)}`);
  return 3;
}
