// What clients do in the scenario of bench/bill.ts: a fixed script of steps against a real API server, each until a watch at the
// older version has seen all of it.
import { setTimeout as wait } from "node:timers/promises";
import { get, isObject, type JsonObject, set } from "../src/json/json.ts";
import { crdPath, expectOk, patient } from "../test/cluster/kinds.ts";
import type { ApiServer } from "../test/cluster/server.ts";
import { review as podReview } from "./injection-objects.ts";
import { rooms } from "./peers-objects.ts";

/** How much the script does. */
export interface Size {
  readonly objects: number;
  readonly pods: number;
}

/** One step of the script. */
export interface Step {
  readonly name: string;
  readonly run: (stage: Stage, size: Size) => Promise<void>;
}

/** An API server while the script runs. */
export interface Stage {
  readonly server: ApiServer;
  /** What the watches have seen last, by version and name. */
  readonly seen: Readonly<Record<Version, Map<string, JsonObject>>>;
  /** Milliseconds that each update at the older version took, one at a time. */
  readonly writes: number[];
}

type Version = "v1" | "v1beta1";

const group = "home.antechamber.dev";
const namespace = "home";
const clients = 4;
const fills = 3;
const lists = 10;

/** The steps, in order. Nine Rooms in ten have 1.3 kB, the tenth 10 kB. */
export const steps: readonly Step[] = [
  {
    name: "created at v1, then their status",
    run: async (stage, { objects }) => {
      await forAll(names(objects), async (name, at) => {
        const room = rooms(1, at % 10 === 9 ? 10_000 : 1300, at)[0] ?? {};
        const { labels, annotations } = room.metadata as JsonObject;
        const metadata = { name, labels, annotations } as JsonObject;
        const made = await write(stage, "POST", "v1", "", { ...room, metadata });
        await write(stage, "PUT", "v1", `/${name}/status`, set(made, "status", room.status ?? {}));
      });
    },
  },
  {
    name: "read at v1beta1",
    run: ({ server }, { objects }) =>
      forAll(names(objects), async (name) => {
        await expectOk(server.request("GET", pathOf("v1beta1", `/${name}`)));
      }),
  },
  {
    name: `listed at v1beta1, ${lists} times by kubectl and by an informer`,
    run: async ({ server }) => {
      for (let i = 0; i < lists; i++) {
        for (let more = ""; ; ) {
          const page = await expectOk(server.request("GET", `${pathOf("v1beta1")}?limit=500${more}`));
          const rest = get(page, "metadata", "continue");
          if (typeof rest !== "string" || rest === "") break;
          more = `&continue=${rest}`;
        }
        await expectOk(server.request("GET", `${pathOf("v1beta1")}?resourceVersion=0`));
      }
    },
  },
  {
    name: "updated at v1beta1",
    run: async (stage, { objects }) => {
      for (const name of names(objects)) {
        const old = stage.seen.v1beta1.get(name) ?? {};
        const begun = performance.now();
        await write(stage, "PUT", "v1beta1", `/${name}`, set(old, "spec", "temperature", "21.5C"));
        stage.writes.push(performance.now() - begun);
      }
    },
  },
  {
    name: "updated at v1",
    run: (stage, { objects }) =>
      forAll(names(objects), async (name) => {
        const hub = stage.seen.v1.get(name) ?? {};
        await write(stage, "PUT", "v1", `/${name}`, set(hub, "spec", "climate", "mode", "Cool"));
      }),
  },
  { name: "applied at v1beta1", run: applied("v1beta1", { floor: 7 }) },
  { name: "applied at v1", run: applied("v1", { location: { building: "east" } }) },
  { name: `caches filled anew, ${fills} times`, run: refill },
  {
    name: "pods created",
    run: async ({ server }, { pods }) => {
      const pod = get(podReview(), "request", "object") as JsonObject;
      const metadata = { ...(pod.metadata as JsonObject) };
      delete metadata.managedFields;
      const labels = metadata.labels as JsonObject;
      await forAll(names(pods), async (instance) => {
        const body = { ...pod, metadata: { ...metadata, labels: { ...labels, instance } } };
        await expectOk(server.request("POST", "/api/v1/namespaces/shop/pods", { body }));
      });
    },
  },
];

