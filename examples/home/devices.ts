import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

/** The state of a device: of a light its brightness from 0 to 1, of a lock whether it is locked. */
export interface DeviceState {
  readonly brightness?: number;
  readonly locked?: boolean;
}

interface DeviceOptions {
  readonly port: number;
  /** Milliseconds until a device obeys. */
  readonly latency: number;
  /** The share of commands that fail, from 0 to 1. */
  readonly failures: number;
}

/** A server that is part of the example. */
export interface Running {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** In milliseconds. A timer of more than 24 days would end at once. */
export const longestFade = 60_000;

/**
 * Simulated lights and locks behind a bridge with an HTTP interface, as bridges for real ones have:
 *
 * - `PUT /devices/ID {"state": {"brightness": 0.5}, "fade": 300}` switches a device; `fade` is in milliseconds.
 * - `GET /events` is a stream of JSON lines, each `{"id": …, "state": …}`: first every device, then an empty line, then
 *   each change.
 *
 * A bridge that restarts has forgotten its states, as after a power failure: all lights are off and all locks open.
 */
export async function startDevices({ port, latency, failures }: DeviceOptions): Promise<Running> {
  const states = new Map<string, DeviceState>();
  const fades = new Map<string, NodeJS.Timeout>();
  const listeners = new Set<ServerResponse>();
  const lineOf = (id: string, state: DeviceState) => `${JSON.stringify({ id, state })}\n`;

  const change = (id: string, state: DeviceState) => {
    states.set(id, state);
    for (const listener of listeners) listener.write(lineOf(id, state));
  };

  const put = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const command = await json(request);
    if (!isCommand(command)) return response.writeHead(400).end("a command has a state\n");
    const { state, fade = 0 } = command;
    await wait(latency);
    if (Math.random() < failures) return response.writeHead(503).end("the device does not answer\n");
    clearTimeout(fades.get(id));
    if (fade <= 0) change(id, state);
    else
      fades.set(
        id,
        setTimeout(() => change(id, state), Math.min(fade, longestFade)),
      );
    return response.writeHead(202).end();
  };

  const server = createServer((request, response) => {
    const [, folder, id = ""] = (request.url ?? "").split("/");
    if (request.method === "GET" && folder === "events") {
      for (const [known, state] of states) response.write(lineOf(known, state));
      response.write("\n");
      listeners.add(response);
      response.on("close", () => listeners.delete(response));
    } else if (request.method === "PUT" && folder === "devices" && id !== "") {
      put(decodeURIComponent(id), request, response).catch(() => response.writeHead(400).end());
    } else response.writeHead(404).end();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      for (const fade of fades.values()) clearTimeout(fade);
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function isCommand(value: unknown): value is { readonly state: DeviceState; readonly fade?: number } {
  if (typeof value !== "object" || value === null) return false;
  const state: unknown = Reflect.get(value, "state");
  const fade: unknown = Reflect.get(value, "fade");
  return typeof state === "object" && state !== null && (fade === undefined || typeof fade === "number");
}
