// The service beside webhooks in Go as most people write them (bench/peers), in one run: the same reviews in turn to each, several
// rounds, servers on one core and the load on another where taskset exists. Prints a table for each group of scenarios; only the
// ratios count, and CPU is the steadiest. Needs Linux and Go. Ours has all its checks.
//   npm run build && npm run bench:peers [-- --rounds 5 --seconds 2 --warm-up 20 --only "10 kB" --peers FOLDER]
// `--before CHECKOUT` measures the conversions of another built checkout beside these.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { writeJson } from "../src/json/exact.ts";
import { type JsonObject, set } from "../src/json/json.ts";
import { review as podReview, sidecarSets } from "./injection-objects.ts";
import { type Installed, installed } from "./installed.ts";
import { conversionReview, convertedObjects, rooms } from "./peers-objects.ts";
import { benchOf, load, type Measured, type Running, start } from "./peers-servers.ts";

interface Scenario {
  readonly name: string;
  readonly objects: number;
  readonly bytes: number;
  readonly connections: number;
  readonly up?: true;
  /** The ratios that are asked, to the lossless and to the lossy peer. */
  readonly goals: readonly [number, number];
}

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "2" },
    "warm-up": { type: "string", default: "20" },
    only: { type: "string", default: "" },
    peers: { type: "string" },
    before: { type: "string" },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const warmSeconds = Number(values["warm-up"]);
const isWanted = (name: string) => name.includes(values.only);

const small = { objects: 1, bytes: 1300, connections: 8 };
const scenarios: readonly Scenario[] = [
  { ...small, name: "small, one at a time", connections: 1, goals: [0.7, 1] },
  { ...small, name: "small, eight at a time", goals: [0.4, 0.65] },
  { ...small, name: "small, upward", up: true, goals: [0.55, 0.75] },
  { ...small, name: "10 kB", bytes: 10_000, goals: [0.28, 0.5] },
  { name: "600 of 10 kB", objects: 600, bytes: 10_000, connections: 1, goals: [0.35, 0.65] },
];

const package_ = installed();
const before = values.before === undefined ? undefined : installed(values.before);
const bench = await benchOf(package_, values.peers);
const tls = (port: number) => [
  ...["-port", `${port}`, "-cert", path.join(bench.tls, "tls.crt"), "-key", path.join(bench.tls, "tls.key")],
];
const serve = ({ bin, webhooks }: Installed, port: number, ...more: readonly string[]) => [
  ...[process.execPath, bin, "serve", "--webhooks", webhooks, "--host", "127.0.0.1", "--port", `${port}`],
  ...["--ops-port", "0", "--cert-dir", bench.tls, "--log-level", "error", ...more],
];
// The same few reviews are sent again and again: kept answers would be all that is measured.
const withoutKept = ["--kept-answers", "0"];
const converter = path.join(bench.programs, "server");
const running: Running[] = [];
for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, () => void cleanUp().then(() => process.exit(130)));
try {
  console.log(
    `${rounds} rounds; medians (least to most); ${bench.isPinned ? "servers pinned to one core, the load to another" : "not pinned"}`,
  );
  await compareConversions();
  await compareSmallBesideLarge();
  for (const sets of [10, 1_000, 10_000]) await compareInjection(sets);
} finally {
  await cleanUp();
}

async function cleanUp(): Promise<void> {
  await stopAll();
  for (const each of [package_, ...(before ? [before] : [])])
    rmSync(each.folder, { recursive: true, force: true });
}

