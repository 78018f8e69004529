import type { ServerResponse } from "node:http";
import { release } from "./release.ts";
import type { TimeSlicer } from "./time-slicer.ts";

/**
 * Sends a JSON text in pieces, each when the client has fetched those before it, and in time slices, so that a long response
 * does not block the event loop. The memory of each piece is freed once it is sent.
 */
export async function replyInPieces(
  response: ServerResponse,
  pieces: readonly Uint8Array<ArrayBuffer>[],
  { timeSlicer, caller }: { readonly timeSlicer: TimeSlicer; readonly caller: string },
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": length, ...headers });
  let end = await timeSlicer.next(caller);
  for (const piece of pieces) {
    if (response.destroyed) release(piece);
    else if (!response.write(piece, () => release(piece))) await drained(response);
    if (timeSlicer.isOver(end)) end = await timeSlicer.next(caller);
  }
  if (!response.destroyed) response.end();
}

/** Resolves when the response takes more data, or has closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
    if (response.destroyed) settle();
  });
}
