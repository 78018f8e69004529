import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../src/cluster/local/child.ts";
import { get, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { type RunningService, startService } from "../../support/service.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { expectOk } from "../kinds.ts";
import { type ApiServer, startApiServer } from "../server.ts";
import { startTurns, type Turns } from "../turns.ts";
import { type Draw, drawing, pick } from "./draw.ts";
import { until } from "./served.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("two releases of a kind behind one address", claims);

const seed = Number(process.env.SEED ?? 1);
// RELEASE_WRITES=2000 is a long run.
const writes = Number(process.env.RELEASE_WRITES ?? 60);
const group = "releases.example.org";
const releases = { older: "test/cases/releases/older", newer: "test/cases/releases/newer" };
type Release = keyof typeof releases;

function claims(): void {
  let server: ApiServer;
  let certs: string;
  let turns: Turns;
  const services: RunningService[] = [];
  const draw = drawing(seed);
  const start = async (release: Release) => {
    const args = ["--cert-dir", certs, "--webhooks", releases[release], "--kubeconfig", server.kubeconfig];
    const service = await startService(args);
    services.push(service);
    return service;
  };
  const manifests = (release: Release, more: readonly string[] = []) => {
    const url = `https://127.0.0.1:${turns.port}`;
    const args = ["src/cli.ts", "manifests", "--url", url, "--ca", join(certs, "ca.crt"), ...more];
    return run({ command: process.execPath, args: [...args, "--webhooks", releases[release]] }, process.env);
  };
  const compared = (release: Release) => manifests(release, ["--kubeconfig", server.kubeconfig]);
  const apply = async (release: Release) => {
    const printed = await compared(release);
    expect(printed.code, printed.stderr).toBe(0);
    const applied = await server.kubectl(["apply", "-f", "-"], { input: printed.stdout });
    expect(applied.code, applied.stderr).toBe(0);
  };

  beforeAll(async () => {
    certs = await mkdtemp(join(tmpdir(), "antechamber-certs-"));
    const args = ["src/cli.ts", "certs", "--out", certs, "--host", "127.0.0.1", "--host", "localhost"];
    expect(await run({ command: process.execPath, args }, process.env)).toMatchObject({ code: 0 });
    server = await startApiServer();
    turns = await startTurns(certs, (count) => Math.floor(draw() * count));
  }, 100_000);
  afterAll(async () => {
    await Promise.all([server?.stop(), turns?.close(), ...services.map((service) => service.stop())]);
    await rm(certs, { recursive: true, force: true });
  });

  it("lose nothing and hide nothing while the release is replaced, and then the CRD", async () => {
    const [old, another] = await Promise.all([start("older"), start("older")]);
    turns.to(old, another);
    await apply("older");
    await until(async () => (await server.request("GET", pathOf("v1beta1", ""))).status === 200, "the kind");
    const boilers = await Promise.all(["a", "b", "c"].map((name) => Boiler.create(server, name, draw)));
    const write = async () => {
      for (let count = 0; count < writes; count++) await pick(draw, boilers).write();
    };
    await write();

    const fresh = await start("newer");
    turns.to(old, fresh);
    await write();
    const next = await start("newer");
    turns.to(fresh, next);
    await write();

    expect((await compared("newer")).stderr).toContain(`gains ${gained}; apply it when every replica`);
    await apply("newer");
    const adopted = async () => (await withheld(fresh)) === 0 && (await withheld(next)) === 0;
    // As long as the replicas settle, and a while beyond.
    do for (const boiler of boilers) await boiler.write();
    while (!(await adopted()));
    // The API server itself follows the CRD a moment later or earlier than those who watch it.
    await until(() => hasPolicy(server, "a"), "the field in the API server");
    for (const boiler of boilers) boiler.knowsNewCrd = true;
    await write();
    for (const boiler of boilers) await boiler.checkAfterwards();

    // And back.
    expect(await compared("older")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`would lose ${gained},`),
    });
    const annotations = { "antechamber.dev/withheld-fields": gained };
    await expectOk(server.request("PATCH", crdPath, { body: { metadata: { annotations } } }));
    for (const service of [fresh, next]) await until(async () => (await withheld(service)) === 3, "the CRD");
    for (const boiler of boilers) boiler.knowsNewCrd = false;
    await write();
    const args = ["src/cli.ts", "migrate", "boilers", "--kubeconfig", server.kubeconfig];
    const through = [...args, "--through", "v1beta1", "--webhooks", releases.newer];
    const migrated = await run({ command: process.execPath, args: through }, process.env);
    expect(migrated, migrated.stderr).toMatchObject({ code: 0 });
    for (const boiler of boilers) await boiler.checkWithheld();
    const early = ["src/cli.ts", "migrate", "--kubeconfig", server.kubeconfig, "--webhooks", releases.older];
    const refused = await run({ command: process.execPath, args: early }, process.env);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`has ${gained}, which`) });
    const applied = apply("older");
    await Promise.all([applied, write()]);
    await write();
    turns.to(fresh, old);
    await write();
    turns.to(old, another);
    await write();
    for (const service of [old, another, fresh, next]) {
      expect(service.logged()).not.toMatch(/"level":[56]0/);
    }
  }, 200_000);
}

