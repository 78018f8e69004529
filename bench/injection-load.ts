import { parseJson, writeJson } from "../src/json/exact.ts";
import { get } from "../src/json/json.ts";
import { askAll, type Connection, requestOf } from "./connection.ts";
import { review } from "./injection-objects.ts";

/** A server that is measured from outside. */
export interface Measured {
  readonly sets: number;
  /** As many as `atOnce`, each with one request at a time. */
  readonly connections: readonly Connection[];
  /** CPU microseconds of the process so far. */
  readonly cpu: () => Promise<number>;
  /** Its resident bytes. */
  readonly rss: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** How many connections there are. */
export const atOnce = 8;

/** The review that is sent. */
export const body = writeJson(review());

/** CPU microseconds of the server for each of so many reviews. */
export async function overHttps(server: Measured, requests: number): Promise<number> {
  const before = await server.cpu();
  await askAll(server.connections, request, requests);
  return ((await server.cpu()) - before) / requests;
}

/** The bytes of the patch in an answer. */
export async function patchBytes({ connections }: Measured): Promise<number> {
  const [connection] = connections;
  const answer = connection === undefined ? "null" : String(await connection.ask(request));
  const patch = get(parseJson(answer), "response", "patch");
  return Buffer.from(String(patch ?? ""), "base64").length;
}

const request = requestOf("/mutate?timeout=10s", body);
