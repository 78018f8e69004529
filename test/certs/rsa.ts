import { generateKeyPairSync } from "node:crypto";
import forge from "node-forge";
import type { KeyPair } from "../../certs/keypair.ts";

/** A certificate for 127.0.0.1 that an RSA key of so many bits has signed for itself, valid for an hour from `now` on. */
export function rsaPair(modulusLength: number, now: Date): KeyPair {
  const keys = generateKeyPairSync("rsa", { modulusLength });
  const key = keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(
    keys.publicKey.export({ type: "spki", format: "pem" }).toString(),
  );
  certificate.validity.notBefore = new Date(now.getTime() - 1000);
  certificate.validity.notAfter = new Date(now.getTime() + 3_600_000);
  certificate.setExtensions([{ name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] }]);
  certificate.sign(forge.pki.privateKeyFromPem(key), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), key };
}
