import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { DeviceState } from "./devices.ts";

const reconnect = 100;
const longestCommand = 2000;

/** The bridge does not answer, or the device behind it does not. */
export class DeviceUnreachable extends Error {
  override readonly name = "DeviceUnreachable";
}

export interface BridgeListener {
  /** Called with the id of a device that changed. */
  readonly onChange: (id: string) => void;
  /** Called when the connection began or broke. */
  readonly onConnection: () => void;
}

/** The client of a bridge: the states of all devices, followed by a stream of events, and commands to them. */
export class Bridge {
  readonly #url: string;
  readonly #listeners: BridgeListener[] = [];
  /** Undefined while the bridge does not answer. */
  #states: Map<string, DeviceState> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  subscribe(listener: BridgeListener): void {
    this.#listeners.push(listener);
  }

  /** The state of a device that was ever set. Throws DeviceUnreachable while the bridge does not answer. */
  state(id: string): DeviceState | undefined {
    if (this.#states === undefined) throw new DeviceUnreachable("the bridge does not answer");
    return this.#states.get(id);
  }

  /** Switches a device, `fade` milliseconds long. Throws DeviceUnreachable. */
  async set(id: string, state: DeviceState, fade: number): Promise<void> {
    const request = {
      method: "PUT",
      body: JSON.stringify({ state, fade }),
      signal: AbortSignal.timeout(longestCommand),
    };
    const url = `${this.#url}/devices/${encodeURIComponent(id)}`;
    const response = await fetch(url, request).catch((cause) => {
      throw new DeviceUnreachable("the bridge does not answer", { cause });
    });
    const text = await response.text();
    if (!response.ok) throw new DeviceUnreachable(text.trim());
  }

  /** Follows the events until the signal, over any number of connections. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // However it ends, `state` throws until the next connection.
      await Promise.allSettled([this.#readEvents(signal)]);
      this.#connect(undefined);
      await wait(reconnect);
    }
  }

  async #readEvents(signal: AbortSignal): Promise<void> {
    const { body } = await fetch(`${this.#url}/events`, { signal });
    if (body === null) return;
    const states = new Map<string, DeviceState>();
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      if (line === "") {
        this.#connect(states);
        continue;
      }
      const { id, state } = JSON.parse(line) as { readonly id: string; readonly state: DeviceState };
      states.set(id, state);
      if (this.#states === states) for (const { onChange } of this.#listeners) onChange(id);
    }
  }

  #connect(states: Map<string, DeviceState> | undefined): void {
    this.#states = states;
    for (const { onConnection } of this.#listeners) onConnection();
  }
}
