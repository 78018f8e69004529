import {
  createPrivateKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  randomInt,
  X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import { toHost } from "./host.ts";
import { belongTogether, type KeyPair } from "./keypair.ts";
import { keyIdentifierOf, signCertificate, subjectKeyIdentifier } from "./x509.ts";

/** A CA that issues key pairs. Its own key is not used for serving. */
export interface Authority {
  /** PEM of the CA certificate, which callers must trust. */
  readonly certificate: string;
  /** PEM of its private key, for a CA that is stored. */
  readonly key: string;
  readonly notAfter: Date;
  /** Issues a certificate with a new key; it never outlives the CA. Rejects with a message. */
  readonly issue: (order: IssueOrder) => Promise<KeyPair>;
}

/** The content of a certificate to issue. */
interface IssueOrder {
  /** DNS names and IP addresses, at least one: Go ignores the common name (crypto/x509, VerifyHostname). */
  readonly hosts: readonly string[];
  readonly now: Date;
  readonly days: number;
  /** Its extended key usage, by default server; a certificate for one is not accepted from the other. */
  readonly owner?: "server" | "client";
}

/** The content of a CA certificate. */
interface AuthorityOrder {
  readonly commonName: string;
  readonly now: Date;
  readonly days: number;
}

/** Creates a CA with a new key. */
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
    key: toPem(keys.privateKey),
    notAfter: life.notAfter,
    issue: (order) => issue(signer, order),
  };
}

/** Whether a stored pair is a CA that `createAuthority` made, or one like it. */
export function canIssue(pair: KeyPair): boolean {
  return signerOf(pair) !== undefined;
}

/** A CA that was stored. Throws if `canIssue` is false. */
export function openAuthority(pair: KeyPair): Authority {
  const signer = signerOf(pair);
  if (signer === undefined) throw new Error("this is not a CA with its key, on the curve P-256");
  return { ...pair, notAfter: signer.life.notAfter, issue: (order) => issue(signer, order) };
}

function signerOf({ certificate, key }: KeyPair): Signer | undefined {
  try {
    const x509 = new X509Certificate(certificate);
    const keys = { publicKey: x509.publicKey, privateKey: createPrivateKey(key) };
    // A leaf names its issuer as `nameOf` writes it: one common name.
    const commonName = /^CN=([^\n,+\\"]+)$/.exec(x509.subject)?.[1] ?? "";
    // Of a certificate that was changed after it was signed no leaf may be valid.
    const isSound = x509.checkIssued(x509) && x509.verify(x509.publicKey);
    const isOurs = namePattern.test(commonName) && x509.subject === x509.issuer && isSound;
    const isP256 = keys.publicKey.asymmetricKeyDetails?.namedCurve === "prime256v1";
    if (!isOurs || !isP256 || !x509.ca || !belongTogether(keys.privateKey, keys.publicKey)) return undefined;
    return { commonName, keys, life: { notBefore: x509.validFromDate, notAfter: x509.validToDate } };
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
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
  // Not the name of the CA: a leaf whose issuer equals its subject would count as self-signed.
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
    key: toPem(privateKey),
  };
}

function toPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A random number of 128 bits, positive and without a leading zero byte (RFC 5280 4.1.2.2). */
function newSerial(): string {
  return Buffer.from([randomInt(0x01, 0x80), ...randomBytes(15)]).toString("hex");
}

/** On P-256, which every API server accepts; a signature in the handshake takes a fraction of the time of RSA. */
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
  if (!(days > 0 && days <= maxDays)) {
    throw new Error(
      `a certificate cannot be valid for ${days} days; use a number above 0 and up to ${maxDays}`,
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
  throw new Error(`the authority is valid ${span} and cannot issue outside of it; create a new one`);
}

/** A PrintableString, which every verifier reads, short enough for the suffix of a leaf (X.520: 64 characters). */
function checkCommonName(commonName: string): void {
  if (namePattern.test(commonName)) return;
  throw new Error(
    `"${commonName}" cannot name an authority; use 1 to 57 letters, digits, spaces and '()+,-./:=?`,
  );
}

const namePattern = /^[A-Za-z0-9 '()+,./:=?-]{1,57}$/;

const day = 24 * 60 * 60 * 1000;
/** Allowance for clock skew, as in cert-controller (open-policy-agent/cert-controller, pkg/rotator, refreshCerts). */
const skew = 60 * 60 * 1000;
/** A hundred years, well before 9999, the last year of X.509. */
const maxDays = 36_500;
