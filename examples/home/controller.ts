import { Bridge } from "./bridge.ts";
import type { Cluster } from "./cluster.ts";
import { DeviceController } from "./device-controller.ts";
import { DeviceFollower } from "./device-follower.ts";
import { type Light, type Lock, statusOfLight, statusOfLock, wishOfLight, wishOfLock } from "./lights.ts";
import { RoomController } from "./room-controller.ts";
import type { Room } from "./rooms.ts";

export interface ControllerOptions {
  readonly cluster: Cluster;
  /** The URL of the bridge to the devices. */
  readonly devices: string;
  readonly now: () => Date;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The field manager of everything that the controllers apply. */
const manager = "home-controller";
const workers = 8;
/** Errors are expected while something restarts; from then on every tenth attempt is logged. */
const loggedFailure = 5;

/**
 * Starts the controllers of the home: from Rooms to their Lights and Locks, from those to devices, and from the devices
 * back to the status of each. All work from the present state, whatever happened while they did not run. They read
 * and write v1 only: the conversion webhook serves the clients of v1beta1. Resolves when they know all objects.
 */
export async function startControllers({
  cluster,
  devices,
  now,
  log,
  signal,
}: ControllerOptions): Promise<void> {
  const onError = (key: string, error: unknown, failures: number) => {
    if (failures % 10 === loggedFailure) log(`${key}: ${sentenceOf(error)} (attempt ${failures})`);
  };
  const following = { signal, onError: (error: unknown) => log(`the watch broke: ${sentenceOf(error)}`) };
  const [rooms, lights, locks] = await Promise.all([
    cluster.watch<Room>("rooms", following),
    cluster.watch<Light>("lights", following),
    cluster.watch<Lock>("locks", following),
  ]);
  const bridge = new Bridge(devices);
  const follower = new DeviceFollower(bridge, now);
  const shared = { cluster, manager, workers, now, onError };
  const ofDevices = [
    new DeviceController(
      { plural: "lights", wishOf: wishOfLight, statusOf: statusOfLight },
      { ...shared, cache: lights, follower },
    ),
    new DeviceController(
      { plural: "locks", wishOf: wishOfLock, statusOf: statusOfLock },
      { ...shared, cache: locks, follower },
    ),
  ];
  const ofRooms = new RoomController({ ...shared, rooms, lights, locks });
  signal.addEventListener("abort", () => {
    for (const { queue } of [...ofDevices, ofRooms]) queue.stop();
  });
  void bridge.run(signal, (id) => {
    if (id === undefined) follower.forget();
    for (const controller of ofDevices) controller.look(id);
  });
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
