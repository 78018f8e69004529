import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { run } from "../../src/cluster/local/child.ts";
import { get, isArray, type Json } from "../../src/json/json.ts";
import { createNamespace, register, untilReady } from "../cluster/home.ts";
import { type ApiServer, startApiServer } from "../cluster/server.ts";
import { type RunningService, startService } from "../support/service.ts";

/** An API server with a namespace `home`, and the parts of a home that may be killed. */
export interface RunningHome {
  readonly server: ApiServer;
  /** The URL of `POST /actions`. */
  readonly actions: () => string;
  /** Ends a part as a crash would. */
  readonly kill: (part: Part) => Promise<void>;
  /** Starts a killed part again, at its old address; resolves when it serves. */
  readonly restart: (part: Part) => Promise<void>;
  /** Ends the controller by a signal; returns its exit code, and what it logged. */
  readonly stopController: () => Promise<{ readonly code: number | null; readonly logged: string }>;
  readonly stop: () => Promise<void>;
}

export type Part = "controller" | "devices" | "service";

/** Starts an API server, the service with a certificate that outlives it, simulated devices, and the controller. */
export async function startRunningHome(simulation: readonly string[]): Promise<RunningHome> {
  const certs = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
  const args = ["src/cli.ts", "certs", "--out", certs, "--host", "127.0.0.1", "--host", "localhost"];
  const made = await run({ command: process.execPath, args }, process.env);
  if (made.code !== 0) throw new Error(made.stderr);
  const startDevices = (port = "0") =>
    startExample(["--devices-only", "--devices-port", port, ...simulation]);
  const serve = (port = "0") => startService(["--cert-dir", certs, "--port", port]);
  let service: RunningService;
  let devices: RunningExample;
  const server = await startApiServer();
  [service, devices] = await Promise.all([serve(), startDevices()]);
  const url = `https://127.0.0.1:${service.port}`;
  await register(server, { url, caFile: join(certs, "ca.crt") });
  await untilReady(server);
  await createNamespace(server, "home");
  const startController = () =>
    startExample(["--kubeconfig", server.kubeconfig, "--port", "0", "--devices", devices.url("devices")]);
  let controller = await startController();
  return {
    server,
    actions: () => controller.url("actions"),
    async kill(part) {
      if (part === "controller") await controller.kill();
      else if (part === "devices") await devices.kill();
      else {
        service.process.kill("SIGKILL");
        await service.stop();
      }
    },
    async restart(part) {
      if (part === "controller") controller = await startController();
      else if (part === "devices") devices = await startDevices(new URL(devices.url("devices")).port);
      else service = await serve(String(service.port));
    },
    async stopController() {
      return { code: await controller.stop(), logged: controller.logged() };
    },
    async stop() {
      await Promise.all([controller.stop(), devices.stop()]);
      await Promise.all([server.stop(), service.stop()]);
      await rm(certs, { recursive: true, force: true });
    },
  };
}

/** The example of a home, or only its devices, in a process of its own. */
interface RunningExample {
  /** The URL that it printed after a word, such as `devices`. */
  readonly url: (of: "devices" | "actions") => string;
  /** Ends it as a crash would. */
  readonly kill: () => Promise<void>;
  /** Ends it by a signal; resolves with the exit code. */
  readonly stop: () => Promise<number | null>;
  readonly logged: () => string;
}

/** Starts `examples/home/main.ts`; resolves when it has printed the URL of its last part. */
async function startExample(args: readonly string[]): Promise<RunningExample> {
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
