import { connect, type SecureContext, type TLSSocket } from "node:tls";
import type { Attack } from "./fuzz.ts";

/** A service, and a TLS session that saves each connection a full handshake. */
export interface Target {
  readonly port: number;
  readonly secureContext: SecureContext;
  readonly session: Buffer;
}

/** Makes a TLS session to resume. */
export function sessionOf(port: number, secureContext: SecureContext): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, secureContext, servername: "localhost" });
    socket.once("error", reject).once("session", (session) => {
      resolve(session);
      socket.destroy();
    });
  });
}

/** Sends on a connection of its own. Gives what it received up to the end of the first response, or until it closed. */
export function send({ parts, after }: Attack, { port, secureContext, session }: Target): Promise<string> {
  return new Promise((resolve) => {
    let came = "";
    const options = { host: "127.0.0.1", port, secureContext, servername: "localhost" };
    const socket: TLSSocket = connect({ ...options, session }).setNoDelay();
    const timer = setTimeout(() => end("!unanswered after 20 s"), 20_000);
    const end = (answer: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    socket.once("secureConnect", () => {
      for (const part of parts) socket.write(part);
      if (after === "ends") socket.end();
      if (after === "leaves") end("");
    });
    socket.on("data", (chunk: Buffer) => {
      came += chunk.toString("latin1");
      const answer = firstAnswer(came);
      if (answer !== undefined) end(answer);
    });
    socket.on("close", () => end(came));
    // The service may reset the connection; what was read before counts.
    socket.on("error", () => end(came));
  });
}

/** The first final response, once it has arrived in full. */
function firstAnswer(text: string): string | undefined {
  const final = text.replace(/^(?:HTTP\/1\.1 100 [^\r]*\r\n\r\n)+/, "");
  const end = final.indexOf("\r\n\r\n");
  const length = Number(/\r\nContent-Length: (\d+)/i.exec(final.slice(0, end))?.[1]);
  return end >= 0 && final.length >= end + 4 + length ? final.slice(0, end + 4 + length) : undefined;
}
