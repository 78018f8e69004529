import https from "node:https";
import { parseJson, writeJson } from "../src/json/exact.ts";
import { get } from "../src/json/json.ts";
import { review } from "./injection-objects.ts";

/** A server that is measured from outside. */
export interface Measured {
  readonly sets: number;
  readonly port: number;
  readonly agent: https.Agent;
  /** CPU microseconds of the process so far. */
  readonly cpu: () => Promise<number>;
  /** Its resident bytes. */
  readonly rss: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** How many connections there are, each with one request at a time. */
export const atOnce = 8;

/** The review that is sent. */
export const body = writeJson(review());

/** CPU microseconds of the server for each of so many reviews. */
export async function overHttps(server: Measured, requests: number): Promise<number> {
  const before = await server.cpu();
  let left = requests;
  const caller = async () => {
    while (left-- > 0) await send(server);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return ((await server.cpu()) - before) / requests;
}

/** The bytes of the patch in an answer. */
export async function patchBytes(server: Measured): Promise<number> {
  const patch = get(parseJson(await send(server)), "response", "patch");
  return Buffer.from(String(patch ?? ""), "base64").length;
}

function send({ port, agent }: Measured): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
    const options = { agent, host: "localhost", port, path: "/mutate?timeout=10s", method: "POST", headers };
    const request = https.request(options, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () => resolve(Buffer.concat(chunks).toString()));
    });
    request.once("error", reject);
    request.end(body);
  });
}
