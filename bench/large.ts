// The cost of a large review for itself and for others: one ConversionReview of many objects, while small reviews and /livez
// are requested at a constant rate (each is due at its time, whether or not the previous one has a response).
//   npm run bench:large [-- objects [kilobytes [small reviews a second]]]
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

const [objects = 600, kilobytes = 10, rate = 200] = process.argv.slice(2).map(Number);
if (process.send !== undefined) await sendLarge();
else await measure();

/** The second process: sending and receiving the large review would delay the measurement in this one. */
async function sendLarge(): Promise<void> {
  const body = reviewOf(objects, kilobytes);
  process.send?.(body.length);
  process.on("message", async ({ port, ca }: Target) => {
    const agent = new https.Agent({ ca });
    const begun = performance.now();
    const bytes = await post({ port, agent }, body);
    process.send?.({ bytes, seconds: (performance.now() - begun) / 1000 });
  });
}

interface Target {
  readonly port: number;
  readonly ca: string;
}

async function measure(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "antechamber-bench-"));
  const caFile = path.join(folder, "ca.crt");
  const serving = ["src/cli.ts", "serve", "--port", "0", "--ops-port", "0", "--ca-out", caFile];
  const service = spawn(process.execPath, serving, { stdio: ["ignore", "ignore", "pipe"] });
  const { port, opsPort } = await new Promise<{ port: number; opsPort: number }>((resolve, reject) => {
    service.once("exit", (code) => reject(new Error(`the service ended with ${code}`)));
    createInterface({ input: service.stderr }).on("line", (line) => {
      if (line.includes('"msg":"serving"')) resolve(JSON.parse(line));
    });
  });
  const ca = await readFile(caFile, "utf8");
  const neighbour = { port, opsPort, agent: new https.Agent({ keepAlive: true, ca }) };
  const sender = fork(import.meta.filename, process.argv.slice(2));
  const [size] = await once(sender, "message");
  try {
    console.log(
      `${objects} objects, ${(size / 1e6).toFixed(1)} MB; ${rate} small reviews a second beside it; ms\n`,
    );
    console.log(
      "                       small p50    p99    max   /livez p50    p99    max   loop p99    max   peak RSS MiB",
    );
    await steadily(2_000, neighbour);
    await loopOf(opsPort);
    const peak = () => peakOf(service.pid).toFixed(0).padStart(8);
    const alone = row(await steadily(5_000, neighbour));
    console.log(`alone                   ${alone}${await loopOf(opsPort)} ${peak()}`);
    for (let round = 1; round <= 3; round++) {
      const answer = once(sender, "message");
      sender.send({ port, ca });
      const beside = await steadily(answer, neighbour);
      const [{ bytes, seconds }] = await answer;
      const large = `${seconds.toFixed(2)} s for ${(bytes / 1e6).toFixed(0)} MB`;
      console.log(`${large.padEnd(24)}${row(beside)}${await loopOf(opsPort)} ${peak()}`);
    }
  } finally {
    sender.kill();
    neighbour.agent.destroy();
    const ended = once(service, "exit");
    service.kill("SIGINT");
    await ended;
    await rm(folder, { recursive: true });
  }
}

interface Neighbour {
  readonly port: number;
  readonly opsPort: number;
  readonly agent: https.Agent;
}

interface Latencies {
  readonly small: readonly number[];
  readonly health: readonly number[];
}

/** Sends requests at a constant rate for a time, or until a promise resolves; latencies count from the due time. */
async function steadily(until: number | Promise<unknown>, target: Neighbour): Promise<Latencies> {
  const body = reviewOf(1, 0);
  const [small, health]: [number[], number[]] = [[], []];
  const calls: Promise<void>[] = [];
  let over = false;
  if (typeof until === "number") setTimeout(() => (over = true), until);
  else until.finally(() => (over = true));
  const begun = performance.now();
  for (let sent = 0; !over; sent++) {
    const due = begun + (sent * 1000) / rate;
    const early = due - performance.now();
    // Also when late, so that responses can be received.
    await new Promise((resolve) => (early > 1 ? setTimeout(resolve, early) : setImmediate(resolve)));
    calls.push(post(target, body).then(() => void small.push(performance.now() - due)));
    if (sent % 10 === 0) calls.push(livez(target).then(() => void health.push(performance.now() - due)));
  }
  await Promise.all(calls);
  return { small, health };
}

