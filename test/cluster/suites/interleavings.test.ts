import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { equal } from "../../../src/json/equal.ts";
import { get, isArray, isObject, type Json, type JsonObject, set } from "../../../src/json/json.ts";
import { leftOut, requireBinaries } from "../binaries.ts";
import { contentOf, differences, withoutCarriers } from "../content.ts";
import { type Home, startHome } from "../home.ts";
import { type ClientAt, metadataOf, type Subject, subject } from "../subject.ts";
import { type Draw, drawing, pick } from "./draw.ts";
import {
  type RoomModel,
  readAtV1beta1,
  reportedAtV1beta1,
  roomModel,
  writtenAtV1,
  writtenAtV1beta1,
} from "./room-model.ts";
import { sides } from "./sides.ts";

if (requireBinaries() === undefined) it(leftOut, () => {});
else describe("clients of both versions, taking turns at random,", claims);

const operations = Number(process.env.CLUSTER_OPS ?? 300);
const rooms = 5;

function claims(): void {
  let home: Home;
  beforeAll(async () => {
    home = await startHome();
  }, 100_000);
  afterAll(() => home?.stop());

  it(
    `lose nothing, and store nothing if they change nothing, in ${operations} operations`,
    async () => {
      await home.createNamespace("turns");
      const seed = Number(process.env.SEED ?? 1);
      const each = Math.ceil(operations / rooms);
      await Promise.all(
        Array.from({ length: rooms }, (_, index) => takeTurns(home, `room-${index}`, seed + index, each)),
      );
    },
    60_000 + operations * 500,
  );
}

/** The life of one Room: after each operation it is read at both versions and held to the model. */
async function takeTurns(home: Home, name: string, seed: number, turns: number): Promise<void> {
  const room = subject(home, { kind: "Room", plural: "rooms" }, "turns", name);
  const draw = drawing(seed);
  let model = await bringToLife(room);
  const history: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const operation = pick(draw, operationsOf(draw));
    history.push(operation.name);
    const before = versionOf(await room.at("v1").get());
    model = await operation.run(room, model);
    const context = () => `${name} after ${history.join(", ")}\n${JSON.stringify(room.steps.at(-1))}`;
    expect(room.steps.at(-1)?.status, context()).toBe(200);
    const [hub, view] = [await room.at("v1").get(), await room.at("v1beta1").get()];
    expect(differences(model.hub, contentOfRoom(hub)), context()).toEqual([]);
    const read = readAtV1beta1(model, objectOr(contentOfRoom(view).spec));
    expect(read.fault, context()).toBeUndefined();
    expect(get(withoutCarriers(view), "status", "phase"), context()).toEqual(model.phase);
    if (operation.isNoop) expect(versionOf(hub), context()).toBe(before);
    model = read.model;
  }
}

async function bringToLife(room: Subject): Promise<RoomModel> {
  const content = sides[0]?.content ?? {};
  const client = room.at("v1");
  const created = await client.create(client.file(content));
  expect(created.status, created.text).toBe(201);
  await client.putStatus({ ...objectOr(created.body), status: content.status ?? {} });
  return roomModel(contentOfRoom(await client.get()));
}

interface Operation {
  readonly name: string;
  readonly isNoop?: true;
  readonly run: (room: Subject, model: RoomModel) => Promise<RoomModel>;
}

function operationsOf(draw: Draw): readonly Operation[] {
  return [
    ...Array.from({ length: 4 }, () => specWrite("v1", pick(draw, v1Edits), pick(draw, ways), draw)),
    ...Array.from({ length: 4 }, () =>
      specWrite("v1beta1", pick(draw, v1beta1Edits), pick(draw, ways), draw),
    ),
    statusWrite("v1", draw),
    statusWrite("v1beta1", draw),
    ...["v1", "v1beta1"].flatMap((version) => careless(version)),
  ];
}

/** How a new spec is sent. */
type Way = "PUT" | "bare PUT" | "merge PATCH" | "apply";
const ways: readonly Way[] = ["PUT", "bare PUT", "merge PATCH", "apply"];

