// How long a room of three lights takes to be Ready after a write, among many other rooms: with a real API server, the service,
// the controllers of examples/home and simulated devices that take 20 ms. Writes at v1 and at v1beta1, one at a time, then each
// part is killed, the devices also for 3 s, a room is written as soon as it can be, and the time counts from the write or from when
// the part is back, whichever is later.
// Times on a shared machine are rough.
//   node bench/home.ts [rooms] [writes]

import { setTimeout as wait } from "node:timers/promises";
import { get, isArray, type JsonObject } from "../src/json/json.ts";
import { group } from "../test/cluster/home.ts";
import { expectOk } from "../test/cluster/kinds.ts";
import {
  isReady,
  type Part,
  roomPath,
  startRunningHome,
  untilRoomReady,
} from "../test/examples/running-home.ts";

const count = Number(process.argv[2] ?? 1000);
const writes = Number(process.argv[3] ?? 40);
const kills = 5;
const atOnce = 16;

const home = await startRunningHome(["--latency", "20", "--failures", "0"]);
const { server } = home;

const names = Array.from({ length: count }, (_, index) => `room-${index}`);
const began = performance.now();
const waiting = [...names];
await Promise.all(Array.from({ length: atOnce }, createRooms));
console.log(`${count} rooms written after ${seconds(began)} s`);
await untilAllReady();
console.log(`${count} rooms, ${3 * count} lights and ${count} locks as asked after ${seconds(began)} s`);

for (const version of ["v1", "v1beta1"]) {
  const times: number[] = [];
  for (let round = 0; round < writes; round += 1) times.push(await timeOf(version, round));
  report(`a write at ${version}`, times);
}
// An outage longer than a restart: every object says meanwhile that its device cannot be reached.
const outages = [
  { part: "controller", away: 0 },
  { part: "devices", away: 0 },
  { part: "devices", away: 3000 },
  { part: "service", away: 0 },
] as const;
for (const [index, { part, away }] of outages.entries()) {
  const times: number[] = [];
  // Each time another room, so that every write changes something.
  for (let round = 0; round < kills; round += 1)
    times.push(await timeAfterKill(part, away, index * kills + round));
  report(`the end of the ${part}${away > 0 ? ` for ${away / 1000} s` : ""}, and a write`, times);
}
await home.stop();

async function createRooms(): Promise<void> {
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const lights = ["a", "b", "c"].map((each) => ({ name: `${name}-${each}`, brightness: 0.5 }));
    const locks = [{ name: `${name}-door`, state: "Locked" }];
    await write(name, "v1", { lights, locks });
  }
}

function write(name: string, version: string, spec: JsonObject): Promise<unknown> {
  const body = { apiVersion: `${group}/${version}`, kind: "Room", metadata: { name }, spec };
  const path = `${roomPath(version, name)}?fieldManager=bench&force=true`;
  return expectOk(server.request("PATCH", path, { body, contentType: "application/apply-patch+yaml" }));
}

async function untilAllReady(): Promise<void> {
  for (;;) {
    const { body } = await server.request("GET", `/apis/${group}/v1/namespaces/home/rooms`);
    const items = get(body, "items");
    if (isArray(items) && items.length === count && items.every(isReady)) return;
    await wait(200);
  }
}

/** Milliseconds from the response to a write until the room's status says that its lights are as asked. */
async function timeOf(version: string, round: number): Promise<number> {
  const name = nameOf(round);
  await dim(name, version, round);
  const from = performance.now();
  await untilRoomReady(server, name);
  return performance.now() - from;
}

async function timeAfterKill(part: Part, away: number, round: number): Promise<number> {
  const name = nameOf(round + writes);
  await home.kill(part);
  // Without the service, the API server rejects writes: clients repeat them when it is back.
  if (part !== "service") await dim(name, "v1beta1", round + writes);
  await wait(away);
  await home.restart(part);
  if (part === "service") await dim(name, "v1beta1", round + writes);
  const from = performance.now();
  await untilRoomReady(server, name);
  return performance.now() - from;
}

async function dim(name: string, version: string, round: number): Promise<void> {
  const percent = (version === "v1" ? 10 : 51) + ((round * 7) % 40);
  const spec =
    version === "v1"
      ? { lights: ["a", "b", "c"].map((each) => ({ name: `${name}-${each}`, brightness: percent / 100 })) }
      : { brightness: percent };
  if (version === "v1")
    await write(name, version, { ...spec, locks: [{ name: `${name}-door`, state: "Locked" }] });
  else await expectOk(server.request("PATCH", roomPath(version, name), { body: { spec } }));
}

function nameOf(round: number): string {
  return names[(round * 37) % names.length] ?? "";
}

function report(what: string, times: readonly number[]): void {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  console.log(`ready after ${what}: median ${at(0.5)} ms, nine of ten ${at(0.9)} ms, longest ${at(1)} ms`);
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1);
}
