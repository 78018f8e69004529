import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { Agent } from "node:https";
import { connect } from "node:tls";
import { expect, it } from "vitest";
import { type Authority, createAuthority } from "../../certs/authority.ts";
import type { KeyPair } from "../../certs/keypair.ts";
import { CheckedSource } from "../../certs/source.ts";
import { rsaPair } from "../certs/rsa.ts";
import { ask, call, dial, post, type Stage, seen, setStage } from "./stage.ts";

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

async function givenStage() {
  const [first, second] = await pairs;
  if (first === undefined || second === undefined) throw new Error("no pairs");
  const source = new GivenSource();
  const stage = await setStage({ certificates: source });
  const { certificate } = await authority;
  const trusting = { ...stage, certificates: { authority: () => certificate } };
  return { source, stage: trusting, first, second };
}

it("without a certificate it listens, says why it is not ready, and serves once one comes", async () => {
  const { source, stage, first } = await givenStage();
  expect(await ask(stage, "/readyz")).toMatchObject({
    status: 503,
    text: expect.stringContaining("certificate"),
  });
  expect((await ask(stage, "/metrics")).text).toContain(
    "antechamber_certificate_expiry_timestamp_seconds 0\n",
  );
  await expect(call(stage)).rejects.toThrow();
  source.give(first);
  expect((await ask(stage, "/readyz")).status).toBe(200);
  expect((await call(stage)).status).toBe(200);
  const expiry = new X509Certificate(first.certificate).validToDate.getTime() / 1000;
  expect((await ask(stage, "/metrics")).text).toContain(
    `antechamber_certificate_expiry_timestamp_seconds ${expiry}\n`,
  );
});

it("a new certificate is served to new connections, and no old one is dropped", async () => {
  const { source, stage, first, second } = await givenStage();
  source.give(first);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await call(stage, { agent });
  const old = await dial(stage);
  source.give(second);
  const serial = async () => (await dial(stage)).getPeerX509Certificate()?.serialNumber;
  expect(await serial()).toBe(new X509Certificate(second.certificate).serialNumber);
  old.write(post("{}"));
  await seen(old, /^HTTP\/1.1 200 /);
  expect((await call(stage, { agent })).status).toBe(200);
  agent.destroy();
});

it.each(["before", "after"])(
  "TLS 1.1 is rejected %s a new certificate came, TLS 1.2 is not",
  async (when) => {
    const { source, stage, first, second } = await givenStage();
    source.give(first);
    if (when === "after") source.give(second);
    const shake = async (version: "TLSv1.1" | "TLSv1.2") => {
      const socket = connect({
        port: stage.service.port,
        host: "127.0.0.1",
        ca: stage.certificates.authority(),
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
async function agree({ service }: Stage, ca: string, ciphers: string): Promise<string> {
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
  const stage = await setStage({ certificates: source });
  const pair = rsaPair(2048, new Date());
  source.give(pair);
  for (const suite of ["AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA"]) {
    await expect(agree(stage, pair.certificate, suite)).rejects.toThrow(/handshake failure/);
  }
  for (const suite of ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-CHACHA20-POLY1305"]) {
    expect(await agree(stage, pair.certificate, suite)).toBe(suite);
  }
});

it("TLS 1.2 is served with the keys that are made here", async () => {
  const { source, stage, first } = await givenStage();
  source.give(first);
  const { certificate } = await authority;
  const suite = "ECDHE-ECDSA-AES128-GCM-SHA256";
  expect(await agree(stage, certificate, suite)).toBe(suite);
});

it("HTTP/2 is not offered", async () => {
  const { source, stage, first } = await givenStage();
  source.give(first);
  const socket = connect({
    port: stage.service.port,
    host: "127.0.0.1",
    ca: stage.certificates.authority(),
    ALPNProtocols: ["h2", "http/1.1"],
  });
  await once(socket, "secureConnect");
  expect(socket.alpnProtocol).toBe("http/1.1");
  socket.destroy();
});

it("a port that is in use is an error, and the other port is closed again", async () => {
  const { service } = await setStage();
  await expect(setStage({ port: service.port })).rejects.toThrow("EADDRINUSE");
  await expect(setStage({ opsPort: service.opsPort })).rejects.toThrow("EADDRINUSE");
});
