import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../../src/cluster/api/connection.ts";
import { type ClusterListers, clusterListers } from "../../../src/cluster/follow/listers.ts";
import { get, type JsonObject } from "../../../src/json/json.ts";
import type { Kinds } from "../../../src/kind/kind.ts";
import {
  type Lister,
  type ListerNeed,
  lister,
  NotSynced,
  type ObjectChange,
} from "../../../src/kind/lister.ts";
import { loadKinds } from "../../../src/kind/load-kinds.ts";
import type { NativeDefinition } from "../../../src/kind/native.ts";
import { pause } from "../../../src/time.ts";
import { startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { type Forwarder, startForwarder } from "../forwarder.ts";
import { createNamespace, register } from "../home.ts";
import { type ApiServer, startApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("listers of a cluster", claims);

const settings = lister("", "ConfigMap", { namespace: "settings" });
const spaces = lister("", "Namespace", { metadataOnly: true });
const rooms = lister("home.antechamber.dev", "Room");
const blinds = lister("window.example.com", "Blind");

function claims(): void {
  let server: ApiServer;
  let forwarder: Forwarder;
  let listers: ClusterListers;
  let stopConnection: () => void;

  beforeAll(async () => {
    server = await startApiServer();
    await createNamespace(server, "settings");
    // More than two pages.
    const made = Array.from({ length: 1_100 }, (_, index) => createMap(server, `map-${index}`, "old"));
    await Promise.all(made);
    forwarder = await startForwarder(Number(new URL(server.url).port));
    const kubeconfig = join(server.dir, "through-forwarder");
    const text = await readFile(server.kubeconfig, "utf8");
    await writeFile(kubeconfig, text.replaceAll(server.url, `https://127.0.0.1:${forwarder.port}`));
    const connection = await connect(kubeconfig);
    stopConnection = connection.close;
    const kinds = await loadKinds(["webhooks"]);
    const log = pino({ level: "silent" });
    listers = clusterListers({
      connection,
      kinds: needing(kinds, { settings, spaces, rooms, blinds }),
      pause,
      now: () => new Date(),
      random: () => 0.5,
      log,
    });
  }, 100_000);
  afterAll(async () => {
    await listers?.stop();
    stopConnection?.();
    await Promise.all([forwarder?.close(), server?.stop()]);
  });

  it("list every page, then follow creations, changes and deletions", async () => {
    const maps = listers.of(settings);
    await seen(maps, ({ after }) => nameOf(after) === "map-1099");
    // Other claims take out one or two.
    const mine = maps.list("settings").filter((each) => nameOf(each).startsWith("map-"));
    expect(mine.length).toBeGreaterThan(1_097);
    expect(maps.list("elsewhere")).toEqual([]);

    const came = seen(maps, ({ after }) => nameOf(after) === "newcomer");
    await createMap(server, "newcomer", "big", "9223372036854775807");
    await came;
    expect(maps.get("settings", "newcomer")).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      data: { value: "big" },
    });

    const changed = seen(maps, ({ before, after }) => nameOf(before) === "map-7" && after !== undefined);
    await server.request("PATCH", `${mapsPath}/map-7`, { body: { data: { value: "new" } } });
    expect(get((await changed).after, "data", "value")).toBe("new");

    const gone = seen(maps, ({ before, after }) => nameOf(before) === "map-8" && after === undefined);
    await server.request("DELETE", `${mapsPath}/map-8`);
    await gone;
    expect(maps.get("settings", "map-8")).toBeUndefined();
  });

  it("hold only metadata if a kind needs no more, and never managedFields", async () => {
    const namespaces = listers.of(spaces);
    await seen(namespaces, ({ after }) => nameOf(after) === "settings");
    const found = namespaces.get("", "settings");
    expect(found).not.toHaveProperty("spec");
    expect(get(found, "metadata", "labels", "kubernetes.io/metadata.name")).toBe("settings");
    expect(get(found, "metadata", "managedFields")).toBeUndefined();
  });

  it("catch up after the API server was unreachable", async () => {
    const maps = listers.of(settings);
    await seen(maps, ({ after }) => nameOf(after) === "map-9");
    await forwarder.close();
    await server.request("DELETE", `${mapsPath}/map-9`);
    await createMap(server, "meanwhile", "new");
    const caught = [
      seen(maps, ({ before, after }) => nameOf(before) === "map-9" && after === undefined),
      seen(maps, ({ after }) => nameOf(after) === "meanwhile"),
    ];
    await forwarder.open();
    await Promise.all(caught);
    expect(maps.get("settings", "meanwhile")).toBeDefined();
  });

  it("are not synced while the server does not have the kind", async () => {
    const kinds = listers.of(blinds);
    expect(() => kinds.list("home")).toThrow(NotSynced);
    expect(() => kinds.get("home", "any")).toThrow("Blind.window.example.com are not listed yet");
    await server.kubectl(["apply", "-f", "-"], { input: JSON.stringify(blindDefinition) });
    const object = { ...blind, metadata: { name: "left", namespace: "default" } };
    const came = seen(kinds, ({ after }) => nameOf(after) === "left");
    await expect
      .poll(async () => (await server.request("POST", blindsPath, { body: object })).status, {
        timeout: 10_000,
      })
      .toBe(201);
    await came;
    expect(kinds.list("default").map(nameOf)).toEqual(["left"]);
    expect(listers.states().find(({ name }) => name === "Blind.window.example.com")).toMatchObject({
      objects: 1,
    });
  });

  it("let a service respond as soon as they are synced, and report their state", async () => {
    const service = await startService(["--kubeconfig", server.kubeconfig, "--log-level", "info"]);
    try {
      await register(server, { url: `https://127.0.0.1:${service.port}`, caFile: service.caFile });
      await createNamespace(server, "home");
      const examples = await readFile("webhooks/home/room/examples/v1/kitchen.yaml", "utf8");
      await expect
        .poll(
          async () => (await server.kubectl(["apply", "-n", "home", "-f", "-"], { input: examples })).stderr,
          { timeout: 20_000 },
        )
        .toBe("");
      await expect
        .poll(async () => (await fetch(`http://localhost:${service.opsPort}/metrics`)).text(), {
          timeout: 10_000,
        })
        .toMatch(/antechamber_lister_objects\{kind="Room.home.antechamber.dev"\} [1-9]/);
      const text = await (await fetch(`http://localhost:${service.opsPort}/metrics`)).text();
      expect(text).toMatch(/antechamber_lister_staleness_seconds\{kind="Room.home.antechamber.dev"\} \d/);
    } finally {
      await service.stop();
    }
  }, 60_000);
}

