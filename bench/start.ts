// How long the built package takes: the first answer of `serve` with a given certificate, its memory at rest, and short commands.
// Node alone is measured beside it. Medians and the middle half of several runs; on a busy machine only the ratios to Node count.
//   npm run build && node bench/start.ts [runs]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { installed } from "./installed.ts";

const runs = Number(process.argv[2] ?? 11);
const { folder, bin, webhooks } = installed();
const light = path.join(folder, "light.yaml");
writeFileSync(
  light,
  "apiVersion: home.antechamber.dev/v1\nkind: Light\nmetadata: { name: hall }\nspec: { brightness: 0.5 }\n",
);
await timeOf([bin, "certs", "--out", path.join(folder, "tls"), "--host", "localhost"]);

const kinds = ["--webhooks", webhooks];
const commands: readonly (readonly [string, readonly string[]])[] = [
  ["node alone", ["-e", "0"]],
  ["--help", [bin, "--help"]],
  ["convert", [bin, "convert", ...kinds, "-f", light, "--to", "v1beta1"]],
  ["validate", [bin, "validate", ...kinds, "-f", light]],
];
const times = commands.map(([name]) => ({ name, ms: [] as number[] }));
const first = { name: "first answer", ms: [] as number[] };
const resident: number[] = [];
for (let run = 0; run <= runs; run += 1) {
  for (const [index, [, args]] of commands.entries()) {
    const time = await timeOf(args);
    // The first run fills the compile cache.
    if (run > 0) times[index]?.ms.push(time);
  }
  const served = await serveOnce();
  if (run > 0) {
    first.ms.push(served.ms);
    resident.push(served.mebibytes);
  }
}
for (const { name, ms } of [...times, first]) console.log(`${name.padEnd(14)}${spread(ms)} ms`);
console.log(`${"at rest".padEnd(14)}${spread(resident)} MiB`);
rmSync(folder, { recursive: true });

/** Milliseconds from the start of a process to its end. */
async function timeOf(args: readonly string[]): Promise<number> {
  const from = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`);
  return performance.now() - from;
}

/** Starts the service, asks it as soon as it listens, and lets it rest. */
async function serveOnce(): Promise<{ readonly ms: number; readonly mebibytes: number }> {
  const tls = path.join(folder, "tls");
  const from = performance.now();
  const port = 20_000 + Math.floor(Math.random() * 10_000);
  const args = [bin, "serve", ...kinds, "--port", `${port}`, "--ops-port", "0", "--cert-dir", tls];
  const child = spawn(process.execPath, [...args, "--host", "127.0.0.1"], { stdio: "ignore" });
  const agent = new Agent({ ca: readFileSync(path.join(tls, "ca.crt")), servername: "localhost" });
  const review = readFileSync(path.join(webhooks, "home/light/reviews/convert/to-v1beta1.json"));
  while (!(await asked(port, agent, review))) await wait(2);
  const ms = performance.now() - from;
  await wait(1500);
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const mebibytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  child.kill("SIGKILL");
  await once(child, "exit");
  return { ms, mebibytes };
}

function asked(port: number, agent: Agent, body: Buffer): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port, path: "/convert", method: "POST", agent, headers });
    sent.on("error", () => resolve(false)).on("response", (response) => resolve(response.statusCode === 200));
    sent.end(body);
  });
}

function spread(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${String(at(0.5)).padStart(6)} (${at(0.25)} to ${at(0.75)})`;
}
