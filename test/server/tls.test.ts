import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { Agent } from "node:https";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { type Authority, createAuthority } from "../../certs/authority.ts";
import type { KeyPair } from "../../certs/keypair.ts";
import { CheckedSource } from "../../certs/source.ts";
import { rsaPair } from "../certs/rsa.ts";
import { ask, call, dial, post, seen, startTestServer, type TestServer } from "./test-server.ts";

/** A source that holds what it is given. */
class GivenSource extends CheckedSource {
  protected override examine(): Promise<void> {
    return Promise.resolve();
  }
  override authority(): undefined {
    return undefined;
  }
  give(pair: KeyPair): void {
    this.take(pair);
  }
}

const authority: Promise<Authority> = createAuthority({ commonName: "test", now: new Date(), days: 30 });
const pairs = authority.then(({ issue }) =>
  Promise.all([1, 2].map((days) => issue({ hosts: ["127.0.0.1"], now: new Date(), days }))),
);

async function startWithSource() {
  const [first, second] = await pairs;
  if (first === undefined || second === undefined) throw new Error("no pairs");
  const source = new GivenSource();
  const server = await startTestServer({ certificates: source });
  const { certificate } = await authority;
  const trusting = { ...server, certificates: { authority: () => certificate } };
  return { source, server: trusting, first, second };
}

it("without a certificate it listens, says why it is not ready, and serves once one comes", async () => {
  const { source, server, first } = await startWithSource();
  expect(await ask(server, "/readyz")).toMatchObject({
    status: 503,
    text: expect.stringContaining("certificate"),
  });
  expect((await ask(server, "/metrics")).text).toContain(
    "antechamber_certificate_expiry_timestamp_seconds 0\n",
  );
  await expect(call(server)).rejects.toThrow();
  source.give(first);
  expect((await ask(server, "/readyz")).status).toBe(200);
  expect((await call(server)).status).toBe(200);
  const expiry = new X509Certificate(first.certificate).validToDate.getTime() / 1000;
  expect((await ask(server, "/metrics")).text).toContain(
    `antechamber_certificate_expiry_timestamp_seconds ${expiry}\n`,
  );
});

it("a new certificate is served to new connections, and no old one is dropped", async () => {
  const { source, server, first, second } = await startWithSource();
  source.give(first);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await call(server, { agent });
  const old = await dial(server);
  source.give(second);
  const serial = async () => (await dial(server)).getPeerX509Certificate()?.serialNumber;
  expect(await serial()).toBe(new X509Certificate(second.certificate).serialNumber);
  old.write(post("{}"));
  await seen(old, /^HTTP\/1.1 200 /);
  expect((await call(server, { agent })).status).toBe(200);
  agent.destroy();
});

it.each(["before", "after"])(
  "TLS 1.1 is rejected %s a new certificate came, TLS 1.2 is not",
  async (when) => {
    const { source, server, first, second } = await startWithSource();
    source.give(first);
    if (when === "after") source.give(second);
    const shake = async (version: "TLSv1.1" | "TLSv1.2") => {
      const socket = connect({
        port: server.service.port,
        host: "127.0.0.1",
        ca: server.certificates.authority(),
        minVersion: version,
        maxVersion: version,
        ciphers: "DEFAULT@SECLEVEL=0",
      });
      await once(socket, "secureConnect");
      const protocol = socket.getProtocol();
      socket.destroy();
      return protocol;
    };
    expect(await shake("TLSv1.2")).toBe("TLSv1.2");
    await expect(shake("TLSv1.1")).rejects.toThrow(/protocol version/);
  },
);

/** Shakes hands by TLS 1.2 with one cipher suite; gives the name of what was agreed on. */
async function agree({ service }: TestServer, ca: string, ciphers: string): Promise<string> {
  const socket = connect({ port: service.port, host: "127.0.0.1", ca, maxVersion: "TLSv1.2", ciphers });
  try {
    await once(socket, "secureConnect");
    return socket.getCipher().name;
  } finally {
    socket.destroy();
  }
}

it("TLS 1.2 is served with forward secrecy and authenticated encryption alone, with an RSA key too", async () => {
  const source = new GivenSource();
  const server = await startTestServer({ certificates: source });
  const pair = rsaPair(2048, new Date());
  source.give(pair);
  for (const suite of ["AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA"]) {
    await expect(agree(server, pair.certificate, suite)).rejects.toThrow(/handshake failure/);
  }
  for (const suite of ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"]) {
    expect(await agree(server, pair.certificate, suite)).toBe(suite);
  }
});

it("TLS 1.2 is served with the keys that are made here", async () => {
  const { source, server, first } = await startWithSource();
  source.give(first);
  const { certificate } = await authority;
  const suite = "ECDHE-ECDSA-AES128-GCM-SHA256";
  expect(await agree(server, certificate, suite)).toBe(suite);
});

it("HTTP/2 is not offered", async () => {
  const { source, server, first } = await startWithSource();
  source.give(first);
  const socket = connect({
    port: server.service.port,
    host: "127.0.0.1",
    ca: server.certificates.authority(),
    ALPNProtocols: ["h2", "http/1.1"],
  });
  await once(socket, "secureConnect");
  expect(socket.alpnProtocol).toBe("http/1.1");
  socket.destroy();
});

it("a port that is in use is an error, and the other port is closed again", async () => {
  const { service } = await startTestServer();
  await expect(startTestServer({ port: service.port })).rejects.toThrow("EADDRINUSE");
  await expect(startTestServer({ opsPort: service.opsPort })).rejects.toThrow("EADDRINUSE");
});
