import type { ChildProcess } from "node:child_process";
import { request } from "node:http";
import { request as secureRequest } from "node:https";
import { createInterface } from "node:readline";
import { text as readAll } from "node:stream/consumers";

/** Where a service listens. */
export interface Ports {
  readonly port: number;
  readonly opsPort: number;
}

/** Waits until a service says where it listens; its log must be piped. Throws with the log where it ends instead. */
export function portsOf(service: ChildProcess): Promise<Ports> {
  const { promise, resolve, reject } = Promise.withResolvers<Ports>();
  let logged = "";
  if (service.stderr === null) throw new Error("the service's log goes elsewhere");
  createInterface({ input: service.stderr }).on("line", (line) => {
    logged += `${line}\n`;
    if (line.includes('"msg":"serving"')) resolve(JSON.parse(line));
  });
  service.once("error", reject);
  service.once("close", (code) => reject(new Error(`the service ended with ${code}:\n${logged}`)));
  return promise;
}

/** One request: a GET, or a POST of JSON. Any status is an answer. */
export async function ask(
  url: string,
  { body, ca }: { readonly body?: string; readonly ca?: string } = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const options = {
    agent: false,
    timeout: 10_000,
    ...(ca === undefined ? {} : { ca }),
    ...(body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" } }),
  };
  const asked = (url.startsWith("https:") ? secureRequest : request)(url, options, (response) => {
    readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
  });
  asked.once("timeout", () => asked.destroy(new Error(`${url}: no answer in 10 s`)));
  asked.once("error", reject).end(body);
  return promise;
}
