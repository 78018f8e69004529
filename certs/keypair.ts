import { createPrivateKey, type KeyObject, sign, verify, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";

/** A certificate with its key. */
export interface KeyPair {
  /** PEM, the leaf first, then its chain, if any. */
  readonly certificate: string;
  /** PEM of the leaf's private key. */
  readonly key: string;
}

/** The serial number and validity of a certificate. */
interface CertificateFacts {
  /** In upper-case hexadecimal, as openssl prints it. */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** The facts of the first certificate of a PEM text; throws if there is none. */
export function factsOf(certificate: string): CertificateFacts {
  const leaf = new X509Certificate(certificate);
  return { serial: leaf.serialNumber, notBefore: leaf.validFromDate, notAfter: leaf.validToDate };
}

/** A message why the pair cannot be served at `now`; undefined if it can. */
export function checkPair(pair: KeyPair, now: Date): string | undefined {
  return checkCertificates(pair.certificate) ?? checkKey(pair) ?? checkLife(factsOf(pair.certificate), now);
}

/** A message about the first error in a PEM text of one or more certificates; undefined if there is none. */
export function checkCertificates(pem: string): string | undefined {
  const blocks = certificateBlocks(pem);
  if (blocks === undefined) return `a certificate is truncated: its "${end}" line is missing`;
  if (blocks.length === 0) return `no certificate in PEM: the line "${begin}" is missing`;
  for (const [index, block] of blocks.entries()) {
    const parsed = attempt(() => new X509Certificate(block));
    if (parsed instanceof Error) {
      return `certificate ${index + 1} of ${blocks.length} cannot be read: ${parsed.message}`;
    }
  }
  return undefined;
}

/** The certificates of a PEM text, one text each; undefined if one is incomplete. */
export function certificateBlocks(pem: string): readonly string[] | undefined {
  const blocks: string[] = [];
  // Not a lazy regular expression, which would take quadratic time on a megabyte of BEGIN lines.
  for (let from = pem.indexOf(begin); from !== -1; ) {
    const to = pem.indexOf(end, from);
    if (to === -1) return undefined;
    blocks.push(pem.slice(from, to + end.length));
    from = pem.indexOf(begin, to);
  }
  return blocks;
}

const begin = "-----BEGIN CERTIFICATE-----";
const end = "-----END CERTIFICATE-----";

/**
 * Whether a private key signs what the public key verifies. A key in PEM holds its public half, too, and OpenSSL compares only that
 * one (X509_check_private_key): of a damaged key it may be whole.
 */
export function belongTogether(privateKey: KeyObject, publicKey: KeyObject): boolean {
  const text = Buffer.from("antechamber");
  // Ed25519 and Ed448 have a digest of their own.
  const digest = privateKey.asymmetricKeyType?.startsWith("ed") ? null : "sha256";
  return attempt(() => verify(digest, text, publicKey, sign(digest, text, privateKey))) === true;
}

function checkKey(pair: KeyPair): string | undefined {
  const key = attempt<KeyObject>(() => createPrivateKey(pair.key));
  if (key instanceof Error) return `the key is not an unencrypted private key in PEM: ${key.message}`;
  const leaf = new X509Certificate(pair.certificate);
  if (!leaf.checkPrivateKey(key) || !belongTogether(key, leaf.publicKey)) {
    return `the key does not belong to the certificate with serial ${leaf.serialNumber}; write both files together`;
  }
  // The same check as when serving: OpenSSL rejects, for example, an RSA key of 1024 bits.
  const context = attempt(() => createSecureContext({ cert: pair.certificate, key: pair.key }));
  return context instanceof Error ? `TLS rejects the pair: ${context.message}` : undefined;
}

function checkLife({ serial, notBefore, notAfter }: CertificateFacts, now: Date): string | undefined {
  // No message has the current time, so that the same fault is reported only once.
  if (now < notBefore) {
    return `the certificate with serial ${serial} is not valid before ${notBefore.toISOString()}`;
  }
  if (now > notAfter) return `the certificate with serial ${serial} expired at ${notAfter.toISOString()}`;
  return undefined;
}

function attempt<Value>(make: () => Value): Value | Error {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
