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

/** Our end of the bridge: the states of all devices, followed by a stream of events, and commands to them. */
export class Bridge {
  #states = new Map<string, DeviceState>();
  #connected = false;
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** The state of a device that was ever set. Throws DeviceUnreachable while the bridge does not answer. */
  state(id: string): DeviceState | undefined {
    if (!this.#connected) throw new DeviceUnreachable("the bridge does not answer");
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

  /**
   * Follows the events until the signal, over any number of connections. Calls back with the id of each device that
   * changed; without an id when the connection began or broke, since then any device may have.
   */
  async run(signal: AbortSignal, onChange: (id?: string) => void): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#readEvents(signal, onChange);
      } catch {
        // Unreachable, or the connection broke: `state` throws until it is back.
      }
      this.#connected = false;
      if (signal.aborted) return;
      onChange();
      await wait(reconnect);
    }
  }

  async #readEvents(signal: AbortSignal, onChange: (id?: string) => void): Promise<void> {
    const { body } = await fetch(`${this.#url}/events`, { signal });
    if (body === null) return;
    const states = new Map<string, DeviceState>();
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      if (line === "") {
        this.#states = states;
        this.#connected = true;
        onChange();
        continue;
      }
      const { id, state } = JSON.parse(line) as { readonly id: string; readonly state: DeviceState };
      states.set(id, state);
      if (this.#connected) onChange(id);
    }
  }
}
