import { createSecureContext } from "node:tls";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pino } from "pino";
import { expect, it, onTestFinished } from "vitest";
import { serve } from "../../../src/cli/serve/run.ts";
import { get } from "../../../src/json/json.ts";
import { folderOf } from "../../support/folder.ts";
import { attack, diceOf, readBases } from "./fuzz.ts";
import { describe, outcomeOf } from "./fuzz-outcome.ts";
import { send, sessionOf } from "./fuzz-wire.ts";

// `npm run fuzz` is the long run, against a process; SEED=… draws the same again.
const requests = Number(process.env.FUZZ_REQUESTS ?? 1_000);
const seed = Number(process.env.SEED);
const atOnce = 8;

it("every attack gets a valid review or a Status, and leaves nothing behind", async () => {
  const { port, ca, faults, close } = await start();
  onTestFinished(close);
  const bases = readBases();
  const dice = diceOf(seed);
  const outcomes = new Map<string, number>();
  const heaps: number[] = [];
  // Handshakes and contexts cost most: each is made once.
  const secureContext = createSecureContext({ ca, maxVersion: "TLSv1.2" });
  const session = await sessionOf(port, secureContext);
  let sent = 0;
  const caller = async (until: number) => {
    while (sent < until) {
      const number = sent++;
      const thrown = attack(bases, dice);
      const answer = await send(thrown, { port, secureContext, session });
      const outcome = outcomeOf(thrown, answer);
      if (outcome.startsWith("!"))
        throw new Error(`attack ${number} of seed ${seed}: ${outcome}\n${describe(thrown)}`);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  // At first code is compiled and caches fill; from then on the heap must not grow.
  for (let part = 1; part <= 10; part++) {
    await Promise.all(Array.from({ length: atOnce }, () => caller((requests * part) / 10)));
    heaps.push(heapAfterGc());
  }
  const counts = [...outcomes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([outcome, count]) => `  ${outcome}: ${count}`);
  console.log(
    `${requests} requests of seed ${seed}\n${counts.join("\n")}\n  heap, MiB: ${heaps.map((heap) => heap.toFixed(1)).join(" ")}`,
  );
  expect(faults()).toEqual([]);
  expect((heaps.at(-1) ?? 0) - (heaps[3] ?? 0)).toBeLessThan(6 + requests / 20_000);
  expect(get({}, "polluted")).toBeUndefined();
}, 3_600_000);

/** The service itself in this process, so that its heap can be looked at. */
async function start() {
  const folder = await folderOf({});
  const faults: string[] = [];
  const write = (line: string) => {
    // An error in a function of a kind is answered in the review, and logged as one.
    if (!line.includes('"msg":"review answered"')) faults.push(line);
  };
  let ca = "";
  const options = { port: 0, opsPort: 0, host: "127.0.0.1", webhooks: ["webhooks"], certHost: [], grace: 0 };
  const io = {
    print: () => {},
    now: () => new Date(),
    random: () => 0.5,
    log: pino({ level: "error" }, { write }),
    folder,
    env: {},
    readStdin: () => Promise.resolve(""),
  };
  const service = await serve({ ...options, caOut: "ca.crt" }, io);
  const { readFile } = await import("node:fs/promises");
  ca = await readFile(`${folder}/ca.crt`, "utf8");
  return { port: service.port, ca, faults: () => faults, close: () => service.close() };
}

function heapAfterGc(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
