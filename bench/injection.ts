// The cost of injection with 10, 1,000 and 10,000 SidecarSets of which three match, and with 100 InjectionPolicies beside them: CPU time of the server per review of a pod
// of 5 kB, over HTTPS with keep-alive and without transport. Rounds alternate, so that a noisy machine affects all alike. With
// PEER set to another program (bench/injection-peer.ts), that is measured, too. Only ratios within one run count.
//   node bench/injection.ts [rounds]
import { fork } from "node:child_process";
import { once } from "node:events";
import { Connection } from "./connection.ts";
import { atOnce, body, type Measured, overHttps, patchBytes } from "./injection-load.ts";
import { startPeer } from "./injection-peer.ts";

interface Ours extends Measured {
  readonly policies: number;
  /** CPU microseconds of a response without transport. */
  readonly inside: (count: number) => Promise<number>;
  /** CPU milliseconds to prepare all SidecarSets before the first review. */
  readonly prepared: number;
}

/** The measurements of each round. */
interface Row {
  readonly ours: Ours;
  readonly peer: Measured | undefined;
  readonly over: number[];
  readonly inside: number[];
  readonly overPeer: number[];
}

const rounds = Number(process.argv[2] ?? 5);
const requestsARound = 2000;
const program = process.env.PEER;

const rows: Row[] = [];
for (const [sets, policies] of [
  [10, 0],
  [10, 100],
  [1_000, 100],
  [10_000, 100],
] as const) {
  rows.push(await start(sets, policies));
}
for (const { ours, peer } of rows) {
  // V8 keeps compiling for tens of thousands of reviews.
  await overHttps(ours, 15_000);
  if (peer !== undefined) await overHttps(peer, 200);
}
for (let round = 0; round < rounds; round++) {
  for (const { ours, peer, over, inside, overPeer } of rows) {
    over.push(await overHttps(ours, requestsARound));
    inside.push(await ours.inside(requestsARound));
    // A peer that checks each SidecarSet takes milliseconds.
    if (peer !== undefined) overPeer.push(await overHttps(peer, requestsARound / 5));
  }
}
console.log(
  `${rounds} rounds of ${requestsARound} reviews of ${body.length} bytes, ${atOnce} at once; the least of the rounds\n`,
);
await print(rows);
for (const { ours, peer } of rows) await Promise.all([ours.stop(), peer?.stop()]);

async function start(sets: number, policies: number): Promise<Row> {
  const ours = await startOurs(sets, policies);
  // The other program does without policies.
  const peer = program === undefined ? undefined : await startPeer(program, sets);
  return { ours, peer, over: [], inside: [], overPeer: [] };
}

async function startOurs(sets: number, policies: number): Promise<Ours> {
  const child = fork(new URL("./injection-server.ts", import.meta.url), [String(sets), String(policies)]);
  const [{ port, ca, prepared }] = await once(child, "message");
  const ask = async (question: string) => {
    const answer = once(child, "message");
    child.send(question);
    return (await answer)[0];
  };
  const connections = await Connection.openMany(atOnce, port, ca);
  return {
    sets,
    policies,
    connections,
    prepared,
    cpu: async () => {
      const { cpu } = await ask("cpu");
      return cpu.user + cpu.system;
    },
    rss: async () => (await ask("cpu")).rss,
    inside: async (count) => (await ask(String(count))).inside,
    stop: async () => {
      for (const connection of connections) connection.close();
      child.kill();
    },
  };
}

async function print(measured: readonly Row[]): Promise<void> {
  const [first] = measured;
  const base = least(first?.over ?? []);
  const baseInside = least(first?.inside ?? []);
  const peerColumns = "  | peer µs  ours/peer  patch bytes  ours/peer  RSS MiB";
  console.log(
    `SidecarSets  policies  https µs  ratio  inside µs  ratio  patch bytes  RSS MiB  preparing ms${program === undefined ? "" : peerColumns}`,
  );
  for (const { ours, peer, over, inside, overPeer } of measured) {
    const [outer, inner, patch] = [least(over), least(inside), await patchBytes(ours)];
    const columns: (readonly [string, number])[] = [
      [String(ours.sets), 11],
      [String(ours.policies), 9],
      [outer.toFixed(1), 9],
      [(outer / base).toFixed(2), 6],
      [inner.toFixed(1), 10],
      [(inner / baseInside).toFixed(2), 6],
      [String(patch), 12],
      [mebibytes(await ours.rss()), 8],
      [ours.prepared.toFixed(0), 13],
    ];
    if (peer !== undefined) {
      const [theirs, theirPatch] = [least(overPeer), await patchBytes(peer)];
      columns.push(
        [`| ${theirs.toFixed(0)}`, 11],
        [(outer / theirs).toFixed(3), 10],
        [String(theirPatch), 12],
        [(patch / theirPatch).toFixed(2), 10],
        [mebibytes(await peer.rss()), 8],
      );
    }
    console.log(columns.map(([text, width]) => text.padStart(width)).join(" "));
  }
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}

/** Other work on the machine only ever adds time. */
function least(values: readonly number[]): number {
  return Math.min(...values);
}
