/** What was asked for cannot be done as asked: wrong usage, or input that cannot be read. The process exits with 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly exitCode = 2;
}

/** What was asked for was done, and the answer is no: an object is refused, a law fails. The process exits with 1. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly exitCode = 1;
}
