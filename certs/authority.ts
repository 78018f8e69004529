import { generateKeyPair, type KeyObject, randomBytes, randomInt } from "node:crypto";
import { promisify } from "node:util";
import { toHost } from "./host.ts";
import type { KeyPair } from "./keypair.ts";
import { keyIdentifierOf, signCertificate, subjectKeyIdentifier } from "./x509.ts";

/** A CA that can issue key pairs. Its key stays in memory and serves nobody itself. */
export interface Authority {
  /** PEM of the CA's certificate: what callers must trust. */
  readonly certificate: string;
  readonly notAfter: Date;
  /** A new key and a certificate for it, which never outlives the authority. Rejects with a sentence. */
  readonly issue: (order: IssueOrder) => Promise<KeyPair>;
}

/** What a certificate is ordered for. */
export interface IssueOrder {
  /** DNS names and IP addresses, at least one: nobody looks at a common name (kubernetes.md 1.5). */
  readonly hosts: readonly string[];
  readonly now: Date;
  readonly days: number;
  /** Who shows it: servers unless told. Neither is believed with the other's. */
  readonly owner?: "server" | "client";
}

/** What a CA is made from. */
export interface AuthorityOrder {
  readonly commonName: string;
  readonly now: Date;
  readonly days: number;
}

/** Makes a CA with a key of its own. */
export async function createAuthority({ commonName, now, days }: AuthorityOrder): Promise<Authority> {
  checkCommonName(commonName);
  const life = lifeFrom(now, days);
  const keys = await newKeys();
  const content = { serial: newSerial(), issuer: commonName, subject: commonName, ...life };
  const extensions = [
    { name: "basicConstraints", critical: true, cA: true, pathLenConstraint: 0 },
    { name: "keyUsage", critical: true, keyCertSign: true, cRLSign: true },
    subjectKeyIdentifier(keys.publicKey),
  ];
  const signer: Signer = { commonName, keys, life };
  return {
    certificate: await signCertificate(
      { ...content, publicKey: keys.publicKey, extensions },
      keys.privateKey,
    ),
    notAfter: life.notAfter,
    issue: (order) => issue(signer, order),
  };
}

interface Signer {
  readonly commonName: string;
  readonly keys: Keys;
  readonly life: Life;
}

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

async function issue(signer: Signer, { hosts, now, days, owner = "server" }: IssueOrder): Promise<KeyPair> {
  const altNames = toAltNames(hosts);
  const life = within(signer.life, lifeFrom(now, days));
  const { publicKey, privateKey } = await newKeys();
  // Never the authority's own name: a leaf whose issuer is its subject passes for self-signed.
  const subject = `${signer.commonName} ${owner}`;
  const extensions = [
    { name: "basicConstraints", critical: true, cA: false },
    { name: "keyUsage", critical: true, digitalSignature: true },
    { name: "extKeyUsage", [`${owner}Auth`]: true },
    subjectKeyIdentifier(publicKey),
    { name: "authorityKeyIdentifier", keyIdentifier: keyIdentifierOf(signer.keys.publicKey) },
    { name: "subjectAltName", altNames },
  ];
  const content = { serial: newSerial(), issuer: signer.commonName, subject, ...life, publicKey, extensions };
  return {
    certificate: await signCertificate(content, signer.keys.privateKey),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** 128 bits of chance; the first byte keeps it positive and without a leading zero (RFC 5280 4.1.2.2). */
function newSerial(): string {
  return Buffer.from([randomInt(0x01, 0x80), ...randomBytes(15)]).toString("hex");
}

/** On P-256, which every API server takes; to sign by them costs a handshake a fraction of what RSA does. */
function newKeys(): Promise<Keys> {
  return promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
}

function toAltNames(hosts: readonly string[]): readonly object[] {
  if (hosts.length === 0)
    throw new Error("a certificate needs at least one host; give a DNS name or an IP address");
  const unique = new Map(hosts.map(toHost).map((host) => [JSON.stringify(host), host]));
  return [...unique.values()].map((host) =>
    host.type === "ip" ? { type: 7, ip: host.ip } : { type: 2, value: host.name },
  );
}

function lifeFrom(now: Date, days: number): Life {
  if (!(days > 0 && days <= longestLife)) {
    throw new Error(
      `a certificate cannot live for ${days} days; give a number above 0, at most ${longestLife}`,
    );
  }
  const second = Math.floor(now.getTime() / 1000) * 1000;
  return { notBefore: new Date(second - skew), notAfter: new Date(second + days * day) };
}

function within(outer: Life, inner: Life): Life {
  const notBefore = inner.notBefore < outer.notBefore ? outer.notBefore : inner.notBefore;
  const notAfter = inner.notAfter > outer.notAfter ? outer.notAfter : inner.notAfter;
  if (notAfter > notBefore) return { notBefore, notAfter };
  const span = `from ${outer.notBefore.toISOString()} to ${outer.notAfter.toISOString()}`;
  throw new Error(`the authority is valid ${span} and cannot issue outside of it; make a new one`);
}

/** PrintableString, which every verifier reads, and room in X.520's 64 characters for the leaf's name. */
function checkCommonName(commonName: string): void {
  if (/^[A-Za-z0-9 '()+,./:=?-]{1,57}$/.test(commonName)) return;
  throw new Error(
    `"${commonName}" cannot name an authority; use 1 to 57 letters, digits, spaces and '()+,-./:=?`,
  );
}

const day = 24 * 60 * 60 * 1000;
/** Clocks of a cluster differ; an hour is what cert-controller allows (kubernetes.md 3.2). */
const skew = 60 * 60 * 1000;
/** A hundred years, well before X.509's last year, 9999. */
const longestLife = 36_500;
