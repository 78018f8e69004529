import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { replyInPieces } from "../../src/server/reply-in-pieces.ts";
import { TimeSlicer } from "../../src/server/time-slicer.ts";

const mebibyte = 1024 * 1024;

/** Pieces that are more than a socket takes at once. */
const pieces = () =>
  Array.from({ length: 40 }, (_, at) => new Uint8Array(mebibyte).fill(at) as Uint8Array<ArrayBuffer>);

/** A server that answers once, and the end of that answer. */
async function serve(answer: readonly Uint8Array<ArrayBuffer>[]) {
  const timeSlicer = new TimeSlicer(() => performance.now());
  const end = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    replyInPieces(response, answer, { timeSlicer, caller: "a" }, {}).then(end.resolve, end.reject);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: (server.address() as AddressInfo).port, end: end.promise };
}

it("a reply arrives whole, and its memory is free afterwards", async () => {
  const answer = pieces();
  const { port } = await serve(answer);
  const received = await new Promise<Buffer>((resolve, reject) => {
    get({ port }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks)));
    }).on("error", reject);
  });
  expect(received.equals(Buffer.concat(pieces()))).toBe(true);
  expect(answer.map(({ buffer }) => buffer.detached)).not.toContain(false);
});

it("if the client leaves, the memory of what it did not fetch is free, too", async () => {
  const answer = pieces();
  const { port, end } = await serve(answer);
  get({ port }, (response) => response.destroy());
  await end;
  expect(answer.slice(-1).map(({ buffer }) => buffer.detached)).toEqual([true]);
});
