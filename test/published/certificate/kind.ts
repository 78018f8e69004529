import { defineKind, group, lens, move, version } from "antechamber";
import { isText } from "../codecs.ts";

/** Organizations became a part of the subject. */
const v1alpha2 = lens(move("spec.organization", "spec.subject.organizations"));

/** The private key's fields got a place of their own, and names in capitals. */
const v1alpha3 = lens(
  move("spec.keySize", "spec.privateKey.size"),
  group({
    older: { algorithm: "spec.keyAlgorithm" },
    newer: { algorithm: "spec.privateKey.algorithm" },
    up: ({ algorithm }) => ({ algorithm: isText(algorithm) ? algorithm.toUpperCase() : undefined }),
    down: ({ algorithm }) => ({
      algorithm: algorithm === "RSA" || algorithm === "ECDSA" ? algorithm.toLowerCase() : undefined,
    }),
  }),
  group({
    older: { encoding: "spec.keyEncoding" },
    newer: { encoding: "spec.privateKey.encoding" },
    up: ({ encoding }) => ({ encoding: isText(encoding) ? encoding.toUpperCase() : undefined }),
    down: ({ encoding }) => ({
      encoding: encoding === "PKCS1" || encoding === "PKCS8" ? encoding.toLowerCase() : undefined,
    }),
  }),
);

/** Two lists were renamed, and v1 has one more algorithm, which v1beta1 cannot name. */
const v1beta1 = lens(
  move("spec.emailSANs", "spec.emailAddresses"),
  move("spec.uriSANs", "spec.uris"),
  move("spec.privateKey.algorithm", "spec.privateKey.algorithm", {
    up: (older) => older,
    down: (newer) => (newer === "Ed25519" ? undefined : newer),
  }),
);

/** The Certificate of cert-manager, of the last release that served four versions. */
export default defineKind({
  group: "cert-manager.io",
  kind: "Certificate",
  plural: "certificates",
  scope: "Namespaced",
  versions: [
    version("v1alpha2", v1alpha2),
    version("v1alpha3", v1alpha3),
    version("v1beta1", v1beta1),
    version("v1"),
  ],
});
