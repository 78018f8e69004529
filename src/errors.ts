/** What a caught value says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Wrong usage, or input that cannot be read. The process exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly exitCode = 2;
}

/** The command ran and its result is negative: an object is rejected, a law is broken. The process exits with 1. */
export class RejectedError extends Error {
  override readonly name = "RejectedError";
  readonly exitCode = 1;
}

/** The command found nothing wrong, but did not try all that it was to try. The process exits with 4. */
export class Incomplete extends Error {
  override readonly name = "Incomplete";
  readonly exitCode = 4;
}

/** The user or a supervisor interrupted the command. The process exits with a shell's code for the signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: 130 | 143;

  /** The reason is that of the abort signal: the name of the signal. */
  constructor(message: string, reason: unknown) {
    super(message);
    this.exitCode = reason === "SIGTERM" ? 143 : 130;
  }
}
