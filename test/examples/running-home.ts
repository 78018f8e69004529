import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { get, isArray, type Json } from "../../src/json/json.ts";
import type { ApiServer } from "../cluster/server.ts";

/** The example of a home, or only its devices, in a process of its own. */
export interface RunningExample {
  /** The URL that it printed after a word, such as `devices`. */
  readonly url: (of: "devices" | "actions") => string;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
  /** Ends it by a signal; resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  readonly logged: () => string;
}

/** Starts `examples/home/main.ts`; resolves when it has printed the URL of its last part. */
export async function startExample(args: readonly string[]): Promise<RunningExample> {
  const child = spawn(process.execPath, ["examples/home/main.ts", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const urls = new Map<string, string>();
  let logged = "";
  child.stderr.on("data", (data) => {
    logged += data;
  });
  const last = args.includes("--devices-only") ? "devices" : "actions";
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [word = "", url = ""] = line.split(": ");
      urls.set(word, url);
      if (word === last) resolve();
    });
    child.once("exit", (code) => reject(new Error(`the example ended with ${code}: ${logged}`)));
  });
  await ready;
  return {
    url: (of) => urls.get(of) ?? "",
    kill: () => end(child, "SIGKILL").then(() => {}),
    stop: () => end(child, "SIGTERM"),
    logged: () => logged,
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, "exit");
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}

/** The path of a Room of the namespace `home`. */
export function roomPath(version: string, name: string): string {
  return `/apis/home.antechamber.dev/${version}/namespaces/home/rooms/${name}`;
}

/** Waits until a Room is Ready at its newest generation; returns it. Throws after half a minute, with what it is then. */
export async function untilRoomReady(server: ApiServer, name: string): Promise<Json> {
  const until = Date.now() + 30_000;
  for (;;) {
    const { body } = await server.request("GET", roomPath("v1", name));
    if (body !== undefined && isReady(body)) return body;
    if (Date.now() > until) throw new Error(`not ready: ${JSON.stringify(body)}`);
    await wait(10);
  }
}

/** Whether a Room's condition Ready is True, and about its newest generation. */
export function isReady(room: Json | undefined): boolean {
  const conditions = get(room, "status", "conditions");
  const ready = isArray(conditions) ? conditions.find((each) => get(each, "type") === "Ready") : undefined;
  return (
    get(ready, "status") === "True" &&
    get(ready, "observedGeneration") === get(room, "metadata", "generation")
  );
}
