import { X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { factsOf, type KeyPair } from "../../certs/keypair.ts";
import { localSource } from "../../certs/local.ts";
import { handshake, serverWith, toContext } from "./handshake.ts";

type Source = Awaited<ReturnType<typeof localSource>>;

const start = new Date();
const daysLater = (days: number) => new Date(start.getTime() + days * 86_400_000);

describe("a local source", () => {
  let source: Source;
  let present = start;
  let ticks: [() => void, number][];

  beforeAll(async () => {
    ticks = [];
    source = await localSource({
      hosts: ["laptop.example"],
      now: () => present,
      repeat: (task, milliseconds) => {
        ticks.push([task, milliseconds]);
        return () => undefined;
      },
    });
  });

  it("has a pair for this machine and the given names from the start, issued by its own authority", () => {
    expect(source.ready()).toBe(true);
    expect(source.fault()).toBeUndefined();
    const leaf = new X509Certificate(current(source).certificate);
    expect(leaf.subjectAltName).toBe(
      "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:laptop.example",
    );
    expect(leaf.verify(new X509Certificate(source.authority()).publicKey)).toBe(true);
  });

  it("renews within a tick after two thirds of the validity, from the same authority", async () => {
    const { server, port } = await serverWith(current(source));
    const old = factsOf(current(source).certificate);
    const authority = source.authority();
    source.onChange((pair) => server.setSecureContext(toContext(pair)));
    present = daysLater(19.9);
    await source.check();
    expect(factsOf(current(source).certificate)).toEqual(old);

    // The clock jumps: the laptop slept far beyond the certificate's end.
    present = daysLater(200);
    const changed = new Promise<KeyPair>((resolve) => source.onChange(resolve));
    expect(ticks).toEqual([[expect.any(Function), 60_000]]);
    ticks[0]?.[0]();
    const renewed = factsOf((await changed).certificate);
    expect(renewed.notAfter.getTime()).toBeGreaterThan(daysLater(229).getTime());
    expect(renewed.serial).not.toBe(old.serial);
    expect(source.authority()).toBe(authority);
    expect(new X509Certificate(current(source).certificate).checkIssued(new X509Certificate(authority))).toBe(
      true,
    );
    // Not yet valid for a client of today, which is how we know that the server shows it.
    await expect(handshake(port, authority, "localhost")).rejects.toMatchObject({
      code: "CERT_NOT_YET_VALID",
    });
    server.close();
    present = start;
  });

  it("keeps its pair while its authority cannot issue, and reports why", async () => {
    const before = source.current();
    present = daysLater(4000);
    await source.check();
    expect(source.current()).toEqual(before);
    expect(source.fault()).toMatch(/the authority is valid from .* create a new one$/);
    present = start;
    await source.check();
    expect(source.fault()).toBeUndefined();
  });
});

it("a local source is rejected for a host that a certificate cannot name", async () => {
  await expect(localSource({ hosts: ["a b"], now: () => start })).rejects.toThrow(
    '"a b" is neither a DNS name',
  );
});

function current(source: Source): KeyPair {
  const pair = source.current();
  if (pair === undefined) throw new Error(source.fault());
  return pair;
}
