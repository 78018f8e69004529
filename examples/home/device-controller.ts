import { DeviceUnreachable } from "./bridge.ts";
import { type Cache, keyOf, type Light, type Lock } from "./cluster.ts";
import { includes, type Readiness, readyStatus } from "./conditions.ts";
import { type Context, manager, workers } from "./context.ts";
import type { DeviceState } from "./devices.ts";
import type { DeviceKind } from "./lights.ts";
import { WorkQueue } from "./work-queue.ts";

/** How long a device may take for a command beyond its fade, in milliseconds, before it is sent again. */
const patience = 1000;

/** A device may miss a few commands before its object says that it cannot be reached. */
const toleratedFailures = 3;

const nothingAsked: Readiness = {
  status: "True",
  reason: "NothingAsked",
  message: "spec asks nothing of the device",
};
const asAsked: Readiness = { status: "True", reason: "AsAsked", message: "the device does what spec asks" };
const switching: Readiness = {
  status: "False",
  reason: "Switching",
  message: "the device received the command",
};

/** Starts a controller from the objects of a kind to their devices, and from the devices to the status of the objects. */
export function startDeviceController<Type extends Light | Lock>(
  { kind, initial, wishOf, statusOf }: DeviceKind<Type>,
  cache: Cache<Type>,
  { cluster, bridge, now, onError, signal }: Context,
): void {
  const queue = new WorkQueue(reconcile, { workers, onError, signal });
  /** The commands that devices are carrying out, by the keys of their objects. */
  const commands = new Map<string, { readonly state: DeviceState; readonly until: number }>();
  cache.subscribe((object) => {
    const isNew = object.metadata.generation !== object.status?.observedGeneration;
    if (isNew) queue.add(keyOf(object));
    else queue.addLast(keyOf(object));
  });
  bridge.subscribe({
    onChange: (id) => {
      if (id.startsWith(`${kind} `)) queue.add(id.slice(kind.length + 1));
    },
    // Any device may have changed, and may have forgotten its command.
    onConnection: () => {
      commands.clear();
      for (const object of cache.list()) queue.addLast(keyOf(object));
    },
  });

  async function reconcile(key: string, failures: number): Promise<void> {
    const object = cache.get(key);
    if (object === undefined) return;
    const { state: wanted, fade } = wishOf(object);
    try {
      const state = bridge.state(`${kind} ${key}`) ?? initial;
      if (wanted === undefined || includes(state, wanted)) {
        commands.delete(key);
        await report(object, state, wanted === undefined ? nothingAsked : asAsked);
        return;
      }
      const isSent = await send(key, wanted, fade);
      // A change without a fade is reported in a moment: one write of the status less.
      if (!isSent || fade > 0) await report(object, state, switching);
    } catch (error) {
      if (error instanceof DeviceUnreachable && failures >= toleratedFailures)
        await report(object, {}, { status: "False", reason: "DeviceUnreachable", message: error.message });
      throw error;
    }
  }

  /** Sends a command unless the device is carrying it out, and looks at the object again when that should be done. */
  async function send(key: string, state: DeviceState, fade: number): Promise<boolean> {
    const time = now().getTime();
    const last = commands.get(key);
    if (last !== undefined && last.until > time && includes(last.state, state)) return false;
    await bridge.set(`${kind} ${key}`, state, fade);
    commands.set(key, { state, until: time + fade + patience });
    setTimeout(() => queue.add(key), fade + patience).unref();
    return true;
  }

  async function report(object: Type, state: DeviceState, readiness: Readiness): Promise<void> {
    const { name, namespace } = object.metadata;
    const status = { ...statusOf(state), ...readyStatus(object, readiness, now()) };
    if (!includes(object.status, status))
      await cluster.apply({ kind, metadata: { name, namespace }, status }, manager);
  }
}
