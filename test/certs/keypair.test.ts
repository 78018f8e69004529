import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { createAuthority } from "../../certs/authority.ts";
import {
  certificateBlocks,
  checkCertificates,
  checkPair,
  factsOf,
  type KeyPair,
} from "../../certs/keypair.ts";
import { rsaPair } from "./rsa.ts";

const now = new Date("2030-01-15T12:00:00Z");

let pair: KeyPair;
let ca: string;

beforeAll(async () => {
  const authority = await createAuthority({ commonName: "test", now, days: 2 });
  ca = authority.certificate;
  pair = await authority.issue({ hosts: ["localhost"], now, days: 1 });
});

describe("a key pair", () => {
  it("is valid with a chain, with text around its certificates and with Windows line ends", () => {
    const chained = `Bag Attributes\n${pair.certificate}\nthe issuer:\n${ca}`;
    expect(checkPair({ ...pair, certificate: chained }, now)).toBeUndefined();
    expect(checkPair({ ...pair, certificate: chained.replaceAll("\n", "\r\n") }, now)).toBeUndefined();
    expect(factsOf(chained)).toEqual(factsOf(pair.certificate));
  });

  it("shows the facts of its certificate", () => {
    expect(factsOf(pair.certificate)).toEqual({
      serial: expect.stringMatching(/^[0-9A-F]{32}$/),
      notBefore: new Date("2030-01-15T11:00:00Z"),
      notAfter: new Date("2030-01-16T12:00:00Z"),
    });
  });

  it("is valid from its first second to its last, and not beyond", () => {
    expect(checkPair(pair, new Date("2030-01-15T11:00:00Z"))).toBeUndefined();
    expect(checkPair(pair, new Date("2030-01-16T12:00:00Z"))).toBeUndefined();
    expect(checkPair(pair, new Date("2030-01-15T10:59:59Z"))).toMatch(
      /not valid before 2030-01-15T11:00:00.000Z$/,
    );
    expect(checkPair(pair, new Date("2030-01-16T12:00:01Z"))).toMatch(/expired at 2030-01-16T12:00:00.000Z$/);
  });

  it("is rejected with another key", () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
    expect(checkPair({ ...pair, key }, now)).toMatch(
      /key does not belong to the certificate with serial [0-9A-F]{32}/,
    );
  });

  it("is rejected without a certificate, and without a key", () => {
    expect(checkPair({ ...pair, certificate: "" }, now)).toMatch(/no certificate in PEM/);
    expect(checkPair({ ...pair, certificate: pair.key }, now)).toMatch(/no certificate in PEM/);
    expect(checkPair({ ...pair, key: "" }, now)).toMatch(/not an unencrypted private key/);
    expect(checkPair({ ...pair, key: pair.certificate }, now)).toMatch(/not an unencrypted private key/);
  });

  it("is rejected with an encrypted key", () => {
    const key = createPrivateKey(pair.key)
      .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" })
      .toString();
    expect(checkPair({ ...pair, key }, now)).toMatch(/not an unencrypted private key in PEM/);
  });

  it("is rejected if TLS would reject it, such as an RSA key of 1024 bits", () => {
    expect(checkPair(rsaPair(1024, now), now)).toMatch(/^TLS rejects the pair: .*key too small/);
  });

  it("may have an RSA key", () => {
    expect(checkPair(rsaPair(2048, now), now)).toBeUndefined();
  });

  it("is rejected wherever one of its two texts is cut off", () => {
    const cuts = (text: string) => fc.nat({ max: text.trimEnd().length - 1 });
    fc.assert(
      fc.property(cuts(pair.certificate), cuts(pair.key), (inCertificate, inKey) => {
        expect(
          checkPair({ ...pair, certificate: pair.certificate.slice(0, inCertificate) }, now),
        ).toBeDefined();
        expect(checkPair({ ...pair, key: pair.key.slice(0, inKey) }, now)).toBeDefined();
      }),
    );
  });

  it("is rejected if a certificate of its chain is cut off or invalid", () => {
    const cut = { ...pair, certificate: pair.certificate + ca.slice(0, 300) };
    expect(checkPair(cut, now)).toMatch(/a certificate is truncated/);
    const junk = {
      ...pair,
      certificate: `${pair.certificate}${ca.slice(0, 300)}\n-----END CERTIFICATE-----\n`,
    };
    expect(checkPair(junk, now)).toMatch(/certificate 2 of 2 cannot be read/);
  });
});

describe("certificates in PEM", () => {
  it("are checked without an exception, whatever the text", () => {
    const scrap = fc.constantFrom(
      "-----BEGIN CERTIFICATE-----",
      "-----END CERTIFICATE-----",
      "\n",
      "MIIB",
      ca,
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(scrap, fc.string())), (scraps) => {
        const fault = checkCertificates(scraps.join(""));
        expect(fault === undefined || fault.length > 10).toBe(true);
      }),
    );
  });

  it("are distinguished", () => {
    expect(certificateBlocks(`x${pair.certificate}y${ca}z`)).toEqual([pair.certificate.trim(), ca.trim()]);
  });

  // In quadratic time it would take hours.
  it("are found in megabytes of BEGIN lines", () => {
    expect(checkCertificates("-----BEGIN CERTIFICATE-----".repeat(1_000_000))).toMatch(/truncated/);
  });
});