function row({ small, health }: Latencies): string {
  const cells = [small, health].flatMap((all) => {
    const sorted = [...all].sort((a, b) => a - b);
    return [0.5, 0.99, 1].map(
      (part) => sorted[Math.min(Math.floor(part * sorted.length), sorted.length - 1)] ?? 0,
    );
  });
  return cells.map((cell) => cell.toFixed(1).padStart(8)).join("");
}

/** The event loop delay of the service since the last call; pauses of this process do not count. */
async function loopOf(opsPort: number): Promise<string> {
  const text = await (await fetch(`http://localhost:${opsPort}/metrics`)).text();
  const cells = ["p99", "max"].map((part) => {
    const [, seconds] = new RegExp(`^nodejs_eventloop_lag_${part}_seconds (\\S+)$`, "m").exec(text) ?? [];
    return Number(seconds) * 1000;
  });
  return cells.map((cell) => cell.toFixed(1).padStart(8)).join("");
}

/** The peak memory of a process so far, in MiB. */
function peakOf(pid: number | undefined): number {
  const [, kibibytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) / 1024;
}

/** A review of Rooms as an API server stores them, filled up with managedFields. */
function reviewOf(count: number, size: number): Buffer {
  const list = Array.from({ length: count }, (_, index) => JSON.stringify(roomOf(index, size * 1000)));
  const request = `{"uid":"0f0e","desiredAPIVersion":"home.antechamber.dev/v1beta1","objects":[${list.join(",")}]}`;
  const response = '{"uid":"","convertedObjects":null,"result":{"metadata":{}}}';
  const head = '"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"';
  return Buffer.from(`{${head},"request":${request},"response":${response}}`);
}

function roomOf(index: number, size: number) {
  const metadata = {
    name: `room-${index}`,
    namespace: "home",
    uid: `4b3a0c1e-0000-4000-8000-${String(index).padStart(12, "0")}`,
    generation: 5,
    resourceVersion: "1234",
    creationTimestamp: "2026-03-01T06:45:00Z",
    managedFields: [] as unknown[],
  };
  const lights = Array.from({ length: Math.min(1 + size / 500, 20) }, (_, light) => ({
    name: `lamp-${light}`,
    brightness: (light % 10) / 10,
    transition: `${light}00ms`,
  }));
  const spec = { climate: { targetCelsius: 21.5, mode: "Heat" }, lights };
  const room = { apiVersion: "home.antechamber.dev/v1", kind: "Room", metadata, spec };
  const fields = lights.map(({ name }) => [
    `k:{"name":"${name}"}`,
    { ".": {}, "f:name": {}, "f:brightness": {} },
  ]);
  const entry = (manager: number) => ({
    manager: `controller-${manager}`,
    operation: "Update",
    apiVersion: "home.antechamber.dev/v1",
    time: "2026-03-01T06:45:00Z",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:climate": {}, "f:lights": Object.fromEntries(fields) } },
  });
  while (size > 0 && JSON.stringify(room).length < size) {
    metadata.managedFields.push(entry(metadata.managedFields.length));
  }
  return room;
}

/** Sends a review; resolves with the number of bytes of the response. */
function post({ port, agent }: Pick<Neighbour, "port" | "agent">, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": body.length };
    const options = { agent, host: "localhost", port, path: "/convert?timeout=30s", method: "POST", headers };
    const request = https.request(options, (response) => {
      let length = 0;
      let begin = "";
      response.on("data", (chunk: Buffer) => {
        if (length === 0) begin = chunk.toString("utf8", 0, 300);
        length += chunk.length;
      });
      response.once("error", reject);
      response.once("end", () => {
        if (response.statusCode === 200 && begin.includes('"Success"')) resolve(length);
        else reject(new Error(`answered ${response.statusCode} ${begin}`));
      });
    });
    request.once("error", reject);
    request.end(body);
  });
}

function livez({ opsPort }: Neighbour): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: "localhost", port: opsPort, path: "/livez" }, (response) => {
      response.resume().once("end", resolve);
    });
    request.once("error", reject);
  });
}
