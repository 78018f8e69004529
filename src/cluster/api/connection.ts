import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { messageOf } from "../../errors.ts";
import { mostText } from "../../json/document.ts";
import { parseJson, writeJson } from "../../json/exact.ts";
import { get, type Json } from "../../json/json.ts";
import { type Environment, plainAccess } from "./access.ts";
import { beginningOf, linesOf, ResponseTooLong, textOf } from "./stream.ts";

/** No API server can be reached: there is no usable kubeconfig, or the server does not respond. */
export class ClusterUnreachable extends Error {
  override readonly name = "ClusterUnreachable";
}

/** The API server answered a watch with another status than 200. */
export class WatchRejected extends ClusterUnreachable {
  readonly status: number | undefined;

  constructor(status: number | undefined, message: string) {
    super(message);
    this.status = status;
  }
}

/** The response of an API server. */
export interface ClusterResponse {
  readonly status: number;
  /** Seconds of its Retry-After header. */
  readonly retryAfter: number | undefined;
  /** Its Date header. */
  readonly date?: Date | undefined;
  /** The body as JSON with exact integers; undefined if it is not JSON. */
  readonly body: Json | undefined;
  readonly text: string;
}

/** The optional parts of a request; the content type of a body is JSON by default. */
export interface ClusterRequest {
  readonly body?: Json;
  readonly contentType?: string;
  readonly accept?: string;
  /** How long the response may be. */
  readonly maxCharacters?: number;
}

/** A connection to an API server, as the user of a kubeconfig or the service account of a pod. */
export interface Connection {
  readonly server: string;
  /**
   * One request; resolves with any HTTP status. Rejects with ClusterUnreachable if the server does not respond, with
   * ResponseTooLong if its response is longer than `maxCharacters`.
   */
  readonly request: (method: string, path: string, details?: ClusterRequest) => Promise<ClusterResponse>;
  /**
   * The lines of a watch, until the server ends it. Rejects with WatchRejected if the server rejects it, with ClusterUnreachable
   * if it does not respond, or sends nothing for `silence` milliseconds.
   */
  readonly watch: (
    path: string,
    accept: string,
    silence: number,
    signal: AbortSignal,
  ) => AsyncIterable<string>;
  /** Closes idle connections. */
  readonly close: () => void;
}

/**
 * Reads the kubeconfig: the given file, else those of KUBECONFIG, else `~/.kube/config`, else the service account of the
 * pod, by the environment if it is given. Sends no request yet. Throws ClusterUnreachable.
 */
export async function connect(kubeconfig?: string, env: Environment = {}): Promise<Connection> {
  const agent = new Agent({ keepAlive: true });
  const { server, authorize } =
    (await plainlyAuthorized(kubeconfig, env, agent)) ?? (await authorizedByClient(kubeconfig, agent));
  return {
    server,
    request: (method, path, details = {}) => sendRequest(server, method, path, details, authorize),
    watch: (path, accept, silence, signal) => openWatch(server, path, { accept, silence, signal }, authorize),
    close: () => agent.destroy(),
  };
}

/** An API server, and what adds the credentials to the options of a request. */
interface Authorized {
  readonly server: string;
  readonly authorize: (options: RequestOptions) => Promise<RequestOptions>;
}

async function plainlyAuthorized(
  kubeconfig: string | undefined,
  env: Environment,
  agent: Agent,
): Promise<Authorized | undefined> {
  const access = await plainAccess(kubeconfig, { env, clock: () => performance.now() });
  if (access === undefined) return undefined;
  const { server, credentials } = access;
  const authorize = async (options: RequestOptions): Promise<RequestOptions> => {
    const { headers, ...rest } = await credentials().catch((error: unknown) => {
      throw unauthorized(kubeconfig ?? "the service account of the pod", error);
    });
    return { ...options, ...rest, agent, headers: { ...options.headers, ...headers } };
  };
  return { server, authorize };
}

/** By client-node, which implements the many authentication methods of kubeconfigs. */
async function authorizedByClient(kubeconfig: string | undefined, agent: Agent): Promise<Authorized> {
  const from = kubeconfig ?? "the kubeconfig";
  const { KubeConfig } = await clientNode(from);
  const config = new KubeConfig();
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw new ClusterUnreachable(`${from} cannot be read: ${sentenceOf(error)}`);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null)
    throw new ClusterUnreachable(`${from} has no current context; kubectl config use-context sets one`);
  // The fallback of client-node without any kubeconfig.
  if (cluster.server === "http://localhost:8080") {
    throw new ClusterUnreachable("no kubeconfig found; pass --kubeconfig <file>, or set KUBECONFIG");
  }
  const server = cluster.server.replace(/\/$/, "");
  if (!server.startsWith("https://")) throw new ClusterUnreachable(`${from}: ${server} is not https`);
  const authorize = async (options: RequestOptions): Promise<RequestOptions> => {
    try {
      // For each request, since a token may have to be renewed. It changes its argument.
      await config.applyToHTTPSOptions(options);
    } catch (error) {
      throw unauthorized(from, error);
    }
    // The agent of client-node supports proxies, but opens a connection per request.
    return cluster.proxyUrl ? options : { ...options, agent };
  };
  return { server, authorize };
}