/** Watches both versions as informers do: again where the API server ends a watch, as with each change of a CRD. */
export async function openStage(server: ApiServer): Promise<Stage> {
  const seen = { v1: new Map<string, JsonObject>(), v1beta1: new Map<string, JsonObject>() };
  const follow = async (version: Version): Promise<void> => {
    const { ended } = await server.watch(pathOf(version), ({ object }) => {
      if (isObject(object)) seen[version].set(String(get(object, "metadata", "name")), object);
    });
    void ended.then(() => again(version));
  };
  const again = async (version: Version): Promise<void> => {
    await wait(100);
    // Refused while the kind is not served for a moment, and for good once the API server has stopped.
    await follow(version).catch(async () => {
      if (!isOver) await again(version);
    });
  };
  let isOver = false;
  void server.ended.then(() => {
    isOver = true;
  });
  await Promise.all([follow("v1"), follow("v1beta1")]);
  return { server, seen, writes: [] };
}

/** Resolves when the watch at the older version shows what the one at v1, which needs no conversion, shows. */
export async function settled({ seen }: Stage, { objects }: Size): Promise<void> {
  const versionOf = (object: JsonObject | undefined) => get(object, "metadata", "resourceVersion");
  for (;;) {
    const isSettled = [...seen.v1].every(
      ([name, hub]) => versionOf(seen.v1beta1.get(name)) === versionOf(hub),
    );
    if (isSettled && seen.v1.size === objects) return;
    await wait(20);
  }
}

function applied(version: Version, spec: JsonObject): Step["run"] {
  return (stage, { objects }) =>
    forAll(names(objects), async (name) => {
      const body = { apiVersion: `${group}/${version}`, kind: "Room", metadata: { name }, spec };
      const path = pathOf(version, `/${name}?fieldManager=applier-${version}&force=true`);
      const contentType = "application/apply-patch+yaml";
      await expectOk(stage.server.request("PATCH", path, { body, contentType }));
    });
}

/** A changed CRD has new caches, like an API server that starts. */
async function refill({ server }: Stage): Promise<void> {
  for (let round = 0; round < fills; round++) {
    const before = await fillsOf(server);
    const names = { shortNames: [`room${round}`] };
    await expectOk(server.request("PATCH", crdPath("rooms"), { body: { spec: { names } } }));
    while ((await fillsOf(server)) < before + 2) {
      await patient(() => server.request("GET", `${pathOf("v1beta1")}?limit=1`));
      await wait(50);
    }
  }
}

async function fillsOf(server: ApiServer): Promise<number> {
  return metric(server, "apiserver_watch_cache_initializations_total", 'resource="rooms"');
}

/** The sum of an API server's counters of a name whose labels contain a text. */
export async function metric(server: ApiServer, name: string, labels = ""): Promise<number> {
  const { text } = await server.request("GET", "/metrics");
  return [...text.matchAll(new RegExp(`^${name}\\{([^}]*)\\} (\\S+)$`, "gm"))]
    .filter(([, own = ""]) => own.includes(labels))
    .reduce((sum, [, , value]) => sum + Number(value), 0);
}

async function write(stage: Stage, verb: string, version: Version, path: string, body: JsonObject) {
  const written = await expectOk(stage.server.request(verb, pathOf(version, path), { body }));
  return isObject(written) ? written : {};
}

function pathOf(version: Version, rest = ""): string {
  return `/apis/${group}/${version}/namespaces/${namespace}/rooms${rest}`;
}

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `item-${at}`);
}

async function forAll(all: readonly string[], work: (name: string, at: number) => Promise<void>) {
  const left = all.entries();
  const client = async () => {
    for (const [at, name] of left) await work(name, at);
  };
  await Promise.all(Array.from({ length: clients }, client));
}
