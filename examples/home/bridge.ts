import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { setTimeout as wait } from "node:timers/promises";
import type { DeviceState } from "./devices.ts";

const reconnect = 100;
const longestCommand = 2000;

/** After so many attempts to connect, about a second, an interrupted connection is lost. */
const toleratedAttempts = 10;

/** The bridge does not answer, or the device behind it does not. */
export class DeviceUnreachable extends Error {
  override readonly name = "DeviceUnreachable";
}

/** The connection to a bridge: `interrupted` for a moment, such as a restart takes, then `lost`. */
export type Connection = "connected" | "interrupted" | "lost";

export interface BridgeListener {
  /** Called with the id of a device that changed. */
  readonly onChange: (id: string) => void;
  /** Called when the connection changed. */
  readonly onConnection: (connection: Connection) => void;
}

/** The client of a bridge: the states of all devices, followed by a stream of events, and commands to them. */
export class Bridge {
  readonly #url: string;
  readonly #listeners: BridgeListener[] = [];
  #connection: Connection = "interrupted";
  #states: ReadonlyMap<string, DeviceState> = new Map();

  constructor(url: string) {
    this.#url = url;
  }

  subscribe(listener: BridgeListener): void {
    this.#listeners.push(listener);
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** The state of a device; undefined if it was never set, or the bridge is not connected. */
  state(id: string): DeviceState | undefined {
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
    for (let attempts = 1; !signal.aborted; attempts += 1) {
      // However it ends, the next connection begins with the states of all devices.
      await Promise.allSettled([this.#readEvents(signal)]);
      if (this.#connection === "connected") attempts = 0;
      this.#become(attempts < toleratedAttempts ? "interrupted" : "lost", new Map());
      await wait(reconnect);
    }
  }

  async #readEvents(signal: AbortSignal): Promise<void> {
    const { body } = await fetch(`${this.#url}/events`, { signal });
    if (body === null) return;
    const states = new Map<string, DeviceState>();
    for await (const line of createInterface({ input: Readable.fromWeb(body) })) {
      if (line === "") {
        this.#become("connected", states);
        continue;
      }
      const { id, state } = JSON.parse(line) as { readonly id: string; readonly state: DeviceState };
      states.set(id, state);
      if (this.#states === states) for (const { onChange } of this.#listeners) onChange(id);
    }
  }

  #become(connection: Connection, states: ReadonlyMap<string, DeviceState>): void {
    const isChanged = connection !== this.#connection;
    this.#connection = connection;
    this.#states = states;
    if (isChanged) for (const { onConnection } of this.#listeners) onConnection(connection);
  }
}