async function compareConversions(): Promise<void> {
  const wanted = scenarios.filter(({ name }) => isWanted(name));
  if (wanted.length === 0) return;
  console.log("\nCPU µs an object; asked ratios in brackets\n");
  line([
    "scenario",
    "ours",
    "lossless peer",
    "lossy peer",
    ": lossless",
    ": lossy",
    "p99 : lossy",
    "peak MiB",
    ...(before ? ["before", ": before"] : []),
  ]);
  for (const scenario of wanted) {
    const servers = await startConverters();
    const atOnce = scenario.objects > 1 ? 1 : 8;
    const results = await measured(servers, (server) => bodiesOf(scenario, server), atOnce, {
      connections: scenario.connections,
    });
    await stopAll();
    const [ours = [], lossless = [], lossy = [], old] = results;
    const cpu = (of: readonly Measured[]) => of.map((each) => each.cpu / scenario.objects);
    const p99 = (of: readonly Measured[]) => of.map((each) => each.p99);
    line([
      scenario.name,
      ...results.slice(0, 3).map((each) => spread(cpu(each), 0)),
      `${spread(ratios(cpu(ours), cpu(lossless)), 2)} [${scenario.goals[0]}]`,
      `${spread(ratios(cpu(ours), cpu(lossy)), 2)} [${scenario.goals[1]}]`,
      spread(ratios(p99(ours), p99(lossy)), 2),
      results.map((each) => Math.max(...each.map(({ peak }) => peak)).toFixed(0)).join(", "),
      ...(old ? [spread(cpu(old), 0), spread(ratios(cpu(ours), cpu(old)), 2)] : []),
    ]);
  }
}

async function compareSmallBesideLarge(): Promise<void> {
  if (!isWanted("small beside large")) return;
  console.log("\nsmall reviews, 200 a second, beside reviews of 600 of 10 kB without a pause\n");
  line(["server", "median ms", "p99 ms"]);
  const servers = await startConverters();
  const folder = folderOf("beside", [conversionReview("v1beta1", rooms(600, 10_000))]);
  const bodies = folderOf("few", manySmall());
  const found = servers.map((): Measured[] => []);
  for (const server of servers) {
    await warm(server, bodies, { connections: 8 });
    await warm(server, folder, {});
  }
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const large = load(bench, server, { bodies: folder, duration: `${seconds + 1}s` });
      const beside = { bodies, connections: 4, rate: 200, warmup: "500ms", duration: `${seconds}s` };
      found[index]?.push(await load(bench, server, beside));
      await large;
    }
  }
  for (const [index, server] of servers.entries()) {
    const of = found[index] ?? [];
    const [median, p99] = [of.map((each) => each.median), of.map((each) => each.p99)];
    line([server.name, spread(median, 2), spread(p99, 1)]);
  }
  await stopAll();
}

async function compareInjection(sets: number): Promise<void> {
  const name = `injection, ${sets.toLocaleString("en")} SidecarSets`;
  if (!isWanted(name)) return;
  const file = path.join(package_.folder, `sets-${sets}.json`);
  const objects = sidecarSets(sets);
  writeFileSync(file, writeJson([...objects]));
  const list = path.join(package_.folder, `list-${sets}.json`);
  writeFileSync(list, objects.map((each) => writeJson(each)).join("\n"));
  running.push(
    await start("ours", bench, (port) => serve(package_, port, ...withoutKept, "--with", list)),
    await start("peer", bench, (port) => [path.join(bench.programs, "pods"), "-sets", file, ...tls(port)]),
  );
  const pods = Array.from({ length: 32 }, (_, index) => podOf(index));
  const folder = folderOf("pods", pods);
  const patches = await Promise.all(running.map((server) => patchBytes(server, pods[0] ?? {})));
  const results = await measured(running, async () => folder, 8, { connections: 8, path: "/mutate" });
  const [ours = [], peer = []] = results.map((each) => each.map(({ cpu }) => cpu));
  const goal = { 10: 0.09, 1000: 0.07, 10000: 0.02 }[sets];
  console.log(`\n${name}: CPU µs a review, ratio [asked], bytes of the patch\n`);
  line(["ours", "peer", "ours : peer", "patch", "patch : peer"]);
  line([
    spread(ours, 0),
    spread(peer, 0),
    `${spread(ratios(ours, peer), 3)} [${goal}]`,
    patches.join(", "),
    `${((patches[0] ?? 0) / (patches[1] ?? 1)).toFixed(2)} [0.5]`,
  ]);
  await stopAll();
}

async function startConverters(): Promise<readonly Running[]> {
  running.push(
    await start("ours", bench, (port) => serve(package_, port, ...withoutKept)),
    await start("lossless peer", bench, (port) => [converter, "-lossless", ...tls(port)]),
    await start("lossy peer", bench, (port) => [converter, ...tls(port)]),
  );
  // Releases before this one keep no answers.
  if (before) running.push(await start("before", bench, (port) => serve(before, port)));
  return running;
}

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map(({ stop }) => stop()));
}

