import { type Bridge, DeviceUnreachable } from "./bridge.ts";
import { includes, type Readiness } from "./conditions.ts";
import type { DeviceState } from "./devices.ts";

/** What an object asks of its device. */
export interface Wish {
  /** The device's id at the bridge. */
  readonly id: string;
  /** The state of a device that was never used: off, or open. */
  readonly initial: DeviceState;
  /** Undefined if the object asks for nothing. */
  readonly state: DeviceState | undefined;
  /** Milliseconds of the change. */
  readonly fade: number;
}

/** What came of it. */
export interface Followed {
  readonly current: DeviceState;
  readonly readiness: Readiness;
  /** When to look again, in milliseconds, unless the device reports a change before. */
  readonly again?: number;
  /** Whether a command was sent just now. */
  readonly sent?: boolean;
}

/** How long a device may take for a command beyond its fade, in milliseconds, before it is sent again. */
const patience = 1000;

/** Sees to it that devices do what objects ask, and sends no command twice while a device carries it out. */
export class DeviceFollower {
  readonly #bridge: Bridge;
  readonly #commands = new Map<string, { readonly state: DeviceState; readonly until: number }>();
  readonly #now: () => Date;

  constructor(bridge: Bridge, now: () => Date) {
    this.#bridge = bridge;
    this.#now = now;
  }

  /** The devices may have forgotten all commands. */
  forget(): void {
    this.#commands.clear();
  }

  /**
   * Sends a command if the device needs one. Throws DeviceUnreachable.
   */
  async follow({ id, initial, state, fade }: Wish): Promise<Followed> {
    const current = this.#bridge.state(id) ?? initial;
    if (state === undefined) return { current, readiness: nothingAsked };
    if (includes(current, state)) {
      this.#commands.delete(id);
      return { current, readiness: asAsked };
    }
    const time = this.#now().getTime();
    const before = this.#commands.get(id);
    const again = fade + patience;
    if (before !== undefined && before.until >= time && includes(before.state, state))
      return { current, readiness: switching, again };
    await this.#bridge.set(id, state, fade);
    this.#commands.set(id, { state, until: time + again });
    return { current, readiness: switching, again, sent: true };
  }
}

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

/** The readiness after an error of the bridge; other errors are thrown on. */
export function unreachable(error: unknown): Readiness {
  if (!(error instanceof DeviceUnreachable)) throw error;
  return { status: "False", reason: "DeviceUnreachable", message: error.message };
}
