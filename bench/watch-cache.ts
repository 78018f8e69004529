// KEP-6178: how long an API server takes to fill the watch cache of a kind whose objects are stored at an older version, so that
// each is converted by this service. v1.36 converts one after another, v1.37 up to ten at once.
//   npm run cluster:build && npm run cluster:build -- --kubernetes 1.37 && node bench/watch-cache.ts [objects] [rounds] [release…]
// Conversions in flight are a mean: the time that the API server waited for them, by its own metric, over the time of the fill.
import { setTimeout as wait } from "node:timers/promises";
import { isObject, type Json, type JsonObject } from "../src/json/json.ts";
import { findBinaries, releases } from "../test/cluster/binaries.ts";
import { putStored, storedObjects } from "../test/cluster/etcd.ts";
import { group, register, untilReady } from "../test/cluster/home.ts";
import { crdPath, create, expectOk, pathOf, setStorage } from "../test/cluster/kinds.ts";
import { type ApiServer, startApiServer } from "../test/cluster/server.ts";
import { startService } from "../test/support/service.ts";

const count = Number(process.argv[2] ?? 10_000);
const rounds = Number(process.argv[3] ?? 3);
const asked = process.argv.slice(4);

for (const release of releases) {
  if (asked.length > 0 && !asked.includes(release)) continue;
  const binaries = findBinaries({ ...process.env, KUBERNETES: release });
  if (binaries === undefined) throw new Error(`v${release} is not built`);
  const [server, service] = await Promise.all([startApiServer({ binaries }), startService()]);
  try {
    await register(server, { url: `https://127.0.0.1:${service.port}`, caFile: service.caFile });
    await untilReady(server);
    await store(server);
    for (let round = 1; round <= rounds; round++) console.log(`v${release}: ${await fill(server, round)}`);
  } finally {
    await Promise.all([server.stop(), service.stop()]);
  }
}

/** Stores Lights at v1beta1, while v1 is the newest version: through the API server one, past it the others. */
async function store(server: ApiServer): Promise<void> {
  await setStorage(server, "lights", "v1beta1");
  const spec = { address: "matter://lamp", powered: true, level: "50%", firmware: "1.2" };
  await create(server, "lights", {
    apiVersion: `${group}/v1beta1`,
    kind: "Light",
    metadata: { name: "lamp-0" },
    spec,
  });
  for (;;) {
    const labels = { written: `at-${Date.now()}` };
    await expectOk(
      server.request("PATCH", pathOf("lights", "v1", "lamp-0"), { body: { metadata: { labels } } }),
    );
    const [stored] = await storedObjects(server, "lights");
    if (stored?.apiVersion !== `${group}/v1beta1`) continue;
    for (let from = 1; from < count; from += 100) {
      const numbers = Array.from({ length: Math.min(100, count - from) }, (_, index) => from + index);
      await Promise.all(
        numbers.map((number) => putStored(server, "lights", `lamp-${number}`, named(stored.object, number))),
      );
    }
    return;
  }
}

function named(object: JsonObject, number: number): Json {
  const metadata = isObject(object.metadata) ? object.metadata : {};
  const uid = `4b3a0c1e-0000-4000-8000-${String(number).padStart(12, "0")}`;
  return { ...object, metadata: { ...metadata, name: `lamp-${number}`, uid } };
}

/** A changed CRD has new caches, like an API server that starts. */
async function fill(server: ApiServer, round: number): Promise<string> {
  const before = await metricsOf(server);
  const name = `lamp${round}`;
  const began = performance.now();
  await expectOk(
    server.request("PATCH", crdPath("lights"), { body: { spec: { names: { shortNames: [name] } } } }),
  );
  // There is a cache for each version, made with the first request to any; one to the stored version needs no conversion.
  for (;;) {
    await server.request("GET", pathOf("lights", "v1beta1", "lamp-0"));
    const { fills } = await metricsOf(server);
    if (fills >= before.fills + 2) break;
    await wait(100);
  }
  const seconds = (performance.now() - began) / 1000;
  const after = await metricsOf(server);
  const converted = after.conversions - before.conversions;
  const waited = after.waited - before.waited;
  const own =
    after.filled === undefined ? "no metric" : `${(after.filled - (before.filled ?? 0)).toFixed(2)} s`;
  return (
    `${count} objects, ${converted} conversions: filled after ${seconds.toFixed(2)} s, ` +
    `apiserver_watch_cache_initialization_duration_seconds of all caches of the kind: ${own}; ` +
    `${(converted / seconds).toFixed(0)} conversions a second, ${((waited / converted) * 1000).toFixed(2)} ms each, ` +
    `${(waited / seconds).toFixed(1)} in flight`
  );
}

interface Metrics {
  readonly conversions: number;
  /** Seconds that conversions took, added up. */
  readonly waited: number;
  /** How many caches of the kind have been filled. */
  readonly fills: number;
  /** Seconds that this took, added up; a server of v1.36 does not say. */
  readonly filled: number | undefined;
}

async function metricsOf(server: ApiServer): Promise<Metrics> {
  const { text } = await server.request("GET", "/metrics");
  const sum = (name: string, isMeant = (_labels: string) => true) => {
    const found = [...text.matchAll(new RegExp(`^${name}\\{([^}]*)\\} (\\S+)$`, "gm"))].filter(
      ([, labels = ""]) => isMeant(labels),
    );
    return found.length === 0 ? undefined : found.reduce((total, [, , value]) => total + Number(value), 0);
  };
  const isLights = (labels: string) => labels.includes('resource="lights"');
  const webhook = "apiserver_crd_conversion_webhook_duration_seconds";
  return {
    conversions: sum(`${webhook}_count`) ?? 0,
    waited: sum(`${webhook}_sum`) ?? 0,
    fills: sum("apiserver_watch_cache_initializations_total", isLights) ?? 0,
    filled: sum("apiserver_watch_cache_initialization_duration_seconds_sum", isLights),
  };
}
