// What a guard costs beside the webhook alone, in one run: OpenKruise's own conversion of StatefulSets, in Go, asked by one
// connection, alone, behind the guard and behind its shadow, in turns. Prints milliseconds a review and requests to the webhook a
// conversion. Needs `npm run cluster:build`.
//   npm run bench:guard [-- --objects 500]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { webhookClient } from "../src/cluster/api/webhook-client.ts";
import { writeJson } from "../src/json/exact.ts";
import { type JsonObject, set } from "../src/json/json.ts";
import { startTarget } from "../test/cluster/webhook-targets.ts";
import { startService } from "../test/support/service.ts";

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
  const { took, view } = await ask(name, statefulSet(at), v1alpha1);
  times.first.push(took);
  const edited = set(view, "spec", "replicas", at + 1);
  const { took: back, view: stored } = await ask(name, edited, v1beta1);
  times.first.push(back);
  for (const [object, desired] of [
    [statefulSet(at), v1alpha1],
    [edited, v1beta1],
    [stored, v1alpha1],
    [edited, v1beta1],
    [set(stored, "metadata", "resourceVersion", "7"), v1alpha1],
    [stored, v1alpha1],
  ] as const)
    times.later.push((await ask(name, object, desired)).took);
}

const requestsOf = async (service: typeof guard) => {
  const text = await (await fetch(`http://127.0.0.1:${service.opsPort}/metrics`)).text();
  return Number(/^antechamber_upstream_requests_total\{outcome="answered"\} (\d+)/m.exec(text)?.[1] ?? 0);
};

const names = ["alone", "guard", "shadow"] as const;
const none = () => ({ first: [] as number[], later: [] as number[] });
for (const name of names) for (let at = 0; at < 100; at++) await write(name, 1_000_000 + at, none());
const before = await requestsOf(guard);
const measured = { alone: none(), guard: none(), shadow: none() };
for (let at = 0; at < objects; at++) for (const name of names) await write(name, at, measured[name]);
const requests = (await requestsOf(guard)) - before;

const at = (times: readonly number[], share: number) =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(2);
console.log("| | p50 | p99 |\n|---|---|---|");
for (const name of names)
  for (const part of ["first", "later"] as const)
    console.log(
      `| ${name}, ${part} | ${at(measured[name][part], 0.5)} | ${at(measured[name][part], 0.99)} |`,
    );
console.log(`requests to the webhook a conversion: ${(requests / (objects * 8)).toFixed(2)}`);
for (const client of Object.values(servers)) client.close();
await Promise.all([guard.stop(), shadow.stop(), target.stop()]);
