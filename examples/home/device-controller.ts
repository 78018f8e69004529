import { DeviceUnreachable } from "./bridge.ts";
import { type Cache, keyOf, type Light, type Lock } from "./cluster.ts";
import { includes, isNew, type Readiness, readyStatus } from "./conditions.ts";
import { type Context, concurrency, manager } from "./context.ts";
import type { DeviceState } from "./devices.ts";
import type { DeviceKind } from "./lights.ts";
import { type Attempt, type Progress, WorkQueue } from "./work-queue.ts";

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

function unreachable(message: string): Readiness {
  return { status: "False", reason: "DeviceUnreachable", message };
}

/**
 * Starts a controller from the objects of a kind to their devices, and from the devices to the status of the objects.
 * Returns what makes an object urgent, since a user waits for its Room.
 */
export function startDeviceController<Type extends Light | Lock>(
  { kind, initial, wishOf, statusOf }: DeviceKind<Type>,
  cache: Cache<Type>,
  { cluster, bridge, now, onError, signal }: Context,
): (key: string) => void {
  const queue = new WorkQueue(reconcile, { ...concurrency, onError, signal });
  /** The commands that devices are carrying out, by the keys of their objects. */
  const commands = new Map<string, { readonly state: DeviceState; readonly until: number }>();
  cache.subscribe((object) => {
    if (isNew(object)) queue.addUrgent(keyOf(object));
    else queue.add(keyOf(object));
  });
  bridge.subscribe({
    onChange: (id) => {
      if (id.startsWith(`${kind} `)) queue.add(id.slice(kind.length + 1));
    },
    onConnection: (connection) => {
      if (connection === "interrupted") return;
      // Any device may have changed, and may have forgotten its command.
      commands.clear();
      for (const object of cache.list()) queue.add(keyOf(object));
    },
  });
  return (key) => queue.hurry(key);

  async function reconcile(key: string, { failures }: Attempt): Promise<Progress> {
    const object = cache.get(key);
    if (object === undefined) return "done";
    // The next change of the connection adds every object.
    if (bridge.connection === "interrupted") return "pending";
    if (bridge.connection === "lost") {
      await report(object, {}, unreachable("the bridge does not answer"));
      return "pending";
    }
    const { state: wanted, fade } = wishOf(object);
    try {
      const state = bridge.state(`${kind} ${key}`) ?? initial;
      if (wanted === undefined || includes(state, wanted)) {
        commands.delete(key);
        await report(object, state, wanted === undefined ? nothingAsked : asAsked);
        return "done";
      }
      const isSent = await send(key, wanted, fade);
      // A change without a fade is reported in a moment: one write of the status less.
      if (!isSent || fade > 0) await report(object, state, switching);
      return "pending";
    } catch (error) {
      if (error instanceof DeviceUnreachable && failures >= toleratedFailures)
        await report(object, {}, unreachable(error.message));
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