/** Whether the API server takes the new field of a client of the old version; a dry run. */
async function hasPolicy(server: ApiServer, name: string): Promise<boolean> {
  const body = { spec: { policy: "Dry" } };
  const answer = await expectOk(server.request("PATCH", `${pathOf("v1beta1", name)}?dryRun=All`, { body }));
  return get(answer, "spec", "policy") === "Dry";
}

/** The number of fields that a service does not show. */
async function withheld({ opsPort }: RunningService): Promise<number | undefined> {
  const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const found = /^antechamber_crd_withheld_fields\{[^}]*\} (\d+)$/m.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

const gained = "v1beta1 spec.policy, v1beta1 spec.zones.color, v1 spec.owner";
const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boilers.${group}`;

const pathOf = (version: string, name: string) =>
  `/apis/${group}/${version}/namespaces/default/boilers${name === "" ? "" : `/${name}`}`;

/** A Boiler, and what its clients have written. */
class Boiler {
  /** Whether clients of both versions use the new fields. */
  knowsNewCrd = false;
  readonly #server: ApiServer;
  readonly #name: string;
  readonly #draw: Draw;
  #spec: JsonObject = {};
  #color = "red";
  #isOwnerOfHub = false;

  constructor(server: ApiServer, name: string, draw: Draw) {
    this.#server = server;
    this.#name = name;
    this.#draw = draw;
  }

  static async create(server: ApiServer, name: string, draw: Draw): Promise<Boiler> {
    const boiler = new Boiler(server, name, draw);
    boiler.#spec = { level: 0, mode: "Heat" };
    const spec = { level: 0, mode: "Heat", zones: [{ name: "hall", color: "red" }] };
    const body = { apiVersion: `${group}/v1`, kind: "Boiler", metadata: { name }, spec };
    await expectOk(server.request("POST", pathOf("v1", ""), { body }));
    return boiler;
  }

  /** A write of a client, and then a look at both versions. */
  async write(): Promise<void> {
    const [version, spec] = this.#drawn();
    const body = { spec };
    await expectOk(this.#server.request("PATCH", pathOf(version, this.#name), { body }));
    for (const [name, value] of Object.entries(spec)) {
      if (name === "zones") this.#color = String(get((value as readonly Json[])[0], "color"));
      else this.#spec = set(this.#spec, name === "policy" ? "mode" : name, value ?? undefined);
      if (name === "owner") this.#isOwnerOfHub = version === "v1";
    }
    await this.#check(`${version} ${JSON.stringify(spec)}`);
  }

  #drawn(): readonly [version: string, spec: JsonObject] {
    const draw = this.#draw;
    const level = Math.floor(draw() * 1000);
    const name = pick(draw, ["ida", "bo", "cy"]);
    const mode = pick(draw, ["Heat", "Cool", "Dry", null]);
    const zones = [{ name: "hall", color: pick(draw, ["red", "blue"]) }];
    return pick<readonly [string, JsonObject]>(draw, [
      ["v1beta1", { level }],
      ["v1beta1", { owner: pick(draw, [name, null]) }],
      ["v1", { level }],
      ["v1", { mode }],
      ["v1", { zones }],
      ...(this.knowsNewCrd
        ? ([
            ["v1", { owner: name }],
            ["v1beta1", { policy: mode }],
            ["v1beta1", { zones }],
          ] as const)
        : []),
    ]);
  }

  async #check(after: string): Promise<void> {
    const [old, hub] = await Promise.all(["v1beta1", "v1"].map((version) => this.#read(version)));
    const { level, mode, owner } = this.#spec;
    const at = `${this.#name}, after ${after}`;
    expect({ level: get(old, "level"), owner: get(old, "owner") }, at).toEqual({ level, owner });
    const inHub = { level: get(hub, "level"), mode: get(hub, "mode"), zones: get(hub, "zones") };
    expect(inHub, at).toEqual({ level, mode, zones: [{ name: "hall", color: this.#color }] });
    // What a client of the old version said before the CRD had the field stays with that version.
    const isOwnerOfHub = this.#isOwnerOfHub && this.knowsNewCrd;
    expect(isOwnerOfHub ? [owner] : [owner, undefined], at).toContain(get(hub, "owner"));
    if (!this.knowsNewCrd) return;
    expect({ policy: get(old, "policy"), zones: get(old, "zones") }, at).toEqual({
      policy: mode,
      zones: [{ name: "hall", color: this.#color }],
    });
  }

  /** Both versions say the same once a client has written each field. */
  async checkAfterwards(): Promise<void> {
    const body = { spec: { owner: "dot" } };
    await expectOk(this.#server.request("PATCH", pathOf("v1beta1", this.#name), { body }));
    this.#spec = { ...this.#spec, owner: "dot" };
    this.#isOwnerOfHub = true;
    await this.#check("the last write");
  }

  /** The hub has no field any more that it gained, and the old version still says what it was. */
  async checkWithheld(): Promise<void> {
    expect(await this.#read("v1")).not.toHaveProperty("owner");
    this.#isOwnerOfHub = false;
    await this.#check("the migration");
  }

  async #read(version: string): Promise<JsonObject> {
    const spec = get(await expectOk(this.#server.request("GET", pathOf(version, this.#name))), "spec");
    return isObject(spec) ? spec : {};
  }
}
