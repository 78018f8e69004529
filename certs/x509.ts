import { createHash, type KeyObject, sign } from "node:crypto";
import { promisify } from "node:util";
import forge from "node-forge";

const { asn1 } = forge;
const { Class, Type } = asn1;
type Asn1 = forge.asn1.Asn1;

/** The content of a certificate. */
interface CertificateContent {
  /** Positive, in hexadecimal. */
  readonly serial: string;
  /** Common names. */
  readonly issuer: string;
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** An EC key. */
  readonly publicKey: KeyObject;
  /** In the form of forge. */
  readonly extensions: readonly object[];
}

/** Signs a certificate with an EC key and returns its PEM. forge signs only with RSA, so the parts are assembled here. */
export async function signCertificate(content: CertificateContent, key: KeyObject): Promise<string> {
  const body = bodyOf(content);
  const signature = await promisify(sign)("sha256", toBytes(body), key);
  // A bit string starts with the number of unused bits.
  const bits = primitive(Type.BITSTRING, `\0${signature.toString("latin1")}`);
  const certificate = sequence(body, algorithm(), bits);
  const lines =
    toBytes(certificate)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** The identifier of a P-256 key, as bytes: the SHA-1 of its point (RFC 5280 4.2.1.2), the end of its encoding. */
export function keyIdentifierOf(publicKey: KeyObject): string {
  return createHash("sha1").update(encoded(publicKey).subarray(-pointLength)).digest("latin1");
}

/** The extension with the identifier of the subject key. */
export function subjectKeyIdentifier(publicKey: KeyObject): object {
  const value = primitive(Type.OCTETSTRING, keyIdentifierOf(publicKey));
  return { name: "subjectKeyIdentifier", value: asn1.toDer(value).getBytes() };
}

/** An uncompressed point: a byte for the format, and two coordinates. */
const pointLength = 65;

/** TBSCertificate of RFC 5280 4.1, in version 3. */
function bodyOf(content: CertificateContent): Asn1 {
  const { serial, issuer, subject, notBefore, notAfter, publicKey, extensions } = content;
  return sequence(
    tagged(0, primitive(Type.INTEGER, "\x02")),
    primitive(Type.INTEGER, forge.util.hexToBytes(serial)),
    algorithm(),
    nameOf(issuer),
    sequence(timeOf(notBefore), timeOf(notAfter)),
    nameOf(subject),
    asn1.fromDer(forge.util.createBuffer(encoded(publicKey).toString("latin1"))),
    tagged(3, sequence(...filled(extensions).map(extensionOf))),
  );
}

/** ecdsa-with-SHA256, which has no parameters (RFC 5758 3.2). */
function algorithm(): Asn1 {
  return sequence(primitive(Type.OID, asn1.oidToDer("1.2.840.10045.4.3.2").getBytes()));
}

function nameOf(commonName: string): Asn1 {
  const certificate = forge.pki.createCertificate();
  certificate.setSubject([{ name: "commonName", value: commonName }]);
  return forge.pki.distinguishedNameToAsn1(certificate.subject);
}

/** UTCTime, with a year of two digits, until 2049 (RFC 5280 4.1.2.5). */
function timeOf(date: Date): Asn1 {
  return date.getUTCFullYear() < 2050
    ? primitive(Type.UTCTIME, asn1.dateToUtcTime(date))
    : primitive(Type.GENERALIZEDTIME, asn1.dateToGeneralizedTime(date));
}

interface Extension {
  readonly id: string;
  readonly critical?: boolean;
  readonly value: string | Asn1;
}

/** The extensions with the identifiers and values that forge adds. */
function filled(extensions: readonly object[]): readonly Extension[] {
  const certificate = forge.pki.createCertificate();
  certificate.setExtensions([...extensions]);
  return certificate.extensions;
}

function extensionOf({ id, critical = false, value }: Extension): Asn1 {
  return sequence(
    primitive(Type.OID, asn1.oidToDer(id).getBytes()),
    ...(critical ? [primitive(Type.BOOLEAN, "\xff")] : []),
    primitive(Type.OCTETSTRING, typeof value === "string" ? value : asn1.toDer(value).getBytes()),
  );
}

function sequence(...items: readonly Asn1[]): Asn1 {
  return asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, [...items]);
}

function tagged(tag: number, item: Asn1): Asn1 {
  return asn1.create(Class.CONTEXT_SPECIFIC, tag, true, [item]);
}

function primitive(type: forge.asn1.Type, value: string): Asn1 {
  return asn1.create(Class.UNIVERSAL, type, false, value);
}

function toBytes(item: Asn1): Buffer {
  return Buffer.from(asn1.toDer(item).getBytes(), "latin1");
}

function encoded(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: "spki", format: "der" });
}
