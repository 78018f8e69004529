// The long run of the laws, in several processes: npm run laws -- --help
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadKinds } from "../../src/kind/load-kinds.ts";
import { laws } from "../../src/laws/check.ts";
import { servingEngine } from "../../src/laws/engine.ts";
import type { Counterexample } from "../../src/laws/law.ts";
import { settingOf } from "../../src/laws/setting.ts";
import { publishedLeftOut, requirePublished } from "../cluster/published.ts";
import { publishedKinds } from "../cluster/published-kinds.ts";
import { isAbout, known } from "./known.ts";
import { readRecordings } from "./recordings.ts";

const help = `npm run laws -- [options]
  --runs N      cases for each claim of each law (default 1000)
  --jobs N      processes (default 2)
  --seed S      what is drawn (default: the state's, else the clock's)
  --kinds NAMES kinds whose names begin so, separated by commas (default: all, with the published ones if they were built)
  --minutes M   end after so long at the latest
  --state FILE  where a run that was ended goes on (default: laws-state.json)
  --help        this text
All claims are tried in turns of a few hundred cases, so that a run that is ended has tried all of them equally often.
Exits with 1 where a claim does not hold; the state has the counterexamples.`;

/** How far a run has come. */
interface State {
  readonly seed: number;
  /** Cases tried of each claim that was tried. */
  readonly tried: Record<string, number>;
  readonly broken: Record<string, { readonly seed: number; readonly counterexample: Counterexample }>;
}

/** Some cases of one claim, and its name: kind, law and number of the claim. */
interface Turn {
  readonly claim: string;
  readonly runs: number;
  readonly seed: number;
}

/** The cases of one turn. */
const turnSize = 250;

const { values: options } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    jobs: { type: "string", default: "2" },
    seed: { type: "string" },
    kinds: { type: "string" },
    minutes: { type: "string", default: "1e9" },
    state: { type: "string", default: "laws-state.json" },
    help: { type: "boolean" },
  },
});
if (options.help === true) console.log(help);
else if (process.send === undefined) await run();
else await answer();

/** All claims of the kinds that were chosen, by their names, but those that are known not to hold. */
async function claims() {
  const crds = requirePublished();
  if (crds === undefined && process.send === undefined) console.error(publishedLeftOut);
  const published = crds === undefined ? undefined : await publishedKinds(crds);
  const { all } = await loadKinds([
    "webhooks",
    "test/kinds",
    "examples/kinds",
    ...(published === undefined ? [] : [published.folder]),
  ]);
  await published?.remove();
  const names = options.kinds?.split(",");
  const kinds = all.filter(({ name }) => names?.some((each) => name.startsWith(each)) ?? true);
  const recordings = readRecordings();
  return new Map(
    kinds.flatMap((kind) => {
      const setting = settingOf(kind, servingEngine, recordings);
      return laws.flatMap((law) =>
        law.claims(setting).flatMap((claim, at) => {
          const isKnown = known.some(isAbout(kind, law, claim));
          return isKnown ? [] : [[`${kind.name} ${law.name} ${at}` as string, claim] as const];
        }),
      );
    }),
  );
}

/** A process of a run: tries one turn after the other, as they are sent. */
async function answer(): Promise<void> {
  const all = await claims();
  process.on("message", ({ claim, runs, seed }: Turn) => {
    process.send?.({ claim, ...all.get(claim)?.check(runs, seed) });
  });
  process.send?.({});
}

async function run(): Promise<void> {
  const { state: file, jobs } = options;
  const state: State = existsSync(file)
    ? JSON.parse(readFileSync(file, "utf8"))
    : { seed: Number(options.seed ?? Date.now() % 2 ** 31), tried: {}, broken: {} };
  if (options.seed !== undefined && Number(options.seed) !== state.seed)
    throw new Error(`${file} is of seed ${state.seed}; go on with that, or name another --state`);
  const names = [...(await claims()).keys()];
  const [runs, begin] = [Number(options.runs), Date.now()];
  const end = begin + Number(options.minutes) * 60_000;
  let isEnded = false;
  process.once("SIGINT", () => (isEnded = true));
  console.log(`seed ${state.seed}: ${names.length} claims, ${runs} cases of each`);
  const turns = turnsOf(names, runs, state);
  const next = () => (isEnded || Date.now() > end ? undefined : turns.next().value);
  let noted = begin;
  const onTried = ({ claim, seed }: Turn, tried: number, counterexample: Counterexample | undefined) => {
    state.tried[claim] = (state.tried[claim] ?? 0) + tried;
    if (counterexample !== undefined) {
      state.broken[claim] = { seed, counterexample };
      console.log(`${claim}, seed ${seed}: ${counterexample.claim}, ${counterexample.field}`);
    }
    if (Date.now() - noted < 60_000) return;
    noted = Date.now();
    writeState(file, state);
    console.log(`minute ${Math.round((noted - begin) / 60_000)}: ${words(names, state)}`);
  };
  await Promise.all(Array.from({ length: Number(jobs) }, () => working(next, onTried)));
  writeState(file, state);
  const broken = names.filter((name) => state.broken[name] !== undefined);
  console.log(`the end: ${words(names, state)}; ${broken.length} do not hold`);
  process.exitCode = broken.length > 0 ? 1 : 0;
}

/** The turns that are left, those of claims that were tried least first. A claim that does not hold gets none. */
function* turnsOf(
  names: readonly string[],
  runs: number,
  { seed, tried, broken }: State,
): Generator<Turn, undefined> {
  for (let done = 0; done < runs; done += turnSize)
    for (const claim of names) {
      const size = Math.min(turnSize, runs - done);
      if ((tried[claim] ?? 0) < done + size && broken[claim] === undefined)
        yield { claim, runs: size, seed: seed + done };
    }
}

/** One process, which gets turns as long as there are some. Rejects where it ends early. */
function working(
  next: () => Turn | undefined,
  onTried: (turn: Turn, tried: number, counterexample: Counterexample | undefined) => void,
): Promise<void> {
  const child: ChildProcess = fork(import.meta.filename, process.argv.slice(2));
  let turn: Turn | undefined;
  return new Promise((resolve, reject) => {
    child.on(
      "message",
      ({ runs = 0, counterexample }: { runs?: number; counterexample?: Counterexample }) => {
        if (turn !== undefined) onTried(turn, runs, counterexample);
        turn = next();
        if (turn === undefined) child.disconnect();
        else child.send(turn);
      },
    );
    child.once("exit", (code) =>
      code === 0 && turn === undefined
        ? resolve()
        : reject(new Error(`a process ended with ${code}, at ${turn?.claim}`)),
    );
  });
}

function words(names: readonly string[], { tried }: State): string {
  const counts = names.map((name) => tried[name] ?? 0);
  const sum = counts.reduce((all, each) => all + each, 0);
  return `${sum} cases; of each claim at least ${Math.min(...counts)}`;
}

/** Writes the state at once, so that a run that is killed leaves the previous one. */
function writeState(file: string, state: State): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(state, undefined, 1)}\n`);
  renameSync(`${file}.new`, file);
}
