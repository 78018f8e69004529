import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Agent, createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream";
import { localSource } from "../../certs/local.ts";
import type { ApiServer } from "./server.ts";

/** Stands between one replica and the API server, and sees every write. */
export interface Gate {
  readonly port: number;
  readonly url: string;
  readonly ca: string;
  /** The writes that the API server has answered, as `PATCH path`. */
  readonly writes: readonly string[];
  /** Called after the API server has answered a write, and before the replica hears of it. */
  onWrite: ((write: string) => void) | undefined;
  readonly close: () => Promise<void>;
}

/** Starts one. */
export async function startGate(server: ApiServer): Promise<Gate> {
  const source = await localSource({ now: () => new Date() });
  const pair = source.current();
  source.stop();
  const agent = new Agent({ keepAlive: true, ca: server.ca });
  const writes: string[] = [];
  const forward = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { method = "GET", url = "/", headers } = incoming;
    const target = new URL(url, server.url);
    const onward = request(
      target,
      { method, agent, headers: { ...headers, host: target.host } },
      (answer) => {
        if (method !== "GET") {
          const write = `${method} ${url}`;
          writes.push(write);
          gate.onWrite?.(write);
        }
        // The replica may be gone by now.
        if (outgoing.destroyed) return void answer.destroy();
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        // Either side may break off a watch.
        pipeline(answer, outgoing, () => onward.destroy());
      },
    );
    onward.once("error", () => outgoing.destroy());
    // Also where one of them is gone already, which `pipeline` would throw.
    incoming.once("error", () => onward.destroy());
    incoming.pipe(onward);
  };
  const listener = createServer({ cert: pair?.certificate ?? "", key: pair?.key ?? "" }, forward);
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const { port } = listener.address() as AddressInfo;
  const gate: Gate = {
    port,
    url: `https://127.0.0.1:${port}`,
    ca: source.authority(),
    writes,
    onWrite: undefined,
    close: async () => {
      agent.destroy();
      listener.closeAllConnections();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return gate;
}
