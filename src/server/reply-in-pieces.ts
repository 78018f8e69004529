import type { ServerResponse } from "node:http";
import type { TimeSlicer } from "./time-slicer.ts";

/** Answers with a JSON text in pieces: what a caller has not fetched waits here, and nobody waits for a long answer. */
export async function replyInPieces(
  response: ServerResponse,
  pieces: readonly Uint8Array[],
  { turns, caller }: { readonly turns: TimeSlicer; readonly caller: string },
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": length, ...headers });
  let end = await turns.next(caller);
  for (const piece of pieces) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
    if (turns.isOver(end)) end = await turns.next(caller);
  }
  response.end();
}

/** Resolves when more may be written, or nothing more is wanted. */
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
