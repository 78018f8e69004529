// The bill of a real scenario: CPU seconds of the webhook behind a real API server, for the script of bench/bill-script.ts. The
// built package and the Go peers (bench/peers) serve in turn, each round on a new API server and in a new process, pinned to one
// core where taskset exists. One more run counts which reviews repeat. Needs Linux, Go and `npm run cluster:build`.
//   npm run build && npm run bench:bill [-- --rounds 3 --objects 1000 --pods 5000 --only ours --peers FOLDER --record]
import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { writeJson } from "../src/json/exact.ts";
import { get, isArray, isObject, type JsonObject } from "../src/json/json.ts";
import { readYaml } from "../src/yaml/yaml.ts";
import { patient } from "../test/cluster/kinds.ts";
import { type ApiServer, startApiServer } from "../test/cluster/server.ts";
import { type Counter, type Repeats, startCounter } from "./bill-repeats.ts";
import { metric, openStage, type Size, settled, steps } from "./bill-script.ts";
import { sidecarSets } from "./injection-objects.ts";
import { installed } from "./installed.ts";
import { benchOf, type Running, start } from "./peers-servers.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    objects: { type: "string", default: "1000" },
    pods: { type: "string", default: "5000" },
    only: { type: "string", default: "" },
    peers: { type: "string" },
    record: { type: "boolean", default: false },
  },
});
const page = "docs/evidence/speed.md";
const [begin, end] = [
  "<!-- Recorded by npm run bench:bill -- --record -->",
  "<!-- end of the recorded table -->",
];
const size: Size = { objects: Number(values.objects), pods: Number(values.pods) };

/** Who serves: conversions and pods in one process, or each in its own. */
interface Contender {
  readonly name: string;
  readonly start: () => Promise<{ readonly conversion: Running; readonly pods: Running }>;
  /** Whether its own webhooks for Rooms are registered too. */
  readonly isWhole?: true;
}

/** What one contender needed in one round. */
interface Bill {
  /** CPU seconds, by step. */
  readonly cpu: readonly number[];
  /** Conversions and admissions, by step. */
  readonly conversions: readonly number[];
  readonly admissions: readonly number[];
  /** Milliseconds of an update at the older version. */
  readonly writes: readonly number[];
  /** MiB at most, of all its processes. */
  readonly peak: number;
}

const package_ = installed();
const bench = await benchOf(package_, values.peers);
const sets = sidecarSets(10);
const [listFile, linesFile] = ["sets.json", "sets-lines.json"].map((name) =>
  path.join(package_.folder, name),
);
writeFileSync(listFile ?? "", writeJson([...sets]));
writeFileSync(linesFile ?? "", sets.map((each) => writeJson(each)).join("\n"));

const ours = async () => {
  const conversion = await start("ours", bench, (port) => [
    ...[process.execPath, package_.bin, "serve", "--webhooks", package_.webhooks, "--with", linesFile ?? ""],
    ...["--host", "127.0.0.1", "--port", `${port}`, "--ops-port", "0", "--cert-dir", bench.tls],
    ...["--log-level", "error"],
  ]);
  return { conversion, pods: conversion };
};
const peer = async (...flags: readonly string[]) => {
  const tls = (port: number) => [
    ...[
      "-port",
      `${port}`,
      "-cert",
      path.join(bench.tls, "tls.crt"),
      "-key",
      path.join(bench.tls, "tls.key"),
    ],
  ];
  const program = (name: string) => path.join(bench.programs, name);
  const conversion = await start("peer", bench, (port) => [program("server"), ...flags, ...tls(port)]);
  const pods = await start("pods", bench, (port) => [program("pods"), "-sets", listFile ?? "", ...tls(port)]);
  return { conversion, pods };
};
const contenders: readonly Contender[] = [
  { name: "ours", start: ours },
  { name: "ours, admission of Rooms too", start: ours, isWhole: true },
  { name: "lossless peer", start: () => peer("-lossless") },
  { name: "lossy peer", start: () => peer() },
];
const wanted = contenders.filter(({ name }) => name.includes(values.only));
const stops = new Set<() => Promise<void>>([
  async () => rmSync(package_.folder, { recursive: true, force: true }),
]);
const cleanUp = async () => {
  for (const stop of [...stops].reverse()) await stop();
};
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void cleanUp().then(() => process.exit(130)));

try {
  const bills = new Map<string, Bill[]>(wanted.map(({ name }) => [name, []]));
  for (let round = 1; round <= Number(values.rounds); round++) {
    for (const contender of wanted) {
      const bill = await billOf(contender);
      bills.get(contender.name)?.push(bill);
      console.error(`round ${round}, ${contender.name}: ${sum(bill.cpu).toFixed(2)} s`);
    }
  }
  const table = tableOf(bills, await repeatsOf());
  console.log(table);
  if (values.record) record(table);
} finally {
  await cleanUp();
}

/** Runs the script on a new API server. */
async function billOf(contender: Contender, between?: (running: Running) => Promise<Counter>): Promise<Bill> {
  const server = await startApiServer();
  const stopServer = () => server.stop();
  stops.add(stopServer);
  const { conversion, pods } = await contender.start();
  const processes = [...new Set([conversion, pods])];
  const stopProcesses = async () => {
    await Promise.all(processes.map((each) => each.stop()));
  };
  stops.add(stopProcesses);
  const counter = await between?.(conversion);
  const ports = counter === undefined ? [conversion.port, pods.port] : [counter.port, counter.port];
  await register(server, ports, contender.isWhole === true);
  const stage = await openStage(server);
  const bill = { cpu: [] as number[], conversions: [] as number[], admissions: [] as number[] };
  for (const step of steps) {
    const before = await countsOf(server, processes);
    await step.run(stage, size);
    await settled(stage, size);
    const after = await countsOf(server, processes);
    bill.cpu.push(after.cpu - before.cpu);
    bill.conversions.push(after.conversions - before.conversions);
    bill.admissions.push(after.admissions - before.admissions);
  }
  const peak = processes.reduce((sum, { pid }) => sum + peakOf(pid), 0);
  for (const stop of [stopProcesses, stopServer]) {
    await stop();
    stops.delete(stop);
  }
  counter?.close();
  return { ...bill, writes: stage.writes, peak };
}

