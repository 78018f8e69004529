import type { Rejection } from "./rejection.ts";

/**
 * How deep lists and objects of a body may be nested, wherever they are; Go's `encoding/json` stops there too. Of an object in a
 * review `mostDepth` levels are answered (`src/review/depth.ts`), the rest is for finding out which object it is.
 */
export const mostNesting = 10_000;

/** How many lists and objects a body may hold: `[],` takes 3 bytes on the wire and 75 in memory. */
export const mostContainers = 1024 * 1024;

/**
 * Every rejection with 413, and the size from which on it is the answer. An API server does not repeat a request that was
 * answered so, and shows the sentence to its user.
 */
export const tooLarge = {
  /** A body of more bytes than `bodyBytes` of `limits.ts`: by its Content-Length, or once so many bytes have come. */
  body: (most: number) => rejection(`the body is larger than ${most} bytes, the limit of this path`),
  nesting: rejection(`the body exceeds a limit: lists and objects are nested more than ${mostNesting} deep`),
  containers: rejection(`the body exceeds a limit: there are more than ${mostContainers} lists and objects`),
  /** A review that does not fit into `memoryBytes` with its answer, even when no other is being answered. */
  memory: rejection("the review and its answer take more memory than one caller may have (--body-memory)"),
  /** A review that exhausts the heap of the thread for large reviews (`review-thread.ts`). */
  heap: rejection("the review exceeds a limit: it needs more memory than a large review may have"),
  /** Of a chunked body. The limit is Node's, as is the 431 for headers. */
  chunkExtensions: rejection("the chunk extensions are larger than 16 KiB"),
};

function rejection(message: string): Rejection {
  return { code: 413, message };
}
