import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { get, type Json, type JsonObject } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { putStored, storedObjects } from "../etcd.ts";
import { group, register, untilReady } from "../home.ts";
import { expectOk, list, pathOf, plurals, versions } from "../kinds.ts";
import { type Lab, setConversion, startLab } from "../lab.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { carelessness, raw } from "./garbage.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("objects in etcd from before the service was registered", claims);

function claims(): void {
  let server: ApiServer;
  let service: RunningService;
  let lab: Lab;
  let certs: string;
  let garbage: ReadonlyMap<string, readonly string[]>;
  let bytes: string;

  beforeAll(async () => {
    certs = await mkdtemp(join(tmpdir(), "antechamber-lab-"));
    const args = ["src/cli.ts", "certs", "--out", certs, "--host", "127.0.0.1"];
    expect(await run({ command: process.execPath, args }, process.env)).toMatchObject({ code: 0 });
    [server, service] = await Promise.all([startApiServer(), startService()]);
    lab = await startLab(certs, careless);
    await registerService(server, service);
    await untilReady(server);
    await forgetService(server);
    await storeUnderNobody(server);
    await storeUnderLab(server, { url: lab.url, ca: await readFile(join(certs, "ca.crt"), "utf8") });
    await storeInEtcd(server);
    const names = async (plural: string) =>
      (await storedObjects(server, plural)).map(({ name }) => name).sort();
    bytes = JSON.stringify(await Promise.all(plurals.map((plural) => storedObjects(server, plural))));
    garbage = new Map(
      await Promise.all(plurals.map(async (plural) => [plural, await names(plural)] as const)),
    );
    await registerService(server, service);
    await untilReady(server);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), service?.stop(), lab?.stop()]);
    await rm(certs, { recursive: true, force: true });
  });

  it("are stored as intended", () => {
    for (const plural of plurals) {
      expect(garbage.get(plural)).toHaveLength(3 + carelessness.length + raw.length);
    }
    for (const odd of ['"spec":"text"', '"conversionData":7', "not JSON", '"spec":null', '"format":99']) {
      expect(bytes).toContain(odd);
    }
  });

  for (const version of versions) {
    it(`are all listed at ${version}, and each can be read`, async () => {
      for (const plural of plurals) {
        const names = garbage.get(plural) ?? [];
        const listed = await list(server, plural, version);
        expect(Object.keys(listed).sort()).toEqual(expect.arrayContaining([...names]));
        for (const name of names) {
          const single = await expectOk(server.request("GET", pathOf(plural, version, name)));
          expect(get(single, "spec"), `${plural} ${name}`).toEqual(get(listed[name], "spec"));
        }
      }
    });

    it(`are all watched at ${version}`, async () => {
      for (const plural of plurals) {
        const missing = new Set(garbage.get(plural));
        await server.until(`${pathOf(plural, version)}?resourceVersion=0`, ({ type, object }) => {
          if (type === "ADDED") missing.delete(String(get(object, "metadata", "name")));
          return missing.size === 0;
        });
      }
    });
  }

  it("accept writes, status writes and deletions at both versions, except what the API server rejects by its schema", async () => {
    expect(await refusedLabels(server, garbage)).toEqual(refusedByServer);
    const migrated = await run({ command: process.execPath, args: migration(server) }, process.env);
    const untouchable = refusedByServer
      .filter((each) => each.endsWith("v1beta1"))
      .map((each) => each.split(" ")[1]);
    for (const name of untouchable) expect(migrated.stderr).toContain(`  default/${name}: `);
    expect(migrated.code).toBe(untouchable.length > 0 ? 1 : 0);

    for (const plural of plurals) {
      const { old, current } = edits[plural] ?? { old: {}, current: {} };
      for (const [index, name] of (garbage.get(plural) ?? []).entries()) {
        if (refusedByServer.includes(`${plural} ${name} v1beta1`)) continue;
        const what = `${plural} ${name}`;
        await expectOk(server.request("PATCH", pathOf(plural, "v1beta1", name), { body: { spec: old } }));
        for (const [version, spec] of Object.entries({ v1beta1: old, v1: current })) {
          const read = await expectOk(server.request("GET", pathOf(plural, version, name)));
          expect(get(read, "spec"), `${what} at ${version}`).toMatchObject(spec);
        }
        const body = [{ op: "add", path: "/status", value: { observedGeneration: 7 } }];
        const details = { body, contentType: "application/json-patch+json" };
        await expectOk(server.request("PATCH", `${pathOf(plural, "v1beta1", name)}/status`, details));
        const read = await expectOk(server.request("GET", pathOf(plural, "v1", name)));
        expect(get(read, "status", "observedGeneration"), what).toBe(7);
        const path = pathOf(plural, versions[index % 2] ?? "v1", name);
        await expectOk(server.request("DELETE", `${path}?dryRun=All`));
      }
    }
  }, 60_000);
}

/** The objects that the API server rejects even unchanged, by kind, name and version. */
const refusedByServer = [
  // A CEL rule fails on what it cannot read, changed or not, and ratcheting does not match a list of wrong items with
  // itself.
  "lights no-owner-v1beta1 v1",
  // The rule for what is set once cannot be asked about a spec that was no object.
  "lights raw-list v1",
  "lights raw-number v1",
  "lights raw-text v1",
  "lights wrong-items v1",
  "lights wrong-types v1",
  "locks no-owner-v1beta1 v1",
  "locks wrong-items v1",
  "rooms no-owner-v1beta1 v1",
  "rooms wrong-items v1",
];

