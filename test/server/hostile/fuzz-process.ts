import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { createSecureContext } from "node:tls";
import { sessionOf, type Target } from "./fuzz-wire.ts";

/** What a process holds. */
export interface Holding {
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly descriptors: number;
}

/** The service in a process of its own, with the heap that it has in a pod of 1 GiB. */
export interface FuzzedService {
  readonly target: () => Promise<Target>;
  readonly holding: () => Promise<Holding>;
  /** The errors that it logged. */
  readonly faults: () => readonly string[];
  readonly isAlive: () => boolean;
  readonly stop: () => Promise<void>;
}

/** Starts the service. */
export async function startFuzzed(): Promise<FuzzedService> {
  const folder = mkdtempSync(path.join(tmpdir(), "antechamber-fuzz-"));
  const caFile = path.join(folder, "ca.crt");
  const ports = ["--port", "0", "--ops-port", "0", "--host", "127.0.0.1", "--grace", "0ms"];
  const args = ["--max-old-space-size=512", "src/cli.ts", "serve", ...ports, "--ca-out", caFile];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "pipe"],
    // Ctrl-C ends the run, and the run ends the service.
    detached: true,
  });
  const faults: string[] = [];
  const listening = new Promise<{ port: number; opsPort: number }>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes('"msg":"serving"')) resolve(JSON.parse(line));
      // An error in a function of a kind is answered in the review, and logged as one.
      else if (isFault(line) && !line.includes('"msg":"review answered"')) faults.push(line);
    });
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}:\n${faults.join("\n")}`)));
  });
  const { port, opsPort } = await listening;
  const ca = readFileSync(caFile, "utf8");
  return {
    target: async () => {
      const secureContext = createSecureContext({ ca, maxVersion: "TLSv1.2" });
      return { port, secureContext, session: await sessionOf(port, secureContext) };
    },
    holding: () => holdingOf(child.pid as number, opsPort),
    faults: () => faults,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    stop: async () => {
      const ended = once(child, "exit");
      if (child.kill("SIGTERM")) await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** A line of level error or above, or one that is not of the log, such as a stack trace. */
function isFault(line: string): boolean {
  return !line.startsWith("{") || /"level":[56]0/.test(line);
}

async function holdingOf(pid: number, opsPort: number): Promise<Holding> {
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const [, heap] = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics) ?? [];
  const [, resident] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  return { residentMiB: Number(resident) / 1024, heapMiB: Number(heap) / 2 ** 20, descriptors };
}