/** How many conversions ours is asked for in one more run, and how many of them repeat. */
async function repeatsOf(): Promise<Repeats> {
  let counter: Counter | undefined;
  await billOf({ name: "counted", start: ours }, async ({ port }) => {
    counter = await startCounter(port, bench.tls);
    return counter;
  });
  return counter?.counts.get("/convert") ?? { asked: 0, second: 0, minute: 0 };
}

async function countsOf(server: ApiServer, processes: readonly Running[]) {
  return {
    conversions: await metric(server, "apiserver_crd_conversion_webhook_duration_seconds_count"),
    admissions: await metric(server, "apiserver_admission_webhook_request_total"),
    cpu: processes.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
  };
}

/** CPU seconds of a process so far, with all its threads: user and system, in ticks of 10 ms. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function peakOf(pid: number): number {
  const kib = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kib) / 1024);
}

/** Registers the CRD of Room, the mutation of pods, and, where asked, the webhooks of Rooms; resolves when all are called. */
async function register(server: ApiServer, [conversion = 0, pods = 0]: readonly number[], isWhole: boolean) {
  const url = `https://localhost:${conversion}`;
  const args = ["src/cli.ts", "manifests", "--webhooks", "webhooks/home", "webhooks/core", "--url", url];
  const ca = path.join(bench.tls, "ca.crt");
  const printed = await promisify(execFile)(process.execPath, [...args, "--ca", ca], { maxBuffer: 2 ** 26 });
  const documents = readYaml(printed.stdout)
    .map(({ value }) => value)
    .filter(isObject);
  const named = (name: string) => documents.filter((each) => get(each, "metadata", "name") === name);
  const input = [
    ...named("rooms.home.antechamber.dev"),
    ...named("antechamber-pods").map((each) =>
      JSON.parse(writeJson(each).replaceAll(url, `https://localhost:${pods}`)),
    ),
    ...(isWhole ? named("antechamber").map(ofRooms) : []),
    ...["home", "shop"].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
  ];
  const applied = await server.kubectl(["apply", "-f", "-"], {
    input: input.map((each) => writeJson(each)).join("\n---\n"),
  });
  if (applied.code !== 0) throw new Error(`the manifests are refused: ${applied.stderr}`);
  for (const path of ["/apis/home.antechamber.dev/v1beta1/rooms", "/apis/home.antechamber.dev/v1/rooms"])
    while ((await patient(() => server.request("GET", path))).status !== 200);
}

function ofRooms(configuration: JsonObject): JsonObject {
  const webhooks = get(configuration, "webhooks");
  const own = (isArray(webhooks) ? webhooks : []).filter((each) =>
    String(get(each, "name")).includes("rooms"),
  );
  return { ...configuration, webhooks: own };
}

/** Medians of all rounds: by step, and what the peers need for each second of ours. */
function tableOf(bills: ReadonlyMap<string, readonly Bill[]>, repeats: Repeats): string {
  const all = [...bills];
  const [, [first] = []] = all[0] ?? [];
  const cells = (of: (bill: Bill) => number, digits: number) =>
    all.map(([, each]) => median(each.map(of)).toFixed(digits));
  const totals = (steps: (at: number) => boolean) => (bill: Bill) =>
    sum(bill.cpu.filter((_, at) => steps(at)));
  const isPods = (at: number) => at === steps.length - 1;
  const rows = [
    ["CPU seconds", "conversions", "admissions", ...all.map(([name]) => name)],
    ["---", "---", "---", ...all.map(() => "---")],
    ...steps.map(({ name }, at) => [
      name,
      `${first?.conversions[at] ?? 0}`,
      `${first?.admissions[at] ?? 0}`,
      ...cells(({ cpu }) => cpu[at] ?? 0, 2),
    ]),
    [
      "all",
      `${sum(first?.conversions ?? [])}`,
      `${sum(first?.admissions ?? [])}`,
      ...cells(
        totals(() => true),
        2,
      ),
    ],
    [
      "without pods",
      "",
      "",
      ...cells(
        totals((at) => !isPods(at)),
        2,
      ),
    ],
    ["p50 of an update at v1beta1, ms", "", "", ...cells(({ writes }) => quantile(writes, 0.5), 1)],
    ["p99 of it, ms", "", "", ...cells(({ writes }) => quantile(writes, 0.99), 1)],
    ["memory at most, MiB", "", "", ...cells(({ peak }) => peak, 0)],
  ];
  const percent = (part: number) => `${((100 * part) / Math.max(1, repeats.asked)).toFixed(0)} %`;
  return [
    begin,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
    "",
    `${size.objects} Rooms and ${size.pods} pods; medians of ${values.rounds} rounds, in turns; load of the machine ${loadavg()[0]?.toFixed(0)} on ${cpus().length} cores.`,
    `${percent(repeats.second)} of the conversions repeat one of the second before, byte for byte, and ${percent(repeats.minute)} one of the minute before.`,
    end,
  ].join("\n");
}

function record(table: string): void {
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table: ${begin}`);
  writeFileSync(page, `${text.slice(0, from)}${table}${text.slice(to + end.length)}`);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

function quantile(numbers: readonly number[], share: number): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * share)] ?? 0;
}
