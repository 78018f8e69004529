// The cost of lossless conversion: CPU time of the server per review, over HTTPS with keep-alive, one object per review as an
// API server sends them. Lossless and plain rounds alternate, so that a noisy machine affects both alike. Only the ratio counts.
//   npm run bench [-- rounds]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { convert } from "../src/conversion/convert.ts";
import { sorted } from "../src/conversion/tree.ts";
import { writeJson } from "../src/json/exact.ts";
import type { JsonObject } from "../src/json/json.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { askAll, Connection, requestOf } from "./connection.ts";

interface Server {
  readonly mode: Mode;
  readonly process: ChildProcess;
  /** Each with one request at a time. */
  readonly connections: readonly Connection[];
}

const modes = ["plain", "lossless"] as const;
type Mode = (typeof modes)[number];

// What an API server adds to the metadata of an object.
const serverSet: JsonObject = {
  uid: "4b3a0c1e-0000-4000-8000-000000000001",
  generation: 5,
  resourceVersion: "1234",
  creationTimestamp: "2026-03-01T06:45:00Z",
};

// Many short rounds: other work on the machine affects some of them, and the lower quartile excludes those. V8 keeps compiling
// for tens of thousands of reviews per case, and processes of the same code differ slightly.
const rounds = Number(process.argv[2] ?? 10);
const requestsARound = 1000;
const requestsBefore = { firstCase: 60_000, everyOther: 20_000 };
const processes = 3;
const atOnce = 8;

const kinds = await loadKinds(["webhooks"]);
const cases = [
  casesOf("Room", "kitchen"),
  casesOf("Light", "hall-sconce"),
  casesOf("Lock", "front-door"),
  casesOf("Room", "ballroom"),
].flat();
const servers: Server[] = [];
for (let i = 0; i < processes; i++) for (const mode of modes) servers.push(await start(mode));
console.log(
  `${rounds} rounds of ${requestsARound} reviews, ${atOnce} at once, on ${processes} processes each; CPU µs a review`,
);
console.log("(the lower quartile of the rounds of each process, and the median of the processes)\n");
console.log("case                                bytes in   plain  lossless  ratio");
for (const [index, { name, body }] of cases.entries()) {
  const before = index === 0 ? requestsBefore.firstCase : requestsBefore.everyOther;
  for (const server of servers) await round(server, body, before);
  const measured = servers.map(() => [] as number[]);
  for (let i = 0; i < rounds; i++) {
    for (const [at, server] of servers.entries())
      measured[at]?.push(await round(server, body, requestsARound));
  }
  const [plain = 0, lossless = 0] = modes.map((mode) =>
    quantile(
      measured.filter((_, at) => servers[at]?.mode === mode).map((each) => quantile(each, 0.25)),
      0.5,
    ),
  );
  console.log(
    `${name.padEnd(34)} ${String(body.length).padStart(9)} ${plain.toFixed(1).padStart(7)} ${lossless.toFixed(1).padStart(9)} ${(lossless / plain).toFixed(2).padStart(6)}`,
  );
}
for (const server of servers) {
  for (const connection of server.connections) connection.close();
  server.process.kill();
}

function casesOf(kindName: string, example: string): { name: string; body: string }[] {
  const kind = kinds.find("home.antechamber.dev", kindName);
  const found = kind?.examples.find(({ file }) => file.endsWith(`/v1/${example}.yaml`))?.object;
  if (kind === undefined || found === undefined) throw new Error(`no example ${example} of ${kindName}`);
  // Objects from etcd have the defaults of the hub before they are converted.
  const stored = kind.chain.versions[1]?.defaulted(found) ?? found;
  const hub: JsonObject = { ...stored, metadata: { ...(found.metadata as JsonObject), ...serverSet } };
  const view = convert(hub, kind.chain, 1, 0);
  return [
    { name: `${kindName} ${example}, v1 to v1beta1`, body: review(hub, "v1beta1") },
    { name: `${kindName} ${example}, v1beta1 to v1`, body: review(view, "v1") },
  ];
}

function review(object: JsonObject, to: string): string {
  return writeJson({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    // An API server writes the keys of an object in order.
    request: { uid: "0f0e", desiredAPIVersion: `home.antechamber.dev/${to}`, objects: [sorted(object)] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
}

async function start(mode: Mode): Promise<Server> {
  const child = fork(new URL("./lossless-server.ts", import.meta.url), [mode]);
  const [{ port, ca }] = await once(child, "message");
  return { mode, process: child, connections: await Connection.openMany(atOnce, port, ca) };
}

/** CPU microseconds of the server per review. */
async function round(server: Server, body: string, requests: number): Promise<number> {
  const request = requestOf("/convert?timeout=30s", body);
  const before = await cpuOf(server);
  await askAll(server.connections, request, requests);
  return ((await cpuOf(server)) - before) / requests;
}

async function cpuOf({ process: child }: Server): Promise<number> {
  const answer = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = await answer;
  return cpu.user + cpu.system;
}

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
}
