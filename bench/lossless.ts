// The cost of lossless conversion: CPU time of the server per review, over HTTPS with keep-alive, one object per review as an
// API server sends them. Lossless and plain rounds alternate, so that a noisy machine affects both alike. Only the ratio counts.
//   npm run bench [-- rounds]
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { convert } from "../src/conversion/convert.ts";
import { sorted } from "../src/conversion/tree.ts";
import { writeJson } from "../src/json/exact.ts";
import { get, isArray, isObject, type JsonObject, set } from "../src/json/json.ts";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { findPublished, publishedLeftOut } from "../test/cluster/published.ts";
import { publishedKinds } from "../test/cluster/published-kinds.ts";
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

const crds = findPublished();
const published = crds === undefined ? undefined : await publishedKinds(crds);
const folders = ["webhooks", ...(published === undefined ? [] : [published.folder])];
const kinds = await loadKinds(folders);
const home = "home.antechamber.dev";
const cases = [
  casesOf([home, "Room"], "kitchen"),
  casesOf([home, "Light"], "hall-sconce"),
  casesOf([home, "Lock"], "front-door"),
  casesOf([home, "Room"], "ballroom"),
  casesOf(["apps.kruise.io", "StatefulSet"], "database", ["spec", "template", "spec", "containers"], 22),
  published === undefined
    ? []
    : casesOf(
        ["cluster.x-k8s.io", "Cluster"],
        "shop",
        ["spec", "topology", "workers", "machineDeployments"],
        5,
      ),
].flat();
if (published === undefined) console.log(publishedLeftOut);
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
await published?.remove();

/** Both directions of an example, by its name, between the two versions of its kind. A list in it may be made longer. */
function casesOf(
  [group, kindName]: readonly [group: string, kind: string],
  example: string,
  list: readonly string[] = [],
  times = 1,
): { name: string; body: string }[] {
  const kind = kinds.find(group, kindName);
  const found = kind?.examples.find(({ object }) => get(object, "metadata", "name") === example);
  if (kind === undefined || found === undefined) throw new Error(`no example ${example} of ${kindName}`);
  const [older, newer] = kind.versions.map(({ name }) => name);
  const longer = list.length === 0 ? found.object : repeated(found.object, list, times);
  const metadata = isObject(longer.metadata) ? longer.metadata : {};
  const created = { ...longer, metadata: { ...metadata, ...serverSet } };
  // What is stored was converted with the uid and all items. Objects from etcd have the defaults of the hub.
  const hub = kind.hub.defaulted(convert(created, kind.chain, found.version, 1));
  const view = convert(hub, kind.chain, 1, 0);
  return [
    { name: `${kindName} ${example}, ${newer} to ${older}`, body: review(hub, `${group}/${older}`) },
    { name: `${kindName} ${example}, ${older} to ${newer}`, body: review(view, `${group}/${newer}`) },
  ];
}

/** An object with the items of a list repeated under other names. */
function repeated(object: JsonObject, [name = "", ...rest]: readonly string[], times: number): JsonObject {
  const value = object[name];
  if (isObject(value)) return set(object, name, repeated(value, rest, times));
  const items = (isArray(value) ? value : []).flatMap((item) =>
    Array.from({ length: times }, (_, index) =>
      isObject(item) ? set(item, "name", `${String(item.name)}-${index}`) : item,
    ),
  );
  return set(object, name, items);
}

function review(object: JsonObject, to: string): string {
  return writeJson({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    // An API server writes the keys of an object in order.
    request: { uid: "0f0e", desiredAPIVersion: to, objects: [sorted(object)] },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  });
}

async function start(mode: Mode): Promise<Server> {
  const child = fork(new URL("./lossless-server.ts", import.meta.url), [mode, ...folders]);
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
