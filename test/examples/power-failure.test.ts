import { expect, it } from "vitest";
import type { BridgeListener, Connection } from "../../examples/home/bridge.ts";
import type { Applied, Cache, Light, Lock, Room } from "../../examples/home/cluster.ts";
import { isNew } from "../../examples/home/conditions.ts";
import { concurrency, manager } from "../../examples/home/context.ts";
import { startDeviceController } from "../../examples/home/device-controller.ts";
import type { DeviceState } from "../../examples/home/devices.ts";
import { deviceOfLight, deviceOfLock } from "../../examples/home/lights.ts";
import { startRoomController } from "../../examples/home/room-controller.ts";

const count = 40;
const namespace = "home";

/** The objects of a kind, and what was written to them. A write is seen at once. */
class Objects<Type extends Room | Light | Lock> implements Cache<Type> {
  readonly #objects = new Map<string, Type>();
  readonly #listeners: ((object: Type) => void)[] = [];
  readonly get = (key: string) => this.#objects.get(key);
  readonly list = () => [...this.#objects.values()];
  readonly subscribe = (listener: (object: Type) => void) => {
    for (const object of this.list()) listener(object);
    this.#listeners.push(listener);
  };

  apply({ metadata, spec, status }: Omit<Applied, "kind">): void {
    const key = `${metadata.namespace}/${metadata.name}`;
    const present = this.#objects.get(key);
    const generation = (present?.metadata.generation ?? 0) + (spec === undefined ? 0 : 1);
    const fields = Object.fromEntries(Object.keys(spec ?? {}).map((name) => [`f:${name}`, {}]));
    const managedFields = [{ manager, operation: "Apply", fieldsV1: { "f:spec": fields } }];
    const object = {
      ...present,
      metadata: {
        ...present?.metadata,
        ...metadata,
        ...{ uid: key, generation, resourceVersion: "1" },
        ...(spec && { managedFields }),
      },
      ...(spec && { spec }),
      ...(status && { status }),
    } as unknown as Type;
    this.#objects.set(key, object);
    for (const listener of this.#listeners) listener(object);
  }
}

/** Devices without latency, and the commands that they received. */
class Devices {
  connection: Connection = "connected";
  readonly commands: string[] = [];
  readonly #states = new Map<string, DeviceState>();
  readonly #listeners: BridgeListener[] = [];

  subscribe(listener: BridgeListener): void {
    this.#listeners.push(listener);
  }

  state(id: string): DeviceState | undefined {
    return this.#states.get(id);
  }

  async set(id: string, state: DeviceState): Promise<void> {
    this.commands.push(id);
    await turn();
    this.#states.set(id, state);
    for (const { onChange } of this.#listeners) onChange(id);
  }

  become(connection: Connection): void {
    this.connection = connection;
    if (connection === "interrupted") this.#states.clear();
    for (const { onConnection } of this.#listeners) onConnection(connection);
  }
}

function startHome() {
  const [rooms, lights, locks] = [new Objects<Room>(), new Objects<Light>(), new Objects<Lock>()];
  const bridge = new Devices();
  const readyAfter: string[] = [];
  rooms.subscribe((room) => {
    if (isReady(room)) readyAfter.push(room.metadata.name);
  });
  const apply = async ({ kind, ...applied }: Applied) => {
    await turn();
    ({ Room: rooms, Light: lights, Lock: locks })[kind].apply(applied);
  };
  const context = {
    ...{ rooms, lights, locks, bridge, cluster: { apply } },
    now: () => new Date(0),
    onError: (_key: string, error: unknown) => {
      throw error;
    },
    signal: new AbortController().signal,
  };
  startRoomController(context, {
    Light: startDeviceController(deviceOfLight, lights, context),
    Lock: startDeviceController(deviceOfLock, locks, context),
  });
  const write = (name: string, brightness: number) =>
    rooms.apply({
      metadata: { name, namespace },
      spec: {
        lights: [{ name: `${name}-lamp`, brightness }],
        locks: [{ name: `${name}-door`, state: "Locked" }],
      },
    });
  return { rooms, lights, bridge, readyAfter, write };
}

function isReady(room: Room): boolean {
  return room.status?.conditions?.[0]?.status === "True" && !isNew(room);
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

async function until(holds: () => boolean): Promise<void> {
  for (let turns = 0; !holds(); turns += 1) {
    if (turns > 10_000) throw new Error("the controllers do not come to this");
    await turn();
  }
}

// An interruption is over before any object says that its device cannot be reached; after a longer outage all of them do.
it.each(["interrupted", "lost"] as const)(
  "after the bridge was %s, what a user wrote is switched and Ready before what the devices forgot",
  async (outage) => {
    const { rooms, lights, bridge, readyAfter, write } = startHome();
    for (let index = 0; index < count; index += 1) write(`room-${index}`, 0.5);
    const areReady = () => rooms.list().every(isReady);
    await until(areReady);
    // A light of no Room, which users write themselves.
    const porch = { name: "porch", namespace };
    lights.apply({ metadata: porch, spec: { brightness: 0.5 } });
    await until(() => lights.get("home/porch")?.status?.currentBrightness === 0.5);

    bridge.become("interrupted");
    write("room-30", 0.9);
    lights.apply({ metadata: porch, spec: { brightness: 0.9 } });
    await until(() => rooms.get("home/room-30")?.status?.observedGeneration === 2);
    if (outage === "lost") {
      bridge.become("lost");
      await until(() => rooms.list().every((room) => !isReady(room)));
    }
    bridge.commands.length = 0;
    readyAfter.length = 0;
    bridge.become("connected");
    await until(() => readyAfter.length > 0);
    expect(readyAfter).toEqual(["room-30"]);
    // Each of the two controllers may have begun with others before it knew of this one.
    const atFirst = bridge.commands.slice(0, 2 * concurrency.ordinaryWorkers + 3);
    expect(atFirst).toEqual(expect.arrayContaining(["Light home/room-30-lamp", "Light home/porch"]));
    if (outage === "lost") expect(atFirst).toContain("Lock home/room-30-door");
    await until(() => bridge.commands.length > 2 * count && areReady());
    expect(new Set(bridge.commands).size).toBe(2 * count + 1);
  },
);
