import { describe, expect, it } from "vitest";
import {
  type ClusterRequest,
  type ClusterResponse,
  ClusterUnreachable,
  type Connection,
} from "../../src/cluster/api/connection.ts";
import type { CrdState } from "../../src/cluster/api/crd-state.ts";
import { withRetries } from "../../src/cluster/api/retry.ts";
import { type MigrationProgress, migrate, type Outcome } from "../../src/cluster/lifecycle/migration.ts";
import { get, isArray, type Json, type JsonObject } from "../../src/json/json.ts";

// Against a server of a few lines that goes wrong where a real one cannot be made to; the real one: suites/storage.test.ts.

describe("a migration", () => {
  it("writes every object and then trims storedVersions", async () => {
    const server = fake({ objects: ["a", "b", "c"] });
    expect(await server.migrate({ pageSize: 2 })).toMatchObject({ outcome: "finished", done: 3 });
    expect(server.written).toEqual([
      ["a", {}],
      ["b", {}],
      ["c", {}],
    ]);
    expect(server.storedVersions()).toEqual(["v2"]);
  });

  it("reports the total before the end of the list", async () => {
    const server = fake({ objects: ["a", "b", "c"] });
    const counts: MigrationProgress[] = [];
    await server.migrate({ pageSize: 1, progress: (count) => counts.push(count) });
    expect(counts).toEqual([1, 2, 3].map((done) => ({ done, dropped: 0, total: 3 })));
  });

  it("skips a deleted object", async () => {
    const gone = { kind: "Status", reason: "NotFound", details: { name: "b" } };
    const server = fake({
      objects: ["a", "b"],
      write: ({ name }) => (name === "b" ? answer(404, gone) : undefined),
    });
    expect(await server.migrate()).toMatchObject({ outcome: "finished" });
    expect(server.storedVersions()).toEqual(["v2"]);
  });

  it("does not mistake a missing kind for a deleted object", async () => {
    const server = fake({ objects: ["a"], write: () => answer(404, undefined, "404 page not found\n") });
    const failures = [{ object: "home/a", sentence: "404 page not found" }];
    expect(await server.migrate()).toMatchObject({ outcome: "failed", failures });
    expect(server.storedVersions()).toEqual(["v1", "v2"]);
  });

  it("lists the objects that could not be written, writes the rest, and leaves storedVersions alone", async () => {
    const refusal = answer(422, { message: 'Room "b" is invalid' });
    const server = fake({
      objects: ["a", "b", "c"],
      write: ({ name }) => (name === "b" ? refusal : undefined),
    });
    const failures = [{ object: "home/b", sentence: 'Room "b" is invalid' }];
    expect(await server.migrate()).toMatchObject({ outcome: "failed", done: 3, failures });
    expect(server.storedVersions()).toEqual(["v1", "v2"]);
  });

  it("writes an object at another version if it is invalid at the stored one, but not at the dropped one", async () => {
    const refusal = answer(422, { message: "no" });
    const write = ({ version }: WriteScene) => (version === "v2" ? refusal : undefined);
    expect(await fake({ objects: ["a"], write }).migrate()).toMatchObject({ outcome: "finished" });
    const server = fake({ objects: ["a"], write });
    const failures = [{ object: "home/a", sentence: "no" }];
    expect(await server.migrate({ drop: "v1" })).toMatchObject({ outcome: "failed", failures });
  });

  it("stops after a hundred failures", async () => {
    const objects = Array.from({ length: 500 }, (_, index) => `o${index}`);
    const server = fake({ objects, write: () => answer(422, { message: "no" }) });
    const outcome = await server.migrate();
    expect(outcome.outcome).toBe("failed");
    expect(outcome.done).toBeLessThan(120);
  });

  it("reads an object again after a conflict, and keeps the new managedFields entries", async () => {
    const fields = (manager: string, version: string) => ({ manager, apiVersion: `test.dev/${version}` });
    const server = fake({
      objects: ["a"],
      managedFields: [fields("old", "v1"), fields("new", "v2")],
      write: ({ tries, change }) => {
        if (tries > 1) return undefined;
        change([fields("old", "v1"), fields("new", "v2"), fields("just now", "v2")]);
        return answer(409, { message: "the object has been modified" });
      },
    });
    expect(await server.migrate({ drop: "v1" })).toMatchObject({ outcome: "finished", dropped: 1 });
    const managedFields = [fields("new", "v2"), fields("just now", "v2")];
    expect(server.written).toEqual([["a", { metadata: { resourceVersion: "2", managedFields } }]]);
  });

  it("adds a placeholder if all managers are removed, so that a server-side apply does not conflict with before-first-apply", async () => {
    const server = fake({ objects: ["a"], managedFields: [{ manager: "old", apiVersion: "test.dev/v1" }] });
    await server.migrate({ drop: "v1" });
    expect(get(server.written[0]?.[1], "metadata", "managedFields")).toMatchObject([
      { manager: "antechamber", apiVersion: "test.dev/v2" },
    ]);
  });

  it("continues with the rest of the list after a continue token expired", async () => {
    const server = fake({ objects: ["a", "b", "c", "d"], expires: "with a token" });
    expect(await server.migrate({ pageSize: 2 })).toMatchObject({ outcome: "finished", done: 4 });
    expect(server.storedVersions()).toEqual(["v2"]);
  });

  it("restarts the list if there is no token for the rest", async () => {
    const server = fake({ objects: ["a", "b", "c", "d"], expires: "without a token" });
    expect(await server.migrate({ pageSize: 2 })).toMatchObject({ outcome: "finished" });
    expect(new Set(server.written.map(([name]) => name))).toEqual(new Set(["a", "b", "c", "d"]));
  });

  it("does not trim storedVersions if the storage version changed", async () => {
    const server = fake({ objects: ["a"], write: ({ crd }) => crd({ storage: "v1", generation: 2 }) });
    expect(await server.migrate()).toMatchObject({
      outcome: "crdChanged",
      sentence: "its storage version became v1 meanwhile, and was v2",
    });
    expect(server.storedVersions()).toEqual(["v1", "v2"]);
  });

  it("writes all objects again if the CRD was changed meanwhile, since it may have had another storage version in between", async () => {
    const server = fake({
      objects: ["a"],
      write: ({ crd, tries }) => (tries === 1 ? crd({ generation: 2 }) : undefined),
    });
    expect(await server.migrate()).toMatchObject({ outcome: "finished" });
    expect(server.written).toHaveLength(2);
    expect(server.storedVersions()).toEqual(["v2"]);
  });

  it("gives up if the CRD keeps changing", async () => {
    const server = fake({ objects: ["a"], write: ({ crd, tries }) => crd({ generation: tries + 1 }) });
    expect(await server.migrate()).toMatchObject({ outcome: "crdChanged" });
    expect(server.storedVersions()).toEqual(["v1", "v2"]);
  });

  it("stops at an interruption and leaves storedVersions alone", async () => {
    const objects = Array.from({ length: 40 }, (_, index) => `o${index}`);
    const interrupt = new AbortController();
    const server = fake({
      objects,
      write: ({ tries }) => (tries === 20 ? void interrupt.abort() : undefined),
    });
    const outcome = await server.migrate({ signal: interrupt.signal });
    expect(outcome).toMatchObject({ outcome: "interrupted", total: 40 });
    expect(outcome.done).toBeLessThan(30);
    expect(server.storedVersions()).toEqual(["v1", "v2"]);
  });

  it("stores nothing and trims nothing in a dry run", async () => {
    const server = fake({ objects: ["a"] });
    expect(await server.migrate({ writes: "check" })).toMatchObject({ outcome: "finished", done: 1 });
    expect(server.paths.filter((path) => path.startsWith("PATCH"))).toEqual([
      "PATCH /apis/test.dev/v2/namespaces/home/rooms/a?fieldManager=antechamber&dryRun=All",
    ]);
  });
});

