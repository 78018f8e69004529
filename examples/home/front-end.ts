import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { ActionRejected, actionOf, appliedBy, badRequest, manager } from "./actions.ts";
import { apiVersion, type Cluster, rejectionOf } from "./cluster.ts";
import type { Running } from "./devices.ts";

const mostBytes = 65_536;
const attempts = 5;

/** Serves `POST /actions`, on loopback, without authentication. */
export async function serveActions(cluster: Cluster, port: number): Promise<Running> {
  const server = createServer(async (request, response) => {
    const { code, body } = await answer(cluster, request).catch(answerToError);
    response
      .writeHead(code, { "content-type": "application/json" })
      .end(`${JSON.stringify(body, null, 2)}\n`);
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeIdleConnections();
      await once(server, "close");
    },
  };
}

interface Answer {
  readonly code: number;
  readonly body: object;
}

async function answer(cluster: Cluster, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname !== "/actions")
    throw new ActionRejected(404, `there is no ${pathname}; actions go to /actions`);
  if (request.method !== "POST") throw new ActionRejected(405, "actions are sent with POST");
  const dryRun = searchParams.get("dryRun") ?? "false";
  if (dryRun !== "true" && dryRun !== "false") throw badRequest("dryRun must be true or false");
  return { code: 200, body: await carryOut(cluster, await textOf(request), dryRun === "true") };
}

/**
 * Applies an action, with the resource version of the Room that it was computed from: the API server answers 409 if
 * another write came in between, and it is computed again. Returns what was applied.
 */
async function carryOut(cluster: Cluster, text: string, dryRun: boolean): Promise<object> {
  const action = actionOf(text);
  for (let attempt = 1; ; attempt += 1) {
    const room = await cluster.readRoom(action.namespace, action.room);
    if (room === undefined)
      throw new ActionRejected(404, `there is no room ${action.room} in namespace ${action.namespace}`);
    const applied = appliedBy(action, room);
    const { resourceVersion } = room.metadata;
    try {
      await cluster.apply(
        { ...applied, metadata: { ...applied.metadata, resourceVersion } },
        manager,
        dryRun,
      );
      return { apiVersion, ...applied };
    } catch (error) {
      if (rejectionOf(error)?.code !== 409 || attempt === attempts) throw error;
    }
  }
}

function answerToError(error: unknown): Answer {
  if (error instanceof ActionRejected) return { code: error.code, body: { error: error.message } };
  const rejection = rejectionOf(error);
  if (rejection !== undefined) return { code: rejection.code, body: { error: rejection.message } };
  return { code: 502, body: { error: `the API server does not answer: ${(error as Error).message}` } };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw new ActionRejected(413, `an action has at most ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