type Edit = readonly [name: string, edit: (spec: JsonObject, draw: Draw) => JsonObject];

const v1Edits: readonly Edit[] = [
  ["mode", (spec, draw) => within(spec, "climate", "mode", pick(draw, ["Heat", "Cool", "Auto"]))],
  [
    "celsius",
    (spec, draw) => within(spec, "climate", "targetCelsius", pick(draw, [20, 21.5, (70 - 32) * (5 / 9)])),
  ],
  ["building", (spec, draw) => within(spec, "location", "building", pick(draw, ["Main", "Annex"]))],
  ["floor", (spec, draw) => within(spec, "location", "floor", Math.floor(draw() * 3))],
  [
    "brightness",
    (spec, draw) => withItem(spec, "lights", draw, { brightness: pick(draw, [0.25, 0.333, 0.5, 0.5]) }),
  ],
  ["color", (spec, draw) => withItem(spec, "lights", draw, { color: { kelvin: pick(draw, [2700, 4000]) } })],
  ["state", (spec, draw) => withItem(spec, "locks", draw, { state: pick(draw, ["Locked", "Unlocked"]) })],
  ["new light", (spec, draw) => withNew(spec, "lights", { name: pick(draw, lampNames), brightness: 0.5 })],
  ["no light", (spec, draw) => withoutOne(spec, "lights", draw)],
  ["accessories", (spec, draw) => ({ ...spec, accessories: [{ vendor: "x", n: draw(), empty: {} }] })],
];

const v1beta1Edits: readonly Edit[] = [
  ["owner", (spec, draw) => ({ ...spec, owner: pick(draw, ["ida", "bo"]) })],
  ["floor", (spec, draw) => ({ ...spec, floor: Math.floor(draw() * 3) })],
  ["temperature", (spec, draw) => ({ ...spec, temperature: pick(draw, ["70F", "20C", "20.0C", "21.5C"]) })],
  ["brightness", (spec, draw) => ({ ...spec, brightness: pick(draw, [0, 33, 50, 100]) })],
  ["lockDoors", (spec, draw) => ({ ...spec, lockDoors: draw() < 0.5 })],
  ["new light", (spec, draw) => withNew(spec, "lights", pick(draw, lampNames))],
  ["no light", (spec, draw) => withoutOne(spec, "lights", draw)],
];

const lampNames = ["lamp", "bulb", "torch", "candle", "star"];

function specWrite(version: string, [what, edit]: Edit, way: Way, draw: Draw): Operation {
  return {
    name: `${way} of ${what} at ${version}`,
    run: async (room, model) => {
      const client = room.at(version);
      const object = withoutCarriers(await client.get());
      const before = objectOr(object.spec);
      const spec = edit(before, draw);
      await send(client, way, before, spec);
      if (version === "v1") return writtenAtV1(model, { ...model.hub, spec });
      return writtenAtV1beta1(model, before, spec);
    },
  };
}

async function send(client: ClientAt, way: Way, before: JsonObject, spec: JsonObject): Promise<void> {
  const object = await client.get();
  const changed = Object.fromEntries(
    Object.entries(spec).filter(([key, value]) => !equal(value, before[key])),
  );
  const { name = "", namespace = "", resourceVersion = "" } = metadataOf(object);
  if (way === "PUT") await client.put({ ...object, spec });
  else if (way === "bare PUT") {
    await client.put(client.file({ metadata: { name, namespace, resourceVersion }, spec }));
  } else if (way === "merge PATCH" || isShrunk(before, changed) || isSpread(changed))
    await client.patch({ spec: changed });
  else
    await client.apply(
      `turner-${client.version}-${Object.keys(changed).join("-") || "idle"}`,
      { spec: changed },
      { force: "force" },
    );
}

/** Whether it is one word for many items: who applies it alone can lose it (docs/evidence/client-actions.md, the last table). */
function isSpread(changed: JsonObject): boolean {
  return Object.hasOwn(changed, "brightness") || Object.hasOwn(changed, "lockDoors");
}

