// What a guard costs beside the webhook alone, in one run: OpenKruise's own conversion of StatefulSets, in Go, asked by one
// connection, alone, behind the guard and behind its shadow, in turns. It prints zeros and loses `ordinals`, which is checked. Prints
// milliseconds a review; then, of further objects, requests to the webhook a conversion and CPU time a conversion, first of what was
// never asked and then of nearly the same again. Needs `npm run cluster:build`.
//   npm run bench:guard [-- --objects 500]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { webhookClient } from "../src/cluster/api/webhook-client.ts";
import { writeJson } from "../src/json/exact.ts";
import { get, type JsonObject, set } from "../src/json/json.ts";
import { startTarget } from "../test/cluster/webhook-targets.ts";
import { startService } from "../test/support/service.ts";
import { cpuOf } from "./cpu.ts";

const { values } = parseArgs({ options: { objects: { type: "string", default: "500" } } });
const objects = Number(values.objects);
const [v1alpha1, v1beta1] = ["apps.kruise.io/v1alpha1", "apps.kruise.io/v1beta1"];

const target = await startTarget("kruise");
const options = ["--upstream", target.url, "--upstream-ca", target.caFile];
const crd = ["--crd", target.crd("statefulsets"), "--log-level", "info"];
const guard = await startService([...options, ...crd], {}, undefined, "guard");
const shadow = await startService([...options, ...crd, "--shadow"], {}, undefined, "guard");
const clientOf = (url: string, ca: string) => webhookClient({ url, ca, timeout: 10_000, connections: 1 });
const servers = {
  alone: clientOf(target.url, readFileSync(target.caFile, "utf8")),
  guard: clientOf(`https://localhost:${guard.port}/convert`, guard.ca),
  shadow: clientOf(`https://localhost:${shadow.port}/convert`, shadow.ca),
};

function statefulSet(at: number): JsonObject {
  const env = Array.from({ length: 20 }, (_, n) => ({ name: `NAME_${n}`, value: `value ${n} of ${at}` }));
  const containers = [{ name: "main", image: `nginx:${at}`, env }];
  return {
    apiVersion: v1beta1,
    kind: "StatefulSet",
    metadata: { name: `set-${at}`, namespace: "default", uid: `uid-${at}`, generation: 1 },
    spec: {
      replicas: at,
      serviceName: "a",
      selector: { matchLabels: { app: "a" } },
      template: { metadata: { labels: { app: "a" } }, spec: { containers } },
      ordinals: { start: at },
    },
  };
}

/** The review of one object, and how long its answer took. */
async function ask(name: keyof typeof servers, object: JsonObject, desired: string) {
  const request = { uid: "u", desiredAPIVersion: desired, objects: [object] };
  const review = writeJson({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request });
  const begun = performance.now();
  const reply = await servers[name].post(review);
  const took = performance.now() - begun;
  if (reply.state !== "answered" || reply.status !== 200) throw new Error(JSON.stringify(reply));
  return { took, view: JSON.parse(reply.text).response.convertedObjects[0] as JsonObject };
}

/** The conversions of one write at the old version, as an API server asks for them: nearly the same object again and again. */
async function write(name: keyof typeof servers, at: number, times: { first: number[]; later: number[] }) {
  await later(name, at, await first(name, at, times.first), times.later);
}

async function first(name: keyof typeof servers, at: number, times: number[]) {
  const { took, view } = await ask(name, statefulSet(at), v1alpha1);
  const edited = set(view, "spec", "replicas", at + 1);
  const { took: back, view: stored } = await ask(name, edited, v1beta1);
  times.push(took, back);
  return { edited, stored };
}

async function later(
  name: keyof typeof servers,
  at: number,
  { edited, stored }: { edited: JsonObject; stored: JsonObject },
  times: number[],
) {
  for (const [object, desired] of [
    [statefulSet(at), v1alpha1],
    [edited, v1beta1],
    [stored, v1alpha1],
    [edited, v1beta1],
    [set(stored, "metadata", "resourceVersion", "7"), v1alpha1],
    [stored, v1alpha1],
  ] as const)
    times.push((await ask(name, object, desired)).took);
}

const requestsOf = async (service: typeof guard) => {
  const text = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
  return Number(/^antechamber_upstream_requests_total\{outcome="answered"\} (\d+)/m.exec(text)?.[1] ?? 0);
};

/** Objects of which requests and CPU time are counted: the answers for all of them are kept at once. */
const mostFurther = 200;
const names = ["alone", "guard", "shadow"] as const;
const none = () => ({ first: [] as number[], later: [] as number[] });
for (const name of names) for (let at = 0; at < 100; at++) await write(name, 1_000_000 + at, none());
const measured = { alone: none(), guard: none(), shadow: none() };
for (let at = 0; at < objects; at++) for (const name of names) await write(name, at, measured[name]);

/** What work takes: requests of the guard, and CPU time of the asked process and of the webhook. */
async function billOf<Result>(name: keyof typeof servers, conversions: number, work: () => Promise<Result>) {
  const pid = { alone: target.pid, guard: guard.process.pid, shadow: shadow.process.pid }[name];
  const now = async () => [await requestsOf(guard), cpuOf(pid), cpuOf(target.pid)];
  const before = await now();
  const result = await work();
  const after = await now();
  const [requests, own, webhook] = after.map((each, at) => (each - (before[at] ?? 0)) / conversions);
  return { result, requests: requests ?? 0, own: own ?? 0, webhook: webhook ?? 0 };
}

const { view: shown } = await ask("alone", statefulSet(0), v1alpha1);
const { view: returned } = await ask("alone", shown, v1beta1);
const prints = JSON.stringify(shown).includes('"resources":{}');
if (!prints || get(returned, "spec", "ordinals") !== undefined)
  throw new Error("the webhook does not print zeros and lose something any more");

const at = (times: readonly number[], share: number) =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(2);
console.log("| | p50 | p99 |\n|---|---|---|");
for (const name of names)
  for (const part of ["first", "later"] as const)
    console.log(
      `| ${name}, ${part} | ${at(measured[name][part], 0.5)} | ${at(measured[name][part], 0.99)} |`,
    );

const further = Array.from({ length: Math.min(objects, mostFurther) }, (_, at) => 2_000_000 + at);
console.log("\n| | requests a conversion | CPU ms a conversion | of the webhook |\n|---|---|---|---|");
for (const name of names) {
  const cold = await billOf(name, 2 * further.length, async () => {
    const made = [];
    for (const each of further) made.push(await first(name, each, []));
    return made;
  });
  const warm = await billOf(name, 6 * further.length, async () => {
    for (const [index, each] of cold.result.entries()) await later(name, further[index] ?? 0, each, []);
  });
  for (const [part, { requests, own, webhook }] of Object.entries({ first: cold, later: warm })) {
    const figures = [name === "guard" ? requests.toFixed(2) : "", (own / 1000).toFixed(2)];
    console.log(`| ${name}, ${part} | ${figures.join(" | ")} | ${(webhook / 1000).toFixed(2)} |`);
  }
  if (name === "guard")
    console.log(`| guard, all | ${((2 * cold.requests + 6 * warm.requests) / 8).toFixed(2)} | | |`);
}
for (const client of Object.values(servers)) client.close();
await Promise.all([guard.stop(), shadow.stop(), target.stop()]);
