// The effect of attacks on a service: each on a new process with the memory limit of the base manifests, while regular
// clients use it. The attacks come from a second process.
import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { attacks } from "./hostile-list.ts";
import { GoodCaller } from "./hostile-pace.ts";
import { type Measured, tableOf } from "./hostile-report.ts";
import type { Attack } from "./hostile-sending.ts";
import { isLimitedByCgroup, type Subject, startSubject } from "./hostile-service.ts";

const help = `npm run bench:hostile -- [options]
  --only NAME    this attack, or all whose names begin so; repeatable
  --tree DIR     a checkout whose service is attacked, with its dependencies installed (default: this one);
                 repeatable, then each cell holds one value for each, in their order
  --list         the attacks' names
  --help         this text
Prints a Markdown table; what is under way goes to standard error.`;

const warmMilliseconds = 1_500;
const aloneMilliseconds = 1_500;

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    tree: { type: "string", multiple: true },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});
if (options.help === true) console.log(help);
else if (options.list === true)
  for (const { name, says } of attacks) console.log(`${name.padEnd(32)} ${says}`);
else await measureAll();

async function measureAll(): Promise<void> {
  const trees = (options.tree ?? [path.dirname(import.meta.dirname)]).map((tree) => path.resolve(tree));
  const { only } = options;
  const chosen = attacks.filter(
    ({ name }) => only === undefined || only.some((begin) => name.startsWith(begin)),
  );
  if (chosen.length === 0) throw new Error(`no attack's name begins with ${only?.join(" or ")}; see --list`);
  const limit = isLimitedByCgroup
    ? "a cgroup of 1 GiB"
    : "--max-old-space-size=512, for no cgroup could be made here";
  console.log(`Memory limit of each service: ${limit}. Each cell: ${trees.join(" / ")}.\n`);
  const table = tableOf(isLimitedByCgroup);
  console.log(table.head);
  for (const [index, attack] of chosen.entries()) {
    const results: Measured[] = [];
    for (const tree of trees) {
      console.error(`${index + 1} of ${chosen.length}: ${attack.name}, ${tree}`);
      results.push(await measure(attack, tree));
      console.error(`  ${JSON.stringify(results.at(-1))}`);
    }
    console.log(table.row(attack.says, results));
  }
}

async function measure(attack: Attack, tree: string): Promise<Measured> {
  const attacker = fork(path.join(import.meta.dirname, "hostile-attacker.ts"), [attack.name]);
  // Prepared first: building 120 MB takes CPU time.
  await once(attacker, "message");
  const subject = await startSubject(tree);
  const caller = new GoodCaller(subject);
  try {
    return await attackBeside(subject, caller, () => answerTo(attacker, subject));
  } finally {
    attacker.kill();
    caller.close();
    await subject.stop();
  }
}

async function answerTo(
  attacker: ReturnType<typeof fork>,
  { pid, port, opsPort, ca }: Subject,
): Promise<string> {
  const answer = once(attacker, "message");
  attacker.send({ pid, port, opsPort, ca });
  const [{ answered }] = await answer;
  return answered;
}

async function attackBeside(
  subject: Subject,
  caller: GoodCaller,
  attack: () => Promise<string>,
): Promise<Measured> {
  const expected = await caller.review();
  const pace = caller.begin(expected);
  await wait(warmMilliseconds);
  const before = subject.usage().cpuSeconds;
  await wait(aloneMilliseconds);
  // The share of the regular clients is not part of the cost of the attack.
  const share = (subject.usage().cpuSeconds - before) / (aloneMilliseconds / 1000);
  pace.reset();
  const [begun, used] = [performance.now(), subject.usage().cpuSeconds];
  const answered = await Promise.race([attack(), death(subject)]);
  const good = await caller.review().catch((error: Error) => `none (${error.message})`);
  await pace.stop();
  const seconds = (performance.now() - begun) / 1000;
  const { cpuSeconds, residentMiB, chargedMiB } = subject.usage();
  const ended = subject.ended();
  return {
    cpuSeconds: Math.max(0, cpuSeconds - used - share * seconds),
    seconds,
    health: pace.health(),
    reviews: pace.reviews(),
    ...{ residentMiB, chargedMiB },
    answered: ended === undefined ? answered : `process died: ${ended}`,
    isNextRight: good === expected,
  };
}

async function death(subject: Subject): Promise<string> {
  while (subject.ended() === undefined) await wait(50, undefined, { ref: false });
  return "";
}
