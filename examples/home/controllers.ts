import { Bridge } from "./bridge.ts";
import type { Cluster, Light, Lock, Room } from "./cluster.ts";
import type { Context } from "./context.ts";
import { startDeviceController } from "./device-controller.ts";
import { deviceOfLight, deviceOfLock } from "./lights.ts";
import { startRoomController } from "./room-controller.ts";

interface ControllerOptions {
  readonly cluster: Cluster;
  /** The URL of the bridge to the devices. */
  readonly devices: string;
  readonly now: () => Date;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Errors are expected while something restarts; from this attempt on every tenth is logged. */
const loggedFailure = 5;

/**
 * Starts the controllers of the home: from Rooms to their Lights and Locks, from those to devices, and from the devices
 * back to the status of each. All work from the present state, whatever happened while they did not run. They read
 * and write v1 only: the conversion webhook serves the clients of v1beta1. Resolves when they know all objects.
 */
export async function startControllers(options: ControllerOptions): Promise<void> {
  const { cluster, devices, now, log, signal } = options;
  const watching = { signal, onError: (error: unknown) => log(`the watch broke: ${messageOf(error)}`) };
  const [rooms, lights, locks] = await Promise.all([
    cluster.watch<Room>("Room", watching),
    cluster.watch<Light>("Light", watching),
    cluster.watch<Lock>("Lock", watching),
  ]);
  const onError = (key: string, error: unknown, failures: number) => {
    if (failures % 10 === loggedFailure) log(`${key}: ${messageOf(error)} (attempt ${failures})`);
  };
  const bridge = new Bridge(devices);
  const context: Context = { cluster, rooms, lights, locks, bridge, now, onError, signal };
  startRoomController(context, {
    Light: startDeviceController(deviceOfLight, lights, context),
    Lock: startDeviceController(deviceOfLock, locks, context),
  });
  void bridge.run(signal);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