/** Whether a list lost an item: who applies the rest takes nothing away that others hold. */
function isShrunk(before: JsonObject, changed: JsonObject): boolean {
  return Object.entries(changed).some(([key, value]) => {
    const old = before[key];
    return isArray(old) && isArray(value) && value.length < old.length;
  });
}

function statusWrite(version: string, draw: Draw): Operation {
  const way = pick(draw, ["PUT", "PUT that rebuilds", "merge PATCH"]);
  const generation = Math.floor(draw() * 9);
  const word = pick(draw, ["Ready", "Pending", "Lost"]);
  return {
    name: `${way} of /status at ${version}`,
    run: async (room, model) => {
      const client = room.at(version);
      const object = await client.get();
      const seen = objectOr(withoutCarriers(object).status);
      const more: JsonObject = {
        observedGeneration: generation,
        ...(version === "v1" ? { lights: [{ name: word }] } : { phase: word }),
      };
      const status = { ...seen, ...more };
      if (way === "merge PATCH") await client.patchStatus({ status: more });
      else if (way === "PUT")
        await client.putStatus({ ...object, status: { ...objectOr(object.status), ...more } });
      else await client.putStatus(client.file({ metadata: typedMetadata(object), status }));
      if (version === "v1") return writtenAtV1(model, { ...model.hub, status });
      return reportedAtV1beta1(model, status);
    },
  };
}

/** Writes that mean no change: those that send all they read must not write at all. */
function careless(version: string): readonly Operation[] {
  const same = (act: (client: ClientAt) => Promise<unknown>) => async (room: Subject, model: RoomModel) => {
    await act(room.at(version));
    return model;
  };
  return [
    {
      name: `PUT unchanged at ${version}`,
      isNoop: true,
      run: same(async (client) => client.put(await client.get())),
    },
    {
      name: `bare PUT unchanged at ${version}`,
      run: same(async (client) => {
        const object = await client.get();
        await client.put(client.file({ metadata: typedMetadata(object), spec: object.spec ?? {} }));
      }),
    },
    {
      name: `annotations wiped at ${version}`,
      isNoop: true,
      run: same((client) => client.patch({ metadata: { annotations: null } })),
    },
    {
      name: `a label applied and dropped at ${version}`,
      run: same(async (client) => {
        await client.apply("labeller", { metadata: { labels: { seen: "yes" } } });
        await client.apply("labeller", {});
      }),
    },
  ];
}

function typedMetadata(object: JsonObject): JsonObject {
  return { resourceVersion: metadataOf(object).resourceVersion ?? "" };
}

function contentOfRoom(object: JsonObject): JsonObject {
  const { spec = {}, status = {} } = contentOf(object);
  return { spec, status };
}

function within(spec: JsonObject, parent: string, key: string, value: Json): JsonObject {
  return set(spec, parent, set(objectOr(spec[parent]), key, value));
}

function withItem(spec: JsonObject, list: string, draw: Draw, more: JsonObject): JsonObject {
  const items = listOf(spec, list);
  const chosen = Math.floor(draw() * items.length);
  return {
    ...spec,
    [list]: items.map((item, index) => (index === chosen ? { ...objectOr(item), ...more } : item)),
  };
}

function withNew(spec: JsonObject, list: string, item: Json): JsonObject {
  const nameOf = (each: Json) => get(each, "name") ?? each;
  const items = listOf(spec, list);
  return items.some((each) => equal(nameOf(each), nameOf(item)))
    ? spec
    : { ...spec, [list]: [...items, item] };
}

function withoutOne(spec: JsonObject, list: string, draw: Draw): JsonObject {
  const items = listOf(spec, list);
  const chosen = Math.floor(draw() * items.length);
  return items.length < 2 ? spec : { ...spec, [list]: items.filter((_, index) => index !== chosen) };
}

function listOf(spec: JsonObject, list: string): readonly Json[] {
  const items = spec[list];
  return isArray(items) ? items : [];
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object).resourceVersion);
}

function objectOr(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}
