// A server to compare with: any program that serves reviews of pods at /mutate with its own SidecarSets, and accepts
// `-sets N -port P -cert FILE -key FILE`. Its CPU time and memory are read from /proc, so this needs Linux.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createAuthority } from "../certs/authority.ts";
import { Connection } from "./connection.ts";
import { atOnce, type Measured } from "./injection-load.ts";

/** Starts the program with so many SidecarSets. */
export async function startPeer(program: string, sets: number): Promise<Measured> {
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-peer-"));
  const now = new Date();
  const authority = await createAuthority({ commonName: "peer", now, days: 1 });
  const pair = await authority.issue({ hosts: ["localhost", "127.0.0.1"], now, days: 1 });
  const [cert, key] = [path.join(folder, "tls.crt"), path.join(folder, "tls.key")];
  await Promise.all([writeFile(cert, pair.certificate), writeFile(key, pair.key)]);
  const port = await freePort();
  const args = ["-sets", String(sets), "-port", String(port), "-cert", cert, "-key", key];
  const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
  await untilListening(port, child);
  const connections = await Connection.openMany(atOnce, port, authority.certificate);
  return {
    sets,
    connections,
    cpu: () => cpuOf(child),
    rss: () => rssOf(child),
    stop: async () => {
      for (const connection of connections) connection.close();
      child.kill();
      await rm(folder, { recursive: true });
    },
  };
}

/** CPU microseconds so far; /proc counts hundredths of seconds. */
async function cpuOf({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  // The name is in parentheses and may contain any character.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function rssOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address();
    server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
  });
  return promise;
}

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the peer ended with ${child.exitCode}`);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect({ port, host: "127.0.0.1" })
      .once("connect", () => resolve(true))
      .once("error", () => setTimeout(resolve, 50, false));
    const isListening = await promise;
    socket.destroy();
    if (isListening) return;
  }
}
