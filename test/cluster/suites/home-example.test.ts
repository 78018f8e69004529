import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { get, isArray, type Json, type JsonObject } from "../../../src/json/json.ts";
import { type RunningHome, roomPath, startRunningHome, untilRoomReady } from "../../examples/running-home.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { group } from "../home.ts";
import { expectOk } from "../kinds.ts";
import type { ApiServer } from "../server.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("the example of a home that runs", claims);

function claims(): void {
  let home: RunningHome;
  let server: ApiServer;

  beforeAll(async () => {
    home = await startRunningHome(["--latency", "5", "--failures", "0.1"]);
    server = home.server;
  }, 180_000);
  afterAll(() => home?.stop());

  const apply = (name: string, spec: JsonObject, version = "v1") =>
    expectOk(
      server.request("PATCH", `${roomPath(version, name)}?fieldManager=test`, {
        body: { apiVersion: `${group}/${version}`, kind: "Room", metadata: { name }, spec },
        contentType: "application/apply-patch+yaml",
      }),
    );
  const patchOld = (name: string, spec: JsonObject) =>
    expectOk(server.request("PATCH", roomPath("v1beta1", name), { body: { spec } }));
  const act = async (body: JsonObject, query = "") => {
    const url = `${home.actions()}${query}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    return { code: response.status, body: (await response.json()) as Json };
  };
  const light = async (name: string) =>
    (await server.request("GET", roomPath("v1", name).replace("rooms", "lights"))).body;

  it("a room of three lights and a lock converges after a write at either version", async () => {
    const lights = ["a", "b", "c"].map((name) => ({ name, brightness: 0.5 }));
    await apply("kitchen", { lights, locks: [{ name: "door", state: "Locked" }] });
    expect(brightnesses(await untilRoomReady(server, "kitchen"))).toEqual([0.5, 0.5, 0.5]);
    await patchOld("kitchen", { brightness: "30%" });
    expect(brightnesses(await untilRoomReady(server, "kitchen"))).toEqual([0.3, 0.3, 0.3]);
    expect(get(await light("a"), "metadata", "ownerReferences")).toMatchObject([
      { kind: "Room", name: "kitchen" },
    ]);
  });

  it("a light that the room names no longer stays, without an owner and without what the room asked", async () => {
    await apply("hall", {
      lights: [
        { name: "h1", brightness: 1 },
        { name: "h2", brightness: 1 },
      ],
    });
    await untilRoomReady(server, "hall");
    await apply("hall", { lights: [{ name: "h1", brightness: 1 }] });
    await untilRoomReady(server, "hall");
    const released = await light("h2");
    expect(get(released, "metadata", "ownerReferences")).toBeUndefined();
    expect(get(released, "spec", "brightness")).toBeUndefined();
    expect(get(released, "metadata", "name")).toBe("h2");
  });

  it("a lock that cannot be opened is the room's reason, in the words of the webhook", async () => {
    await apply("cellar", { locks: [{ name: "hatch", state: "Locked" }] });
    await untilRoomReady(server, "cellar");
    const status = { conditions: [{ type: "Jammed", status: "True" }] };
    const path = `${roomPath("v1", "hatch").replace("rooms", "locks")}/status?fieldManager=locksmith`;
    const body = { apiVersion: `${group}/v1`, kind: "Lock", metadata: { name: "hatch" }, status };
    await expectOk(server.request("PATCH", path, { body, contentType: "application/apply-patch+yaml" }));
    await apply("cellar", { locks: [{ name: "hatch", state: "Unlocked" }] });
    await expect
      .poll(async () => JSON.stringify((await server.request("GET", roomPath("v1", "cellar"))).body), {
        timeout: 20_000,
      })
      .toMatch(/"reason":"Denied"/);
    const { body: room } = await server.request("GET", roomPath("v1", "cellar"));
    expect(JSON.stringify(room)).toContain("the lock is jammed; free it before unlocking");
  });

  it("actions answer with the object that they applied, and keep what earlier ones asked", async () => {
    await apply("study", {
      lights: [
        { name: "s1", brightness: 0 },
        { name: "s2", brightness: 0 },
      ],
    });
    const room = "study";
    const asked = (...lights: { name: string; brightness: number }[]) => ({
      code: 200,
      body: {
        apiVersion: `${group}/v1`,
        kind: "Room",
        metadata: { name: room, namespace: "home" },
        spec: { lights },
      },
    });
    const on = { action: "switch_on", lights: ["s1"], room, namespace: "home" };
    expect(await act(on)).toEqual(asked({ name: "s1", brightness: 1 }));
    const off = { action: "switch_off", room, namespace: "home" };
    expect(await act(off, "?dryRun=true")).toMatchObject({ code: 200 });
    const dim = { action: "dim", brightness: 0.25, lights: ["s2"], room, namespace: "home" };
    expect(await act(dim)).toEqual(asked({ name: "s1", brightness: 1 }, { name: "s2", brightness: 0.25 }));
    expect(brightnesses(await untilRoomReady(server, room))).toEqual([1, 0.25]);
    expect(await act({ ...on, room: "nowhere" })).toMatchObject({ code: 404 });
    expect(await act({ ...on, lights: ["s3"] })).toMatchObject({ code: 422 });
  });

  it("converges after the controller was killed while the room was written at both versions", async () => {
    await apply("den", {
      lights: [
        { name: "d1", brightness: 1 },
        { name: "d2", brightness: 1 },
      ],
    });
    await untilRoomReady(server, "den");
    await home.kill("controller");
    await patchOld("den", { brightness: 70 });
    await apply("den", {
      lights: [
        { name: "d1", brightness: 0.1 },
        { name: "d2", brightness: 0.7 },
      ],
    });
    await home.restart("controller");
    expect(brightnesses(await untilRoomReady(server, "den"))).toEqual([0.1, 0.7]);
  }, 60_000);

  it("converges after the devices lost their power", async () => {
    await apply("bath", {
      lights: [{ name: "b1", brightness: 0.9 }],
      locks: [{ name: "bolt", state: "Locked" }],
    });
    await untilRoomReady(server, "bath");
    await home.kill("devices");
    await patchOld("bath", { brightness: 40 });
    await home.restart("devices");
    expect(brightnesses(await untilRoomReady(server, "bath"))).toEqual([0.4]);
    const { body } = await server.request("GET", roomPath("v1", "bolt").replace("rooms", "locks"));
    expect(get(body, "status", "currentState")).toBe("Locked");
  }, 60_000);

  it("converges after the service was killed, and a write was rejected meanwhile", async () => {
    await apply("porch", { lights: [{ name: "p1", brightness: 0.2 }] });
    await untilRoomReady(server, "porch");
    await home.kill("service");
    const during = await server.request("PATCH", roomPath("v1beta1", "porch"), {
      body: { spec: { brightness: 60 } },
    });
    expect(during.status).toBe(500);
    await home.restart("service");
    await patchOld("porch", { brightness: 60 });
    expect(brightnesses(await untilRoomReady(server, "porch"))).toEqual([0.6]);
  }, 60_000);

  it("writes nothing once everything is as asked", async () => {
    await apply("attic", {
      lights: [{ name: "t1", brightness: 0.5 }],
      locks: [{ name: "trap", state: "Locked" }],
    });
    await untilRoomReady(server, "attic");
    const versions = async () =>
      Promise.all(
        ["rooms", "lights", "locks"].map(async (plural) => {
          const { body } = await server.request("GET", `/apis/${group}/v1/namespaces/home/${plural}`);
          const items = get(body, "items");
          return (isArray(items) ? items : []).map((item) => get(item, "metadata", "resourceVersion"));
        }),
      );
    const rounds = async () => {
      const before = await versions();
      await patchOld("attic", {});
      await untilRoomReady(server, "attic");
      return JSON.stringify(await versions()) === JSON.stringify(before);
    };
    await expect.poll(rounds, { timeout: 30_000 }).toBe(true);
  }, 60_000);

  it("ends by a signal, without an error", async () => {
    const { code, logged } = await home.stopController();
    expect(code).toBe(0);
    expect(logged).not.toContain("TypeError");
    await home.restart("controller");
  });
}

function brightnesses(room: Json): readonly (Json | undefined)[] {
  const lights = get(room, "status", "lights");
  return (isArray(lights) ? lights : []).map((each) => get(each, "currentBrightness"));
}
