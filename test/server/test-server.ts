import { once } from "node:events";
import { request as plainRequest } from "node:http";
import { type Agent, type RequestOptions, request } from "node:https";
import { connect as plainConnect, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { pino } from "pino";
import { expect, onTestFinished } from "vitest";
import { localSource } from "../../certs/local.ts";
import type { CertificateSource } from "../../certs/source.ts";
import { get, type Json, type JsonObject } from "../../src/json/json.ts";
import { type Answer, UnreadableReview } from "../../src/review/answer.ts";
import { type Service, type ServiceOptions, startService } from "../../src/server/service.ts";

/** A service on ports of its own, which closes at the end of the test, and access to its log. */
export interface TestServer {
  readonly service: Service;
  readonly certificates: Pick<CertificateSource, "authority">;
  /** Every line of its log. */
  readonly log: readonly JsonObject[];
  /** Resolves with the first line of this message, which may have been logged already. */
  readonly logged: (message: string) => Promise<JsonObject>;
  /** The answers that `{"hold": true}` waits for. */
  readonly held: (() => void)[];
  /** Resolves when one more answer is held. */
  readonly holds: () => Promise<void>;
}

/** One authority for a whole file. */
const authority = localSource({ now: () => new Date() });

/** Starts a service whose handlers answer as each review says. */
export async function startTestServer(options: Partial<ServiceOptions> = {}): Promise<TestServer> {
  const certificates = options.certificates ?? (await authority);
  const log: JsonObject[] = [];
  const watchers = new Set<() => void>();
  const write = (line: string) => {
    log.push(JSON.parse(line));
    for (const watcher of [...watchers]) watcher();
  };
  const held: (() => void)[] = [];
  const handler = (review: Json) => {
    const answer = actOut(review);
    if (get(review, "hold") !== true) return answer;
    return new Promise<Answer>((resolve) => {
      held.push(() => resolve(answer));
      for (const watcher of [...watchers]) watcher();
    });
  };
  const until = (met: () => boolean) =>
    new Promise<void>((resolve) => {
      const watcher = () => {
        if (!met()) return;
        watchers.delete(watcher);
        resolve();
      };
      watchers.add(watcher);
      watcher();
    });
  const service = await startService({
    handlers: { convert: handler, mutate: handler, validate: handler },
    certificates,
    host: "127.0.0.1",
    port: 0,
    opsPort: 0,
    grace: 0,
    log: pino({ level: "debug" }, { write }),
    ...options,
  });
  onTestFinished(() => service.close());
  const find = (message: string) => log.find(({ msg }) => msg === message);
  const logged = async (message: string) => {
    await until(() => find(message) !== undefined);
    return find(message) ?? {};
  };
  const holds = () => {
    const before = held.length;
    return until(() => held.length > before);
  };
  return { service, certificates, log, logged, held, holds };
}

/** Answers as the review itself says, by default with an echo of it. */
function actOut(review: Json): Answer {
  if (get(review, "boom") === true) throw new Error("the lamp at /etc/secret exploded");
  if (get(review, "unreadable") === true) throw new UnreadableReview("the review has no request");
  const report = { kind: "Lamp.home", uid: "u-1" };
  const outcome = get(review, "outcome");
  const answer = { review: { kind: "ConversionReview", echo: review } };
  if (outcome === "deny" || outcome === "allow" || outcome === "change" || outcome === "error") {
    const where = { namespace: "hall", name: "lamp-1", operation: "CREATE" };
    const why = outcome === "deny" ? { message: "too bright" } : {};
    return { ...answer, report: { review: "admission", ...report, ...where, outcome, ...why } };
  }
  const versions = { from: "v1beta1", to: "v1", objects: 2 };
  if (outcome !== "failure") {
    return { ...answer, report: { review: "conversion", ...report, ...versions, outcome: "success" } };
  }
  const failure = { outcome, message: "spec.color is odd" } as const;
  return { ...answer, report: { review: "conversion", ...report, ...versions, ...failure } };
}

/** What came back over HTTP. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** What to send; a body is sent as JSON unless the headers say otherwise. */
export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly agent?: Agent;
}

/** Sends one request to the HTTPS port. */
export async function call({ service, certificates }: TestServer, what: Call = {}): Promise<Reply> {
  const { method = "POST", path = "/convert", headers = {}, body = "{}", agent = false } = what;
  const ca = certificates.authority();
  const options: RequestOptions = {
    host: "127.0.0.1",
    port: service.port,
    agent,
    method,
    path,
    headers: { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body), ...headers },
    ...(ca === undefined ? {} : { ca }),
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Sends one request to the ops port. */
export function ask({ service }: TestServer, path: string, method = "GET"): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const outgoing = plainRequest(
      { host: "127.0.0.1", port: service.opsPort, path, method, agent: false },
      (response) => {
        let text = "";
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** A bare TLS connection to the HTTPS port, over a TCP connection of its own unless one is given. */
export async function dial({ service, certificates }: TestServer, over?: Socket): Promise<TLSSocket> {
  const ca = certificates.authority();
  const raw = over ?? plainConnect(service.port, "127.0.0.1");
  const socket = connect({ socket: raw, host: "127.0.0.1", ...(ca === undefined ? {} : { ca }) });
  // Some tests reset the connection; what was read before counts.
  socket.on("error", () => socket.destroy());
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, "secureConnect");
  return socket;
}

/** A bare TLS connection that can be reset, once what was sent on it has been read. */
export async function dialToReset(
  server: TestServer,
): Promise<{ readonly socket: TLSSocket; readonly reset: () => void }> {
  const raw = plainConnect(server.service.port, "127.0.0.1");
  const socket = await dial(server, raw);
  // A reset that meets the service's last message of the handshake looks to it like an end.
  const answered = seen(socket, /200 OK/);
  socket.write(post("{}"));
  await answered;
  return { socket, reset: () => void raw.resetAndDestroy() };
}

/** Everything that comes on a connection until it closes. */
export async function rest(socket: TLSSocket): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

/** Resolves as soon as what has come matches. */
export function seen(socket: TLSSocket, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
      if (pattern.test(text)) resolve(text);
    });
    socket.on("close", () => reject(new Error(`closed after ${JSON.stringify(text)}`)));
  });
}

/** Holds that the service still answers a good review. */
export async function expectAlive(server: TestServer): Promise<void> {
  expect((await call(server, { body: '{"good":1}' })).status).toBe(200);
}

/** Holds that a reply is a `metav1.Status` with a code, and gives its sentence. */
export function sentenceOf(reply: Reply, code: number): string {
  expect(reply.status).toBe(code);
  expect(reply.headers["content-type"]).toBe("application/json");
  const status = JSON.parse(reply.text);
  expect(status).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code });
  return status.message;
}

/** The text of a POST, as an API server would write it. */
export function post(body: string, headers: readonly string[] = [], path = "/convert"): string {
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
