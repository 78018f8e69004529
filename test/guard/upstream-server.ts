import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { localSource } from "../../certs/local.ts";

// Upstreams that are real servers, and misbehave as real ones do.

/** What a server does with a review: a text is its answer, which may come after so many milliseconds. `break` is half an answer. */
export type Act = (
  review: string,
) =>
  | string
  | { readonly status?: number; readonly text: string; readonly after?: number }
  | "close"
  | "break"
  | "hang";

/** Starts a server that does so with each review, until the test ends. It can be closed, and opened again on the same port. */
export async function serverOf(
  act: Act,
  whenOver: (end: () => Promise<void>) => void = onTestFinished,
): Promise<MisbehavingServer> {
  const source = await localSource({ now: () => new Date() });
  const pair = source.current();
  const server = createServer({ cert: pair?.certificate, key: pair?.key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const made = act(Buffer.concat(chunks).toString());
      if (made === "hang") return;
      if (made === "close") return void response.destroy();
      if (made === "break") {
        response.writeHead(200, { "content-length": 1_000 });
        return void response.write('{"kind":', () => response.destroy());
      }
      const {
        status = 200,
        text,
        after,
      } = typeof made === "string" ? { text: made, after: undefined } : made;
      const answer = () => response.writeHead(status, { "content-type": "application/json" }).end(text);
      if (after === undefined) answer();
      else setTimeout(answer, after);
    });
  });
  const open = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await open(0);
  whenOver(async () => {
    await close();
    source.stop();
  });
  const { port } = server.address() as AddressInfo;
  const url = `https://127.0.0.1:${port}/convert`;
  return { url, ca: source.authority() ?? "", close, open: () => open(port) };
}

/** A server, and what ends and restarts it. */
export interface MisbehavingServer {
  readonly url: string;
  readonly ca: string;
  readonly close: () => Promise<void>;
  readonly open: () => Promise<void>;
}