/** Measures the servers in turn, several rounds, after each was warmed up by so many reviews at once. */
async function measured(
  servers: readonly Running[],
  bodies: (server: Running) => Promise<string>,
  atOnce: number,
  options: Readonly<Record<string, string | number>>,
): Promise<readonly (readonly Measured[])[]> {
  const found = servers.map((): Measured[] => []);
  const folders = await Promise.all(servers.map(bodies));
  for (const [index, server] of servers.entries())
    await warm(server, folders[index] ?? "", { ...options, connections: atOnce });
  for (let round = 0; round < rounds; round++) {
    for (const [index, server] of servers.entries()) {
      const times = { warmup: "200ms", duration: `${seconds}s` };
      found[index]?.push(await load(bench, server, { ...options, bodies: folders[index] ?? "", ...times }));
    }
  }
  return found;
}

/** V8 compiles for tens of thousands of reviews. */
async function warm(
  server: Running,
  bodies: string,
  options: Readonly<Record<string, string | number>>,
): Promise<void> {
  await load(bench, server, { ...options, bodies, duration: `${warmSeconds}s`, count: 40_000 });
}

/** The folder with the bodies of a scenario. Upward, a server gets back what it made itself. */
async function bodiesOf({ objects, bytes, up }: Scenario, server: Running): Promise<string> {
  const many = objects > 1 ? 1 : 64;
  const sets = Array.from({ length: many }, (_, index) => rooms(objects, bytes, index * objects));
  const down = sets.map((each) => conversionReview("v1beta1", each));
  const [first = []] = sets;
  const back = await backAgain(server, first.slice(0, 3));
  if (server.name !== "lossy peer" && !isDeepStrictEqual(back, first.slice(0, 3)))
    throw new Error(`${server.name} lost something`);
  if (up === undefined) return folderOf(`${objects}-${bytes}`, down);
  const upward: JsonObject[] = [];
  for (const each of down) {
    upward.push(conversionReview("v1", convertedObjects(await server.ask("/convert", each))));
  }
  return folderOf(`up-${server.name}`, upward);
}

async function backAgain(server: Running, objects: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const down = convertedObjects(await server.ask("/convert", conversionReview("v1beta1", objects)));
  return convertedObjects(await server.ask("/convert", conversionReview("v1", down)));
}

function manySmall(): readonly JsonObject[] {
  return Array.from({ length: 64 }, (_, index) => conversionReview("v1beta1", rooms(1, 1300, index)));
}

function folderOf(name: string, reviews: readonly JsonObject[]): string {
  const folder = path.join(package_.folder, "bodies", name.replaceAll(/\W/g, "-"));
  mkdirSync(folder, { recursive: true });
  for (const [index, each] of reviews.entries()) {
    writeFileSync(path.join(folder, `${String(index).padStart(3, "0")}.json`), writeJson(each));
  }
  return folder;
}

function podOf(index: number): JsonObject {
  const review = podReview();
  const request = review.request as JsonObject;
  const pod = request.object as JsonObject;
  const metadata = pod.metadata as JsonObject;
  const labels = { ...(metadata.labels as JsonObject), instance: String(index) };
  return set(review, "request", {
    ...request,
    object: { ...pod, metadata: { ...metadata, labels } },
  });
}

async function patchBytes(server: Running, review: JsonObject): Promise<number> {
  const { response } = await server.ask("/mutate", review);
  const { patch } = response as JsonObject;
  if (typeof patch !== "string")
    throw new Error(`${server.name} did not inject: ${writeJson(response ?? null)}`);
  return Buffer.from(patch, "base64").length;
}

function ratios(ours: readonly number[], theirs: readonly number[]): readonly number[] {
  return ours.map((each, round) => each / (theirs[round] ?? Number.NaN));
}

/** The median, and the least and the most. */
function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (index: number) => (sorted[index] ?? Number.NaN).toFixed(digits);
  return `${at(sorted.length >> 1)} (${at(0)} to ${at(sorted.length - 1)})`;
}

function line(cells: readonly string[]): void {
  console.log(`| ${cells.join(" | ")} |`);
}
