// The long run of the fuzzer, against a service in a process of its own: npm run fuzz -- --help
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { get, type Json } from "../../../src/json/json.ts";
import { outcomeFor, Run, type Thrown } from "./fuzz-many.ts";
import { describe } from "./fuzz-outcome.ts";
import { type FuzzedService, type Holding, startFuzzed } from "./fuzz-process.ts";
import { growthOf, type Progress, readProgress, writeProgress } from "./fuzz-state.ts";
import { recordHello } from "./fuzz-tls.ts";
import { send } from "./fuzz-wire.ts";

const help = `npm run fuzz -- [options]
  --requests N   end after so many, those of earlier parts counted (default: 100000)
  --minutes N    end after so long at the latest (default: 60)
  --seed N       draw these attacks (default: the state's, else the clock's)
  --state FILE   where a run that was ended (Ctrl-C) goes on (default: fuzz-state.json)
  --replay FILE  send one failed attack alone, from the file that was written of it
  --help         this text
Exit code 1: an answer was not as it must be, the service logged a fault or died, or it grew.`;

/** What a service may grow by in a long run: caches that fill late, and pages that the allocator keeps. */
const bearable: Holding = { residentMiB: 64, heapMiB: 12, descriptors: 4 };

const { values: options } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    minutes: { type: "string", default: "60" },
    seed: { type: "string" },
    state: { type: "string", default: "fuzz-state.json" },
    replay: { type: "string" },
    help: { type: "boolean" },
  },
});

const service = options.help === true ? undefined : await startFuzzed();
if (service === undefined) console.log(help);
else {
  try {
    const isGood = options.replay === undefined ? await run(service) : await replay(service, options.replay);
    process.exitCode = isGood ? 0 : 1;
  } finally {
    await service.stop();
  }
}

async function replay(service: FuzzedService, file: string): Promise<boolean> {
  const thrown = JSON.parse(readFileSync(file, "utf8"), revived) as Thrown;
  const target = await service.target();
  const outcome = await outcomeFor(thrown, target);
  console.log(`${outcome}\n${service.faults().join("\n")}`);
  if ("http" in thrown) console.log(`${describe(thrown.http)}\n\n${await send(thrown.http, target)}`);
  return !outcome.startsWith("!") && service.faults().length === 0;
}

/** Buffers are written as lists of their bytes. */
function revived(_key: string, value: Json): unknown {
  return get(value, "type") === "Buffer" ? Buffer.from(get(value, "data") as number[]) : value;
}

async function run(service: FuzzedService): Promise<boolean> {
  const { state } = options;
  const seed = options.seed === undefined ? undefined : Number(options.seed);
  const progress = readProgress(state, seed);
  const run = new Run(service, progress, await recordHello());
  process.once("SIGINT", () => run.end());
  const [requests, end] = [Number(options.requests), performance.now() + Number(options.minutes) * 60_000];
  console.log(`seed ${progress.seed}: attacks ${progress.next} to ${requests}`);
  const samples: Holding[] = [await service.holding()];
  const calling = run.until(requests, end, await service.target());
  let isOver = false;
  calling.finally(() => (isOver = true));
  for (let turn = 1; !isOver && service.isAlive(); turn++) {
    await Promise.race([calling, wait(1_000)]);
    if (service.isAlive()) samples.push(await service.holding());
    if (turn % 10 === 0) {
      writeProgress(state, run.progress());
      console.error(`${run.progress().next} done, ${shown(samples.at(-1) as Holding)}`);
    }
  }
  if (service.isAlive()) await calling;
  writeProgress(state, run.progress());
  return concluded(service, run.progress(), samples);
}

async function concluded(
  service: FuzzedService,
  { seed, next, seconds, outcomes, failed }: Progress,
  samples: readonly Holding[],
): Promise<boolean> {
  const counts = Object.entries(outcomes).map(([outcome, count]) => `  ${outcome}: ${count}`);
  console.log(`${next} attacks of seed ${seed} in ${seconds.toFixed(0)} s\n${counts.join("\n")}`);
  if (!service.isAlive()) console.log("the service died");
  // Unfinished handshakes are closed after the time that a handshake may take.
  else await wait(15_000);
  const growth = growthOf(samples);
  console.log(`at the start ${shown(samples[0] as Holding)}; at the end ${shown(samples.at(-1) as Holding)}`);
  if (service.isAlive()) console.log(`15 s later   ${shown(await service.holding())}`);
  console.log(`growth from the second fifth to the last, least of each: ${shown(growth)}`);
  for (const fault of service.faults().slice(0, 20)) console.log(`fault: ${fault.slice(0, 500)}`);
  // Shorter runs end before V8 has collected everything once.
  const isGrown =
    samples.length >= 600 &&
    (Object.keys(bearable) as (keyof Holding)[]).some((what) => growth[what] > bearable[what]);
  return service.isAlive() && failed.length === 0 && service.faults().length === 0 && !isGrown;
}

function shown({ residentMiB, heapMiB, descriptors }: Holding): string {
  return `RSS ${residentMiB.toFixed(0)} MiB, heap ${heapMiB.toFixed(1)} MiB, ${descriptors} descriptors`;
}
