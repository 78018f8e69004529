// Compares the cost of a review between checkouts: CPU time of the service per review, at 1, 8 and 10 concurrent reviews. The
// checkouts alternate, so that a noisy machine affects all alike. Only ratios count.
//   npm run bench:compare -- DIR DIR… [--rounds 30] [--processes 2]
import { type ChildProcess, spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { askAll, Connection, requestOf } from "./connection.ts";
import { cpuOf } from "./cpu.ts";

interface Service {
  readonly tree: string;
  readonly process: ChildProcess;
  readonly connections: readonly Connection[];
}

const { values, positionals: trees } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "30" },
    processes: { type: "string", default: "2" },
  },
});
if (trees.length === 0)
  throw new Error("name the checkouts to compare, each with its dependencies installed");
const [rounds, processes] = [Number(values.rounds), Number(values.processes)];
const concurrencies = [1, 8, 10];
const reviewsARound = 600;
// V8 keeps compiling for tens of thousands of reviews.
const reviewsBefore = 15_000;

const requests = globSync("webhooks/*/*/reviews/*/*.json")
  .filter((file) => !file.endsWith(".answer.json"))
  .sort()
  .map((file) => {
    const endpoint = path.basename(path.dirname(file));
    const name = `${path.basename(path.resolve(file, "../../.."))} ${endpoint} ${path.basename(file, ".json")}`;
    return { name, bytes: requestOf(`/${endpoint}?timeout=10s`, readFileSync(file, "utf8")) };
  });

const folder = await mkdtemp(path.join(tmpdir(), "antechamber-bench-"));
const services: Service[] = [];
for (let i = 0; i < processes; i++) for (const tree of trees) services.push(await start(tree));
try {
  console.log(
    `CPU µs a review in ${trees[0]}, and ratios to it; medians of ${rounds} rounds in ${processes} processes each\n`,
  );
  const [first = "", ...others] = trees.map((tree) => column(path.basename(tree)));
  console.log(`${"review".padEnd(44)} at once${first}${others.join("")}`);
  const ratios = new Map<number, number[][]>();
  for (const { name, bytes } of requests) {
    for (const { connections } of services) await askAll(connections, bytes, reviewsBefore);
    for (const atOnce of concurrencies) {
      const [median = 1, ...medians] = await compare(bytes, atOnce);
      const ofReview = medians.map((each) => each / median);
      ratios.set(atOnce, [...(ratios.get(atOnce) ?? []), ofReview]);
      console.log(lineOf(name, atOnce, column(median.toFixed(1)), ofReview));
    }
  }
  for (const [atOnce, all] of ratios) {
    const means = trees.slice(1).map((_, tree) => geometricMean(all.map((ofReview) => ofReview[tree] ?? 1)));
    console.log(lineOf("all reviews, geometric mean", atOnce, column(""), means));
  }
} finally {
  for (const { process, connections } of services) {
    for (const connection of connections) connection.close();
    process.kill("SIGKILL");
  }
  await rm(folder, { recursive: true });
}

function lineOf(name: string, atOnce: number, median: string, ofTrees: readonly number[]): string {
  const cells = ofTrees.map((ratio) => column(ratio.toFixed(3))).join("");
  return `${name.padEnd(44)} ${String(atOnce).padStart(7)}${median}${cells}`;
}

function column(text: string): string {
  return text.slice(0, 16).padStart(18);
}

function geometricMean(all: readonly number[]): number {
  return Math.exp(all.reduce((sum, ratio) => sum + Math.log(ratio), 0) / all.length);
}

/** The median of the rounds, by checkout. */
async function compare(request: Buffer, atOnce: number): Promise<readonly number[]> {
  const measured = new Map<string, number[]>(trees.map((tree) => [tree, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { tree, process, connections } of services) {
      const before = cpuOf(process.pid);
      await askAll(connections.slice(0, atOnce), request, reviewsARound);
      measured.get(tree)?.push((cpuOf(process.pid) - before) / reviewsARound);
    }
  }
  return [...measured.values()].map((all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0);
}

async function start(tree: string): Promise<Service> {
  const caFile = path.join(folder, `${services.length}.crt`);
  const options = ["serve", "--port", "0", "--ops-port", "0", "--ca-out", caFile, "--log-level", "info"];
  const child = spawn(process.execPath, [path.join(tree, "src/cli.ts"), ...options], {
    cwd: tree,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${tree} ended with ${code}`)));
    createInterface({ input: child.stderr }).on("line", (line) => {
      if (line.includes('"msg":"serving"')) resolve(JSON.parse(line).port);
    });
  });
  child.removeAllListeners("exit");
  const connections = await Connection.openMany(
    Math.max(...concurrencies),
    port,
    await readFile(caFile, "utf8"),
  );
  return { tree, process: child, connections };
}
