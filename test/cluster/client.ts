import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { finished } from "node:stream";
import { text } from "node:stream/consumers";
import type { Access } from "../../src/cluster/local/kubeconfig.ts";
import { parseJson, writeJson } from "../../src/json/exact.ts";
import { get, type Json } from "../../src/json/json.ts";

export interface RequestDetails {
  /** JSON, or bytes that are sent as they are. */
  readonly body?: Json | Uint8Array;
  /** By default `application/json`, and a merge patch for PATCH. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole response; by default 30 seconds. */
  readonly timeout?: number;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The response as JSON with exact integers; undefined if it is not JSON. */
  readonly body: Json | undefined;
  readonly text: string;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

export interface Watch {
  /** Ends the watch; no event arrives afterwards. */
  stop(): void;
  /** Settles when the watch has ended on either side. */
  readonly ended: Promise<void>;
}

/** A REST client of an API server. */
export interface Client {
  /** Sends a request. Any status is a result; only a broken connection or the timeout rejects. */
  request(method: string, path: string, details?: RequestDetails): Promise<Answer>;
  /** Watches a list, like `/api/v1/namespaces?resourceVersion=0`; resolves when the watch is open. */
  watch(path: string, onEvent: (event: WatchEvent) => void): Promise<Watch>;
  /** Watches a list until an event is the awaited one, and resolves with it. */
  until(path: string, awaited: (event: WatchEvent) => boolean, timeout?: number): Promise<WatchEvent>;
  /** Closes connections that are kept alive. */
  close(): void;
}

/** A client that authenticates with a bearer token. */
export function restClient({ url, ca, token }: Access): Client {
  const agent = new Agent({ keepAlive: true, ca });
  const own = { accept: "application/json", authorization: `Bearer ${token}` };
  const send = (path: string, options: RequestOptions, body?: string | Uint8Array) =>
    exchange(new URL(path, url), { ...options, agent, headers: { ...own, ...options.headers } }, body);
  const watch = (path: string, onEvent: (event: WatchEvent) => void) => openWatch(send, path, onEvent);

  return {
    request: (method, path, details = {}) => ask(send, method, path, details),
    watch,
    until: (path, awaited, timeout = 30_000) => watchUntil(watch, path, awaited, timeout),
    close: () => agent.destroy(),
  };
}

type Send = (path: string, options: RequestOptions, body?: string | Uint8Array) => Promise<IncomingMessage>;

async function ask(send: Send, method: string, path: string, details: RequestDetails): Promise<Answer> {
  const { body, timeout = 30_000 } = details;
  const contentType =
    details.contentType ?? (method === "PATCH" ? "application/merge-patch+json" : "application/json");
  const headers = { ...(body === undefined ? {} : { "content-type": contentType }), ...details.headers };
  // The API server of v1.37 reads what is applied as YAML, in which these characters end a line.
  const written = (json: Json) =>
    writeJson(json).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
  const bytes = body === undefined || body instanceof Uint8Array ? body : written(body);
  const signal = AbortSignal.timeout(timeout);
  try {
    const response = await send(path, { method, headers, signal }, bytes);
    const content = await text(response);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: isJson(response) ? parseJson(content) : undefined,
      text: content,
    };
  } catch (cause) {
    const why = signal.aborted ? `no answer within ${timeout} ms` : (cause as Error).message;
    throw new Error(`${method} ${path}: ${why}`, { cause });
  }
}

async function openWatch(send: Send, path: string, onEvent: (event: WatchEvent) => void): Promise<Watch> {
  const url = new URL(path, "https://localhost");
  url.searchParams.set("watch", "true");
  const response = await send(url.pathname + url.search, { method: "GET" });
  if (response.statusCode !== 200) {
    throw new Error(`watch ${path}: ${response.statusCode} ${await text(response)}`);
  }
  let stopped = false;
  let rest = "";
  response.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (!stopped) onEvent(toEvent(line));
  });
  // A watch whose connection breaks has ended like any other; the error adds nothing.
  const ended = new Promise<void>((resolve) => finished(response, () => resolve()));
  return {
    ended,
    stop() {
      stopped = true;
      response.destroy();
    },
  };
}

async function watchUntil(
  watch: Client["watch"],
  path: string,
  awaited: (event: WatchEvent) => boolean,
  timeout: number,
): Promise<WatchEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<WatchEvent>();
  let seen: WatchEvent | undefined;
  const watching = await watch(path, (event) => {
    seen = event;
    try {
      if (awaited(event)) resolve(event);
    } catch (cause) {
      reject(cause);
    }
  });
  const giveUp = (why: string) =>
    reject(new Error(`watch ${path}: ${why}; last event: ${JSON.stringify(seen) ?? "none"}`));
  const timer = setTimeout(() => giveUp(`not seen within ${timeout} ms`), timeout);
  watching.ended.then(() => giveUp("ended too early"));
  return promise.finally(() => {
    clearTimeout(timer);
    watching.stop();
  });
}

function exchange(url: URL, options: RequestOptions, body?: string | Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, options, resolve).once("error", reject).end(body);
  });
}

function toEvent(line: string): WatchEvent {
  const event = parseJson(line);
  const type = get(event, "type");
  const object = get(event, "object");
  if (typeof type !== "string" || object === undefined) throw new Error(`no watch event: ${line}`);
  return { type, object };
}

function isJson(response: IncomingMessage): boolean {
  return /^application\/([\w.-]+\+)?json\b/.test(response.headers["content-type"] ?? "");
}
