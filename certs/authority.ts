import { generateKeyPair, randomBytes, randomInt } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";
import { toHost } from "./host.ts";
import type { KeyPair } from "./keypair.ts";

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
  const certificate = blank({ keys, life, subject: commonName, issuer: commonName });
  certificate.setExtensions([
    { name: "basicConstraints", critical: true, cA: true, pathLenConstraint: 0 },
    { name: "keyUsage", critical: true, keyCertSign: true, cRLSign: true },
    { name: "subjectKeyIdentifier" },
  ]);
  certificate.sign(keys.private, forge.md.sha256.create());
  const signer: Signer = { commonName, certificate, key: keys.private, life };
  return {
    certificate: forge.pki.certificateToPem(certificate),
    notAfter: life.notAfter,
    issue: (order) => issue(signer, order),
  };
}

interface Signer {
  readonly commonName: string;
  readonly certificate: forge.pki.Certificate;
  readonly key: forge.pki.rsa.PrivateKey;
  readonly life: Life;
}

interface Keys {
  readonly public: forge.pki.rsa.PublicKey;
  readonly private: forge.pki.rsa.PrivateKey;
  readonly pem: string;
}

interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

async function issue(signer: Signer, { hosts, now, days, owner = "server" }: IssueOrder): Promise<KeyPair> {
  const altNames = toAltNames(hosts);
  const life = within(signer.life, lifeFrom(now, days));
  const keys = await newKeys();
  // Never the authority's own name: a leaf whose issuer is its subject passes for self-signed.
  const subject = `${signer.commonName} ${owner}`;
  const certificate = blank({ keys, life, subject, issuer: signer.commonName });
  certificate.setExtensions([
    { name: "basicConstraints", critical: true, cA: false },
    { name: "keyUsage", critical: true, digitalSignature: true, keyEncipherment: true },
    { name: "extKeyUsage", [`${owner}Auth`]: true },
    { name: "subjectKeyIdentifier" },
    // forge's `keyIdentifier: true` would name the leaf's own key.
    {
      name: "authorityKeyIdentifier",
      keyIdentifier: signer.certificate.generateSubjectKeyIdentifier().getBytes(),
    },
    { name: "subjectAltName", altNames },
  ]);
  certificate.sign(signer.key, forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), key: keys.pem };
}

function blank(of: {
  readonly keys: Keys;
  readonly life: Life;
  readonly subject: string;
  readonly issuer: string;
}): forge.pki.Certificate {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = of.keys.public;
  certificate.serialNumber = newSerial();
  certificate.validity.notBefore = of.life.notBefore;
  certificate.validity.notAfter = of.life.notAfter;
  certificate.setSubject([{ name: "commonName", value: of.subject }]);
  certificate.setIssuer([{ name: "commonName", value: of.issuer }]);
  return certificate;
}

/** 128 bits of chance; the first byte keeps it positive and without a leading zero (RFC 5280 4.1.2.2). */
function newSerial(): string {
  return Buffer.from([randomInt(0x01, 0x80), ...randomBytes(15)]).toString("hex");
}

/** From node:crypto, off the loop: forge's own generation blocks it (toolchain.md 3). */
async function newKeys(): Promise<Keys> {
  const pems = await promisify(generateKeyPair)("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return {
    public: forge.pki.publicKeyFromPem(pems.publicKey),
    private: forge.pki.privateKeyFromPem(pems.privateKey),
    pem: pems.privateKey,
  };
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
