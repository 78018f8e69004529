import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createServer as createSecure, connect as secure, type TLSSocket } from "node:tls";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type Authority, createAuthority } from "../../certs/authority.ts";
import type { KeyPair } from "../../certs/keypair.ts";
import { callerOf } from "../../src/server/connections/caller.ts";

const now = new Date();
let authority: Authority;
let pair: KeyPair;
let client: KeyPair;
let other: KeyPair;
beforeAll(async () => {
  authority = await createAuthority({ commonName: "test", now, days: 2 });
  pair = await authority.issue({ hosts: ["localhost"], now, days: 1 });
  client = await authority.issue({ hosts: ["client"], now, days: 1, owner: "client" });
  const untrusted = await createAuthority({ commonName: "untrusted", now, days: 2 });
  other = await untrusted.issue({ hosts: ["client"], now, days: 1, owner: "client" });
});

/** The server's end of a TLS connection from an address, perhaps with a client's certificate. */
async function accept(localAddress: string, shown?: KeyPair): Promise<TLSSocket> {
  const server = createSecure({
    cert: pair.certificate,
    key: pair.key,
    ca: authority.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const accepted = once(server, "secureConnection");
  const own = shown === undefined ? {} : { cert: shown.certificate, key: shown.key };
  const raw = connect({ port, host: "127.0.0.1", localAddress });
  const dialled = secure({ socket: raw, ca: authority.certificate, servername: "localhost", ...own });
  onTestFinished(() => {
    dialled.destroy();
    server.close();
  });
  const [socket] = await accepted;
  return socket;
}

it("a connection without a certificate belongs to its address", async () => {
  expect(callerOf(await accept("127.0.0.2"))).toBe("127.0.0.2");
});

it("a connection with a trusted certificate belongs to the certificate, from any address", async () => {
  const [one, two] = [await accept("127.0.0.2", client), await accept("127.0.0.3", client)];
  expect(callerOf(one)).toMatch(/^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  expect(callerOf(two)).toBe(callerOf(one));
});

it("a certificate that is not trusted is ignored", async () => {
  expect(callerOf(await accept("127.0.0.3", other))).toBe("127.0.0.3");
});

it("a connection belongs to the same caller after it has closed", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection");
  const dialled = connect((server.address() as { port: number }).port, "127.0.0.1");
  onTestFinished(() => {
    dialled.destroy();
    server.close();
  });
  const [socket]: Socket[] = await accepted;
  if (socket === undefined) throw new Error("no connection");
  expect(callerOf(socket)).toBe("127.0.0.1");
  const gone = once(socket, "close");
  socket.destroy();
  await gone;
  expect(callerOf(socket)).toBe("127.0.0.1");
});
