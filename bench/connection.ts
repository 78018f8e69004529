import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";

/**
 * A minimal client connection with one request at a time. `node:https` is slower than an API server, and a server that waits for
 * its client would not be measured under load.
 */
export class Connection {
  readonly #socket: TLSSocket;
  #chunks: Buffer[] = [];
  #settle: { resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the server closed the connection")));
  }

  /** Opens a connection to a local server, whose certificate is signed by the given CA (PEM). */
  static async open(port: number, ca: string): Promise<Connection> {
    const socket = connect({ host: "localhost", port, ca, servername: "localhost" });
    socket.setNoDelay(true);
    await once(socket, "secureConnect");
    return new Connection(socket);
  }

  /** Opens several connections to one server. */
  static openMany(count: number, port: number, ca: string): Promise<readonly Connection[]> {
    return Promise.all(Array.from({ length: count }, () => Connection.open(port, ca)));
  }

  /** Sends a complete request with headers; resolves with the body of the response. Rejects for any status except 200. */
  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#settle = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks);
    const body = bodyOf(bytes);
    if (body === undefined) return;
    this.#chunks = [];
    if (bytes.toString("latin1", 9, 12) === "200") this.#settle?.resolve(body);
    else this.#settle?.reject(new Error(`answered ${bytes.toString("latin1", 0, 200)}`));
  }
}

/** Sends a request so many times in all, sequentially on each connection. */
export async function askAll(
  connections: readonly Connection[],
  request: Buffer,
  times: number,
): Promise<void> {
  let left = times;
  const caller = async (connection: Connection) => {
    while (left-- > 0) await connection.ask(request);
  };
  await Promise.all(connections.map(caller));
}

/** A request with its headers, as an API server sends a review. */
export function requestOf(path: string, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

/** The body of a response; undefined while it is incomplete. Throws if its length is unknown. */
function bodyOf(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = bytes.toString("latin1", 0, end).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length === undefined) {
    if (!/\r\ntransfer-encoding: *chunked/.test(head)) throw new Error(`an answer of no length: ${head}`);
    return pieces(bytes.subarray(end + 4));
  }
  const stop = end + 4 + Number(length);
  return bytes.length < stop ? undefined : bytes.subarray(end + 4, stop);
}

/** The content of a body with `Transfer-Encoding: chunked`. */
function pieces(bytes: Buffer): Buffer | undefined {
  const found: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return undefined;
    const length = Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (Number.isNaN(length)) throw new Error("an answer whose pieces have no length");
    const next = line + 2 + length + 2;
    if (bytes.length < next) return undefined;
    if (length === 0) return Buffer.concat(found);
    found.push(bytes.subarray(line + 2, next - 2));
    at = next;
  }
}
