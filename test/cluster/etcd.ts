import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, isArray, isObject, type Json, type JsonObject } from "../../src/json/json.ts";
import { group } from "./home.ts";
import type { ApiServer } from "./server.ts";

/** An object as etcd stores it. */
export interface Stored {
  readonly name: string;
  readonly apiVersion: string;
  readonly object: JsonObject;
  /** Grows with every write of the object. */
  readonly revision: number;
}

/** The objects of a kind, by default of a home kind, as etcd stores them, not as the API server serves them. */
export async function storedObjects(
  server: ApiServer,
  plural: string,
  ofGroup = group,
): Promise<readonly Stored[]> {
  const prefix = `/registry/${ofGroup}/${plural}/`;
  const range_end = base64(`${prefix.slice(0, -1)}0`);
  const answer = await ask(server, "/v3/kv/range", { key: base64(prefix), range_end });
  const found = get(answer, "kvs") ?? [];
  return (isArray(found) ? found : []).map((entry) => {
    const object = parseJson(Buffer.from(String(get(entry, "value")), "base64").toString());
    if (!isObject(object)) throw new Error(`the value in etcd is not an object: ${writeJson(object)}`);
    return {
      name:
        Buffer.from(String(get(entry, "key")), "base64")
          .toString()
          .split("/")
          .at(-1) ?? "",
      apiVersion: String(object.apiVersion),
      object,
      revision: Number(get(entry, "mod_revision")),
    };
  });
}

/** Writes an object to etcd directly, past the API server. */
export async function putStored(
  server: ApiServer,
  plural: string,
  name: string,
  object: Json,
): Promise<void> {
  const key = base64(`/registry/${group}/${plural}/default/${name}`);
  await ask(server, "/v3/kv/put", { key, value: base64(writeJson(object)) });
}

/** Sends a request to etcd's JSON gateway, through its socket file. */
async function ask(server: ApiServer, path: string, body: Json): Promise<Json> {
  const { promise, resolve, reject } = Promise.withResolvers<import("node:http").IncomingMessage>();
  const headers = { "content-type": "application/json" };
  request({ socketPath: join(server.dir, "etcd.sock"), path, method: "POST", headers }, resolve)
    .once("error", reject)
    .end(writeJson(body));
  const response = await promise;
  const content = await text(response);
  if (response.statusCode !== 200) throw new Error(`etcd ${path}: ${response.statusCode} ${content}`);
  return parseJson(content);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