describe("retries", () => {
  it("follow Retry-After, up to ten times", async () => {
    const { waits, ask, asked } = impatient([
      ...Array<ClusterResponse>(20).fill(answer(429, undefined, "", 3)),
    ]);
    expect(await ask()).toMatchObject({ status: 429 });
    expect(waits).toEqual(Array(10).fill(3000));
    expect(asked()).toBe(11);
  });

  it("are few after a server error without Retry-After", async () => {
    const { waits, ask } = impatient([answer(500), answer(503), answer(200)]);
    expect(await ask()).toMatchObject({ status: 200 });
    expect(waits).toEqual([200, 1000]);
  });

  it("do not happen after a rejection", async () => {
    const { waits, ask } = impatient([answer(422), answer(200)]);
    expect(await ask()).toMatchObject({ status: 422 });
    expect(waits).toEqual([]);
  });

  it("happen if a server stops responding, but not if it never responded", async () => {
    const broken = new ClusterUnreachable("no response");
    await expect(impatient([broken, answer(200)]).ask()).rejects.toThrow(broken);
    const { ask } = impatient([answer(200), broken, broken, answer(201)]);
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 201 });
  });
});

interface WriteScene {
  readonly name: string;
  readonly version: string;
  /** The how manieth write this is. */
  readonly tries: number;
  /** Changes the CRD. */
  readonly crd: (change: Partial<CrdState>) => undefined;
  /** Changes the managedFields of all objects. */
  readonly change: (managedFields: Json) => void;
}

