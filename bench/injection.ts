// What injecting costs with 10, 1,000 and 10,000 SidecarSets of which three match: CPU of the server for each review of
// a pod of 5 kB, over HTTPS with keep-alive and without transport; the three in turn, so that a noisy machine disturbs
// them alike. Only ratios within one run count.
//   node bench/injection.ts [rounds]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import https from "node:https";
import { writeJson } from "../src/json/exact.ts";
import { review } from "./injection-objects.ts";

interface Server {
  readonly sets: number;
  readonly process: ChildProcess;
  readonly port: number;
  readonly agent: https.Agent;
  readonly patchBytes: number;
  /** CPU milliseconds in which all SidecarSets were prepared, before the first review. */
  readonly prepared: number;
}

const rounds = Number(process.argv[2] ?? 5);
const requestsARound = 2000;
const atOnce = 8;
const body = writeJson(review());

const servers: Server[] = [];
for (const sets of [10, 1_000, 10_000]) servers.push(await start(sets));
const overTls = servers.map(() => [] as number[]);
const inside = servers.map(() => [] as number[]);
for (const server of servers) {
  await overHttps(server, 1000);
  await ask(server.process, String(3000));
}
for (let round = 0; round < rounds; round++) {
  for (const [index, server] of servers.entries()) {
    overTls[index]?.push(await overHttps(server, requestsARound));
    inside[index]?.push((await ask(server.process, String(requestsARound))).inside);
  }
}
console.log(
  `${rounds} rounds of ${requestsARound} reviews of ${body.length} bytes, ${atOnce} at once; the least of the rounds\n`,
);
console.log("SidecarSets  https µs  ratio  inside µs  ratio  patch bytes  RSS MiB  preparing ms");
const [base = 1, baseInside = 1] = [least(overTls[0] ?? []), least(inside[0] ?? [])];
for (const [index, server] of servers.entries()) {
  const [over, within] = [least(overTls[index] ?? []), least(inside[index] ?? [])];
  const { rss } = await ask(server.process, "cpu");
  const columns: readonly (readonly [string, number])[] = [
    [String(server.sets), 11],
    [over.toFixed(1), 9],
    [(over / base).toFixed(2), 6],
    [within.toFixed(1), 10],
    [(within / baseInside).toFixed(2), 6],
    [String(server.patchBytes), 12],
    [(rss / 2 ** 20).toFixed(0), 8],
    [server.prepared.toFixed(0), 13],
  ];
  console.log(columns.map(([text, width]) => text.padStart(width)).join(" "));
}
for (const server of servers) {
  server.agent.destroy();
  server.process.kill();
}

async function start(sets: number): Promise<Server> {
  const child = fork(new URL("./injection-server.ts", import.meta.url), [String(sets)]);
  const [{ port, ca, patchBytes, prepared }] = await once(child, "message");
  const agent = new https.Agent({ keepAlive: true, maxSockets: atOnce, ca });
  return { sets, process: child, port, agent, patchBytes, prepared };
}

/** CPU microseconds of the server for each of so many reviews. */
async function overHttps(server: Server, requests: number): Promise<number> {
  const before = (await ask(server.process, "cpu")).cpu;
  let left = requests;
  const caller = async () => {
    while (left-- > 0) await send(server);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const { cpu } = await ask(server.process, "cpu");
  return (cpu.user + cpu.system - before.user - before.system) / requests;
}

interface Told {
  readonly cpu: NodeJS.CpuUsage;
  readonly rss: number;
  readonly inside: number;
}

async function ask(child: ChildProcess, question: string): Promise<Told> {
  const answer = once(child, "message");
  child.send(question);
  return (await answer)[0];
}

function send({ port, agent }: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const options = { agent, host: "localhost", port, path: "/mutate?timeout=10s", method: "POST", headers };
    const request = https.request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      response.resume();
      response.once("end", resolve);
    });
    request.once("error", reject);
    request.end(body);
  });
}

/** What others on the machine add is never less than nothing. */
function least(values: readonly number[]): number {
  return Math.min(...values);
}
