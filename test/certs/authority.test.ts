import { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Authority, createAuthority } from "../../certs/authority.ts";
import { checkHost } from "../../certs/host.ts";
import { checkPair, type KeyPair } from "../../certs/keypair.ts";
import { handshake, serverWith } from "./handshake.ts";

const second = 1000 * Math.floor(Date.now() / 1000);
const now = new Date(second + 750);
const hoursLater = (hours: number) => new Date(second + hours * 3_600_000);
const hosts = ["localhost", "127.0.0.1", "::1", "webhook.default.svc", "*.antechamber.example", "localhost"];

let authority: Authority;
let pair: KeyPair;
let ca: X509Certificate;
let leaf: X509Certificate;

beforeAll(async () => {
  authority = await createAuthority({ commonName: "test authority", now, days: 100 });
  pair = await authority.issue({ hosts, now, days: 10 });
  ca = new X509Certificate(authority.certificate);
  leaf = new X509Certificate(pair.certificate);
});

describe("an authority", () => {
  it("is a CA that may sign certificates but no other CA, with a key on P-256", () => {
    expect(ca.ca).toBe(true);
    expect(ca.checkIssued(ca)).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(ca.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
    expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
    // basicConstraints, critical: SEQUENCE { BOOLEAN true, INTEGER 0 }
    expect(ca.raw.includes(Buffer.from("0603551d130101ff040830060101ff020100", "hex"))).toBe(true);
    // keyUsage, critical: bits 5 and 6, keyCertSign and cRLSign
    expect(ca.raw.includes(Buffer.from("0603551d0f0101ff040403020106", "hex"))).toBe(true);
  });

  it("is valid from an hour ago, for the given number of days", () => {
    expect(ca.validFromDate).toEqual(hoursLater(-1));
    expect(ca.validToDate).toEqual(hoursLater(100 * 24));
    expect(authority.notAfter).toEqual(ca.validToDate);
  });

  it("may be valid beyond 2049, where the year has four digits", async () => {
    const long = new X509Certificate(
      (await createAuthority({ commonName: "a", now, days: 36_500 })).certificate,
    );
    expect([long.validFromDate, long.validToDate]).toEqual([hoursLater(-1), hoursLater(36_500 * 24)]);
  });

  it.each(["", "a\nb", "Tür", "a".repeat(58)])("refuses the name %j", async (commonName) => {
    await expect(createAuthority({ commonName, now, days: 1 })).rejects.toThrow("cannot name an authority");
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 36_501])(
    "refuses to live for %d days",
    async (days) => {
      await expect(createAuthority({ commonName: "a", now, days })).rejects.toThrow(
        `cannot be valid for ${days} days`,
      );
      await expect(authority.issue({ hosts, now, days })).rejects.toThrow(`cannot be valid for ${days} days`);
    },
  );

  it("rejects an empty list of hosts, and an invalid host", async () => {
    await expect(authority.issue({ hosts: [], now, days: 1 })).rejects.toThrow("at least one host");
    await expect(authority.issue({ hosts: ["localhost", "a b"], now, days: 1 })).rejects.toThrow(
      '"a b" is neither',
    );
  });

  it("issues no certificate before or after its own validity", async () => {
    const before = hoursLater(-365 * 24);
    const after = hoursLater(365 * 24);
    await expect(authority.issue({ hosts, now: before, days: 10 })).rejects.toThrow("create a new one");
    await expect(authority.issue({ hosts, now: after, days: 10 })).rejects.toThrow("create a new one");
  });
});

describe("an issued certificate", () => {
  it("is signed by the authority and is not a CA itself", () => {
    expect(leaf.checkIssued(ca)).toBe(true);
    expect(leaf.verify(ca.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(leaf.checkIssued(leaf)).toBe(false);
    expect(leaf.publicKey.equals(ca.publicKey)).toBe(false);
    expect(checkPair(pair, now)).toBeUndefined();
  });

  it("is valid for servers only", () => {
    expect(leaf.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    // keyUsage, critical: bit 0, digitalSignature
    expect(leaf.raw.includes(Buffer.from("0603551d0f0101ff040403020780", "hex"))).toBe(true);
  });

  it("names its issuer's key as the issuer names it", () => {
    const ids = { ofCa: keyIdOf(ca, "0603551d0e04160414"), ofLeaf: keyIdOf(leaf, "0603551d0e04160414") };
    expect(keyIdOf(leaf, "0603551d230418301680" + "14")).toBe(ids.ofCa);
    expect(ids.ofLeaf).not.toBe(ids.ofCa);
  });

  it("names each host once", () => {
    expect(leaf.subjectAltName).toBe(
      "DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, DNS:webhook.default.svc, DNS:*.antechamber.example",
    );
  });

  it("is valid for its hosts and for no other", () => {
    expect(leaf.checkHost("localhost")).toBeDefined();
    expect(leaf.checkHost("a.antechamber.example")).toBeDefined();
    expect(leaf.checkIP("127.0.0.1")).toBeDefined();
    expect(leaf.checkIP("::1")).toBeDefined();
    expect(leaf.checkHost("webhook.other.svc")).toBeUndefined();
    expect(leaf.checkIP("127.0.0.2")).toBeUndefined();
  });

  it("is valid for every host that is accepted, and never before or after its authority", async () => {
    const arbitrary = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
    const many = fc
      .sample(arbitrary, { numRuns: 300, seed: 20 })
      .filter((host) => checkHost(host) === undefined);
    expect(many.length).toBeGreaterThan(250);
    const issued = await authority.issue({ hosts: many, now: hoursLater(-2), days: 3650 });
    const certificate = new X509Certificate(issued.certificate);
    const unknown = many.filter(
      (host) => (certificate.checkHost(host) ?? certificate.checkIP(host)) === undefined,
    );
    expect(unknown).toEqual([]);
    expect(certificate.validToDate).toEqual(ca.validToDate);
    expect(certificate.validFromDate).toEqual(ca.validFromDate);
    expect(leaf.validToDate).toEqual(hoursLater(10 * 24));
    expect(certificate.serialNumber).not.toBe(leaf.serialNumber);
  });

  it("has a positive serial of 128 bits that is not its authority's", () => {
    for (const certificate of [ca, leaf]) expect(certificate.serialNumber).toMatch(/^[0-7][0-9A-F]{31}$/);
    expect(leaf.serialNumber).not.toBe(ca.serialNumber);
  });
});

describe("a client that trusts the authority alone", () => {
  let served: Awaited<ReturnType<typeof serverWith>>;
  let otherAuthority: Authority;

  beforeAll(async () => {
    otherAuthority = await createAuthority({ commonName: "test authority", now, days: 1 });
    served = await serverWith(pair);
  });

  afterAll(() => served.server.close());

  it.each(["localhost", "127.0.0.1", "::1"])("accepts the certificate for %s", async (host) => {
    await expect(handshake(served.port, authority.certificate, host)).resolves.toMatch(/^[0-9A-F]{32}$/);
  });

  it.each(["other.example", "127.0.0.2", "::2"])("rejects it for %s", async (host) => {
    await expect(handshake(served.port, authority.certificate, host)).rejects.toMatchObject({
      code: "ERR_TLS_CERT_ALTNAME_INVALID",
    });
  });

  it("rejects it if it trusts another authority of the same name", async () => {
    await expect(handshake(served.port, otherAuthority.certificate, "localhost")).rejects.toMatchObject({
      code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    });
  });
});

/** The twenty bytes after a key identifier's beginning in DER. */
function keyIdOf(certificate: X509Certificate, beginning: string): string {
  const at = certificate.raw.indexOf(Buffer.from(beginning, "hex"));
  expect(at).toBeGreaterThan(0);
  return certificate.raw.toString("hex", at + beginning.length / 2, at + beginning.length / 2 + 20);
}