interface Scene {
  readonly objects: readonly string[];
  readonly managedFields?: Json;
  /** What a write answers instead of 200. */
  readonly write?: (scene: WriteScene) => ClusterResponse | undefined;
  /** The second page is too old, once. */
  readonly expires?: "with a token" | "without a token";
}

interface MigrateOptions {
  readonly pageSize?: number;
  readonly drop?: string;
  readonly writes?: "store" | "check";
  readonly signal?: AbortSignal;
  readonly progress?: (count: MigrationProgress) => void;
}

function fake(scene: Scene) {
  const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rooms.test.dev";
  const written: [string, Json | undefined][] = [];
  const paths: string[] = [];
  let crd: CrdState = start;
  let { managedFields = [] } = scene;
  let resourceVersion = 1;
  let tries = 0;
  let expired = scene.expires === undefined;

  const metadataOf = (name: string) => ({
    metadata: { name, namespace: "home", resourceVersion: String(resourceVersion), managedFields },
  });
  const page = (url: URL): ClusterResponse => {
    const first = Number(url.searchParams.get("continue") ?? 0);
    const last = first + Number(url.searchParams.get("limit"));
    if (first > 0 && !expired) {
      expired = true;
      return answer(410, { metadata: scene.expires === "with a token" ? { continue: String(first) } : {} });
    }
    const left = Math.max(0, scene.objects.length - last);
    const metadata = left > 0 ? { continue: String(last), remainingItemCount: left } : {};
    return answer(200, { metadata, items: scene.objects.slice(first, last).map(metadataOf) });
  };
  const write = (name: string, version: string, body: Json | undefined): ClusterResponse => {
    tries++;
    const change = (to: Json) => {
      managedFields = to;
      resourceVersion++;
    };
    const other = scene.write?.({
      name,
      version,
      tries,
      change,
      crd: (to) => {
        crd = { ...crd, ...to };
      },
    });
    if (other !== undefined) return other;
    written.push([name, body]);
    return answer(200, {});
  };
  const request = async (method: string, path: string, { body }: ClusterRequest = {}) => {
    paths.push(`${method} ${path}`);
    const url = new URL(path, "https://server");
    if (url.pathname === crdPath) return answer(200, crdOf(crd));
    if (url.pathname === `${crdPath}/status`) {
      const stored = get(body, "status", "storedVersions");
      crd = { ...crd, storedVersions: isArray(stored) ? stored.map(String) : [] };
      return answer(200, crdOf(crd));
    }
    const name = /\/rooms\/(.*)$/.exec(url.pathname)?.[1];
    if (name === undefined) return page(url);
    return method === "GET"
      ? answer(200, metadataOf(name))
      : write(name, url.pathname.split("/")[3] ?? "", body);
  };
  return {
    written,
    paths,
    storedVersions: () => crd.storedVersions,
    migrate: (choices: MigrateOptions = {}): Promise<Outcome> => {
      const { pageSize = 500, writes = "store", drop, signal = never, progress = () => {} } = choices;
      const options = { pageSize, writes, ...(drop === undefined ? {} : { drop }) };
      return migrate(start, options, { connection: toConnection(request), pause: noPause, signal, progress });
    },
  };
}

const start: CrdState = {
  name: "rooms.test.dev",
  group: "test.dev",
  plural: "rooms",
  uid: "u",
  generation: 1,
  resourceVersion: "1",
  storage: "v2",
  versions: ["v1", "v2"],
  served: ["v1", "v2"],
  storedVersions: ["v1", "v2"],
  hasFailedMigration: false,
  conditions: [],
  schemas: "{}",
};

function crdOf(state: CrdState): JsonObject {
  const { uid, generation, resourceVersion, group, plural, storedVersions } = state;
  const versions = state.versions.map((name) => ({
    name,
    served: true,
    storage: name === state.storage,
  }));
  return {
    metadata: { uid, generation, resourceVersion },
    spec: { group, names: { plural }, versions },
    status: { storedVersions },
  };
}

const never = new AbortController().signal;
const noPause = async () => {};

function toConnection(request: Connection["request"]): Connection {
  const watch = () => {
    throw new Error("not a watch");
  };
  return { server: "https://server", request, watch, close: () => {} };
}

function answer(status: number, body?: Json, text = "", retryAfter?: number): ClusterResponse {
  return { status, retryAfter, body, text };
}

function impatient(answers: (ClusterResponse | Error)[]) {
  const waits: number[] = [];
  let asked = 0;
  const request = async () => {
    const next = answers[asked++];
    if (next === undefined || next instanceof Error) throw next;
    return next;
  };
  const pause = async (milliseconds: number) => {
    waits.push(milliseconds);
  };
  const connection = withRetries(toConnection(request), pause, never);
  return { waits, asked: () => asked, ask: () => connection.request("GET", "/") };
}