/** An edit of each kind at v1beta1, and what it is at v1. */
const edits: Readonly<Record<string, { readonly old: JsonObject; readonly current: JsonObject }>> = {
  lights: {
    old: { level: 30, address: "matter://kit" },
    current: { brightness: 0.3, device: { protocol: "Matter", address: "kit" } },
  },
  locks: {
    old: { locked: true, keys: ["1:ida"] },
    current: { desiredState: "Locked", keys: [{ id: "1", holder: "ida" }] },
  },
  rooms: {
    // Names that are not there yet: writing what is shown already contradicts nothing, and brings the garbage back.
    old: { floor: 3, lights: ["mended"], doors: ["hung"] },
    current: { location: { floor: 3 }, lights: [{ name: "mended" }], locks: [{ name: "hung" }] },
  },
};

/** Which objects refuse a label, tried without storing it; any other failure than a refusal by a schema throws. */
async function refusedLabels(
  server: ApiServer,
  garbage: ReadonlyMap<string, readonly string[]>,
): Promise<readonly string[]> {
  const refused: string[] = [];
  for (const [plural, names] of garbage) {
    for (const name of names) {
      for (const version of versions) {
        const body = { metadata: { labels: { seen: "yes" } } };
        const answer = await server.request("PATCH", `${pathOf(plural, version, name)}?dryRun=All`, { body });
        if (answer.status === 422) refused.push(`${plural} ${name} ${version}`);
        else await expectOk(Promise.resolve(answer));
      }
    }
  }
  return refused.sort();
}

function migration(server: ApiServer): readonly string[] {
  return ["src/cli.ts", "migrate", "--kubeconfig", server.kubeconfig];
}

const kinds: Readonly<Record<string, string>> = { lights: "Light", locks: "Lock", rooms: "Room" };

function careless(object: JsonObject, to: string): Json {
  const name = String(get(object, "metadata", "name"));
  const make = carelessness.find(([each]) => each === name)?.[1];
  const converted = { ...object, apiVersion: to };
  return to.endsWith("/v1") && make !== undefined ? make(converted) : converted;
}

const oldSpecs: Readonly<Record<string, JsonObject>> = {
  lights: { powered: true, level: "50%", color: "2700K", address: "matter://kit" },
  locks: { locked: true, keys: ["1:ida", "no-holder"], autoLockSeconds: 90 },
  rooms: { lights: ["a", "b"], brightness: "30%", doors: ["front"], temperature: "70F", owner: "ida" },
};

/** With no converter at all: what one version says stands under the other one's name. */
async function storeUnderNobody(server: ApiServer): Promise<void> {
  for (const plural of plurals) {
    await setConversion(server, plural);
    await untilConverted(server, plural, (stored) => get(stored, "apiVersion") === `${group}/v1`);
    for (const version of versions)
      await createAs(
        server,
        plural,
        version,
        `no-owner-${version}`,
        version === "v1" ? {} : (oldSpecs[plural] ?? {}),
      );
    await createAs(server, plural, "v1beta1", "no-owner-empty", {});
  }
}

async function storeUnderLab(server: ApiServer, webhook: { url: string; ca: string }): Promise<void> {
  for (const plural of plurals) {
    await setConversion(server, plural, webhook);
    await untilConverted(
      server,
      plural,
      (stored) => get(stored, "metadata", "annotations") !== undefined,
      "text-carrier",
    );
    for (const [name] of carelessness) await createAs(server, plural, "v1beta1", name, {});
  }
}

async function storeInEtcd(server: ApiServer): Promise<void> {
  for (const plural of plurals) {
    for (const [name, rest] of raw) {
      const object = { apiVersion: `${group}/v1`, kind: kinds[plural] ?? "", ...rest };
      await putStored(server, plural, name, withIdentity(object, name));
    }
  }
}

/** Waits until a conversion that was just registered is in force, as what it stores shows. */
async function untilConverted(
  server: ApiServer,
  plural: string,
  isConverted: (stored: JsonObject | undefined) => boolean,
  name = "probe",
): Promise<void> {
  await vi.waitFor(
    async () => {
      await createAs(server, plural, "v1beta1", name, {});
      const stored = (await storedObjects(server, plural)).find((each) => each.name === name)?.object;
      await expectOk(server.request("DELETE", pathOf(plural, "v1", name)));
      expect(isConverted(stored)).toBe(true);
    },
    { timeout: 15_000, interval: 50 },
  );
}

async function createAs(
  server: ApiServer,
  plural: string,
  version: string,
  name: string,
  spec: Json,
): Promise<void> {
  const body = { apiVersion: `${group}/${version}`, kind: kinds[plural] ?? "", metadata: { name }, spec };
  await expectOk(server.request("POST", pathOf(plural, version), { body }));
}

async function registerService(server: ApiServer, service: RunningService): Promise<void> {
  await register(server, { url: `https://127.0.0.1:${service.port}`, caFile: service.caFile });
}

async function forgetService(server: ApiServer): Promise<void> {
  const api = "/apis/admissionregistration.k8s.io/v1";
  for (const kind of ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"]) {
    await expectOk(server.request("DELETE", `${api}/${kind}/antechamber`));
  }
}

function withIdentity(object: JsonObject, name: string): JsonObject {
  const metadata = {
    name,
    namespace: "default",
    uid: randomUUID(),
    generation: 1,
    creationTimestamp: "2026-03-01T06:00:00Z",
  };
  return { ...object, metadata };
}