/** Loaded only where it is needed, since it takes 60 MB. It is an optional dependency, which the image does not have. */
async function clientNode(from: string): Promise<typeof import("@kubernetes/client-node")> {
  try {
    return await import("@kubernetes/client-node");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) throw error;
    throw new ClusterUnreachable(
      `${from} is not read without the package @kubernetes/client-node, which is not installed: run npm install @kubernetes/client-node, or pass --kubeconfig with a file that has certificates or a token`,
    );
  }
}

function unauthorized(from: string, error: unknown): ClusterUnreachable {
  return new ClusterUnreachable(`authentication with ${from} failed: ${sentenceOf(error)}`);
}

/** A little more than the request timeout of an API server, which is a minute. */
const requestTimeout = 65_000;

async function sendRequest(
  server: string,
  method: string,
  path: string,
  {
    body,
    contentType = "application/json",
    accept = "application/json",
    maxCharacters = mostText,
  }: ClusterRequest,
  authorize: (options: RequestOptions) => Promise<RequestOptions>,
): Promise<ClusterResponse> {
  const headers = {
    accept,
    "user-agent": "antechamber",
    ...(body === undefined ? {} : { "content-type": contentType }),
  };
  const options = await authorize({ method, headers });
  const signal = AbortSignal.timeout(requestTimeout);
  try {
    const {
      statusCode = 0,
      headers,
      content,
    } = await exchange(`${server}${path}`, { ...options, signal }, body, maxCharacters);
    const json = /^application\/([\w.-]+\+)?json\b/.test(headers["content-type"] ?? "");
    const seconds = headers["retry-after"];
    const date = new Date(headers.date ?? "");
    return {
      status: statusCode,
      retryAfter: seconds !== undefined && /^\d{1,5}$/.test(seconds) ? Number(seconds) : undefined,
      date: Number.isNaN(date.getTime()) ? undefined : date,
      body: json ? parseJson(content) : undefined,
      text: content,
    };
  } catch (error) {
    if (error instanceof ResponseTooLong) throw error;
    throw new ClusterUnreachable(
      `${server} does not answer: ${signal.aborted ? "it timed out" : sentenceOf(error)}`,
    );
  }
}

async function* openWatch(
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
    if (response.statusCode !== 200)
      throw new WatchRejected(response.statusCode, await errorMessageIn(response));
    yield* linesOf(response, silence);
  } catch (error) {
    const sentence = `${server} cannot be watched: ${sentenceOf(error)}`;
    throw error instanceof WatchRejected
      ? new WatchRejected(error.status, sentence)
      : new ClusterUnreachable(sentence);
  }
}

/** The error message of a response that does not start a watch; the response of a proxy may be long. */
async function errorMessageIn(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(new Error("it timed out")), requestTimeout);
  const { text } = await beginningOf(response, 2_000).finally(() => clearTimeout(timer));
  try {
    const message = get(parseJson(text), "message");
    if (typeof message === "string") return message;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `HTTP ${response.statusCode}`;
}

async function exchange(url: string, options: RequestOptions, body: Json | undefined, maxCharacters: number) {
  const response = await open(url, options, body);
  return {
    statusCode: response.statusCode,
    headers: response.headers,
    content: await textOf(response, maxCharacters),
  };
}

function open(url: string, options: RequestOptions, body: Json | undefined): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const text = body === undefined ? undefined : writeJson(body);
  // Of a DELETE, Node.js would send neither the length nor chunks, and the server take the body for the next request.
  const length = text === undefined ? {} : { "content-length": Buffer.byteLength(text) };
  const call = request(url, { ...options, headers: { ...options.headers, ...length } }, resolve);
  call
    .setTimeout(requestTimeout, () => call.destroy(new Error("it timed out")))
    .once("error", reject)
    .end(text);
  return promise;
}

/** The message of an error. If several addresses failed, Node.js throws an AggregateError without a message. */
function sentenceOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return sentenceOf(error.errors[0]);
  return messageOf(error);
}
