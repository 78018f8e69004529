import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { leftOut, requireBinaries } from "../cluster/binaries.ts";
import { publishedLeftOut, requirePublished } from "../cluster/published.ts";
import { documentOf, relive, shrunk } from "./finding.ts";
import { kindOf, readKnown } from "./known.ts";
import { type Field, lineOf, newTally, soak, startField } from "./soak.ts";

const help = `npm run soak -- [options]
  --minutes M    how long (default 10)
  --seed S       what is drawn (default: from the clock); what the clients' order makes of it may differ
  --kinds NAMES  kinds whose names begin so, separated by commas (default: all)
  --out DIR      where reproductions of new findings are written (default: soak)
  --replay FILE  instead: repeats the findings of such a file, and prints what is found
  --help         this text
Random clients on a real API server. Prints a line each minute; exits with 1 where it found what test/soak/known.yaml does
not list.`;

const { values: options } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    kinds: { type: "string" },
    out: { type: "string", default: "soak" },
    replay: { type: "string" },
    help: { type: "boolean" },
  },
});
if (options.help === true) process.stdout.write(`${help}\n`);
else await run();

async function run(): Promise<void> {
  const crds = requirePublished();
  const missing =
    requireBinaries() === undefined ? leftOut : crds === undefined ? publishedLeftOut : undefined;
  if (crds === undefined || missing !== undefined) throw new Error(missing);
  const seed = Number(options.seed ?? Date.now() % 2 ** 31);
  const minutes = Number(options.minutes);
  process.stdout.write(`seed ${seed}: npm run soak -- --minutes ${minutes} --seed ${seed}\n`);
  const field = await startField(crds, seed);
  try {
    if (options.replay !== undefined) return await replay(field, resolve(options.replay));
    const names = options.kinds?.split(",");
    const kinds = field.kinds.filter(({ name }) => names?.some((each) => name.startsWith(each)) ?? true);
    if (kinds.length === 0) throw new Error(`no kind's name begins with ${options.kinds}`);
    const tally = newTally();
    const begin = Date.now();
    const ticker = setInterval(
      () => say(`minute ${Math.round((Date.now() - begin) / 60_000)}: ${lineOf(tally)}`),
      60_000,
    );
    await soak(field, kinds, {
      seed,
      end: begin + minutes * 60_000,
      known: readKnown("known.yaml"),
      tally,
    }).finally(() => clearInterval(ticker));
    say(`the end: ${lineOf(tally)}`);
    mkdirSync(options.out, { recursive: true });
    for (const [index, [signature, finding]] of [...tally.findings].entries()) {
      const file = join(options.out, `${seed}-${index}.yaml`);
      const least = await shrunk(field, finding, 60_000);
      writeFileSync(file, documentOf(least));
      say(`new: ${signature}\n  ${least.fault.says}\n  ${least.life.steps.length} steps in ${file}`);
      process.exitCode = 1;
    }
  } finally {
    await field.stop();
  }
}

async function replay(field: Field, file: string): Promise<void> {
  for (const each of readKnown(file)) {
    const found = await relive(field, kindOf(field.kinds, each), each.life);
    if (typeof found === "string") say(`${each.kind}: ${found}`);
    else {
      say(
        `${each.kind}: ${found.fault.check} at ${found.fault.version} ${found.fault.field}\n  ${found.fault.says}`,
      );
      process.exitCode = 1;
    }
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