const mapsPath = "/api/v1/namespaces/settings/configmaps";
const blindsPath = "/apis/window.example.com/v1/namespaces/default/blinds";
const blind = { apiVersion: "window.example.com/v1", kind: "Blind" };

const blindDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "blinds.window.example.com" },
  spec: {
    group: "window.example.com",
    names: { kind: "Blind", listKind: "BlindList", plural: "blinds", singular: "blind" },
    scope: "Namespaced",
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

async function createMap(server: ApiServer, name: string, value: string, number = "0"): Promise<void> {
  const metadata = { name, annotations: { number } };
  const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
  const { status, text } = await server.request("POST", mapsPath, { body });
  if (status !== 201) throw new Error(`${name}: ${status} ${text}`);
}

/** Resolves with the first change, of those that were and those to come, that is the awaited one. */
function seen(from: Lister, awaited: (change: ObjectChange) => boolean): Promise<ObjectChange> {
  return new Promise((resolve) => from.onChange((change) => awaited(change) && resolve(change)));
}

/** The kinds, and beside them one that needs these. */
function needing(kinds: Kinds, needs: Readonly<Record<string, ListerNeed>>): Kinds {
  const definition: NativeDefinition = {
    native: true,
    group: "",
    version: "v1",
    kind: "Pod",
    plural: "pods",
    scope: "Namespaced",
    operations: ["CREATE"],
    needs,
    mutate: () => ({ outcome: "allow", warnings: [] }),
  };
  return { ...kinds, natives: [{ definition, folder: "", name: "Pod", examples: [] }] };
}

function nameOf(object: JsonObject | undefined): string {
  return String(get(object, "metadata", "name") ?? "");
}
