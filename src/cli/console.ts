import { text as readAll } from "node:stream/consumers";
import { CommanderError } from "commander";

/** Where commands read standard input. */
export const inputIo = { readStdin: () => readAll(process.stdin) };

/** A line of what was asked for. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line about it, beside the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes the terminal's last line anew, cut to fit, so that the next writing finds it in one piece. */
export function rewriteLine(line: string): void {
  process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}`);
}

/** Says an error on stderr, in the reader's words where it is the reader's, and gives back the exit code. */
export function explain(error: unknown): number {
  // Commander has said it already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Error && "exitCode" in error && typeof error.exitCode === "number") {
    note(error.message);
    return error.exitCode;
  }
  note(`A fault of antechamber: ${error instanceof Error ? error.stack : String(error)}`);
  return 3;
}
