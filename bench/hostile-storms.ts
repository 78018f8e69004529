// The attacks with many connections or many requests.
import https from "node:https";
import { connect as connectPlain, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { connect, createSecureContext, type TLSSocket } from "node:tls";
import { requestOf } from "./connection.ts";
import { accessory, conversionOf, members, roomText, smallReview } from "./hostile-bodies.ts";
import { type Attack, counted, post } from "./hostile-sending.ts";
import { descriptorsOf, type Target } from "./hostile-service.ts";

/** Attacks that occupy connections. */
export const storms: readonly Attack[] = [
  { name: "silent", says: "4,096 silent TCP connections, held for 30 s", arm: () => silence },
  {
    name: "slow-bodies",
    says: "2,000 connections that send a byte a second of 7 MiB, for 40 s",
    arm: () => drip,
  },
  {
    name: "flood",
    says: "64 connections that send bodies of 64 KiB, 5,400 keys each, as fast as they can for 5 s, /convert",
    arm: () => flooding(conversionOf([roomText("living-room", { spec: accessory(members(5_400)) })])),
  },
  {
    name: "pipelined",
    says: "10,000 connections that send 8 small reviews each at once, and leave",
    arm: () => pipelining,
  },
];

async function silence({ pid, port, ca }: Target): Promise<string> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < 4_096; opened += 64) {
    const batch = Array.from({ length: 64 }, () => open(port));
    sockets.push(...(await Promise.all(batch)));
  }
  const first = await newcomer(port, ca);
  await wait(30_000);
  const left = descriptorsOf(pid);
  const second = await newcomer(port, ca);
  for (const socket of sockets) socket.destroy();
  return `a newcomer ${first}; 30 s later ${second}, and ${left} descriptors are open`;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connectPlain(port, "127.0.0.1", () => resolve(socket));
    // Reset by a service at its limit: it counts as opened and stays silent.
    socket.on("error", () => resolve(socket));
  });
}

/** The result of a new connection during the attack. */
async function newcomer(port: number, ca: string): Promise<string> {
  const begun = performance.now();
  const socket = await dial(port, ca).catch((error: Error) => error.message);
  if (typeof socket === "string") return `is shut out (${socket})`;
  socket.destroy();
  return `completes a TLS handshake in ${(performance.now() - begun).toFixed(0)} ms`;
}

async function drip({ port, ca }: Target): Promise<string> {
  const sockets: TLSSocket[] = [];
  const answers: string[] = [];
  const head = requestOf("/mutate?timeout=30s", " ".repeat(7 * 2 ** 20)).subarray(0, 128);
  for (let opened = 0; opened < 2_000; opened += 20) {
    const some = await Promise.all(Array.from({ length: 20 }, () => dial(port, ca).catch(() => undefined)));
    for (const socket of some) {
      if (socket === undefined) answers.push("shut out");
      else {
        sockets.push(socket);
        socket.write(head);
        answered(socket).then((answer) => answers.push(answer));
      }
    }
  }
  for (let second = 0; second < 40; second++) {
    for (const socket of sockets) if (socket.writable) socket.write(" ");
    await wait(1_000);
  }
  const open = sockets.filter((socket) => !socket.destroyed).length;
  for (const socket of sockets) socket.destroy();
  return `${counted(answers)}; ${open} open after 40 s`;
}

/** The status of the first response on a connection, or its end. */
function answered(socket: TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1", 9, 12)));
    socket.once("close", () => resolve("hung up on"));
  });
}

function flooding(body: Buffer): (target: Target) => Promise<string> {
  return async (target) => {
    const agent = new https.Agent({ keepAlive: true, maxSockets: 64, ca: target.ca });
    const answers: string[] = [];
    const end = performance.now() + 5_000;
    const caller = async () => {
      while (performance.now() < end) answers.push(await post(target, "convert", body, agent));
    };
    await Promise.all(Array.from({ length: 64 }, caller));
    agent.destroy();
    return counted(answers);
  };
}

async function pipelining({ port, ca }: Target): Promise<string> {
  const review = requestOf("/convert?timeout=30s", smallReview().toString());
  const burst = Buffer.concat(Array.from({ length: 8 }, () => review));
  // A resumed handshake costs the attacker less than the service.
  const secureContext = createSecureContext({ ca, maxVersion: "TLSv1.2" });
  let session: Buffer | undefined;
  let [left, refused] = [10_000, 0];
  const caller = async () => {
    while (left-- > 0) {
      const options = { host: "127.0.0.1", port, secureContext, servername: "localhost" };
      await new Promise<void>((resolve) => {
        const socket = connect({ ...options, ...(session === undefined ? {} : { session }) });
        socket.once("session", (known: Buffer) => (session ??= known));
        socket.once("secureConnect", () => socket.write(burst, () => socket.destroy()));
        socket.once("error", () => refused++);
        socket.once("close", () => resolve());
      });
    }
  };
  await Promise.all(Array.from({ length: 16 }, caller));
  return `${10_000 - refused} left after they had sent, ${refused} failed`;
}

const patienceMilliseconds = 5_000;

function dial(port: number, ca: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost" }, () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    socket.setTimeout(patienceMilliseconds, () => socket.destroy(new Error("no handshake in 5 s")));
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("hung up on")));
  });
}
