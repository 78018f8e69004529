import { parseJson, writeJson } from "../src/json/exact.ts";
import { get } from "../src/json/json.ts";
import { askAll, type Connection, requestOf } from "./connection.ts";
import { review } from "./injection-objects.ts";

/** A server that is measured from another process. */
export interface Measured {
  readonly sets: number;
  /** `atOnce` connections, each with one request at a time. */
  readonly connections: readonly Connection[];
  /** CPU microseconds of the process so far. */
  readonly cpu: () => Promise<number>;
  /** Its resident bytes. */
  readonly rss: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** The number of connections. */
export const atOnce = 8;

/** The review that is sent. */
export const body = writeJson(review());

/** CPU microseconds of the server per review. */
export async function overHttps(server: Measured, requests: number): Promise<number> {
  const before = await server.cpu();
  await askAll(server.connections, request, requests);
  return ((await server.cpu()) - before) / requests;
}

/** The size of the patch in a response, in bytes. */
export async function patchBytes({ connections }: Measured): Promise<number> {
  const [connection] = connections;
  const answer = connection === undefined ? "null" : String(await connection.ask(request));
  const patch = get(parseJson(answer), "response", "patch");
  return Buffer.from(String(patch ?? ""), "base64").length;
}

const request = requestOf("/mutate?timeout=10s", body);
