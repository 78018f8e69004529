import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { mostText } from "../json/document.ts";
import { parseJson, writeJson } from "../json/exact.ts";
import { get, type Json } from "../json/json.ts";
import { beginningOf, linesOf, textOf } from "./stream.ts";

/** There is no API server to speak to: no kubeconfig, one that cannot be used, or nobody who answers. */
export class ClusterUnreachable extends Error {
  override readonly name = "ClusterUnreachable";
}

/** A watch cannot begin where it was asked to: that is too long ago. */
export class ResourceExpired extends Error {
  override readonly name = "ResourceExpired";
}

/** What an API server answered. */
export interface ClusterResponse {
  readonly status: number;
  /** Seconds after which it wants to be asked again. */
  readonly retryAfter: number | undefined;
  /** The answer as JSON, integers exact; undefined where it is no JSON. */
  readonly body: Json | undefined;
  readonly text: string;
}

/** More of a request: a body makes it JSON unless it says otherwise. */
export interface ClusterRequest {
  readonly body?: Json;
  readonly contentType?: string;
  readonly accept?: string;
}

/** An API server, spoken to as the user of a kubeconfig or of a pod. */
export interface Connection {
  readonly server: string;
  /** One request; any status is an answer. Rejects with ClusterUnreachable where nobody answers. */
  readonly request: (method: string, path: string, details?: ClusterRequest) => Promise<ClusterResponse>;
  /**
   * The lines of a watch as they come, until the server ends it. Rejects with ResourceExpired where it cannot begin there any
   * more, with ClusterUnreachable where nobody answers, the server will not, or nothing is heard for `silence` milliseconds.
   */
  readonly watch: (
    path: string,
    accept: string,
    silence: number,
    signal: AbortSignal,
  ) => AsyncIterable<string>;
  /** Closes connections that are kept alive. */
  readonly close: () => void;
}

/**
 * Reads the kubeconfig: the file that is named, else those of KUBECONFIG, else `~/.kube/config`, else a pod's own account.
 * Nothing is asked of the server yet. Throws ClusterUnreachable.
 */
export async function connect(kubeconfig?: string): Promise<Connection> {
  // 60 MB that no other command has a use for: kubeconfigs have too many ways of logging in for us to write them.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const from = kubeconfig ?? "the kubeconfig";
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw new ClusterUnreachable(`${from} cannot be read: ${sentenceOf(error)}`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ClusterUnreachable(`${from} has no current context; kubectl config use-context sets one`);
  // What client-node falls back to where there is no kubeconfig at all.
  if (cluster.server === "http://localhost:8080") {
    throw new ClusterUnreachable("there is no kubeconfig; give --kubeconfig <file>, or set KUBECONFIG");
  }
  const server = cluster.server.replace(/\/$/, "");
  if (!server.startsWith("https://")) throw new ClusterUnreachable(`${from}: ${server} is not https`);
  const agent = new Agent({ keepAlive: true });
  const authorize = async (options: RequestOptions): Promise<RequestOptions> => {
    try {
      // Each time, since a token may have to be renewed. It writes into what it is given.
      await config.applyToHTTPSOptions(options);
    } catch (error) {
      throw new ClusterUnreachable(`${from} does not log in: ${sentenceOf(error)}`);
    }
    // Its own agent knows the way through a proxy, but opens a connection a request.
    return cluster.proxyUrl ? options : { ...options, agent };
  };
  return {
    server,
    request: (method, path, details = {}) => ask(server, method, path, details, authorize),
    watch: (path, accept, silence, signal) => follow(server, path, { accept, silence, signal }, authorize),
    close: () => agent.destroy(),
  };
}

/** No request of ours takes an API server longer; its own limit is a minute, too. */
const longest = 65_000;

async function ask(
  server: string,
  method: string,
  path: string,
  { body, contentType = "application/json", accept = "application/json" }: ClusterRequest,
  authorize: (options: RequestOptions) => Promise<RequestOptions>,
): Promise<ClusterResponse> {
  const headers = {
    accept,
    "user-agent": "antechamber",
    ...(body === undefined ? {} : { "content-type": contentType }),
  };
  const options = await authorize({ method, headers });
  const signal = AbortSignal.timeout(longest);
  try {
    const {
      statusCode = 0,
      headers,
      content,
    } = await exchange(`${server}${path}`, { ...options, signal }, body);
    const json = /^application\/([\w.-]+\+)?json\b/.test(headers["content-type"] ?? "");
    const seconds = headers["retry-after"];
    return {
      status: statusCode,
      retryAfter: seconds !== undefined && /^\d{1,5}$/.test(seconds) ? Number(seconds) : undefined,
      body: json ? parseJson(content) : undefined,
      text: content,
    };
  } catch (error) {
    throw new ClusterUnreachable(
      `${server} does not answer: ${signal.aborted ? "it takes too long" : sentenceOf(error)}`,
    );
  }
}

async function* follow(
  server: string,
  path: string,
  { accept, silence, signal }: { accept: string; silence: number; signal: AbortSignal },
  authorize: (options: RequestOptions) => Promise<RequestOptions>,
): AsyncGenerator<string, void, void> {
  const options = await authorize({
    method: "GET",
    headers: { accept, "user-agent": "antechamber" },
  });
  try {
    const response = await open(`${server}${path}`, { ...options, signal }, undefined);
    if (response.statusCode === 410) throw new ResourceExpired(await refusalIn(response));
    if (response.statusCode !== 200) throw new Error(await refusalIn(response));
    yield* linesOf(response, silence);
  } catch (error) {
    if (error instanceof ResourceExpired) throw error;
    throw new ClusterUnreachable(`${server} cannot be followed: ${sentenceOf(error)}`);
  }
}

/** What a server says that does not begin a watch; a proxy may say much. */
async function refusalIn(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(new Error("it takes too long")), longest);
  const { text: said } = await beginningOf(response, 2_000).finally(() => clearTimeout(timer));
  try {
    const message = get(parseJson(said), "message");
    if (typeof message === "string") return message;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `HTTP ${response.statusCode}`;
}

async function exchange(url: string, options: RequestOptions, body: Json | undefined) {
  const response = await open(url, options, body);
  return {
    statusCode: response.statusCode,
    headers: response.headers,
    content: await textOf(response, mostText),
  };
}

function open(url: string, options: RequestOptions, body: Json | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const call = request(url, options, resolve);
  call
    .setTimeout(longest, () => call.destroy(new Error("it takes too long")))
    .once("error", reject)
    .end(body === undefined ? undefined : writeJson(body));
  return promise;
}

/** What an error says. Node gathers those of several addresses in one that says nothing itself. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return sentenceOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
