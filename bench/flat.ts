// Whether memory and latency stay constant: half a million reviews on one service, conversions in both directions and
// admissions, eight at once with keep-alive; one line per tenth.
//   npm run bench:flat [-- reviews]
import { existsSync, readdirSync, readFileSync } from "node:fs";
import https from "node:https";
import { loadKinds } from "../src/kind/load-kinds.ts";
import { startService } from "../test/support/service.ts";

const reviews = Number(process.argv[2] ?? 500_000);
const atOnce = 8;

const service = await startService();
const agent = new https.Agent({ keepAlive: true, maxSockets: atOnce, ca: service.ca });
try {
  const bodies = await readBodies();
  console.log(
    `${reviews} reviews, ${atOnce} at once, of ${bodies.length} that the kinds' folders show; ms, MiB\n`,
  );
  console.log("  reviews   a second    p50    p99    max      RSS   heap  external");
  for (let part = 1; part <= 10; part++) console.log(await tenth(part, bodies));
} finally {
  agent.destroy();
  await service.stop();
}

interface Body {
  readonly path: string;
  readonly bytes: Buffer;
}

/** The reviews in the folders of the kinds, with the endpoint for each. */
async function readBodies(): Promise<readonly Body[]> {
  const kinds = await loadKinds(["webhooks"]);
  return kinds.all.flatMap(({ folder }) =>
    ["convert", "mutate", "validate"].flatMap((endpoint) => {
      const here = `${folder}/reviews/${endpoint}`;

      const names = existsSync(here)
        ? readdirSync(here).filter((name) => !name.endsWith(".answer.json"))
        : [];
      return names.map((name) => ({
        path: `/${endpoint}?timeout=10s`,
        bytes: readFileSync(`${here}/${name}`),
      }));
    }),
  );
}

async function tenth(part: number, bodies: readonly Body[]): Promise<string> {
  const count = Math.floor(reviews / 10);
  const latencies: number[] = [];
  const begun = performance.now();
  let sent = 0;
  const caller = async () => {
    for (let index = sent++; index < count; index = sent++) {
      const body = bodies[index % bodies.length];
      if (body === undefined) throw new Error("the kinds' folders show no reviews");
      const from = performance.now();
      await ask(body);
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const seconds = (performance.now() - begun) / 1000;
  latencies.sort((a, b) => a - b);
  const [p50, p99, max] = [0.5, 0.99, 1].map(
    (share) => latencies[Math.min(Math.floor(share * count), count - 1)] ?? 0,
  );
  const memory = await memoryOf();
  return [
    String(part * count).padStart(9),
    (count / seconds).toFixed(0).padStart(10),
    ...[p50, p99, max].map((cell) => (cell ?? 0).toFixed(1).padStart(7)),
    ...memory.map((mebibytes) => mebibytes.toFixed(0).padStart(7)),
  ].join("");
}

async function memoryOf(): Promise<readonly number[]> {
  const text = await (await fetch(`http://localhost:${service.opsPort}/metrics`)).text();
  const names = [
    "process_resident_memory_bytes",
    "nodejs_heap_size_used_bytes",
    "nodejs_external_memory_bytes",
  ];
  return names.map((name) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]) / 2 ** 20);
}

function ask({ path, bytes }: Body): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": bytes.length };
    const options = { agent, host: "localhost", port: service.port, path, method: "POST", headers };
    const request = https.request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
      response.resume().once("end", resolve);
    });
    request.once("error", reject);
    request.end(bytes);
  });
}
