import { createServer, connect as dial, type Socket } from "node:net";
import { connect } from "node:tls";
import type { Dice } from "./fuzz.ts";
import type { Target } from "./fuzz-wire.ts";

/** Something below HTTP: bytes in place of a handshake, a part of one, or bytes in place of a record after it. */
export interface RawAttack {
  readonly what: string;
  /** Whether a whole handshake goes before the bytes, which are then no records. */
  readonly isAfterHandshake: boolean;
  readonly bytes: Buffer;
  /** What the client does then; if it waits its connection must be closed. */
  readonly after: "waits" | "ends" | "leaves" | "resets";
}

/** The ClientHello that this Node.js sends. */
export async function recordHello(): Promise<Buffer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hello = new Promise<Buffer>((resolve) => {
    server.once("connection", (socket) => {
      socket.on("error", () => socket.destroy());
      socket.once("data", (chunk: Buffer) => {
        socket.destroy();
        server.close();
        resolve(chunk);
      });
    });
  });
  const { port } = server.address() as { port: number };
  const client = connect({ host: "127.0.0.1", port, servername: "localhost", rejectUnauthorized: false });
  client.on("error", () => client.destroy());
  return hello;
}

/** A random attack below HTTP. */
export function rawAttack(hello: Buffer, dice: Dice): RawAttack {
  const after: RawAttack["after"] =
    dice.roll(2_000) === 0 ? "waits" : dice.pick(["ends", "leaves", "resets"] as const);
  const before = { isAfterHandshake: false, after };
  switch (dice.roll(6)) {
    case 0:
      return { ...before, what: "garbage before the handshake", bytes: noise(dice, 2_000) };
    case 1:
      return {
        ...before,
        what: "plain HTTP",
        bytes: Buffer.from("POST /convert HTTP/1.1\r\nHost: a\r\n\r\n"),
      };
    case 2:
      return { ...before, what: "half a hello", bytes: hello.subarray(0, dice.roll(hello.length)) };
    case 3:
      return { ...before, what: "a mangled hello", bytes: mangled(hello, dice) };
    case 4:
      return { ...before, what: "a hello, and garbage", bytes: Buffer.concat([hello, noise(dice, 500)]) };
    default:
      return {
        ...before,
        isAfterHandshake: true,
        what: "garbage after the handshake",
        bytes: noise(dice, 500),
      };
  }
}

/** The outcome of an attack below HTTP, which begins with `!` if it is a fault. */
export function sendRaw(attack: RawAttack, target: Target): Promise<string> {
  return new Promise((resolve) => {
    let came = 0;
    const socket = dial(target.port, "127.0.0.1");
    const timer = setTimeout(() => end("!not hung up on after 25 s"), 25_000);
    const end = (outcome: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    socket.on("error", () => end("below HTTP: reset"));
    socket.on("close", () =>
      end(came > 0 ? "below HTTP: hung up on, with an alert" : "below HTTP: hung up on"),
    );
    const write = () => {
      // From here on what comes is not for TLS: an alert, or a hello.
      socket.on("data", (chunk: Buffer) => (came += chunk.length));
      socket.write(attack.bytes, () => depart(attack, socket, end));
    };
    if (attack.isAfterHandshake) shakeHands(socket, target, write);
    else socket.once("connect", write);
  });
}

function depart({ after }: RawAttack, socket: Socket, end: (outcome: string) => void): void {
  if (after === "ends") socket.end();
  if (after === "resets") socket.resetAndDestroy();
  if (after === "leaves") end("below HTTP: left");
}

function shakeHands(socket: Socket, { secureContext, session }: Target, then: () => void): void {
  const secure = connect({ socket, secureContext, session, servername: "localhost" }, then);
  // Garbage may break the TLS session; what matters happens on the TCP socket.
  secure.on("error", () => secure.destroy());
}

function noise(dice: Dice, most: number): Buffer {
  const bytes = Buffer.from(Array.from({ length: 1 + dice.roll(most) }, () => dice.roll(256)));
  // Half of it begins like a record of TLS.
  if (dice.roll(2) === 0) Buffer.from([dice.pick([20, 21, 22, 23, 24]), 3, dice.roll(5)]).copy(bytes);
  return bytes;
}

function mangled(hello: Buffer, dice: Dice): Buffer {
  const bytes = Buffer.from(hello);
  for (let left = 1 + dice.roll(8); left > 0; left--) bytes[dice.roll(bytes.length)] = dice.roll(256);
  return bytes;
}
