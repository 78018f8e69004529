import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

/** A service started as its users start it, in a process of its own, on free ports. */
export interface RunningService {
  readonly port: number;
  readonly opsPort: number;
  readonly ca: string;
  readonly caFile: string;
  readonly process: ChildProcess;
  /** What it printed so far. */
  readonly printed: () => string;
  /** What it logged so far. */
  readonly logged: () => string;
  readonly post: (
    path: string,
    body: string | Buffer,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }>;
  readonly stop: () => Promise<number | null>;
}

/**
 * Starts `antechamber serve`, or `guard`, with more arguments, from the sources by default; it listens when this resolves.
 */
export async function startService(
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  program = "src/cli.ts",
  service: "serve" | "guard" = "serve",
): Promise<RunningService> {
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-test-"));
  const caFile = path.join(folder, "ca.crt");
  const command = [
    program,
    service,
    "--port",
    "0",
    "--ops-port",
    "0",
    "--ca-out",
    caFile,
    "--grace",
    "0ms",
    ...args,
  ];
  const child = spawn(process.execPath, command, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  let printed = "";
  let logged = "";
  child.stdout.on("data", (data) => {
    printed += data;
  });
  const listening = new Promise<{ port: number; opsPort: number }>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      logged += `${line}\n`;
      if (line.includes('"msg":"serving"')) resolve(JSON.parse(line));
    });
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}:\n${printed}${logged}`)));
  });
  const { port, opsPort } = await listening;
  const ca = await readFile(caFile, "utf8").catch(() => "");
  const agent = new https.Agent({ keepAlive: true, ca });
  return {
    port,
    opsPort,
    ca,
    caFile,
    process: child,
    printed: () => printed,
    logged: () => logged,
    post: (url, body, headers = {}) => post(agent, port, url, body, headers),
    stop: async () => {
      agent.destroy();
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, "exit");
        child.kill("SIGTERM");
        await ended;
      }
      await rm(folder, { recursive: true, force: true });
      return child.exitCode;
    },
  };
}

function post(
  agent: https.Agent,
  port: number,
  url: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> {
  return new Promise((resolve, reject) => {
    const options = { agent, host: "localhost", port, path: url, method: "POST" };
    const request = https.request({
      ...options,
      headers: { "Content-Type": "application/json", ...headers },
    });
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          body: Buffer.concat(chunks).toString(),
          headers: response.headers,
        }),
      );
    });
    request.end(body);
  });
}
